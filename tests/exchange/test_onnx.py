"""An engine as ONNX: what onnx.checker and onnx-graphsurgeon read of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx
import onnx_graphsurgeon
import pytest
from factories import layer, linked
from hypothesis import given
from hypothesis import strategies as st
from paths import CENTERNET, FIXTURES, TIMES
from program import Program

import engine_layer_visualize as elv
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Tensor
from exchange.onnx_files import attributes, edges, exported


@pytest.fixture(scope="module")
def centernet() -> Engine:
    return elv.read(CENTERNET, [TIMES], facts=True).engines[0]


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
    engine = linked(
        layer(0, "fill", ["x"], ["t"]),
        layer(1, "read", ["t"], ["u"]),
        layer(2, "again", ["u"], ["t"]),
        layer(3, "last", ["t"], ["y"]),
    )
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
        made.append(replace(one, outputs=tuple(outputs)))
    engine = linked(*made)
    model = exported(engine)
    written = [name for node in model.graph.node for name in node.output]
    assert len(written) == len(set(written))
    assert edges(model) == {(one.source, one.target) for one in engine.graph.between}


def test_an_input_that_no_layer_reads() -> None:
    engine = linked(layer(0, "a", ["x"], ["y"]))
    graph = replace(engine.graph, inputs=("x", "spare"))
    _, spare = exported(replace(engine, graph=graph)).graph.input
    assert (spare.name, spare.type.tensor_type.elem_type) == ("spare", onnx.TensorProto.UNDEFINED)


def test_a_tensor_that_a_layer_reads_twice_is_one_edge() -> None:
    engine = linked(layer(0, "a", ["x"], ["t"]), layer(1, "square", ["t", "t"], ["y"]))
    assert list(exported(engine).graph.node[1].input) == ["t"]


def test_a_layer_without_tensors_and_one_without_a_type() -> None:
    engine = linked(
        layer(0, "a", ["x"], ["y"]),
        layer(1, "wait", [], [], type="shape_call"),
        layer(2, "b", ["y"], ["z"], type=""),
    )
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
def test_types(dtype: str | None, name: str) -> None:
    one = layer(0, "a", ["x"], ["y"])
    tensor = Tensor("y", dtype, "1,64:8,-1,-17", (1, 64, -1, -17), "Two wide", "1,2,3,4")
    made = exported(linked(replace(one, outputs=(tensor,))))
    (output,) = made.graph.output or made.graph.value_info
    assert onnx.TensorProto.DataType.Name(output.type.tensor_type.elem_type) == name
    extents = output.type.tensor_type.shape.dim
    assert [one.dim_value for one in extents[:2]] == [1, 64]
    assert [one.dim_param for one in extents[2:]] == ["y[2]", "symbol 17"]
    (known,) = output.metadata_props
    assert (known.key, known.value) == ("format", "Two wide")


def test_graphsurgeon_reads_it_and_writes_it_again(centernet: Engine) -> None:
    made = exported(centernet)
    again = onnx_graphsurgeon.export_onnx(onnx_graphsurgeon.import_onnx(made))
    onnx.checker.check_model(again)
    assert edges(again) == edges(made)
    assert attributes(again.graph.node[3]) == attributes(made.graph.node[3])


def test_the_command_line(here: Program, tmp_path: Path) -> None:
    words = ["--log_file", CENTERNET, "--format", "onnx", "--output_dir", tmp_path]
    for _ in range(2):  # the second time over its own output
        assert here(*words, code=0).stderr == ""
    onnx.checker.check_model(tmp_path / "EngineLayers_0.onnx")
    log = FIXTURES / "classic" / "8.5-new-descriptors.log"
    other = here("--log_file", log, *words[2:], code=4)
    assert "error[ELV505]: this was drawn from another log, 8.0-centernet.log" in other.stderr
