"""`cut`: which part of a model it writes, the script beside it, and when it refuses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from typing import Any, Final, NamedTuple

import numpy as np
import onnx
import pytest
from logtext import HEADER, TV
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main
from exchange.onnx_files import flags

FLOAT: Final = TensorProto.FLOAT


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Cut = Callable[..., Ran]


@pytest.fixture
def cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cut:
    """Cuts out of a model; the pieces are in `out`."""

    def run(log: str, model: Any, *words: str, name: str = "build.log") -> Ran:
        path, behind = tmp_path / name, tmp_path / "model.onnx"
        path.write_text(log, "utf-8")
        behind.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        files = [f"--log_file={path}", f"--onnx={behind}", f"--output_dir={tmp_path / 'out'}"]
        code = main(["cut", *files, *words])
        return Ran(code, *capsys.readouterr())

    return run


# ---- models and logs -----------------------------------------------------------------------------


def node(operator: str, reads: str, writes: str, **more: Any) -> Any:
    """Named after what it writes."""
    first = writes.split()[0]
    return helper.make_node(operator, reads.split(), writes.split(), name=f"/{first}", **more)


def info(name: str, *dims: int | str, kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, dims)


def model(nodes: Sequence[Any], outputs: Sequence[str], **weights: Any) -> Any:
    """Its input is x, Float [2,4]."""
    held = [numpy_helper.from_array(np.asarray(one), name) for name, one in weights.items()]
    graph = helper.make_graph(nodes, "g", [info("x", 2, 4)], [info(n, 2, 4) for n in outputs], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


WEIGHTS: Final = np.arange(16, dtype=np.float32).reshape(4, 4)


def chain() -> Any:
    """A square: a, then b and c beside each other, then d."""
    nodes = [
        node("MatMul", "x w", "a"),
        node("Relu", "a", "b"),
        node("MatMul", "a v", "c"),
        node("Add", "b c", "d"),
    ]
    return model(nodes, ["d"], w=WEIGHTS, v=WEIGHTS + 1)


def layer(name: str, reads: str, writes: str, kind: str = "Gemm", dtype: str = "Float") -> str:
    """A record of the classic listing."""
    sides = (", ".join(f"{one}[{dtype}(2,4)]" for one in side.split()) for side in (reads, writes))
    return f"Layer({kind}): {name}, Tactic: 0x1, {' -> '.join(sides)}"


def log(*records: str, before: str = "") -> str:
    return before + HEADER + "".join(f"{record}\n" for record in records)


def record(name: str, reads: str, writes: str, metadata: str = "") -> str:
    """A record of the detailed listing, with a batch that varies."""

    def tensor(one: str) -> str:
        return f"[ {{ Name: {one}, Dimensions: [-1,4], Format/Datatype: Row major linear FP32 }}]"

    sides = f"Inputs: {tensor(reads)}, Outputs: {tensor(writes)}"
    return f"Name: {name}, LayerType: gemm, {sides}, TacticName: , Metadata: {metadata}"


def varying(made: Any) -> Any:
    for one in (made.graph.input[0], *made.graph.output):
        one.type.tensor_type.shape.dim[0].dim_param = "batch"
    return made


CHAIN: Final = log(
    layer("/a", "x", "a"), layer("/b", "a", "b"), layer("/c", "a", "c"), layer("/d", "b c", "d")
)


def piece(folder: Path, stem: str) -> Any:
    """A model that was written, which onnx's checker finds right."""
    path = folder / "out" / f"{stem}.onnx"
    onnx.checker.check_model(str(path), full_check=True)
    return onnx.load(path)


def nodes(made: Any) -> list[str]:
    return [one.name for one in made.graph.node]


def ends(made: Any) -> tuple[list[str], list[str]]:
    return [one.name for one in made.graph.input], [one.name for one in made.graph.output]


# ---- which part of the model ---------------------------------------------------------------------


def test_a_layer(cut: Cut, tmp_path: Path) -> None:
    ran = cut(CHAIN, chain(), "--layer", "/c")
    assert ran.code == 0
    assert [line.partition("  ")[0] for line in ran.out.splitlines()] == [
        str(tmp_path / "out" / "cut_2.onnx"),
        str(tmp_path / "out" / "cut_2.sh"),
    ]
    made = piece(tmp_path, "cut_2")
    assert (nodes(made), ends(made)) == (["/c"], (["a"], ["c"]))
    assert [one.name for one in made.graph.initializer] == ["v"]
    x = np.ones((2, 4), np.float32)
    (found,) = ReferenceEvaluator(made).run(["c"], {"a": x})
    assert np.array_equal(np.asarray(found), x @ (WEIGHTS + 1))


def test_python_cuts_the_same_piece(cut: Cut, tmp_path: Path) -> None:
    done = cut(log(layer("/a + /b", "x", "b")), chain(), "--layer", "0")
    files = (tmp_path / "build.log", tmp_path / "model.onnx")
    written = elv.cut(*files, tmp_path / "python", layer=0)
    names = [path.name for path in written]
    assert names == ["cut_0.onnx", "cut_0.sh"]
    assert [line.split()[0] for line in done.out.splitlines()] == [
        str(tmp_path / "out" / name) for name in names
    ]
    piece_of = {folder: (tmp_path / folder / names[0]).read_bytes() for folder in ("out", "python")}
    assert piece_of["out"] == piece_of["python"]


def test_what_lies_between_its_nodes(cut: Cut, tmp_path: Path) -> None:
    ran = cut(log(layer("/a + /d", "x", "d"), layer("/b", "a", "b")), chain(), "--layer", "0")
    assert "Nodes on a path between its nodes are in the piece, too: `/b`, `/c`." in ran.err
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/a", "/b", "/c", "/d"], (["x"], ["d"]))


def test_a_tensor_that_is_read_inside_and_outside(cut: Cut, tmp_path: Path) -> None:
    cut(log(layer("/a + /b", "x", "a b"), layer("/c", "a", "c")), chain(), "--layer", "0")
    assert ends(piece(tmp_path, "cut_0")) == (["x"], ["a", "b"])


def test_both_ends_of_a_foreign_node(cut: Cut, tmp_path: Path) -> None:
    """TensorRT has another name for its output."""
    ran = cut(log(layer("{ForeignNode[/a.../d]}", "x", "(Unnamed) 1", "Myelin")), chain(),
              "--layer", "0")  # fmt: skip
    assert ran.code == 0
    assert nodes(piece(tmp_path, "cut_0")) == ["/a", "/b", "/c", "/d"]


