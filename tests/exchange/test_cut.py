"""`cut`: which part of a model it writes, how trtexec times it, and when it refuses."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import logtext
import numpy as np
import onnx
import pytest
from logtext import HEADER, TV, file_of, text
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from program import Capture, Program

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core.text import visible
from exchange.onnx_files import info, model_of, node, with_functions, words_of_a_shell


class Ran(NamedTuple):
    code: int
    out: str
    err: str
    folder: Path

    @property
    def flags(self) -> list[str]:
        """What trtexec is given, but for the files."""
        name, model, *words, profile = shlex.split(self.out.splitlines()[-1])
        assert (name, model.partition("=")[0]) == ("trtexec", "--onnx")
        assert profile.startswith("--exportProfile=")
        return words

    def piece(self, number: int = 0) -> Any:
        """The model of a layer's piece, which onnx's checker finds right."""
        assert self.code == 0, self.err
        path = self.folder / f"cut_{number}.onnx"
        onnx.checker.check_model(str(path), full_check=True)
        return onnx.load(path)


Cut = Callable[..., Ran]


@pytest.fixture
def cut(tmp_path: Path, capsys: Capture) -> Cut:
    """Cuts out of a model; the pieces are in `out`."""

    def run(log: str, model: Any, *words: str, name: str = "build.log") -> Ran:
        path = file_of(tmp_path, log, name)
        behind = file_of(tmp_path, model.SerializeToString(), "model.onnx")
        files = [f"--log_file={path}", f"--onnx={behind}", f"--output_dir={tmp_path / 'out'}"]
        code = main(["cut", *files, *words])
        return Ran(code, *capsys.readouterr(), tmp_path / "out")

    return run


def model(nodes: Sequence[Any], outputs: Sequence[str], **weights: Any) -> Any:
    """Its input is x, Float [2,4]."""
    return model_of(nodes, [info("x", 2, 4)], [info(n, 2, 4) for n in outputs], **weights)


WEIGHTS: Final = np.arange(16, dtype=np.float32).reshape(4, 4)


def chain() -> Any:
    """A square: a, then b and c beside each other, then d."""
    nodes = [node("MatMul", "x w", "a"), node("Relu", "a", "b")]
    nodes += [node("MatMul", "a v", "c"), node("Add", "b c", "d")]
    return model(nodes, ["d"], w=WEIGHTS, v=WEIGHTS + 1)


def layer(name: str, reads: str, writes: str, kind: str = "Gemm", dtype: str = "Float") -> str:
    """A record of the classic listing."""
    sides = (", ".join(f"{one}[{dtype}(2,4)]" for one in side.split()) for side in (reads, writes))
    return f"Layer({kind}): {name}, Tactic: 0x1, {' -> '.join(sides)}"


def log(*records: str, before: str = "") -> str:
    return before + HEADER + text(*records)


def record(name: str, reads: str, writes: str, metadata: str = "") -> str:
    """A record of the detailed listing, with a batch that varies."""
    keys = f", TacticName: , Metadata: {metadata}"
    return logtext.detailed(name, reads, writes, "gemm", keys, "Row major linear FP32", "-1,4")


def detailed(name: str, *calls: str) -> str:
    """A listing of one kernel, which computes a function's node in these calls."""
    inside = "\x1e".join(f"[ONNX Layer: {name}{call}]" for call in calls)
    return f"{TV}Layers:\n{record('kernel', 't', 'u', inside)}\n"


def varying(made: Any) -> Any:
    for one in (made.graph.input[0], *made.graph.output):
        one.type.tensor_type.shape.dim[0].dim_param = "batch"
    return made


CHAIN: Final = log(
    layer("/a", "x", "a"), layer("/b", "a", "b"), layer("/c", "a", "c"), layer("/d", "b c", "d")
)


def nodes(made: Any) -> list[str]:
    return [one.name for one in made.graph.node]


def ends(made: Any) -> tuple[list[str], list[str]]:
    return [one.name for one in made.graph.input], [one.name for one in made.graph.output]


def extents(side: Any) -> list[int | str]:
    """Of the one tensor that a piece reads, or writes."""
    (one,) = side
    return [dim.dim_param or dim.dim_value for dim in one.type.tensor_type.shape.dim]


