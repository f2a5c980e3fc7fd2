"""An engine for other viewers: a trace for Perfetto, ONNX for Netron, read by other readers."""

import json
from pathlib import Path
from typing import Any

import compared
import onnx
import pytest
from factories import chain, layer, linked
from hypothesis import given
from hypothesis import strategies as st
from logtext import file_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Layer, ProfileRow, Tensor, Timing
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.export.trace import microseconds
from exchange.onnx_files import attributes, edges, exported
from exchange.perfetto import misplaced, nanoseconds

CLASSIC = FIXTURES / "classic"


def events(of: Engine, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(of, "trace", Options(**options)))["traceEvents"]
    return found


def slices(of: Engine, category: str, **options: Any) -> list[dict[str, Any]]:
    return [one for one in events(of, **options) if one.get("cat") == category]


def timed(index: int, name: str, reads: str, writes: str, ms: float, **more: Any) -> Layer:
    return layer(index, name, [reads], [writes], time=more.pop("time", Timing(ms)), **more)


def in_two_modules() -> Engine:
    """The second layer is of another module than the others."""
    return compared.timed(
        timed(0, "/stem/Conv", "x", "a", 0.5, attributes=(("StreamId", "0"),)),
        timed(1, "/side/Conv", "a", "b", 0.25, attributes=(("StreamId", "1"),)),
        timed(2, "/stem/Conv_1", "a", "c", 0.125, attributes=(("StreamId", "0"),)),
        timed(3, "/stem/Add", "b", "d", 1.0, attributes=(("StreamId", 0),)),
    )


def test_a_module_is_a_slice_around_its_layers() -> None:
    found = compared.timed(
        timed(0, "/a/b/Conv", "x", "y", 1.5),
        timed(1, "/a/b/Relu", "y", "z", 0.25),
        timed(2, "/a/c/Conv", "z", "u", 1.0),
        timed(3, "/a/b/Add", "u", "v", 1.0),
    )
    modules = [(one["name"], one["ts"], round(one["dur"], 4)) for one in slices(found, "module")]
    assert modules[:2] == [("a", 0, 3750.004), ("b", 0, 1750.0019)]
    assert modules[2:] == [("c", 1750.002, 1000.0009), ("b", 2750.003, 1000.0009)]
    assert slices(found, "module")[2]["args"] == {"scope": "/a/c"}
    assert not misplaced(events(found))


def test_slices_nest_where_times_have_many_digits() -> None:
    times = [0.0101234567, 1e-9, 0.333333333333, 0.0, 0.00299999999, 0.004350000004] * 40
    made = [timed(n, f"/a.{n % 3}/Conv_{n}", f"t{n}", f"t{n + 1}", ms, time=Timing(
        ms, rows=(ProfileRow("p", Timing(ms / 3)), ProfileRow("q", Timing(2 * ms / 3)))
    )) for n, ms in enumerate(times)]  # fmt: skip
    found = compared.timed(*made)
    assert not misplaced(events(found))
    assert len(slices(found, "kernel")) == 2 * len(times)
    durations = [one["dur"] for one in slices(found, "layer")]
    assert durations == [pytest.approx(1000 * ms, abs=0.5001e-3) for ms in times]


@pytest.mark.parametrize("ns", [*range(4200, 4500), 20_345, 1_000_003, 10**15 + 1])
def test_no_nanosecond_is_lost_in_a_number(ns: int) -> None:
    assert nanoseconds(microseconds(ns)) == ns
    assert microseconds(ns) == pytest.approx(ns / 1000, rel=1e-15)


def test_layers_of_all_streams_stand_end_to_end() -> None:
    found = events(in_two_modules())
    threads = {(one["pid"], one["tid"]) for one in found if "tid" in one}
    assert threads == {(1, 1)}
    of_layer = {one["name"]: one for one in found if one.get("cat") == "layer"}
    assert [one["ts"] for one in of_layer.values()] == [0, 500.001, 750.002, 875.003]
    assert not misplaced(found)