def test_constants_come_along(cut: Cut, tmp_path: Path) -> None:
    """What computes on constants alone does, too; a random number is no constant."""
    constant = numpy_helper.from_array(WEIGHTS)
    many = [
        node("Constant", "", "k", value=constant),
        node("Neg", "k", "n"),
        node("RandomNormal", "", "r", shape=[2, 4]),
        node("MatMul", "x n", "a"),
        node("Add", "a r", "b"),
    ]
    listing = log(layer("/a + /b", "x", "b"))
    assert cut(listing, model(many, ["b"]), "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert nodes(made) == ["/k", "/n", "/a", "/b"]
    assert ends(made) == (["x", "r"], ["b"])


def test_a_constant_alone(cut: Cut, tmp_path: Path) -> None:
    constant = numpy_helper.from_array(np.ones((2, 4), np.float32))
    many = [node("Constant", "", "k", value=constant), node("Add", "x k", "a")]
    listing = log(layer("/k", "", "k", "Constant"), layer("/a", "x k", "a"))
    assert cut(listing, model(many, ["a"]), "--layer", "0").code == 0
    assert ends(piece(tmp_path, "cut_0")) == ([], ["k"])


def test_the_shape_of_a_tensor_is_no_value_of_it(cut: Cut, tmp_path: Path) -> None:
    """Between a and c lies b, of which only the shape is read."""
    many = [
        node("Relu", "x", "a"),
        node("MatMul", "a w", "b"),
        node("Shape", "b", "s"),
        node("Expand", "a s", "c"),
        node("Add", "b c", "d"),
    ]
    whole = model(many, ["d"], w=WEIGHTS)
    assert cut(log(layer("/a + /c", "x", "c")), whole, "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/a", "/c"], (["x"], ["a", "c"]))
    (held,) = made.graph.initializer
    assert (held.name, numpy_helper.to_array(held).tolist()) == ("s", [2, 4])


def test_a_shape_that_varies_is_computed(cut: Cut, tmp_path: Path) -> None:
    many = [node("Relu", "x", "a"), node("Shape", "a", "s"), node("Expand", "x s", "c")]
    whole = model(many, ["c"])
    for one in (whole.graph.input[0], whole.graph.output[0]):
        one.type.tensor_type.shape.dim[0].dim_param = "batch"
    line = log(layer("/c", "x", "c").replace("(2,", "(-1,"))
    assert cut(line, whole, "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/s", "/c"], (["a", "x"], ["c"]))
    assert made.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


def test_the_extents_that_the_log_gives(cut: Cut, tmp_path: Path) -> None:
    """Of an operator that is not ONNX's nothing is known from the model."""
    own = helper.make_node("Own", ["x"], ["a"], name="/a", domain="mine")
    whole = model([own, node("Relu", "a", "b")], ["b"])
    whole.opset_import.append(helper.make_opsetid("mine", 1))
    parsing = (
        f"{TV}Parsing node: /b [Relu]\n{TV}Searching for input: a\n"
        f"{TV}/b [Relu] inputs: [a -> (2, 4)[FLOAT]], \n"
        f"{TV}/b [Relu] outputs: [b -> (2, 4)[FLOAT]], \n"
    )
    line = layer("/b", "a", "b")
    assert cut(log(line, before=parsing), whole, "--layer", "0").code == 0
    (read,) = piece(tmp_path, "cut_0").graph.input
    assert [dim.dim_value for dim in read.type.tensor_type.shape.dim] == [2, 4]
    ran = cut(log(line), whole, "--layer", "0", "-o", str(tmp_path / "other"))
    assert ran.code == 3
    assert "tells the type and the shape of the tensor `a`" in ran.err
    assert not [*(tmp_path / "other").iterdir()]


def test_the_log_s_extents_count_where_the_model_s_vary(cut: Cut, tmp_path: Path) -> None:
    """The engine was built for one batch; of what the own operator writes the log alone tells."""
    own = helper.make_node("Own", ["x"], ["a"], name="/a", domain="mine")
    whole = varying(model([own, node("Relu", "a", "b")], ["b"]))
    whole.opset_import.append(helper.make_opsetid("mine", 1))
    whole.graph.value_info.append(info("a", "batch", 4))
    parsing = (
        f"{TV}Adding network input: x with dtype: float32, dimensions: (2, 4)\n"
        f"{TV}Parsing node: /b [Relu]\n{TV}Searching for input: a\n"
        f"{TV}/b [Relu] inputs: [a -> (2, 4)[FLOAT]], \n"
        f"{TV}/b [Relu] outputs: [b -> (2, 4)[FLOAT]], \n"
    )
    lines = log(layer("/a", "x", "a", "PluginV2"), layer("/b", "a", "b"), before=parsing)
    assert cut(lines, whole, "--layer", "1").code == 0
    (read,) = piece(tmp_path, "cut_1").graph.input
    assert [dim.dim_value for dim in read.type.tensor_type.shape.dim] == [2, 4]
    assert not [word for word in flags(tmp_path / "out" / "cut_1.sh") if "hapes" in word]


def test_the_extents_that_the_model_gives_of_an_output(cut: Cut, tmp_path: Path) -> None:
    """Nothing else tells them: before it is an operator that is not ONNX's."""
    own = helper.make_node("Own", ["x"], ["a"], name="/a", domain="mine")
    whole = varying(model([own, node("Relu", "a", "b")], ["b"]))
    whole.opset_import.append(helper.make_opsetid("mine", 1))
    whole.graph.value_info.append(info("a", "batch", 4))
    parsing = f"{TV}Adding network input: x with dtype: float32, dimensions: (2, 4)\n"
    lines = log(layer("/a", "x", "a", "PluginV2"), layer("/b", "a", "b"), before=parsing)
    assert cut(lines, whole, "--layer", "1").code == 0
    (written,) = piece(tmp_path, "cut_1").graph.output
    assert written.type.tensor_type.shape.dim[0].dim_param == "batch"


def test_extents_inside_are_the_engine_s(cut: Cut, tmp_path: Path) -> None:
    """The model's batch is 2, and the engine's 8."""
    whole = model([node("Relu", "x", "a"), node("MatMul", "a w", "b")], ["b"], w=WEIGHTS)
    whole.graph.value_info.append(info("a", 2, 4))
    parsing = f"{TV}Adding network input: x with dtype: float32, dimensions: (8, 4)\n"
    line = layer("/a + /b", "x", "b").replace("(2,", "(8,")
    assert cut(log(line, before=parsing), whole, "--layer", "0").code == 0
    (inside,) = piece(tmp_path, "cut_0").graph.value_info
    assert [dim.dim_value for dim in inside.type.tensor_type.shape.dim] == [8, 4]