def test_a_layer(cut: Cut, tmp_path: Path) -> None:
    ran = cut(CHAIN, chain(), "--layer", "/c")
    assert (ran.code, ran.err) == (0, "")
    path = tmp_path / "out" / "cut_2.onnx"
    assert ran.out.splitlines()[0] == f"{path}  1 node, 1 input, 1 output"
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["cut_2.onnx"]
    made = ran.piece(2)
    assert (nodes(made), ends(made)) == (["/c"], (["a"], ["c"]))
    assert [one.name for one in made.graph.initializer] == ["v"]
    assert made.doc_string.splitlines()[1:] == ran.out.splitlines()[1:]
    x = np.ones((2, 4), np.float32)
    (found,) = ReferenceEvaluator(made).run(["c"], {"a": x})
    assert np.array_equal(np.asarray(found), x @ (WEIGHTS + 1))


def test_python_cuts_the_same_piece(cut: Cut, tmp_path: Path) -> None:
    ran = cut(log(layer("/a + /b", "x", "b")), chain(), "--layer", "0")
    files = (tmp_path / "build.log", tmp_path / "model.onnx")
    written = elv.cut(*files, tmp_path / "python", layer=0)
    assert written == [tmp_path / "python" / "cut_0.onnx"]
    mine, same = ran.piece(), onnx.load(written[0])
    assert mine.doc_string.replace("/out/", "/python/") == same.doc_string
    assert mine.graph == same.graph


def test_what_lies_between_its_nodes(cut: Cut) -> None:
    ran = cut(log(layer("/a + /d", "x", "d"), layer("/b", "a", "b")), chain(), "--layer", "0")
    assert "cut_0.onnx: it has 2 nodes more, between its nodes or to quantise" in ran.err
    made = ran.piece()
    assert (nodes(made), ends(made)) == (["/a", "/b", "/c", "/d"], (["x"], ["d"]))


def constant(values: Any) -> Any:
    return node("Constant", "", "k", value=numpy_helper.from_array(values))


ONES: Final = np.ones((2, 4), np.float32)
ONLY_A_SHAPE: Final = [
    *(node("Relu", "x", "a"), node("MatMul", "a w", "b"), node("Shape", "b", "s")),
    *(node("Expand", "a s", "c"), node("Add", "b c", "d")),
]


@pytest.mark.parametrize(
    ("records", "whole", "within", "inputs", "outputs"),
    [
        pytest.param(
            (layer("/a + /b", "x", "a b"), layer("/c", "a", "c")), chain(), "/a /b", "x", "a b",
            id="a tensor that is read inside and outside",
        ),
        pytest.param(  # TensorRT has another name for its output
            (layer("{ForeignNode[/a.../d]}", "x", "(Unnamed) 1", "Myelin"),), chain(),
            "/a /b /c /d", "x", "d", id="both ends of a foreign node",
        ),
        pytest.param(
            (layer("/a + /b", "x", "b"),),
            model([constant(WEIGHTS), node("Neg", "k", "n"), node("MatMul", "x n", "a"),
                   node("Relu", "a", "b")], ["b"]),
            "/k /n /a /b", "x", "b", id="constants, and what is computed of them alone",
        ),
        pytest.param(
            (layer("/k", "", "k", "Constant"), layer("/a", "x k", "a")),
            model([constant(ONES), node("Add", "x k", "a")], ["a"]),
            "/k", "", "k", id="a constant alone",
        ),
        pytest.param(
            (layer("/a + /c", "x", "c"),), model(ONLY_A_SHAPE, ["d"], w=WEIGHTS),
            "/a /s /c", "x b", "a c", id="the shape of a tensor is no value of it",
        ),
    ],
)  # fmt: skip
def test_a_piece_has_what_its_layer_computes(
    records: tuple[str, ...], whole: Any, within: str, inputs: str, outputs: str, cut: Cut
) -> None:
    made = cut(log(*records), whole, "--layer", "0").piece()
    assert nodes(made) == within.split()
    assert ends(made) == (inputs.split(), outputs.split())


def behind_another_s() -> Any:
    """A Relu of what an operator of another domain makes of x."""
    made = model([node("Own", "x", "a", domain="mine"), node("Relu", "a", "b")], ["b"])
    made.opset_import.append(helper.make_opsetid("mine", 1))
    return made