def test_kernels_stand_below_their_layer() -> None:
    log, report = CLASSIC / "10-nsight.log", CLASSIC / "10-nsight.profile.csv"
    (found,) = elv.read(log, report, facts=True).engines
    kernels = slices(found, "kernel")
    layers = {one["args"]["index"]: one for one in slices(found, "layer")}
    timed = ((one.index, one.time.kernels) for one in found.layers if one.time is not None)
    named = [(at, one.name, one.average_ms) for at, kernels in timed for one in kernels]
    assert len(kernels) == len(named) == 3
    for one, (index, name, ms) in zip(kernels, named):
        around = layers[index]
        assert one["name"] == name and one["dur"] == pytest.approx(1000 * ms, abs=0.003)
        assert around["ts"] <= one["ts"]
        assert one["ts"] + one["dur"] <= around["ts"] + around["dur"] + 1e-9
    assert not misplaced(events(found))


def test_a_trace_says_that_it_is_a_sequence_and_of_what() -> None:
    trace = json.loads(render(in_two_modules(), "trace"))
    about = trace["otherData"]
    assert about["declared"].startswith("sequence, not a time line")
    assert about["times"] == "measured" and about["timed"] == "4 of 4 layers timed"
    assert about["source"] == {"file": "build.log", "first_line": 9}
    labels = [one["args"] for one in trace["traceEvents"] if one["name"] == "process_labels"]
    assert labels == [{"labels": "sequence, not a time line"}]


def test_profiles_are_processes() -> None:
    made = compared.timed(
        timed(0, "a", "x", "y", 1.0), timed(1, "a [profile 1]", "x [profile 1]", "y [profile 1]", 2)
    )
    names = [one["args"]["name"] for one in events(made) if one["name"] == "process_name"]
    start = "engine 0, optimisation profile"
    assert names == [f"{start} {number} · build.log" for number in (0, 1)]
    assert [(one["pid"], one["ts"]) for one in slices(made, "layer")] == [(1, 0), (2, 0)]


def test_nothing_timed_is_nothing_to_draw(tmp_path: Path, here: Program) -> None:
    out = tmp_path / "out"
    err = here("--log_file", CENTERNET, "-o", out, "--format", "trace,dot", code=3).stderr
    assert "error[ELV411]: trace: no layer of engine 0 has a time" in err
    assert "--profile_file" in err
    assert [path.name for path in out.iterdir()] == ["EngineLayers_0.dot"]


def test_an_engine_without_times_beside_one_that_has_some(tmp_path: Path, here: Program) -> None:
    log = file_of(tmp_path, CENTERNET.read_bytes() * 2, "two.log")
    words = ["--log_file", log, "--profile_file", TIMES, "-o", tmp_path, "--format", "trace"]
    assert "trace: no layer of engine 1 has a time" in here(*words, code=0).stderr
    assert [path.name for path in tmp_path.glob("*.json")] == ["EngineLayers_0.trace.json"]


# ---- what is known of a layer: the same in traces and in ONNX ------------------------------------


NSIGHT = ("classic/10-nsight.log", "classic/10-nsight.profile.csv")
PRETTY = ("inspector_json/trtexec-pretty.json", "inspector_json/trtexec-pretty.profile.json")
DLA = ("facts/8.5-dla.log", "facts/8.5-dla.profile.txt")
ALL = [(CENTERNET, TIMES), NSIGHT, PRETTY, ("facts/8.6-runs.log",), DLA]

Facts = dict[str, Any]


def in_trace(engine: Engine) -> dict[int, Facts]:
    """By index; the layers that have a time."""
    events = json.loads(render(engine, "trace"))["traceEvents"]
    told = [one["args"] for one in events if one.get("cat") == "layer"]
    return {one["index"]: one for one in told}


def in_onnx(engine: Engine) -> list[Facts]:
    return [attributes(node) for node in exported(engine).graph.node]


def as_attribute(fact: Any) -> Any:
    """ONNX has bytes, and floats of 32 bits."""
    if isinstance(fact, list):
        return [one.encode() for one in fact]
    return fact.encode() if isinstance(fact, str) else pytest.approx(fact, rel=1e-7, abs=1e-40)


def of_record(**printed: Any) -> Layer:
    return layer(0, "a", ["x"], ["y"])._replace(attributes=tuple(printed.items()))