def test_what_quantises_an_input_is_pulled_in(cut: Cut, tmp_path: Path) -> None:
    """In its engine the layer reads and writes Int8: so does the piece."""
    many = []
    for name in ("x", "b"):
        many += [node("QuantizeLinear", f"{name} s z", f"{name}q")]
        many += [node("DequantizeLinear", f"{name}q s z", f"{name}d")]
        if name == "x":
            many += [node("MatMul", "xd w", "a"), node("Relu", "a", "b")]
    many += [node("Neg", "bd", "c")]
    whole = model(many, ["c"], w=WEIGHTS, s=np.float32(0.1), z=np.int8(0))
    line = layer("/a + /b", "xq", "bq", dtype="Int8")
    assert cut(log(line), whole, "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/xd", "/a", "/b", "/bq"], (["xq"], ["bq"]))
    assert made.graph.input[0].type.tensor_type.elem_type == TensorProto.INT8
    assert cut(log(layer("/a + /b", "xd", "b")), whole, "--layer", "0").code == 0
    assert nodes(piece(tmp_path, "cut_0")) == ["/a", "/b"]


@pytest.mark.parametrize("names", ["/b + /y", "/xd + /b + /y"])
def test_each_layer_has_a_shared_dequantize_of_its_own(
    names: str, cut: Cut, tmp_path: Path
) -> None:
    """A shortcut: the layer reads what another has made of the same Int8 values, which is no path
    between its own nodes; and the other writes no dequantised values."""
    many = [
        node("QuantizeLinear", "x s z", "xq"),
        node("DequantizeLinear", "xq s z", "xd"),
        node("MatMul", "xd w", "a"),
        node("MatMul", "xd v", "b"),
        node("Add", "a b", "y"),
    ]
    whole = model(many, ["y"], w=WEIGHTS, v=WEIGHTS, s=np.float32(0.1), z=np.int8(0))
    records = log(layer("/a", "xq", "a", dtype="Int8"), layer(names, "xq a", "y", dtype="Int8"))
    for at, found in ((0, (["xq"], ["a"])), (1, (["xq", "a"], ["y"]))):
        assert cut(records, whole, "--layer", str(at)).code == 0
        assert ends(piece(tmp_path, f"cut_{at}")) == found


def test_without_a_zero_point_the_input_is_no_quantised_one(cut: Cut, tmp_path: Path) -> None:
    """To ONNX it is UInt8 then, which TensorRT's parser does not take."""
    many = [
        node("QuantizeLinear", "x s", "xq"),
        node("DequantizeLinear", "xq s", "xd"),
        node("Relu", "xd", "a"),
    ]
    whole = model(many, ["a"], s=np.float32(0.1))
    assert cut(log(layer("/a", "xq", "a", dtype="Int8")), whole, "--layer", "0").code == 0
    assert ends(piece(tmp_path, "cut_0")) == (["x"], ["a"])


def choice(name: str, reads: str, writes: str, condition: str) -> Any:
    """An If; both of its branches hold a node that is called /inner."""
    sides = {}
    for side, operator in (("then", "Neg"), ("else", "Exp")):
        made = helper.make_node(operator, [reads], [f"{writes}_{side}"], name="/inner")
        own = helper.make_graph([made], side, [], [info(f"{writes}_{side}", 2, 4)])
        sides[f"{side}_branch"] = own
    return helper.make_node("If", [condition], [writes], name=name, **sides)


def test_the_if_around_a_node(cut: Cut, tmp_path: Path) -> None:
    """Two of them hold nodes of one name; the record says which it is of."""
    many = [choice("/if1", "x", "a", "k"), choice("/if2", "a", "b", "k")]
    inside = "[ONNX Layer: /inner | then (then_branch) | /if2 (If)]"
    records = (record("one", "t", "u", inside), record("other", "t", "u", "[ONNX Layer: /inner]"))
    listing = f"{TV}Layers:\n" + "".join(f"{one}\n" for one in records)
    ran = cut(listing, model(many, ["b"], k=np.array(True)), "--layer", "0")
    assert ran.code == 0
    assert "It runs nodes inside of /if2 (If), which is in the piece as a whole." in ran.err
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/if2"], (["a"], ["b"]))
    ran = cut(listing, model(many, ["b"], k=np.array(True)), "--layer", "1")
    assert "Several nodes of the model are called `/inner`" in ran.err
    assert nodes(piece(tmp_path, "cut_1")) == ["/if1", "/if2"]


def test_the_call_of_a_function(cut: Cut, tmp_path: Path) -> None:
    """TensorRT names the nodes inside of it; of several calls the record says which it is."""
    inner = [helper.make_node("MatMul", ["i", "m"], ["o"], name="/inner")]
    opset = helper.make_opsetid("", 19)
    block = helper.make_function("own", "Block", ["i", "m"], ["o"], inner, [opset])
    unused = helper.make_function("own", "Unused", ["i", "m"], ["o"], inner, [opset])
    many = [
        helper.make_node("Block", ["x", "w"], ["a"], name="/one", domain="own"),
        helper.make_node("Block", ["a", "v"], ["b"], name="/two", domain="own"),
    ]
    whole = model(many, ["b"], w=WEIGHTS, v=WEIGHTS)
    whole.functions.extend([block, unused])
    whole.opset_import.append(helper.make_opsetid("own", 1))
    line = record("kernel", "t", "u", "[ONNX Layer: /inner | /two (Block)]")
    assert cut(f"{TV}Layers:\n{line}\n", whole, "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/two"], (["a"], ["b"]))
    assert [one.name for one in made.functions] == ["Block"]


def test_a_layer_that_runs_several_calls_of_a_function(cut: Cut, tmp_path: Path) -> None:
    """Such as a query, a key and a value that one kernel computes."""
    inner = [helper.make_node("MatMul", ["i", "m"], ["o"], name="/inner")]
    many = [node("Own", "x w", name, domain="own") for name in "abc"]
    whole = model([*many, node("Sum", "a b c", "d")], ["d"], w=WEIGHTS)
    whole.opset_import.append(helper.make_opsetid("own", 1))
    whole.functions.append(
        helper.make_function("own", "Own", ["i", "m"], ["o"], inner, [whole.opset_import[0]])
    )
    inside = "\x1e".join(f"[ONNX Layer: /inner | /{name} (Own)]" for name in "ac")
    line = record("kernel", "t", "u", inside)
    ran = cut(f"{TV}Layers:\n{line}\n", whole, "--layer", "0")
    assert "inside of /a (Own), /c (Own)" in ran.err
    assert nodes(piece(tmp_path, "cut_0")) == ["/a", "/c"]


