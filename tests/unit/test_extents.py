"""Work of layers of which the log tells the extents, by its ONNX lines or shapes. By hand."""

import json
import math
from collections.abc import Iterable
from pathlib import Path

import pytest
from factories import engine_in, layer_facts
from logtext import TV, chose, parsed_node, text, timed
from paths import FIXTURES
from program import Printed, Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.api.engine import Engine

HOST = "[01/02/2031-11:12:13] [V] [TRT] "


def node(text: str) -> list[str]:
    """The parser's lines of one node: `dig [Conv]: x 1,3,8,8; w 4,3,3,3 -> y 1,4,6,6`."""
    return parsed_node(*parts(text))


def parts(text: str) -> tuple[str, list[list[str]], list[list[str]]]:
    """What stands before the colon, and the names and dims of both sides."""
    words, _, tensors = text.partition(": ")
    reads, writes = ([one.split() for one in side.split(";")] for side in tensors.split(" -> "))
    return words, reads, writes


def read(folder: Path, parsed: Iterable[Iterable[str]], *records: str, sea: str = "") -> Engine:
    """`sea`: the dims of the network's input."""
    network = [f"Adding network input: sea with dtype: float32, dimensions: ({sea})"] if sea else []
    weights = [f"Importing initializer: {name}" for name in ("w", "v", "u")]
    head = [*network, *weights, *(line for one in parsed for line in one)]
    lines = [HOST + line for line in (*head, "Engine Layer Information:")]
    return engine_in(folder, text(*lines, *records))


def record(text: str, type: str = "CaskConvolution") -> str:
    """`dig: x 1,3,8,8 -> y 1,4,8,8`."""
    name, *sides = parts(text)
    ends = (", ".join(f"{tensor}[Float({dims})]" for tensor, dims in side) for side in sides)
    return f"Layer({type}): {name}, Tactic: 0x1, {' -> '.join(ends)}"


def done(engine: Engine, index: int = 0) -> LayerWork:
    return engine.work.layers[index]


def rows(table: str) -> list[list[str]]:
    """The cells of a table: what was parsed, what is listed, and more. `#`: about the next rows."""
    lines = [line for line in table.strip().split("\n") if not line.startswith("#")]
    return [line.split(" | ") for line in lines]


ONE_NODE = """
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig + foam: sea 1,3,8,8 -> dug 1,4,8,8 | 6912
# another batch than the model's, and one that the model leaves open
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 5,3,8,8 -> dug 5,4,8,8 | 5·6912
dig [Conv]: sea -1,3,-1,-1; w 4,3,3,3 -> dug -1,4,-1,-1 | dig: sea 2,3,9,9 -> dug 2,4,7,7 | 392·27
# the pooled output is the record's, the other the node's
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig + pond: sea 1,3,8,8 -> pooled 1,4,4,4 | 6912
# groups, and each channel alone
dig [Conv]: sea 1,8,4,4; w 16,2,1,1 -> dug 1,16,4,4 | dig: sea 1,8,4,4 -> dug 1,16,4,4 | 16·16·2
# a row, to which TensorRT adds an axis; a volume
dig [Conv]: sea 1,3,9; w 4,3,3 -> dug 1,4,7 | dig: sea 1,3,9,1 -> dug 1,4,7,1 | 4·7·9
dig [Conv]: sea 1,2,4,4,4; w 3,2,1,1,1 -> dug 1,3,4,4,4 | dig: sea 1,2,4,4,4 -> dug 1,3,4,4,4 | 384
# by the input's extents; of two groups
dig [ConvTranspose]: sea 1,8,4,4; w 8,5,2,2 -> dug 1,5,8,8 | dig: sea 1,8,4,4 -> dug 1,5,8,8 | 2560
# an Int8 model's convolution reads what DequantizeLinear writes
dig [Conv]: a_dq 1,3,8,8; w_dq 4,3,3,3 -> d 1,4,8,8 | w + dig: a_q 1,3,8,8 -> d_q 1,4,8,8 | 6912
"""