@pytest.mark.parametrize("files", ALL, ids=lambda files: Path(files[0]).stem)
def test_both_formats_tell_the_same(files: tuple[str | Path, ...]) -> None:
    log, *profiles = (FIXTURES / name for name in files)
    engine = elv.read(log, profiles, facts=True).engines[0]
    onnx, traced = in_onnx(engine), in_trace(engine)
    assert traced
    for index, facts in traced.items():
        values = onnx[index]
        assert list(values)[: len(facts) + 1] == ["layer", *facts]
        assert values["layer"].decode() == engine.layers[index].name
        assert {k: values[k] for k in facts} == {k: as_attribute(v) for k, v in facts.items()}


def test_the_values_are_exact(centernet: Engine) -> None:
    costs = Costs(centernet)
    for index, facts in in_trace(centernet).items():
        one = centernet.layers[index]
        share, done = costs.share(one), centernet.work.of(one)
        assert share is not None and facts["share"] == share
        assert (facts["ms"], facts["time_kind"]) == (costs.of(one), "measured")
        assert (facts.get("macs"), facts.get("bytes")) == (done.macs, done.bytes)
        assert all(isinstance(facts.get(key, 0), int) for key in ("index", "line", "macs", "bytes"))


def test_the_two_ends_of_a_foreign_node_are_known_by_its_name() -> None:
    known = elv.LayerFacts(onnx_nodes=("/a", "/b"), onnx_nodes_from="name")
    one = layer(0, "{ForeignNode[/a.../b]}", ["x"], ["y"], facts=known)
    (facts,) = in_onnx(linked(one))
    assert facts["onnx_ends"] == [b"/a", b"/b"]
    assert not {"onnx_nodes", "onnx_nodes_from"} & set(facts)  # nothing says that it is ONNX


def test_what_is_unknown_is_left_out() -> None:
    (facts,) = in_onnx(chain("a"))
    unknown = {"ms", "time_kind", "build_ms", "share", "n", "kernel"}
    unknown |= {"onnx_nodes", "onnx_nodes_from"}
    assert not unknown & set(facts)
    nameless = linked(of_record(Weights=None, Origin="")._replace(type="", inputs=(), outputs=()))
    (facts,) = in_onnx(nameless)
    assert not {"type", "precision", "Weights", "Origin"} & set(facts)
    assert facts["index"] == 0


def test_a_record_s_further_keys_never_stand_for_what_is_known() -> None:
    one = of_record(index=9, share="1", layer="no", name="no", StreamId=3, Pads=[1, 2])
    odd = one._replace(attributes=(*one.attributes, ("", "x"), ("\udc80", "y")))
    (values,) = in_onnx(linked(odd))
    assert values["index"] == 0 and values["layer"] == b"a"
    assert not {"share", ""} & values.keys()
    assert (values["StreamId"], values["Pads"]) == (b"3", b"[1, 2]")
    assert values["\\udc80"] == b"y"


# ---- an engine as ONNX ---------------------------------------------------------------------------


def test_a_node_for_each_layer_and_an_edge_for_each_edge(centernet: Engine) -> None:
    made = exported(centernet)
    nodes = made.graph.node
    assert [node.op_type for node in nodes] == [one.type for one in centernet.layers]
    assert [node.name for node in nodes] == [one.name for one in centernet.layers]
    assert {node.domain for node in nodes} == {"engine_layer_visualize"}
    assert edges(made) == {(one.source, one.target) for one in centernet.graph.between}
    assert [one.name for one in made.graph.input] == list(centernet.inputs)
    assert [one.name for one in made.graph.output] == list(centernet.outputs)


def test_a_tensor_that_is_written_again_has_another_name() -> None:
    flow = ("fill", "x", "t"), ("read", "t", "u"), ("again", "u", "t"), ("last", "t", "y")
    engine = linked(*(layer(n, name, [x], [y]) for n, (name, x, y) in enumerate(flow)))
    made = exported(engine)
    assert [list(node.output) for node in made.graph.node] == [["t"], ["u"], ["t@2"], ["y"]]
    assert [list(node.input) for node in made.graph.node] == [["x"], ["t"], ["u"], ["t@2"]]