def test_a_name_that_a_layer_has_twice(cut: Cut, tmp_path: Path) -> None:
    """Both of its nodes are in the piece, whether both are at its ends or not."""
    many = [
        helper.make_node(operator, [reads], [writes], name="same")
        for operator, reads, writes in (("Relu", "x", "a"), ("Neg", "a", "b"), ("Exp", "b", "c"))
    ]
    whole = model(many, ["c"])
    for writes, found, says in (("b", (["x"], ["b"]), False), ("t", (["x"], ["c"]), True)):
        ran = cut(log(layer("same + same", "x", writes)), whole, "--layer", "0")
        assert ("Several nodes of the model are called `same`" in ran.err) == says
        assert ends(piece(tmp_path, "cut_0")) == found


def test_a_function_whose_nodes_have_no_names(cut: Cut, tmp_path: Path) -> None:
    """The parser names them after what they write in the function."""
    inner = [helper.make_node("MatMul", ["i", "m"], ["o"])]
    whole = model([node("Own", "x w", "a", domain="own"), node("Relu", "a", "b")], ["b"], w=WEIGHTS)
    opset = helper.make_opsetid("own", 1)
    whole.opset_import.append(opset)
    whole.functions.append(
        helper.make_function("own", "Own", ["i", "m"], ["o"], inner, [whole.opset_import[0]])
    )
    line = record("kernel", "t", "u", "[ONNX Layer: node_of_o | /a (Own)]")
    assert cut(f"{TV}Layers:\n{line}\n", whole, "--layer", "0").code == 0
    assert nodes(piece(tmp_path, "cut_0")) == ["/a"]


def test_a_tensor_inside_a_function_is_none_of_the_model(cut: Cut, tmp_path: Path) -> None:
    """The parser prints both by the same name."""
    inner = [node("Flatten", "i", "b"), node("Reshape", "b s", "o")]
    many = [node("Own", "x s", "a", domain="own"), node("Plugin", "a", "b", domain="own"),
            node("Relu", "b", "c")]  # fmt: skip
    whole = model(many, ["c"], s=np.array([2, 4]))
    whole.opset_import.append(helper.make_opsetid("own", 1))
    whole.functions.append(
        helper.make_function("own", "Own", ["i", "s"], ["o"], inner, [whole.opset_import[0]])
    )
    whole.graph.value_info.append(info("b", "rows", 4))
    parsing = f"{TV}Parsing node: /b [Flatten]\n{TV}/b [Flatten] outputs: [b -> (1, 8)[FLOAT]], \n"
    assert cut(log(layer("/c", "b", "c"), before=parsing), whole, "--layer", "0").code == 0
    (read,) = piece(tmp_path, "cut_0").graph.input
    assert [dim.dim_param for dim in read.type.tensor_type.shape.dim] == ["rows", ""]


def doubled() -> tuple[Any, ...]:
    """Two overloads of one function, which a node chooses from."""
    opset = helper.make_opsetid("", 19)
    return tuple(
        helper.make_function(
            "own", "Op", ["i"], ["o"], [helper.make_node(operator, ["i"], ["o"], name=operator)],
            [opset], overload=operator,
        )
        for operator in ("Relu", "Neg")
    )  # fmt: skip


def test_the_overload_of_a_function(cut: Cut, tmp_path: Path) -> None:
    many = [
        node("Op", "x", "a", domain="own", overload="Relu"),
        node("Op", "a", "b", domain="own", overload="Neg"),
    ]
    whole = model(many, ["b"])
    whole.ir_version = 10
    whole.functions.extend(doubled())
    whole.opset_import.append(helper.make_opsetid("own", 1))
    whole.graph.value_info.append(info("a", 2, 4))
    for at, (name, inner) in enumerate((("/a", "Relu"), ("/b", "Neg"))):
        line = record("kernel", "t", "u", f"[ONNX Layer: {inner}]")
        outside = log(layer("/a", "x", "a"), layer("/b", "a", "b"))
        for records, index in ((outside, at), (f"{TV}Layers:\n{line}\n", 0)):
            assert cut(records, whole, "--layer", str(index)).code == 0
            made = piece(tmp_path, f"cut_{index}")
            assert nodes(made) == [name]
            assert [one.overload for one in made.functions] == [inner]


def test_a_function_of_constants_alone(cut: Cut, tmp_path: Path) -> None:
    """Its weights lie in a file of their own, as those of any node may."""
    (held,) = apart(tmp_path, w="v.bin", v="v.bin").graph.initializer[1:]
    inner = [
        helper.make_node("Constant", [], ["c"], value=held),
        helper.make_node("Mul", ["i", "c"], ["m"]),
        helper.make_node("Transpose", ["m"], ["o"]),
    ]
    whole = model([node("Turned", "w", "t", domain="own"), node("MatMul", "x t", "a")], ["a"],
                  w=WEIGHTS)  # fmt: skip
    whole.functions.append(
        helper.make_function("own", "Turned", ["i"], ["o"], inner, [whole.opset_import[0]])
    )
    whole.opset_import.append(helper.make_opsetid("own", 1))
    assert cut(log(layer("/a", "x", "a")), whole, "--layer", "0").code == 0
    made = piece(tmp_path, "cut_0")
    assert (nodes(made), ends(made)) == (["/t", "/a"], (["x"], ["a"]))
    x = np.ones((2, 4), np.float32)
    (found,) = ReferenceEvaluator(made).run(["a"], {"x": x})
    assert np.array_equal(np.asarray(found), x @ (WEIGHTS * (WEIGHTS + 1)).T)


def test_an_if_without_a_name_and_outputs(cut: Cut) -> None:
    hidden = choice("", "x", "a", "k")
    del hidden.output[:]
    ran = cut(log(layer("/inner", "x", "a")), model([hidden], []), "--layer", "0")
    assert ran.code == 3
    assert "its nodes write no tensor" in ran.err


def test_nodes_in_any_order(cut: Cut, tmp_path: Path) -> None:
    whole = chain()
    listed = [*whole.graph.node]
    del whole.graph.node[:]
    whole.graph.node.extend(reversed(listed))
    assert cut(log(layer("/a + /d", "x", "d")), whole, "--layer", "0").code == 0
    assert nodes(piece(tmp_path, "cut_0"))[0] == "/a"
    assert cut(CHAIN, whole, "--layer", "2").code == 0
    assert ends(piece(tmp_path, "cut_2")) == (["a"], ["c"])


def test_the_layers_around_it(cut: Cut, tmp_path: Path) -> None:
    """A reformat between two layers is no step."""
    copy = layer("Reformatting CopyNode for Input Tensor 0 to /c", "a", "a2", "Reformat")
    records = log(layer("/a", "x", "a"), copy, layer("/c", "a2", "c"))
    ran = cut(records, chain(), "--layer", "2", "--context", "1")
    assert "2 nodes of layer 2 and 1 layer around it, " in ran.out
    assert nodes(piece(tmp_path, "cut_2")) == ["/a", "/c"]