@pytest.mark.parametrize(("parsed", "shown", "macs"), rows(ONE_NODE))
def test_one_node(parsed: str, shown: str, macs: str, tmp_path: Path) -> None:
    more = [node("foam [Relu]: dug 1 -> foam_out 1"), node("pond [MaxPool]: dug 1 -> pooled 1")]
    engine = read(tmp_path, [node(parsed), *more], record(shown))
    assert done(engine).macs == math.prod(map(int, macs.split("·")))
    assert done(engine).bytes is not None


UNCERTAIN = """
# other extents than the record's: channels, places, filters, elements
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 1,5,8,8 -> dug 1,4,8,8
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 1,3,9,8 -> dug 1,4,9,8
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,2,8,8
dig [MatMul]: sea 6,10; w 10,7 -> dug 6,7 | dig: flat 15,1,1,1 -> dug_out 7,1,1,1
# symbolic, in the record or in the weights
dig [Conv]: sea 1,3,8,8; w 4,3,-1,-1 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,4,8,8
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea -2,3,8,8 -> dug -2,4,8,8
# they contradict themselves
dig [Conv]: sea 1,3,8,8; w 4,2,3,3 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,4,8,8
dig [Conv]: sea 1,3,8,8; w 4,3,3 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,4,8,8
dig [ConvTranspose]: sea 1,8,4,4; w 7,5,2,2 -> dug 1,5,8,8 | dig: sea 1,8,4,4 -> dug 1,5,8,8
dig [Gemm]: sea 6,10; w 7,10 -> dug 6,4 | dig: flat 6,10,1,1 -> dug_out 6,4,1,1
# hostile
dig [Conv]: sea 1,3,HUGE,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,4,8,8
dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,HUGE,8 | dig + pond: sea 1,3,8,8 -> pooled 1,4,4,4
dig [Conv]: sea 1,x,8,8; w 4,3,3,3 -> dug 1,4,8,8 | dig: sea 1,3,8,8 -> dug 1,4,8,8
dig [MatMul]: sea 0,0; w 0,0 -> dug 0,0 | dig: sea 1,3,8,8 -> dug 1,4,8,8
"""


@pytest.mark.parametrize(("parsed", "shown"), rows(UNCERTAIN))
def test_what_is_not_certain_is_unknown(parsed: str, shown: str, tmp_path: Path) -> None:
    pond = node("pond [MaxPool]: dug 1 -> pooled 1")
    parsed = parsed.replace("HUGE", "9" * 40_000)
    engine = read(tmp_path, [node(parsed), pond], record(shown))
    assert done(engine).macs is None
    assert done(engine).unknown is not None


def test_side_by_side(tmp_path: Path) -> None:
    """Two convolutions of one input: 8·4·4·(2 + 6)."""
    parsed = [
        node("left [Conv]: sea 1,8,4,4; w 2,8,1,1 -> left_out 1,2,4,4"),
        node("right [Conv]: sea 1,8,4,4; v 6,8,1,1 -> right_out 1,6,4,4"),
        node("four [MatMul]: sea 1,8,4,4; u 8,8,4,4 -> four_out 8,8,4,4"),
    ]
    rows = (("right", "both 1,8,4,4"), ("four", "odd 1,10,4,4"), ("right", "part 1,7,4,4"))
    shown = (record(f"left || {name}: sea 1,8,4,4 -> {gives}") for name, gives in rows)
    engine = read(tmp_path, parsed, *shown)
    macs = [done(engine, index).macs for index in range(3)]
    assert macs == [128 * (2 + 6), None, None]
    assert done(engine).bytes == 4 * (128 + 128 + 8 * 8)  # the input once, all weights


# ---- what Myelin compiled ------------------------------------------------------------------------

INSIDE = (
    node("dig [Conv]: sea 1,3,8,8; w 4,3,3,3 -> dug 1,4,8,8"),
    node("flat [Flatten]: dug 1,4,8,8 -> row 1,256"),
    node("mole [Gemm]: row 1,256; v 10,256 -> moles 1,10"),
    node("pier [MatMul]: moles 1,10; u 10,6 -> end 1,6"),
)
ALL = 6_912 + 2_560 + 60


def foreign(words: str, tensors: str) -> str:
    return record(f"{{ForeignNode[{words}]}}: {tensors}", "Myelin")