def test_the_extents_that_the_log_gives(cut: Cut) -> None:
    parsing = (
        f"{TV}Parsing node: /b [Relu]\n{TV}Searching for input: a\n"
        f"{TV}/b [Relu] inputs: [a -> (2, 4)[FLOAT]], \n"
        f"{TV}/b [Relu] outputs: [b -> (2, 4)[FLOAT]], \n"
    )
    lines = log(layer("/b", "a", "b"), before=parsing)
    assert extents(cut(lines, behind_another_s(), "--layer", "0").piece().graph.input) == [2, 4]


def test_the_extents_that_the_model_gives_of_an_output(cut: Cut) -> None:
    """Nothing else tells them: before it is an operator that is not ONNX's."""
    whole = varying(behind_another_s())
    whole.graph.value_info.append(info("a", "batch", 4))
    parsing = f"{TV}Adding network input: x with dtype: float32, dimensions: (2, 4)\n"
    lines = log(layer("/a", "x", "a", "PluginV2"), layer("/b", "a", "b"), before=parsing)
    made = cut(lines, whole, "--layer", "1").piece(1)
    assert extents(made.graph.output) == ["batch", 4]


def test_the_engine_s_batch(cut: Cut) -> None:
    """The model's batch is 2, and the engine's 8."""
    whole = model([node("Relu", "x", "a"), node("MatMul", "a w", "b")], ["b"], w=WEIGHTS)
    whole.graph.value_info.append(info("a", 2, 4))
    lines = log(layer("/a", "x", "a"), layer("/b", "a", "b")).replace("(2,", "(8,")
    assert extents(cut(lines, whole, "--layer", "1").piece(1).graph.input) == [8, 4]


@pytest.mark.parametrize("names", ["/b + /y", "/xd + /b + /y"])
def test_each_layer_has_a_shared_dequantize_of_its_own(names: str, cut: Cut) -> None:
    """A shortcut: the layer reads what another has made of the same Int8 values, which is no path
    between its own nodes; and the other writes no dequantised values."""
    many = [node("QuantizeLinear", "x s z", "xq"), node("DequantizeLinear", "xq s z", "xd")]
    many += [node("MatMul", "xd w", "a"), node("MatMul", "xd v", "b"), node("Add", "a b", "y")]
    whole = model(many, ["y"], w=WEIGHTS, v=WEIGHTS, s=np.float32(0.1), z=np.int8(0))
    records = log(layer("/a", "xq", "a", dtype="Int8"), layer(names, "xq a", "y", dtype="Int8"))
    for at, found in ((0, (["xq"], ["a"])), (1, (["xq", "a"], ["y"]))):
        assert ends(cut(records, whole, "--layer", str(at)).piece(at)) == found


@pytest.mark.parametrize(("name", "told"), [("/inner", "/inner"), ("", "node_of_o")])
def test_a_layer_that_runs_several_calls_of_a_function(name: str, told: str, cut: Cut) -> None:
    """Such as a query, a key and a value that one kernel computes. The parser names a node without
    a name after what it writes in the function."""
    many = [node("Own", "x w", name, domain="own") for name in "abc"]
    whole = model([*many, node("Sum", "a b c", "d")], ["d"], w=WEIGHTS)
    inner = node("MatMul", "i m", "o", name)
    listing = detailed(told, *(f" | /{name} (Own)" for name in "ac"))
    made = with_functions(whole, ("Own", "i m", [inner]))
    assert nodes(cut(listing, made, "--layer", "0").piece()) == ["/a", "/c"]


def test_a_tensor_inside_a_function_is_none_of_the_model(cut: Cut) -> None:
    """The parser prints both by the same name."""
    inner = [node("Flatten", "i", "b"), node("Reshape", "b s", "o")]
    many = [node("Own", "x s", "a", domain="own"), node("Plugin", "a", "b", domain="own"),
            node("Relu", "b", "c")]  # fmt: skip
    whole = with_functions(model(many, ["c"], s=np.array([2, 4])), ("Own", "i s", inner))
    whole.graph.value_info.append(info("b", "rows", 4))
    parsing = f"{TV}Parsing node: /b [Flatten]\n{TV}/b [Flatten] outputs: [b -> (1, 8)[FLOAT]], \n"
    made = cut(log(layer("/c", "b", "c"), before=parsing), whole, "--layer", "0").piece()
    assert extents(made.graph.input) == ["rows", 4]