def test_a_group(cut: Cut, tmp_path: Path) -> None:
    many = [helper.make_node("Relu", ["x"], ["a0"], name="/stem/Relu")]
    records = [layer("/stem/Relu", "x", "a0")]
    for at in range(6):
        name = f"/block.{at // 3}/Relu_{at}"
        many.append(helper.make_node("Relu", [f"a{at}"], [f"a{at + 1}"], name=name))
        records.append(layer(name, f"a{at}", f"a{at + 1}"))
    whole = model(many, ["a6"])
    for word in ("1", "/block.1"):
        assert cut(log(*records), whole, "--group", word).code == 0
        assert ends(piece(tmp_path, "cut_group1")) == (["a3"], ["a6"])
    assert cut(log(*records), whole, "--group", "0000000001").code == 3
    ran = cut(log(*records), whole, "--group", "7")
    assert ran.code == 3
    assert "no group is called `7`; there are 0 /block.0, 1 /block.1" in ran.err


def test_the_slowest(cut: Cut, tmp_path: Path) -> None:
    copy = layer("Reformatting CopyNode for Input Tensor 0 to /c", "a", "a2", "Reformat")
    records = log(layer("/a", "x", "a"), copy, layer("/c", "a2", "c"), layer("/d", "c", "d"))
    untimed = cut(records, chain(), "--slowest", "2")
    assert "no layer has a time\n  --profile_file takes the times" in untimed.err
    times = tmp_path / "times.txt"
    rows = ("/a: 2ms", "Reformatting CopyNode for Input Tensor 0 to /c: 3ms", "/c: 1ms", "/d: 9ms")
    times.write_text("\n".join(rows) + "\n")
    ran = cut(records, chain(), "--slowest", "2", "--profile_file", str(times))
    assert ran.code == 0
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == ["cut_0.onnx", "cut_0.sh", "cut_3.onnx", "cut_3.sh"]
    assert "passed over, as no ONNX nodes are known: layer 1\n" in ran.err


def test_an_old_model(cut: Cut, tmp_path: Path) -> None:
    """Up to version 3 of ONNX's format weights are inputs of the graph, too."""
    whole = chain()
    whole.ir_version = 3
    whole.opset_import[0].version = 8
    whole.graph.input.extend([info("w", 4, 4), info("v", 4, 4)])
    assert cut(CHAIN, whole, "--layer", "2").code == 0
    assert ends(piece(tmp_path, "cut_2")) == (["a"], ["c"])


def test_an_operator_of_a_plugin(cut: Cut, tmp_path: Path) -> None:
    """TensorRT may have it; onnx's checker does not, where it stands among ONNX's own."""
    many = [node("NMS_TRT", "x", "a"), node("Relu", "a", "b")]
    whole = model(many, ["b"])
    whole.graph.value_info.append(info("a", 2, 4))
    ran = cut(log(layer("/a", "x", "a")), whole, "--layer", "0")
    assert ran.code == 0
    assert "onnx's checker does not accept it: No Op registered for NMS_TRT" in ran.err


# ---- weights -------------------------------------------------------------------------------------


def apart(folder: Path, **where: str) -> Any:
    """The square, with its weights in these files."""
    whole = chain()
    for tensor in whole.graph.initializer:
        data = tensor.raw_data
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=where[tensor.name])
        tensor.external_data.add(key="length", value=str(len(data)))
        if tensor.name == "v":
            (folder / "v.bin").write_bytes(data)
    return whole


def test_only_its_own_weights_are_read(cut: Cut, tmp_path: Path) -> None:
    assert cut(CHAIN, apart(tmp_path, w="not-here.bin", v="v.bin"), "--layer", "2").code == 0
    made = piece(tmp_path, "cut_2")
    (held,) = made.graph.initializer
    assert (numpy_helper.to_array(held) == WEIGHTS + 1).all()


@pytest.mark.parametrize("where", ["not-here.bin", "../v.bin", "/etc/hostname"])
def test_weights_that_cannot_be_read(where: str, cut: Cut, tmp_path: Path) -> None:
    ran = cut(CHAIN, apart(tmp_path, w="v.bin", v=where), "--layer", "2")
    assert ran.code == 3
    assert f"the weights `v` in `{where}` cannot be read" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not [*(tmp_path / "out").iterdir()]


def test_a_file_of_weights_that_is_too_large(cut: Cut, tmp_path: Path) -> None:
    """Its length is in the file system alone: the entry has none. Nothing of it is read."""
    whole = apart(tmp_path, w="w.bin", v="v.bin")
    weights = whole.graph.initializer[1]
    del weights.external_data[1:]
    with (tmp_path / "v.bin").open("wb") as file:
        file.truncate(3 << 30)
    ran = cut(CHAIN, whole, "--layer", "2")
    assert ran.code == 3
    assert "and an ONNX file holds less than 2 GiB" in ran.err
    weights.external_data.add(key="offset", value=str((3 << 30) - 64))
    assert cut(CHAIN, whole, "--layer", "2").code == 0


# ---- the script ----------------------------------------------------------------------------------


OPTIONS: Final = """\
[I] === Model Options ===
[I] Format: ONNX
[I] === Build Options ===
[I] Memory Pools: workspace: 1024 MiB, dlaSRAM: default, tacticSharedMem: default
[I] Precision: FP32+FP16+INT8
[I] Sparsity: Enabled
[I] DirectIO mode: Disabled
[I] Tactic sources: cublas [OFF], cudnn [ON],
[I] BuilderOptimizationLevel: 5
[I] Input build shape: x=1x4+2x4+8x4
[I] === System Options ===
[I] DLACore:
[I] === Inference Options ===
[I] Input inference shape : x=3x4
[I] Iterations: 10
[I] Duration: 7s (+ 200ms warm up)
[I] Data transfers: Disabled
[I] CUDA Graph: Enabled
[I] === Reporting Options ===
"""


