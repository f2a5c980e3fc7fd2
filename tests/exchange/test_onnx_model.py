"""The model behind an engine: found by names, and its facts."""

import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from logtext import HEADER, file_of, text
from onnx import TensorProto, helper, numpy_helper
from program import Patch, Program, ran

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import origin
from engine_layer_visualize.api import draw
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.export.piece import Cutter, NoPiece
from engine_layer_visualize.io import onnx_file
from exchange.onnx_files import FLOAT, info, model_of, node, with_functions
from fuzz import budget

# A convolution, a block that Myelin compiles, and a Cast that goes away.
RECORDS = (
    "Layer(CaskConvolution): /stem/Conv + /stem/Relu, Tactic: 0x1, "
    "x[Float(2,3,8,8)] -> s[Float(2,4,8,8)]",
    "Layer(Myelin): {ForeignNode[/flat.../head/Add]}, Tactic: 0x0, "
    "s[Float(2,4,8,8)] -> y[Float(2,10)]",
)
CONV = 2 * 4 * 8 * 8 * 3 * 3 * 3
GEMM = 2 * 256 * 10


def model(nodes: Sequence[Any] | None = None, batch: int | str = "batch") -> Any:
    """Its weights are 108 and 2,560 numbers, that of a shape are two."""
    weights: dict[str, Any] = {
        "w": np.arange(108, dtype=np.float32).reshape(4, 3, 3, 3) / 100,
        "v": np.arange(2560, dtype=np.float32).reshape(256, 10) / 1000,
        "b": np.arange(10, dtype=np.float32),
        "shape": np.array([-1, 256], dtype=np.int64),
    }
    many = nodes or [
        node("Cast", "x", "c", "/cast", to=FLOAT),
        node("Conv", "c w", "r", "/stem/Conv", pads=[1, 1, 1, 1]),
        node("Relu", "r", "s", "/stem/Relu"),
        node("Reshape", "s shape", "f", "/flat"),
        node("MatMul", "f v", "m", "/head/MatMul"),
        node("Add", "m b", "y", "/head/Add"),
    ]
    return model_of(many, [info("x", batch, 3, 8, 8)], [info("y", batch, 10)], **weights)


def written(folder: Path, made: Any, records: Sequence[str] = RECORDS) -> tuple[Path, Path]:
    """The log and the model."""
    data = made if isinstance(made, bytes) else made.SerializeToString()
    return file_of(folder, HEADER + text(*records)), file_of(folder, data, "model.onnx")


def read(folder: Path, made: Any, records: Sequence[str] = RECORDS) -> Any:
    """The engine."""
    log, path = written(folder, made, records)
    (engine,) = elv.read(log, onnx=path).engines
    return engine


def loaded(folder: Path, made: Any) -> OnnxModel:
    """As it is read from its file."""
    return onnx_file.load(written(folder, made)[1])


def macs(engine: elv.Engine) -> list[int | None]:
    """Of each layer."""
    return [engine.work.of(one).macs for one in engine.layers]


def test_the_nodes_and_multiplications_of_each_layer(tmp_path: Path) -> None:
    engine = read(tmp_path, model())
    nodes = [origin.onnx_nodes_of(one).all for one in engine.layers]
    assert nodes == [("/stem/Conv", "/stem/Relu"), ("/flat", "/head/MatMul", "/head/Add")]
    facts = engine.layers[1].facts
    assert facts.onnx_operators == ("Reshape", "MatMul", "Add")
    assert facts.onnx_nodes_from == "graph"
    assert "onnx_nodes" not in dict(facts.lines)  # they are on no line of the log
    assert macs(engine) == [CONV, GEMM]  # the model leaves the batch open, the engine has 2
    log, _ = written(tmp_path, model())
    assert elv.read(log, facts=True).engines[0].work.macs is None