def test_the_overload_of_a_function(cut: Cut) -> None:
    ends, operators = ("x", "a", "b"), ("Relu", "Neg")
    calls = zip(ends, ends[1:], operators)
    many = [node("Op", a, b, domain="own", overload=which) for a, b, which in calls]
    whole = model(many, ["b"])
    whole.ir_version = 10
    for which in operators:
        with_functions(whole, ("Op", "i", [node(which, "i", "o")]), overload=which)
    whole.graph.value_info.append(info("a", 2, 4))
    for at, name in enumerate(("/a", "/b")):
        ran = cut(log(layer("/a", "x", "a"), layer("/b", "a", "b")), whole, "--layer", str(at))
        assert nodes(ran.piece(at)) == [name]


def test_a_function_of_constants_alone(cut: Cut) -> None:
    held = numpy_helper.from_array(WEIGHTS + 1)
    inner = [node("Constant", "", "c", value=held), node("Mul", "i c", "m")]
    inner.append(node("Transpose", "m", "o"))
    many = [node("Turned", "w", "t", domain="own"), node("MatMul", "x t", "a")]
    whole = with_functions(model(many, ["a"], w=WEIGHTS), ("Turned", "i", inner))
    made = cut(log(layer("/a", "x", "a")), whole, "--layer", "0").piece()
    assert (nodes(made), ends(made)) == (["/t", "/a"], (["x"], ["a"]))
    x = np.ones((2, 4), np.float32)
    (found,) = ReferenceEvaluator(made).run(["a"], {"x": x})
    assert np.array_equal(np.asarray(found), x @ (WEIGHTS * (WEIGHTS + 1)).T)


def test_the_slowest(cut: Cut, tmp_path: Path) -> None:
    copy = layer("Reformatting CopyNode for Input Tensor 0 to /c", "a", "a2", "Reformat")
    records = log(layer("/a", "x", "a"), copy, layer("/c", "a2", "c"), layer("/d", "c", "d"))
    untimed = cut(records, chain(), "--slowest", "2")
    assert "no layer has a time, and ONNX nodes in the model\n  --profile_file" in untimed.err
    rows = ("/a: 2ms", "Reformatting CopyNode for Input Tensor 0 to /c: 3ms", "/c: 1ms", "/d: 9ms")
    times = file_of(tmp_path, text(*rows), "times.txt")
    ran = cut(records, chain(), "--slowest", "2", "--profile_file", str(times))
    assert ran.code == 0
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == ["cut_0.onnx", "cut_3.onnx"]
    assert ran.out.count("\ntrtexec --onnx=") == 2
    assert ran.err == "1 layer passed over, as no ONNX nodes are known\n"


def test_an_old_model(cut: Cut) -> None:
    """Up to version 3 of ONNX's format weights are inputs of the graph, too."""
    whole = chain()
    whole.ir_version = 3
    whole.opset_import[0].version = 8
    whole.graph.input.extend([info("w", 4, 4), info("v", 4, 4)])
    assert ends(cut(CHAIN, whole, "--layer", "2").piece(2)) == (["a"], ["c"])


def test_an_operator_of_a_plugin(cut: Cut, tmp_path: Path) -> None:
    """TensorRT may have it; onnx's checker does not."""
    many = [node("NMS_TRT", "x", "a"), node("Relu", "a", "b")]
    whole = model(many, ["b"])
    whole.graph.value_info.append(info("a", 2, 4))
    assert cut(log(layer("/a", "x", "a")), whole, "--layer", "0").code == 0
    made = onnx.load(tmp_path / "out" / "cut_0.onnx")
    assert (nodes(made), ends(made)) == (["/a"], (["x"], ["a"]))


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
    made = cut(CHAIN, apart(tmp_path, w="not-here.bin", v="v.bin"), "--layer", "2").piece(2)
    (held,) = made.graph.initializer
    assert (numpy_helper.to_array(held) == WEIGHTS + 1).all()