def test_the_flags_of_its_build(cut: Cut, tmp_path: Path) -> None:
    whole = chain()
    for one in (whole.graph.input[0], whole.graph.output[0]):
        one.type.tensor_type.shape.dim[0].dim_param = "batch"
    line = layer("/c", "a", "c", dtype="Half").replace("(2,", "(-1,")
    assert cut(log(line, before=OPTIONS), whole, "--layer", "0").code == 0
    assert flags(tmp_path / "out" / "cut_0.sh") == [
        "--onnx=$here/cut_0.onnx",
        "--fp16",
        "--int8",
        "--useCudaGraph",
        "--sparsity=enable",
        "--builderOptimizationLevel=5",
        "--memPoolSize=workspace:1024",
        "--tacticSources=-CUBLAS,+CUDNN",
        "--noDataTransfers",
        "--duration=7",
        "--inputIOFormats=fp16:chw",
        "--outputIOFormats=fp16:chw",
        "--minShapes=a:1x4",
        "--optShapes=a:2x4",
        "--maxShapes=a:8x4",
        "--shapes=a:3x4",
        "--verbose",
        "--profilingVerbosity=detailed",
        "--separateProfileRun",
        "--exportProfile=$here/cut_0.profile.json",
        "$@",
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Precision: FP32", []),
        ("Precision: Strongly Typed", ["--stronglyTyped"]),
        (
            "Precision: FP32+FP16 (obey precision constraints)",
            ["--fp16", "--precisionConstraints=obey"],
        ),
        ("Workspace: 16 MiB", ["--fp16", "--workspace=16"]),
        ("DirectIO mode: Enabled", ["--fp16", "--directIO"]),
    ],
)
def test_one_option(words: str, found: list[str], cut: Cut, tmp_path: Path) -> None:
    """Where the log names no precision, that of the engine's tensors is allowed."""
    options = f"[I] === Build Options ===\n[I] {words}\n[I] === Reporting Options ===\n"
    line = layer("/c", "a", "c", dtype="Half")
    assert cut(log(line, before=options), chain(), "--layer", "0").code == 0
    words_of_it = flags(tmp_path / "out" / "cut_0.sh")
    after = next(at for at, word in enumerate(words_of_it) if word.startswith("--inputIOFormats"))
    assert words_of_it[1:after] == found


def test_formats_of_the_layer_s_own_tensors(cut: Cut, tmp_path: Path) -> None:
    """The reformatted copy is what the layer reads."""

    def tensor(name: str, words: str) -> str:
        return f"[ {{ Name: {name}, Dimensions: [2,4], Format/Datatype: {words} }}]"

    plain, packed = "Row major linear FP32", "Channel major FP16 format where channel % 8 == 0"
    records = (
        f"Name: Reformatting CopyNode for Input Tensor 0 to /c, LayerType: Reformat, "
        f"Inputs: {tensor('a', plain)}, Outputs: {tensor('a2', packed)}, TacticName: ",
        f"Name: /c, LayerType: Gemm, Inputs: {tensor('a2', packed)}, "
        f"Outputs: {tensor('c', plain)}, TacticName: ",
    )
    listing = f"{TV}Layers:\n" + "".join(f"{one}\n" for one in records)
    assert cut(listing, chain(), "--layer", "1").code == 0
    words = flags(tmp_path / "out" / "cut_1.sh")
    assert "--inputIOFormats=fp16:hwc8" in words
    assert "--outputIOFormats=fp32:chw" in words


def images(*records: str) -> str:
    """A listing of records such as `Conv /c: x y -> c`, whose tensors are images; one whose name
    ends on `h` is FP16, in groups of 8 channels, and one whose name begins with `f` is flat."""

    def tensor(name: str) -> str:
        packed = "Channel major FP16 format where channel % 8 == 0"
        words = packed if name.endswith("h") else "Row major linear FP32"
        dims = "2,64" if name.startswith("f") else "2,4,4,4"
        return f"{{ Name: {name}, Dimensions: [{dims}], Format/Datatype: {words} }}"

    lines = []
    for one in records:
        head, _, tail = one.partition(": ")
        kind, _, name = head.partition(" ")
        sides = (", ".join(map(tensor, side.split())) for side in tail.split(" -> "))
        reads, writes = (f"[ {side}]" for side in sides)
        lines.append(
            f"Name: {name}, LayerType: {kind}, Inputs: {reads}, Outputs: {writes}, TacticName: \n"
        )
    return f"{TV}Layers:\n{''.join(lines)}"


def of_images(nodes: Sequence[Any], *outputs: Any, **weights: Any) -> Any:
    made = model(nodes, [], **weights)
    made.graph.input[0].CopyFrom(info("x", 2, 4, 4, 4))
    made.graph.output.extend(outputs)
    return made


def formats(script: Path) -> list[str]:
    return [word for word in flags(script) if "IOFormats" in word]


FILTERS: Final = np.ones((4, 4, 1, 1), np.float32)


def test_a_tensor_that_one_layer_reads_as_it_is(cut: Cut, tmp_path: Path) -> None:
    """Another reads a copy of it, in another format."""
    many = [node("Relu", "x", "a"), node("Conv", "x w", "c"), node("Add", "a c", "y")]
    whole = of_images(many, info("y", 2, 4, 4, 4), w=FILTERS)
    copy = "Reformat Reformatting CopyNode for Input Tensor 0 to /c: x -> x2h"
    listing = images("PointWise /a: x -> a", copy, "Conv /c: x2h -> c", "ElementWise /y: a c -> y")
    assert cut(listing, whole, "--layer", "3", "--context", "2").code == 0
    script = tmp_path / "out" / "cut_3.sh"
    assert formats(script) == ["--inputIOFormats=fp32:chw", "--outputIOFormats=fp32:chw"]


def test_a_strongly_typed_network_keeps_its_types(cut: Cut, tmp_path: Path) -> None:
    """What the layer writes in FP16 is behind the Cast, of which the record does not tell."""
    many = [node("Conv", "x w", "a"), node("Cast", "a", "b", to=TensorProto.FLOAT16)]
    whole = of_images(many, info("b", 2, 4, 4, 4, kind=TensorProto.FLOAT16), w=FILTERS)
    options = "[I] === Build Options ===\n[I] Precision: {}\n[I] === Reporting Options ===\n"
    for precision, found in (("Strongly Typed", "fp32:chw"), ("FP32+FP16", "fp16:hwc8")):
        listing = options.format(precision) + images("Conv /a: x -> bh")
        assert cut(listing, whole, "--layer", "0").code == 0
        script = tmp_path / "out" / "cut_0.sh"
        assert formats(script) == ["--inputIOFormats=fp32:chw", f"--outputIOFormats={found}"]


def test_the_format_of_an_image_is_none_of_a_flat_tensor(cut: Cut, tmp_path: Path) -> None:
    """TensorRT reads the image itself, and the layer names no Flatten."""
    many = [node("Flatten", "x", "f"), node("Gemm", "f w", "y")]
    whole = of_images(many, info("y", 2, 4), w=np.ones((64, 4), np.float32))
    assert cut(images("Gemm /y: xh -> fh"), whole, "--layer", "0").code == 0
    script = tmp_path / "out" / "cut_0.sh"
    assert formats(script)[0] == "--inputIOFormats=fp32:chw"