NAMES = st.lists(st.sampled_from(["", "t", "t@2", "u", "\ud800", "\\ud800"]), max_size=3)


@given(st.lists(st.tuples(NAMES, NAMES, st.sampled_from([56, 28])), max_size=8))
def test_any_graph_is_written_once(found: list[tuple[list[str], list[str], int]]) -> None:
    """Reads, writes in part and again, in any order; names that are those of generations."""
    made = []
    for number, (reads, writes, width) in enumerate(found):
        one = layer(number, f"l{number}", reads, writes)
        shape = (1, 64, 56, width)
        outputs = (Tensor(name, "Half", ",".join(map(str, shape)), shape) for name in writes)
        made.append(one._replace(outputs=tuple(outputs)))
    engine = linked(*made)
    model = exported(engine)
    written = [name for node in model.graph.node for name in node.output]
    assert len(written) == len(set(written))
    assert edges(model) == {(one.source, one.target) for one in engine.graph.between}


def test_an_input_that_no_layer_reads() -> None:
    engine = linked(layer(0, "a", ["x"], ["y"]))
    graph = engine.graph._replace(inputs=("x", "spare"))
    _, spare = exported(engine._replace(graph=graph)).graph.input
    assert (spare.name, spare.type.tensor_type.elem_type) == ("spare", onnx.TensorProto.UNDEFINED)


def test_a_tensor_that_a_layer_reads_twice_is_one_edge() -> None:
    engine = linked(layer(0, "a", ["x"], ["t"]), layer(1, "square", ["t", "t"], ["y"]))
    assert list(exported(engine).graph.node[1].input) == ["t"]


def test_a_layer_without_tensors_and_one_without_a_type() -> None:
    wait = layer(1, "wait", [], [], type="shape_call")
    engine = linked(layer(0, "a", ["x"], ["y"]), wait, layer(2, "b", ["y"], ["z"], type=""))
    one, wait, other = exported(engine).graph.node
    assert list(wait.output) == ["control@1"]
    assert other.op_type == "Opaque"
    assert not one.output[0].startswith("control")


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("Float", "FLOAT"), ("Half", "FLOAT16"), ("BFloat16", "BFLOAT16"), ("Int8", "INT8"),
     ("FP8", "FLOAT8E4M3FN"), ("FP4", "FLOAT4E2M1"), ("E8M0", "FLOAT8E8M0"), ("Int4", "INT4"),
     ("Int32", "INT32"), ("Int64", "INT64"), ("Bool", "BOOL"), ("UInt8", "UINT8"),
     (None, "UNDEFINED"), ("Unheard", "UNDEFINED")],
)  # fmt: skip
def test_type_names(dtype: str | None, name: str) -> None:
    one = layer(0, "a", ["x"], ["y"])
    tensor = Tensor("y", dtype, "1,64:8,-1,-17", (1, 64, -1, -17), "Two wide", "1,2,3,4")
    made = exported(linked(one._replace(outputs=(tensor,))))
    (output,) = made.graph.output or made.graph.value_info
    assert onnx.TensorProto.DataType.Name(output.type.tensor_type.elem_type) == name
    extents = output.type.tensor_type.shape.dim
    assert [one.dim_value for one in extents[:2]] == [1, 64]
    assert [one.dim_param for one in extents[2:]] == ["y[2]", "symbol 17"]
    (known,) = output.metadata_props
    assert (known.key, known.value) == ("format", "Two wide")


def test_the_command_line(here: Program, tmp_path: Path) -> None:
    words = ["--log_file", CENTERNET, "--format", "onnx", "--output_dir", tmp_path]
    for _ in range(2):  # the second time over its own output
        assert here(*words, code=0).stderr == ""
    onnx.checker.check_model(tmp_path / "EngineLayers_0.onnx")
    log = CLASSIC / "8.5-new-descriptors.log"
    other = here("--log_file", log, *words[2:], code=4)
    assert "error[ELV505]: this was drawn from another log, 8.0-centernet.log" in other.stderr