@pytest.mark.parametrize("where", ["not-here.bin", "../v.bin", "/etc/hostname"])
def test_weights_that_cannot_be_read(where: str, cut: Cut, tmp_path: Path) -> None:
    ran = cut(CHAIN, apart(tmp_path, w="v.bin", v=where), "--layer", "2")
    assert ran.code == 3
    assert "its weights cannot be read: " in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not [*(tmp_path / "out").iterdir()]


def test_weights_that_are_too_large(cut: Cut, tmp_path: Path) -> None:
    """Nothing of them is read."""
    whole = apart(tmp_path, w="w.bin", v="v.bin")
    whole.graph.initializer[1].dims[:] = [4, 1 << 28]
    with (tmp_path / "v.bin").open("wb") as file:
        file.truncate(4 << 30)
    ran = cut(CHAIN, whole, "--layer", "2")
    assert ran.code == 3
    assert "4,294,967,296 bytes, and an ONNX file holds less than 2 GiB" in ran.err


COMMAND: Final = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx {}\n"
OURS: Final = ["--verbose", "--profilingVerbosity=detailed", "--separateProfileRun"]


def test_the_flags_of_its_command(cut: Cut) -> None:
    """Those about files, and about tensors by name, are of the whole model."""
    line = layer("/c", "a", "c", dtype="Half").replace("(2,", "(-1,")
    words = (
        "--verbose --saveEngine=m.engine --minShapes=x:1x4 --optShapes=x:2x4 --maxShapes=x:8x4 "
        "--shapes=x:3x4 --fp16 --int8 --sparsity=enable --memPoolSize=workspace:1024 "
        "--tacticSources=-CUBLAS,+CUDNN --builderOptimizationLevel=5 --inputIOFormats=fp16:chw "
        "--useCudaGraph --noDataTransfers --duration=7 --exportTimes=times.json > log.txt"
    )
    ran = cut(log(line, before=COMMAND.format(words)), varying(chain()), "--layer", "0")
    wanted = (
        "--fp16 --int8 --sparsity=enable --memPoolSize=workspace:1024 "
        "--tacticSources=-CUBLAS,+CUDNN --builderOptimizationLevel=5 --useCudaGraph "
        "--noDataTransfers --duration=7 --inputIOFormats=fp16:chw --outputIOFormats=fp16:chw "
        "--minShapes=a:1x4 --optShapes=a:2x4 --maxShapes=a:8x4 --shapes=a:3x4"
    )
    assert ran.flags == [*wanted.split(), *OURS]


@pytest.mark.parametrize(
    ("before", "dtype", "found"),
    [
        ("", "Float", []),
        ("", "Half", ["--fp16"]),
        (COMMAND.format(""), "Half", []),
        (COMMAND.replace("--onnx=m.onnx", "--loadEngine=m"), "Half", ["--fp16"]),
        ("[I] === Build Options ===\n[I] Precision: FP32+FP16+INT8\n", "Float",
         ["--fp16", "--int8"]),
        ("[I] === Build Options ===\n[I] Precision: Strongly Typed\n", "Half",
         ["--stronglyTyped"]),
    ],
)  # fmt: skip
def test_type_names(before: str, dtype: str, found: list[str], cut: Cut) -> None:
    """Where the command did not build it, those that the log allows, else the engine's."""
    if before.startswith("[I]"):
        before += "[I] === Reporting Options ===\n"
    ran = cut(log(layer("/c", "a", "c", dtype=dtype), before=before), chain(), "--layer", "0")
    kinds = ("--fp", "--bf", "--int", "--strongly")
    assert [word for word in ran.flags if word.startswith(kinds)] == found


def test_flags_that_its_version_has(cut: Cut) -> None:
    for version, lacks in (("v110000", "--separateProfileRun"), ("v8001", "--profilingVerbosity")):
        before = COMMAND.format("").replace("v8601", version)
        ran = cut(log(layer("/c", "a", "c"), before=before), chain(), "--layer", "0")
        assert "--verbose" in ran.flags
        assert lacks not in " ".join(ran.flags)