def test_the_shapes_of_a_profile_in_the_options(cut: Cut, tmp_path: Path) -> None:
    """The runs were of the other profile: their shape is not in the range of the first."""
    options = OPTIONS.replace(
        "[I] Input build shape: x=1x4+2x4+8x4\n",
        "[I] Input build shape (profile 0): x=1x4+2x4+3x4\n"
        "[I] Input build shape (profile 1): x=4x4+5x4+8x4\n",
    ).replace("x=3x4", "x=7x4")
    names = [f"/{name}{suffix}" for suffix in ("", " [profile 1]") for name in "ac"]
    records = [layer(name, "t", "u").replace("(2,", "(-1,") for name in names]
    for index, found in ((1, ("1", "2", "3", "2")), (3, ("4", "5", "8", "7"))):
        assert cut(log(*records, before=options), varying(chain()), "--layer", str(index)).code == 0
        words = flags(tmp_path / "out" / f"cut_{index}.sh")
        for flag, batch in zip(("minShapes", "optShapes", "maxShapes", "shapes"), found):
            assert f"--{flag}=a:{batch}x4" in words


def test_the_command_that_builds_without_a_gpu_is_whole(cut: Cut, tmp_path: Path) -> None:
    inputs = [f"x{at}{'z' * 60}" for at in range(4)]
    whole = model([node("Concat", " ".join(inputs), "a", axis=1)], [])
    del whole.graph.input[:]
    whole.graph.input.extend(info(name, "batch", 4) for name in inputs)
    whole.graph.output.append(info("a", "batch", 16))
    shapes = "".join(f"[I] Input build shape: {name}=1x4+2x4+8x4\n" for name in inputs)
    options = OPTIONS.replace("[I] Input build shape: x=1x4+2x4+8x4\n", shapes)
    line = layer("/a", "t", "a").replace("(2,", "(-1,")
    assert cut(log(line, before=options), whole, "--layer", "0").code == 0
    script = (tmp_path / "out" / "cut_0.sh").read_text("utf-8")
    (command,) = (row for row in script.splitlines() if "engine_layer_visualize record" in row)
    for name in inputs:
        assert f" --shapes={name}:1x4:2x4:8x4" in command


def test_the_shapes_below_the_listing(cut: Cut, tmp_path: Path) -> None:
    """Those of the optimisation profile that the layer is of."""
    records = [
        record(f"/{name}{suffix}", f"{reads}{suffix}", f"{name}{suffix}", f"[ONNX Layer: /{name}]")
        for suffix in ("", " [profile 1]")
        for name, reads in (("a", "x"), ("c", "a"))
    ]
    shapes = (
        "{ MinShape: [1,4], OptShape: [2,4], MaxShape: [3,4], Format: kLINEAR }, "
        "{ MinShape: [4,4], OptShape: [5,4], MaxShape: [6,4], Format: kLINEAR }"
    )
    io = (
        " Name: x, IOMode: Input, DataType: Float, Dimensions: [-1,4], Location: Device, "
        f"IsShapeInferenceIO: false, ProfileInfo: [ {shapes}]"
    )
    listing = "\n".join((f"{TV}Layers:", *records, "", "I/O Tensors:", io, "", ""))
    for index, found in ((1, ("1", "2", "3", "2")), (3, ("4", "5", "6", "5"))):
        assert cut(listing, varying(chain()), "--layer", str(index)).code == 0
        words = flags(tmp_path / "out" / f"cut_{index}.sh")
        for flag, batch in zip(("minShapes", "optShapes", "maxShapes", "shapes"), found):
            assert f"--{flag}=a:{batch}x4" in words


HOSTILE: Final = ("$(touch caught)", "'; touch caught; '", "a b\n#", "`touch caught`", '"\\')