@pytest.mark.parametrize(
    ("sea", "read_"),
    [
        ("-1, 3, 8, 8", "sea 1,3,8,8"),
        ("1, 3, 8, 8", "sea 2,3,8,8"),  # its shape was set after it was parsed
        ("1, 3, 8, 8", "sea -1,3,8,8"),
        ("", "sea 1,3,8,8"),
    ],
)
def test_a_foreign_node_of_other_extents(sea: str, read_: str, tmp_path: Path) -> None:
    shown = foreign("w...pier", f"{read_} -> end 1,6")
    assert done(read(tmp_path, INSIDE, shown, sea=sea)).macs is None


def test_a_foreign_node(tmp_path: Path) -> None:
    """All is known but where an input that no layer reads may have other extents."""
    moon = ["Adding network input: moon with dtype: int32, dimensions: (4)"]
    shown = foreign("w...pier", "sea 1,3,8,8 -> end 1,6")
    engine = read(tmp_path, INSIDE, shown, sea="1, 3, 8, 8")
    assert layer_facts(engine.layers[0]).onnx_nodes_from == "graph"
    assert (done(engine).macs, done(engine).bytes, engine.work.macs) == (ALL, None, ALL)
    assert done(read(tmp_path, [moon, *INSIDE], shown, sea="1, 3, 8, 8")).macs is None


def test_of_each_node_all_must_be_known(tmp_path: Path) -> None:
    shown = foreign("w...pier", "sea 1,3,8,8 -> end 1,6")
    for at, other in (
        (2, node("mole [Gemm]: row -1,256; v 10,256 -> moles -1,10")),
        (2, node("mole [LSTM]: row 1,256; v 10,256 -> moles 1,10")),
        (2, node("mole [Hashing]: row 1,256; v 10,256 -> moles 1,10")),
        (2, node("mole [Gemm]: row 1,256; v 10,255 -> moles 1,10")),
        (3, node("pier [MatMul]: moles 1,10; u 11,6 -> end 1,6")),
        (0, node("dig [Conv]: sea 1,3,8,8; w 4,2,3,3 -> dug 1,4,8,8")),
        (0, node("dig [Conv]: sea 1,3,8,8; w 5,3,3,3 -> dug 1,4,8,8")),
    ):
        parsed = [other if number == at else one for number, one in enumerate(INSIDE)]
        assert done(read(tmp_path, parsed, shown, sea="1, 3, 8, 8")).macs is None, other
    parsed = [node("flat [Hashing]: sea 1,3,8,8 -> row 1,256")]
    parsed += [node("mole [Gemm]: row -1,256; v 10,256 -> moles -1,10")]
    shown = foreign("flat...mole", "sea 1,3,8,8 -> moles 1,10")
    assert done(read(tmp_path, parsed, shown, sea="1, 3, 8, 8")).macs is None, "not 0"


# ---- layers whose extents the listing leaves open, at the shapes that the log tells --------------


BUILT = "[I] Input build shape: sea=1x3x8x8+4x3x8x8+16x3x8x8"
RAN = "[I] Input inference shape: sea=4x3x8x8"
# Up to 8.4 a number stands for an extent, -6 for the product of two; later -1 stands for each.
NUMBERED = (
    "Layer(Shuffle): flat, Tactic: 0, sea[Float(-2,3,8,8)] -> row[Float(-6,8)]",
    "Layer(MatrixMultiply): mm, Tactic: 0, row[Float(-6,8)], held[Float(8,5)] -> out[Float(-6,5)]",
)
UNNUMBERED = (
    "Layer(Pooling): pool, Tactic: 0x1, sea (Float[-1,3,8,8]) -> small (Float[-1,3,4,4])",
    "Layer(PointWiseV2): PWN(a), Tactic: 0x1, small (Float[-1,3,4,4]), c (Float[1,3,1,1]) -> "
    "sum (Float[-1,3,4,4])",
    "Layer(NoOp): flat, Tactic: 0x0, sum (Float[-1,3,4,4]) -> row (Float[-1,6,8])",
    "Layer(MatrixMultiply): mm, Tactic: 0x1, row (Float[-1,6,8]), h (Float[1,8,5]) -> "
    "o (Float[-1,6,5])",
)