def images(*records: str, dims: str = "2,4,4,4") -> str:
    """A listing of records such as `Conv /c: x y -> c`, whose tensors are images; one whose name
    ends on `h` is FP16, in groups of 8 channels, and one whose name begins with `f` is flat."""

    def tensor(name: str) -> str:
        packed = "Channel major FP16 format where channel % 8 == 0"
        words = packed if name.endswith("h") else "Row major linear FP32"
        own = "2,64" if name.startswith("f") else dims
        return f"{{ Name: {name}, Dimensions: [{own}], Format/Datatype: {words} }}"

    lines = []
    for one in records:
        head, _, tail = one.partition(": ")
        kind, _, name = head.partition(" ")
        sides = (", ".join(map(tensor, side.split())) for side in tail.split(" -> "))
        reads, writes = (f"[ {side}]" for side in sides)
        record = f"Name: {name}, LayerType: {kind}, Inputs: {reads}, Outputs: {writes}"
        lines.append(f"{record}, TacticName: \n")
    return f"{TV}Layers:\n{''.join(lines)}"


def of_images(nodes: Sequence[Any], *outputs: Any, **weights: Any) -> Any:
    made = model(nodes, [], **weights)
    made.graph.input[0].CopyFrom(info("x", 2, 4, 4, 4))
    made.graph.output.extend(outputs)
    return made


def formats(ran: Ran) -> list[str]:
    return [word for word in ran.flags if "IOFormats" in word]


FILTERS: Final = np.ones((4, 4, 1, 1), np.float32)


def test_formats_of_the_layer_s_own_tensors(cut: Cut) -> None:
    """The reformatted copy is what the layer reads."""
    copy = "Reformat Reformatting CopyNode for Input Tensor 0 to /c: a -> ah"
    ran = cut(images(copy, "Gemm /c: ah -> c", dims="2,4"), chain(), "--layer", "1")
    assert formats(ran) == ["--inputIOFormats=fp16:hwc8", "--outputIOFormats=fp32:chw"]


def test_a_strongly_typed_network_keeps_its_types(cut: Cut) -> None:
    """What the layer writes in FP16 is behind the Cast, of which the record does not tell."""
    many = [node("Conv", "x w", "a"), node("Cast", "a", "b", to=TensorProto.FLOAT16)]
    whole = of_images(many, info("b", 2, 4, 4, 4, kind=TensorProto.FLOAT16), w=FILTERS)
    options = "[I] === Build Options ===\n[I] Precision: {}\n[I] === Reporting Options ===\n"
    for precision, found in (("Strongly Typed", "fp32:chw"), ("FP32+FP16", "fp16:hwc8")):
        listing = options.format(precision) + images("Conv /a: x -> bh")
        ran = cut(listing, whole, "--layer", "0")
        assert formats(ran) == ["--inputIOFormats=fp32:chw", f"--outputIOFormats={found}"]


def test_the_format_of_an_image_is_none_of_a_flat_tensor(cut: Cut) -> None:
    """TensorRT reads the image itself, and the layer names no Flatten."""
    many = [node("Flatten", "x", "f"), node("Gemm", "f w", "y")]
    whole = of_images(many, info("y", 2, 4), w=np.ones((64, 4), np.float32))
    ran = cut(images("Gemm /y: xh -> fh"), whole, "--layer", "0")
    assert formats(ran)[0] == "--inputIOFormats=fp32:chw"


def test_the_shapes_below_the_listing(cut: Cut) -> None:
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
    for index, found in ((1, ("1", "2", "3")), (3, ("4", "5", "6"))):
        words = cut(listing, varying(chain()), "--layer", str(index)).flags
        for flag, batch in zip(("minShapes", "optShapes", "maxShapes"), found):
            assert f"--{flag}=a:{batch}x4" in words


def test_a_shell_sees_words(cut: Cut, tmp_path: Path) -> None:
    name = "$(touch caught)'; touch caught; '`touch caught`\n#"
    relu = helper.make_node("Relu", ["x"], [name], name="/a")
    many = [relu, helper.make_node("Neg", [name], ["y"], name="/b")]
    line = layer("/b", "t", "y").replace("(2,", "(-1,")
    before = COMMAND.format("--optShapes=x:2x4 --fp16;touch${IFS}caught --int8|touch$IFS$9caught")
    ran = cut(log(line, before=before), varying(model(many, ["y"])), "--layer", "0")
    words = words_of_a_shell(ran.out.splitlines()[-1], tmp_path)
    assert words[0] == f"--onnx={tmp_path}/out/cut_0.onnx"
    assert words[1:3] == ["--fp16;touch${IFS}caught", "--int8|touch$IFS$9caught"]
    assert f"--optShapes={visible(name)}:2x4" in words
    assert words[-2:] == [f"--exportProfile={tmp_path}/out/cut_0.profile.json", ""]
    assert not list(tmp_path.rglob("caught"))