@pytest.mark.parametrize("name", HOSTILE)
def test_the_script_gives_trtexec_its_words(name: str, cut: Cut, tmp_path: Path) -> None:
    """Whatever is relative to the user's folder stays so: the other trtexec, and more flags."""
    many = [
        helper.make_node("Relu", ["x"], [name], name="/a"),
        helper.make_node("Neg", [name], ["y"], name="/b"),
    ]
    whole = model(many, ["y"])
    for one in (whole.graph.input[0], whole.graph.output[0]):
        one.type.tensor_type.shape.dim[0].dim_param = "batch"
    line = layer("/b", "t", "y").replace("(2,", "(-1,")
    assert cut(log(line, before=OPTIONS), whole, "--layer", "0").code == 0
    (tmp_path / "elsewhere" / "out").mkdir(parents=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    fake = tools / "trtexec"
    fake.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    fake.chmod(0o755)
    for own in ({"PATH": f"{tools}:/usr/bin:/bin"}, {"TRTEXEC": "tools/trtexec"}):
        done = subprocess.run(
            ["/bin/sh", "out/cut_0.sh", "--duration=1"],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "CDPATH": str(tmp_path / "elsewhere"), **own},
            capture_output=True,
            text=True,
            check=True,
        )
        words = done.stdout.split("\0")
        assert words[0] == "--onnx=out/cut_0.onnx"
        assert f"--optShapes={name}:2x4" in words
        assert words[-3:] == ["--exportProfile=out/cut_0.profile.json", "--duration=1", ""]
    assert not list(tmp_path.rglob("caught"))


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_script_asks_for_shapes(shell: str, cut: Cut, tmp_path: Path) -> None:
    """Quotes in a name are none of the shell's."""
    if which(shell) is None:
        pytest.skip(f"no {shell}")
    many = [helper.make_node("Relu", ["it's}"], ["y"], name="/b")]
    whole = varying(model(many, ["y"]))
    whole.graph.input[0].name = "it's}"
    line = layer("/b", "t", "y").replace("(2,", "(-1,")
    assert cut(log(line), whole, "--layer", "0").code == 0
    words = [shell, str(tmp_path / "out" / "cut_0.sh")]
    done = subprocess.run(words, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert done.returncode == 2
    assert "set SHAPES to it's}:DIMxDIM\n" in done.stderr
    told = {"SHAPES": "it's}:2x4", "TRTEXEC": "echo", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, env=told, capture_output=True, text=True, check=True)
    assert " --shapes=it's}:2x4\n" in done.stdout


def test_a_piece_of_another_log_is_not_replaced(cut: Cut, tmp_path: Path) -> None:
    for name in ("b.a.log", "b.a.log", "a.log", "b.log"):
        ran = cut(CHAIN, chain(), "--layer", "0", name=name)
        assert (ran.code, "ELV505" in ran.err) == ((0, False) if name == "b.a.log" else (4, True))
    assert "of b.a.log alone" in (tmp_path / "out" / "cut_0.sh").read_text("utf-8")
    ran = cut(CHAIN, chain(), "--layer", "0", "--force", name="a.log")
    assert (ran.code, ran.err) == (0, "")
    assert "of a.log alone" in (tmp_path / "out" / "cut_0.sh").read_text("utf-8")


def test_either_file_of_a_piece_may_be_of_others(cut: Cut, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("cut_1.sh", "cut_1.onnx"):
        (tmp_path / "out" / name).write_text("mine")
        ran = cut(CHAIN, chain(), "--layer", "1")
        assert ran.code == 4
        assert f"{name}: error[ELV505]: this was there before, and not of this log" in ran.err
        assert [path.name for path in (tmp_path / "out").iterdir()] == [name]
        (tmp_path / "out" / name).unlink()


# ---- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "words", "why"),
    [
        (CHAIN, ("--layer", "zzz"), "no layer is called `zzz`"),
        (CHAIN, ("--layer", "9"), "there is no layer 9"),
        (
            log(layer("/a", "x", "a"), layer("(Unnamed Layer* 1) [Shuffle]", "a", "b")),
            ("--layer", "1"),
            "layer 1 cannot be cut out: neither its record nor the log names ONNX nodes of it",
        ),
        (
            log(layer("/q", "x", "a")),
            ("--layer", "0"),
            "the model is of another network: 0 of 1 name",
        ),
    ],
)
def test_no_piece(records: str, words: Sequence[str], why: str, cut: Cut, tmp_path: Path) -> None:
    ran = cut(records, chain(), *words)
    assert ran.code == 3
    assert why in ran.err
    assert not ran.out
    assert not [*tmp_path.glob("out/*")]


def test_a_circle(cut: Cut, tmp_path: Path) -> None:
    many = [node("Add", "x b", "a"), node("Relu", "a", "b")]
    ran = cut(log(layer("/a", "x", "a")), model(many, ["b"]), "--layer", "0")
    assert ran.code == 3
    assert "nodes of the model read what comes of them" in ran.err
    assert not [*(tmp_path / "out").iterdir()]


def test_a_sequence_that_crosses(cut: Cut, tmp_path: Path) -> None:
    many = [node("SplitToSequence", "x", "s"), node("ConcatFromSequence", "s", "y", axis=0)]
    ran = cut(log(layer("/y", "s", "y")), model(many, ["y"]), "--layer", "0")
    assert ran.code == 3
    assert "the tensor `s`, which crosses its border, is a sequence, no tensor" in ran.err


def test_an_optional_that_crosses(cut: Cut) -> None:
    many = [node("Optional", "x", "o"), node("OptionalGetElement", "o", "y")]
    ran = cut(log(layer("/o", "x", "o")), model(many, ["y"]), "--layer", "0")
    assert ran.code == 3
    assert "the tensor `o`, which crosses its border, is an optional, no tensor" in ran.err


@pytest.mark.parametrize(
    "data", [b"no model", b"", chain().SerializeToString().replace(b"/c", b"\xff\xfe")]
)
def test_no_model(data: bytes, cut: Cut) -> None:
    ran = cut(CHAIN, data, "--layer", "0")
    assert ran.code == 3
    assert "error[ELV801]: not an ONNX model" in ran.err
    assert len(ran.err.splitlines()) == 1


HUGE: Final = "9" * 30


def test_extents_that_no_tensor_has(cut: Cut, tmp_path: Path) -> None:
    parsing = (
        f"{TV}Adding network input: x with dtype: float32, dimensions: ({HUGE}, ²)\n"
        f"{TV}Parsing node: /c [MatMul]\n"
        f"{TV}/c [MatMul] inputs: [a -> ({HUGE}, 4)[FLOAT]], \n"
    )
    line = layer("/a", "x", "a")
    assert cut(log(line, before=parsing), chain(), "--layer", "0").code == 0
    (read,) = piece(tmp_path, "cut_0").graph.input
    assert [dim.dim_value for dim in read.type.tensor_type.shape.dim] == [2, 4]


def test_the_model_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, behind = tmp_path / "build.log", tmp_path / "cut_0.onnx"
    path.write_text(CHAIN)
    data = chain().SerializeToString()
    behind.write_bytes(data)
    words = [f"--log_file={path}", f"--onnx={behind}", f"--output_dir={tmp_path}", "--layer=0"]
    assert main(["cut", *words]) == 2
    assert "the piece would be written over the model" in capsys.readouterr().err
    assert behind.read_bytes() == data


@pytest.mark.parametrize("name", ["cut_0.onnx", "cut_0.sh"])
def test_a_file_that_cannot_be_written(name: str, cut: Cut, tmp_path: Path) -> None:
    """Then there is no part of the piece."""
    (tmp_path / "out" / name).mkdir(parents=True)
    ran = cut(CHAIN, chain(), "--layer", "0")
    assert ran.code == 4
    assert f"{name}: error[ELV501]: cannot be written" in ran.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_a_model_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["cut", "--log_file", "build.log", "--layer", "1"])
    assert "--onnx" in capsys.readouterr().err


# ---- other inputs --------------------------------------------------------------------------------


def test_the_first_engine_or_another(cut: Cut, tmp_path: Path) -> None:
    both = log(layer("/a", "x", "a")) + log(layer("/a", "x", "a"), layer("/c", "a", "c"))
    ran = cut(both, chain(), "--layer", "0")
    assert "holds 2 engines; layers of engine 0 are cut out" in ran.err
    assert cut(both, chain(), "--layer", "1", "--engine", "1").code == 0
    assert nodes(piece(tmp_path, "cut_1")) == ["/c"]
    assert cut(both, chain(), "--layer", "0", "--engine", "0", "--engine", "1").code == 2


def test_the_inspector_s_json(cut: Cut, tmp_path: Path) -> None:
    tensors = {
        name: [{"Name": name, "Dimensions": [2, 4], "Format/Datatype": "Row major linear FP32"}]
        for name in ("x", "a", "c")
    }
    records = [
        {"Name": "/a", "LayerType": "Gemm", "Inputs": tensors["x"], "Outputs": tensors["a"]},
        {
            "Name": "kernel", "LayerType": "Gemm", "Inputs": tensors["a"], "Outputs": tensors["c"],
            "Metadata": "[ONNX Layer: /c]",
        },
    ]  # fmt: skip
    text = json.dumps({"Layers": records, "Bindings": ["x", "c"]})
    for at, name in enumerate(("/a", "/c")):
        assert cut(text, chain(), "--layer", str(at)).code == 0
        assert nodes(piece(tmp_path, f"cut_{at}")) == [name]