@pytest.mark.parametrize("batch", ["batch", 1])
def test_an_extent_that_the_engine_leaves_open_is_open(batch: int | str, tmp_path: Path) -> None:
    """Though the model has batch 1, and its input was made dynamic."""
    dynamic = [record.replace("(2,", "(-1,") for record in RECORDS]
    assert read(tmp_path, model(batch=batch), dynamic).work.macs is None


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_reports_name_them(program: Program, tmp_path: Path, format: str) -> None:
    log, path = written(tmp_path, model())
    words = ["--log_file", log, "--onnx", path]
    # In a process of its own, which leaves numpy out where it can: onnx needs it.
    done = program("table", *words, "--format", format, "--output_dir", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    if format == "csv":
        lines = (tmp_path / "onnx_nodes.csv").read_text("utf-8").splitlines()
        (found,) = (line.split(",")[3:] for line in lines if "/head/MatMul" in line)
        assert found == ["/head/MatMul", "MatMul", "graph"]


@pytest.mark.parametrize(
    "name",
    ["/stem/Conv", "/stem/Conv_clone_12", "/stem/Conv [profile 3]", "reshape_before_/stem/Conv",
     "copied_squeeze_after_/stem/Conv", "/stem/Conv_quantize_scale_node", "_stem_Conv_myl3_14"],
)  # fmt: skip
def test_names_as_tensorrt_changes_them(name: str, tmp_path: Path) -> None:
    (found,) = loaded(tmp_path, model()).named(name)
    assert found.number == 1


def test_a_node_without_a_name_and_a_folded_name_of_two(tmp_path: Path) -> None:
    made = model()
    made.graph.node[1].name = ""
    found = loaded(tmp_path, made)
    assert found.named("node_of_r") == found.named("r") == (found.nodes[1],)
    made.graph.node[0].name, made.graph.node[1].name = "/stem.Conv", "/stem/Conv"
    assert loaded(tmp_path, made).named("_stem_Conv_myl0_1") == ()


def test_another_network_is_said_with_the_share_of_names(here: Program, tmp_path: Path) -> None:
    made = model()
    for one in list(made.graph.node)[1:]:
        one.name = f"/other{one.name}"
    made.graph.node[3].name = "/flat"
    log, path = written(tmp_path, made)
    done = here("summary", "--log_file", log, "--onnx", path, "--format", "json", code=0)
    assert "1 of 4 names of ONNX nodes of engine 0 are in the model: " in done.stderr
    assert "warning[ELV802]" in done.stderr
    (told,) = json.loads(done.stdout)["engines"]
    assert told["work"]["macs"] is None


def inside(*names: str) -> list[str]:
    """Records inside of Myelin, which do not name their nodes."""
    tensors = "Inputs: [], Outputs: [], TacticName: , StreamId: 0, Metadata: "
    records = [f"Name: {name}_myl0_{n}, LayerType: add, {tensors}" for n, name in enumerate(names)]
    return ["", "[V] [TRT] Layers:", *records]


def test_names_that_myelin_made_up_are_no_nodes(tmp_path: Path) -> None:
    """Those of a loop or a branch, some of which hold a node's name."""
    loop = ("init_hvar^323i64", "adv_off^hvar^323i64", "cbr___mye98", "jmp__mye31")
    body = ("$$myelin$$(Unnamed Loop* 0)^ElementWise 2_to_add", "copy_d2h___mye160")
    engine = read(tmp_path, model(), inside(*loop, *body, "/stem/Conv"))
    assert engine.onnx.same
    unnamed = read(tmp_path, model(), inside(*loop))
    (problem,) = (one for one in unnamed.problems if one.code == "ELV802")
    assert "engine 0 names no ONNX nodes: the model is not used" in str(problem)


def test_a_network_of_other_extents_with_the_same_names(tmp_path: Path) -> None:
    wide = [record.replace(",4,8,8", ",16,8,8").replace("2,10", "2,40") for record in RECORDS]
    engine = read(tmp_path, model(), wide)
    assert not engine.onnx.same
    (problem,) = engine.problems
    assert problem.code == "ELV802"
    assert "of 3 tensors of engine 0 have the model's extents" in problem.message
    assert engine.work.macs is None


def test_a_network_that_got_another_batch(tmp_path: Path) -> None:
    """Its nodes are the model's, its extents are not."""
    renamed = [record.replace("x[", "fed[") for record in RECORDS]
    engine = read(tmp_path, model(batch=1), renamed)
    assert (engine.onnx.same, engine.onnx.same_batch) == (True, False)
    assert engine.work.of(engine.layers[1]).macs is None
    assert origin.onnx_nodes_of(engine.layers[1]).all == ("/flat", "/head/MatMul", "/head/Add")


def test_what_the_model_says_of_another_batch_is_not_taken(tmp_path: Path) -> None:
    """What nothing infers behind a plugin: the model has it, of batch 1."""
    made = model(batch=1)
    made.opset_import.append(helper.make_opsetid("own", 1))
    made.graph.node[3].CopyFrom(node("Plugin", "s", "f", "/flat", domain="own"))
    for name, width in (("f", 256), ("m", 10)):
        made.graph.value_info.append(info(name, 1, width))
    records = (
        RECORDS[0],
        "Layer(PluginV2): /flat, Tactic: 0x0, s[Float(2,4,8,8)] -> f[Float(2,256)]",
        "Layer(Myelin): {ForeignNode[/head/MatMul.../head/Add]}, Tactic: 0x0, "
        "f[Float(2,256)] -> out[Float(2,10)]",
    )
    engine = read(tmp_path, made, records)
    assert engine.onnx.same
    assert macs(engine) == [CONV, None, None]


def test_a_layer_that_reads_a_slice_of_an_input_opens_nothing(tmp_path: Path) -> None:
    part = "Layer(Slice): /part, Tactic: 0x0, x[Float(2,3,4,8)] -> z[Float(2,3,4,8)]"
    engine = read(tmp_path, model(), (part, *RECORDS))
    assert macs(engine) == [0, CONV, GEMM]


def shapeless(name: str, kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, None)


def test_nodes_inside_a_loop(tmp_path: Path) -> None:
    body = helper.make_graph(
        [
            node("Identity", "go", "on", "/body/Identity"),
            node("Relu", "a", "b", "/body/Relu"),
            node("Add", "b s", "c2", "/body/Add"),
        ],
        "body",
        [info("i", kind=TensorProto.INT64), info("go", kind=TensorProto.BOOL), shapeless("a")],
        [info("on", kind=TensorProto.BOOL), shapeless("c2")],
    )
    nodes = [
        node("Conv", "x w", "r", "/stem/Conv", pads=[1, 1, 1, 1]),
        node("Relu", "r", "s", "/stem/Relu"),
        helper.make_node("Loop", ["", "", "s"], ["y"], name="/loop", body=body),
    ]
    pointwise = "Layer(PointWise): PWN(/body/Relu, /body/Add), Tactic: 0x1"
    records = (RECORDS[0], f"{pointwise}, s[Float(2,4,8,8)] -> y[Float(2,4,8,8)]")
    engine = read(tmp_path, model(nodes), records)
    assert origin.onnx_nodes_of(engine.layers[1]).all == ("/body/Relu", "/body/Add")


def calling(*functions: tuple[str, Sequence[Any]]) -> Any:
    """A model with functions of `p` and `w`, of which it calls the first."""
    made = with_functions(model(), *((name, "p w", nodes) for name, nodes in functions))
    made.graph.node.insert(3, node(functions[0][0], "s sw", "s2", "/call", domain="own"))
    made.graph.node[4].input[0] = "s2"
    made.graph.initializer.append(numpy_helper.from_array(np.ones((8, 8), np.float32), "sw"))
    return made


@pytest.mark.parametrize("depth", [1, 60])
def test_functions_that_never_end_are_not_unfolded(depth: int, tmp_path: Path) -> None:
    """One that calls itself, and 60 that each call the next one twice: 2⁶⁰ calls have no end."""

    def called(at: int) -> list[Any]:
        name = f"f{(at + 1) % depth}"
        inner = (("p w", "r", "/a"), ("r w", "o", "/b"))
        return [node(name, *one, domain="own") for one in inner]

    functions = [(f"f{at}", called(at)) for at in range(depth)]
    if depth > 1:
        functions[-1] = (functions[-1][0], [node("MatMul", "p w", "o", "/inner")])
    made = calling(*functions)
    del made.graph.node[3].input[:]
    made.graph.node[3].input.extend(["x", "sw"])
    made.graph.node[4].input[0] = "s"  # nothing of the engine depends on it
    engine = read(tmp_path, made)
    assert macs(engine) == [CONV, GEMM]


@pytest.mark.parametrize(
    ("inside", "times", "followed"), [(False, 3, True), (False, 28, False), (True, 28, False)]
)
def test_a_shape_that_doubles_without_end_is_not_followed(
    inside: bool, times: int, followed: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Each Concat joins the values of the one before with themselves."""
    made = model()
    if inside:
        with_functions(made, ("double", "p", [node("Concat", "p p", "o", "/inner", axis=0)]))
    made.graph.node.append(node("Shape", "x", "d0", "/shape"))
    for at in range(times):
        one = node("Concat", f"d{at} d{at}", f"d{at + 1}", f"/double/{at}", axis=0)
        if inside:
            one = node("double", f"d{at}", f"d{at + 1}", f"/double/{at}", domain="own")
        made.graph.node.append(one)
    asked, infer = [], onnx.shape_inference.infer_shapes

    def infer_shapes(proto: Any, data_prop: bool) -> Any:
        asked.append(data_prop)
        return infer(proto, data_prop=data_prop)

    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", infer_shapes)
    engine = read(tmp_path, made)
    assert set(asked) == {followed}
    assert macs(engine) == [CONV, GEMM]


def test_a_function_s_subgraph_doubles_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    """The branches of an If in the function are the attribute of its call: 20 Concats in a row."""
    nodes = [node("Shape", "x", "d0", "/shape")]
    nodes += [node("Concat", f"d{at} d{at}", f"d{at + 1}", f"/{at}", axis=0) for at in range(20)]
    last = shapeless("d20", TensorProto.INT64)
    branch = node("If", "c", "o", "/if")
    for name in ("then_branch", "else_branch"):
        given = onnx.AttributeProto(name=name, ref_attr_name="body", type=onnx.AttributeProto.GRAPH)
        branch.attribute.append(given)
    made = with_functions(model(batch=2), ("f", "c", [branch]), attributes=["body"])
    made.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    body = helper.make_graph(nodes, "doubles", [], [last])
    made.graph.node.append(node("f", "yes", "r", "/call", domain="own", body=body))
    path = tmp_path / "model.onnx"
    onnx.save(made, path)
    code = f"""
import re
from engine_layer_visualize.io import onnx_file
known = onnx_file.shapes(onnx_file.load({str(path)!r}), {{}})
(peak,) = re.findall("VmHWM:[^0-9]*([0-9]+) kB", open("/proc/self/status").read())
print(known["x"], int(peak) >> 10)
"""
    words = [sys.executable, "-c", code]
    done = ran(words, env=environment, check=True)
    shape, _, mebibytes = done.stdout.strip().rpartition(" ")
    assert shape == "(2, 3, 8, 8)"
    assert int(mebibytes) < 400


def test_a_function_is_not_the_operator_of_its_name(tmp_path: Path) -> None:
    """A module of a network, called as an operator that multiplies nothing."""
    made = calling(("Upsample", [node("MatMul", "p w", "o", "/inner")]))
    records = (RECORDS[0], RECORDS[1].replace("/flat", "/call"))
    engine = read(tmp_path, made, records)
    layer = engine.layers[1]
    assert origin.onnx_nodes_of(layer).all == ("/call", "/flat", "/head/MatMul", "/head/Add")
    assert engine.work.of(layer).macs is None


def test_nodes_of_a_function_and_of_no_node_are_nodes_of_their_layer(tmp_path: Path) -> None:
    made = calling(("Block", [node("MatMul", "p w", "o", "/inner/MatMul")]))
    names = "/stem/Conv + w + onnx::Add_7 + (Unnamed Layer* 3) [Shuffle] + s + /inner/MatMul + /new"
    engine = read(tmp_path, made, (RECORDS[0].replace("/stem/Conv", names), RECORDS[1]))
    layer = engine.layers[0]
    assert origin.onnx_nodes_of(layer).all == ("/stem/Conv", "/inner/MatMul", "/new", "/stem/Relu")


def test_a_node_that_is_not_in_the_model_may_multiply(tmp_path: Path) -> None:
    fused = "Layer(Myelin): /new/MatMul + /cast, Tactic: 0x0, x[Float(2,3)] -> q[Float(2,3)]"
    engine = read(tmp_path, model(), (*RECORDS, fused))
    assert engine.work.of(engine.layers[2]).macs is None


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"", "it is empty"), (b"abc", "no protobuf message"), (b"\x89PNG\r\n" + bytes(64), "no"),
     (b"\x08\x09", "it holds no nodes"), (b"\xff" * 4096, "no protobuf message")],
)  # fmt: skip
def test_what_is_no_model(data: bytes, words: str, here: Program, tmp_path: Path) -> None:
    log, path = written(tmp_path, data)
    done = here("--log_file", log, "--onnx", path, "--format", "json", "-o", tmp_path, code=1)
    (line,) = done.stderr.splitlines()
    assert "model.onnx:1:1: error[ELV801]: " in line
    assert words in line
    assert (tmp_path / "EngineLayers_0.json").is_file()  # drawn without


def test_a_cut_model_and_hostile_bytes(tmp_path: Path) -> None:
    whole = model().SerializeToString()
    nested = b""
    for _ in range(300):  # protobuf's own limit is 100
        nested = b"\x3a" + _varint(len(nested)) + nested
    names = (whole.replace(name, b"\xff" * len(name)) for name in (b"/flat", b"shape"))
    for data in (whole[: len(whole) // 2], nested, whole[:-1], whole[1:], *names):
        _, path = written(tmp_path, data)
        with pytest.raises(elv.ReadError, match="ELV801"):
            onnx_file.load(path)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_models_are_drawn_and_cut_or_refused(seed: int, tmp_path: Path) -> None:
    """Other bytes, and nodes and weights that do not fit together."""
    chance, whole = random.Random(seed), model().SerializeToString()
    log, path = written(tmp_path, b"")
    drawn = 0
    for turn in range(40):
        damaged = bytearray(whole)
        if turn % 2:
            made = model()
            for _ in range(chance.randint(1, 4)):
                _damage(made, chance)
            damaged = bytearray(made.SerializeToString())
        else:
            for _ in range(chance.randint(1, 6)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        build = elv.read(log, onnx=path)
        assert {one.code for one in build.problems} <= {"ELV801", "ELV802"}
        for format in ("json", "onnx"):
            draw.render(build.engines[0], format)
        if build.engines[0].onnx is not None:
            drawn += 1
            cutter = Cutter(build.engines[0], onnx_file.load(path))
            for layer in build.engines[0].layers:
                with suppress(NoPiece):
                    cutter.cut(layer)[0].SerializeToString()
    assert drawn >= 20


def _damage(made: Any, chance: random.Random) -> None:
    one, weights = chance.choice(made.graph.node), chance.choice(made.graph.initializer)
    what = chance.randrange(7)
    if what == 0:
        one.op_type = chance.choice(["Slice", "If", "Loop", "Resize", "Einsum", "LSTM", "", "X"])
    elif what == 1 and one.input:
        one.input[0] = chance.choice(["", "x", "y", "w", "shape", "f", "nowhere"])
    elif what == 2:
        one.output[0] = chance.choice(["", "x", "y", "s", "f"])
    elif what == 3:
        del one.attribute[:]
    elif what == 4:
        weights.dims[0] = chance.choice([-1, 0, 1 << 62, -(1 << 63)])
    elif what == 5:
        one.name = chance.choice(["", "/flat", "/stem/Conv", "\0"])
    else:
        weights.data_type = chance.choice([0, 1, 7, 99])


def _varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def test_a_weight_of_very_many_extents(tmp_path: Path) -> None:
    def prepared(extents: int) -> Callable[[], elv.Engine]:
        made = model()
        made.graph.initializer.add(name="z", data_type=FLOAT, dims=[1 << 62] * extents)
        return partial(read, tmp_path, made)

    assert prepared(9)().work.macs == CONV + GEMM
    budget.linear(prepared, 25_000, 200_000)


@pytest.mark.parametrize("path", ["gone.onnx", ".", "a\0b"])
def test_a_model_that_cannot_be_opened(path: str, tmp_path: Path) -> None:
    with pytest.raises(elv.ReadError, match="ELV401"):
        onnx_file.load(os.path.join(tmp_path, path))


def test_weights_elsewhere_are_not_read(tmp_path: Path) -> None:
    """3 GiB of external data, of which the file is not there."""
    made = model()
    large = made.graph.initializer[1]
    large.ClearField("raw_data")
    large.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "gone.bin"), ("offset", "0"), ("length", str(3 << 30))):
        large.external_data.add(key=key, value=value)
    engine = read(tmp_path, made)
    assert macs(engine) == [CONV, GEMM]


def test_one_file_of_more_than_two_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.onnx"
    with open(path, "wb") as file:
        file.truncate((2 << 30) + 1)  # of holes
    with pytest.raises(elv.ReadError) as caught:
        onnx_file.load(path)
    assert "2,147,483,649 bytes" in str(caught.value)
    assert "save_as_external_data" in str(caught.value)


def test_strict_stops_at_a_model_that_cannot_be_read(tmp_path: Path) -> None:
    log, path = written(tmp_path, b"abc")
    with pytest.raises(elv.ReadError):
        elv.read(log, onnx=path, strict=True)


def test_without_the_package(tmp_path: Path, here: Program, monkeypatch: Patch) -> None:
    log, path = written(tmp_path, model())
    monkeypatch.setitem(sys.modules, "onnx", None)
    words = ["--log_file", str(log), "--onnx", str(path), "--format", "onnx", "-o", str(tmp_path)]
    said = here(*words, code=4).stderr
    assert "error[ELV401]: to read an ONNX model needs the package onnx: pip install onnx" in said
    assert "error[ELV502]: --format onnx needs the package onnx: pip install onnx" in said