def engine(folder: Path, records: tuple[str, ...], *options: str, is_timed: bool = True) -> Engine:
    """An engine whose last layer the builder timed."""
    chosen = timed("mm", "MatrixMultiply", (0, 0.5)) + chose("MatrixMultiply", 0)
    build = [one for one in options if "build" in one]
    run = [one for one in options if "build" not in one]
    log = text(
        "[I] === Build Options ===", *build, "[I] === Inference Options ===", *run,
        f"{TV}Adding network input: sea with dtype: float32, dimensions: (-1, 3, 8, 8)",
        f"{TV}Adding network input: lake with dtype: float32, dimensions: (-1, 8)",
        *([chosen.rstrip()] if is_timed else []),
        f"{TV}Engine Layer Information:", *records,
    )  # fmt: skip
    return engine_in(folder, log)


@pytest.mark.parametrize(
    ("records", "macs"),
    [
        (NUMBERED, 4 * 3 * 8 * 8 * 5),  # 4·3·8 rows of 8, times 8×5
        (UNNUMBERED, 4 * 6 * 8 * 5),
    ],
)
def test_logged_shapes(records: tuple[str, ...], macs: int, tmp_path: Path, here: Program) -> None:
    """They give the work."""
    work = engine(tmp_path, records, BUILT, RAN).work
    assert (work.macs, work.of_times) == (macs, True)
    assert [(one.name, one.shape) for one in work.at] == [("sea", (4, 3, 8, 8))]
    assert None not in [one.bytes for one in work.layers.values()]
    said = " ".join(here("summary", tmp_path / "build.log", "--sections", "work").stdout.split())
    assert f"{macs:,} MACs. " in said
    assert "these numbers are for `sea` 4×3×8×8." in said


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("[I] Input inference shapes: model",),
        ("[I] Input inference shape: lake=4x3x8x8",),  # another network's
        ("[I] Input inference shape: sea=4x3x9x9",),
        (RAN, "[I] Input inference shape: sea=8x3x8x8"),
    ],
)
def test_without_certain_shapes_nothing_is_known(options: tuple[str, ...], tmp_path: Path) -> None:
    found = engine(tmp_path, NUMBERED, *options, is_timed=False)
    assert (found.work.macs, found.work.at) == (None, ())
    assert found.work.of(found.layers[1]).unknown == "an extent is symbolic or unknown"


def test_estimates_are_of_the_shapes_of_the_build(tmp_path: Path) -> None:
    work = engine(tmp_path, NUMBERED, BUILT, "[I] Input inference shape: sea=16x3x8x8").work
    assert [one.shape for one in work.at] == [(4, 3, 8, 8)]


def test_a_run_says_nothing_of_shapes_that_the_builder_timed(tmp_path: Path, here: Program) -> None:
    found = engine(tmp_path, NUMBERED, RAN)
    work = found.work
    assert (work.macs, work.of_times) == (4 * 3 * 8 * 8 * 5, False)
    assert all(one.bound_ms is None and one.efficiency is None for one in work.layers.values())
    assert work.timed(found.layers[1]).macs is None
    said = " ".join(here("summary", tmp_path / "build.log", "--sections", "work").stdout.split())
    assert "`sea` 4×3×8×8, as in a run." in said


def test_a_whole_log(printed: Printed) -> None:
    log = FIXTURES / "facts" / "8.4-dynamic-batch.log"
    (engine,) = elv.read(log, facts=True).engines
    work = engine.work
    product = work.of(engine.layers[2])
    assert (work.macs, product.bytes) == (96 * 8 * 5, 4 * (96 * 8 + 8 * 5 + 96 * 5))
    (found,) = json.loads(printed("compare", log, log, "-f", "json"))["comparisons"]
    assert found["a"]["macs"] == work.macs


def test_a_number_with_two_values_tells_nothing(tmp_path: Path) -> None:
    lake = "Layer(NoOp): one, Tactic: 0, lake[Float(-2,8)] -> row[Float(-2,8)]"
    options = ("[I] Input inference shape: lake=8x8", RAN)
    assert engine(tmp_path, (lake, *NUMBERED), *options, is_timed=False).work.at == ()