def test_a_piece_of_another_log_is_not_replaced(cut: Cut) -> None:
    for name in ("a b.log", "a b.log", "a.log", "b.log"):
        ran = cut(CHAIN, chain(), "--layer", "0", name=name)
        assert (ran.code, "ELV505" in ran.err) == ((0, False) if name == "a b.log" else (4, True))
    assert cut(CHAIN, chain(), "--layer", "0", "--force", name="a.log").code == 0
    assert cut(CHAIN, chain(), "--layer", "0", name="a.log").code == 0


UNNAMED: Final = layer("(Unnamed Layer* 1) [Shuffle]", "a", "b")


CROSSES: Final = "tells the type and the shape of the tensor `{}`, which crosses its border"


@pytest.mark.parametrize(
    ("records", "whole", "which", "code", "why"),
    [
        (CHAIN, chain(), "zzz", "ELV407", "no layer is called `zzz`"),
        (log(layer("/a", "x", "a"), UNNAMED), chain(), "1",
         "ELV607", "neither its record nor the log names ONNX"),
        (log(layer("/q", "x", "a")), chain(), "0", "ELV607", "the model is of another network"),
        pytest.param(
            log(layer("/y", "s", "y")),
            model([node("SplitToSequence", "x", "s"),
                   node("ConcatFromSequence", "s", "y", axis=0)], ["y"]),
            "0", "ELV607", CROSSES.format("s"), id="a sequence is no tensor",
        ),
        pytest.param(
            log(layer("/b", "a", "b")), behind_another_s(), "0", "ELV607", CROSSES.format("a"),
            id="of an operator that is not ONNX's nothing is known from the model",
        ),
    ],
)  # fmt: skip
def test_no_piece(
    records: str, whole: Any, which: str, code: str, why: str, cut: Cut, tmp_path: Path
) -> None:
    ran = cut(records, whole, "--layer", which)
    assert ran.code == 3
    assert f"error[{code}]: " in ran.err and why in ran.err
    assert not ran.out
    assert not [*tmp_path.glob("out/*")]


HUGE: Final = "9" * 30


def test_extents_that_no_tensor_has(cut: Cut) -> None:
    parsing = (
        f"{TV}Adding network input: x with dtype: float32, dimensions: ({HUGE}, ²)\n"
        f"{TV}Parsing node: /c [MatMul]\n"
        f"{TV}/c [MatMul] inputs: [a -> ({HUGE}, 4)[FLOAT]], \n"
    )
    made = cut(log(layer("/a", "x", "a"), before=parsing), chain(), "--layer", "0").piece()
    assert extents(made.graph.input) == [2, 4]


def test_the_model_is_not_written_over(tmp_path: Path, here: Program) -> None:
    data = chain().SerializeToString()
    path, behind = file_of(tmp_path, CHAIN), file_of(tmp_path, data, "cut_0.onnx")
    words = [f"--log_file={path}", f"--onnx={behind}", f"--output_dir={tmp_path}", "--layer=0"]
    told = here("cut", *words, "--force", code=4).stderr
    assert "cut_0.onnx: error[ELV505]: this is a file that is read" in told
    assert behind.read_bytes() == data


def test_the_first_engine_or_another(cut: Cut) -> None:
    both = log(layer("/a", "x", "a")) + log(layer("/a", "x", "a"), layer("/c", "a", "c"))
    ran = cut(both, chain(), "--layer", "0")
    assert "holds 2 engines; layers of engine 0 are cut out" in ran.err
    assert nodes(cut(both, chain(), "--layer", "1", "--engine", "1").piece(1)) == ["/c"]
    ran = cut(both, chain(), "--layer", "0", "--engine", "1", "--engine", "0")
    assert "holds 2 engines; layers of engine 0 are cut out" in ran.err
