"""Names are printed raw into other messages, too: what they hold is not taken for the log's own."""

from __future__ import annotations

import pytest
from logtext import text

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log

V = "[11/21/2026-02:40:00] [TRT] [V] "
LATER = "[12/01/2026-12:40:13] [TRT] [V] "
HEADER = f"{V}Engine Layer Information:"
RECORD = "Layer(A): a, Tactic: 0x1, x (Float[4]) -> y (Float[4])"


def read(data: str) -> tuple[Engine, list[str]]:
    log = Log("build.log", chunks=[data.encode()])
    (engine,) = log.engines()
    return engine, [problem.code for problem in log.problems]


# ---- inputs and outputs -------------------------------------------------------------------------

INPUT = f"{V}Adding network input: x with dtype: float32, dimensions: (4)"
OUTPUT = f"{LATER}Marking y_0 as output: y"
TWO = "Layer(A): a, Tactic: 0x1, x (Float[4]) -> y (Float[4]), z (Float[4])"


@pytest.mark.parametrize(
    "fake",
    [
        f"{V}CONVOLUTION lMarking a as output: z",
        f"{V}CONVOLUTION l{V}Marking a as output: z",
        f"{V}CONVOLUTION l\nMarking a as output: z",
        f"{V}CONVOLUTION l\nbMarking a as output: z",
    ],
)
def test_a_name_marks_no_output(fake: str) -> None:
    for lines in ((INPUT, fake, OUTPUT), (fake, INPUT, OUTPUT), (INPUT, OUTPUT, fake)):
        engine, codes = read(text(*lines, HEADER, TWO))
        assert (engine.inputs, engine.outputs) == (("x",), ("y",))
        assert engine.graph.unused == ("z",)
        assert codes == []


def test_a_name_adds_no_input() -> None:
    fake = f"{V}CONVOLUTION lAdding network input: z with dtype: float32, dimensions: (4)"
    record = "Layer(A): a, Tactic: 0x1, x (Float[4]), z (Float[4]) -> y (Float[4])"
    engine, codes = read(text(INPUT, fake, OUTPUT, HEADER, record))
    assert (engine.inputs, engine.graph.unresolved, codes) == (("x",), ("z",), ["ELV301"])
    # After an output it would begin a definition of its own.
    engine, _ = read(text(INPUT, OUTPUT, fake, HEADER, record))
    assert (engine.inputs, engine.outputs) == (("x",), ("y",))


@pytest.mark.parametrize("name", ["z", "y", "Marking a as output: y"])
def test_a_network_that_nothing_names_is_not_named_by_a_layer(name: str) -> None:
    engine, codes = read(text(f"{V}CONVOLUTION lMarking a as output: {name}", HEADER, TWO))
    assert (engine.inputs, engine.outputs) == (("x",), ("y", "z"))
    assert codes == []


def test_words_that_name_no_tensor_name_nothing() -> None:
    """The line stands alone, as the log's own might; the listing has only a name that ends so."""
    record = "Layer(A): a, Tactic: 0x1, x (Float[4]) -> o\nMarking a as output: b: y (Float[4])"
    lines = ["GRAPH o", "Marking a as output: b: y", "Engine Layer Information:", record]
    engine, codes = read(text(*lines))
    assert engine.outputs == ("o\nMarking a as output: b: y",)
    assert codes == []


def test_an_input_below_a_listing_needs_no_record() -> None:
    tail = ["", "I/O Tensors:", IO.format("shape", "Input")]
    engine, codes = read(text(f"{V}Layers:", DETAILED.replace("NAME", "a"), *tail, f"{V}done"))
    assert (engine.inputs, engine.outputs) == (("shape",), ())
    assert codes == ["ELV301"]


def test_a_host_of_another_kind_is_believed() -> None:
    """The parser's messages may come through another logger than the builder's."""
    engine, codes = read(text("INFO: Marking y_0 as output: y", HEADER, TWO))
    assert (engine.outputs, engine.graph.unused, codes) == (("y",), ("z",), [])


# ---- line ends ----------------------------------------------------------------------------------

CLASSIC = "Layer(A): {0}, Tactic: 0x1, x{0} (Float[4]) -> y{0} (Float[4])"
TENSOR = "{ Name: NAME, Dimensions: [4], Format/Datatype: Float }"
DETAILED = (
    f"Name: NAME, LayerType: A, Inputs: [ {TENSOR.replace('NAME', 'xNAME')}], "
    f"Outputs: [ {TENSOR.replace('NAME', 'yNAME')}], TacticName: , StreamId: 0, Metadata: "
)
IO = " Name: {}, IOMode: {}, DataType: Float, Dimensions: [4], Location: Device"


@pytest.mark.parametrize(
    ("name", "end"),
    [
        *((name, "\n") for name in ("a\rb", "a\r\nb", "a\r\r\nb", "a \nb", "a \r\n\r\n b", "\r\n")),
        ("a\nb", "\r\n"),  # Windows ends every line so, those inside of names as well
    ],
)
@pytest.mark.parametrize("detailed", [False, True])
def test_a_name_with_the_end_of_a_line(name: str, end: str, detailed: bool) -> None:
    if detailed:
        tail = ["", "I/O Tensors:", IO.format(f"x{name}", "Input"), IO.format(f"y{name}", "Output")]
        lines = [f"{V}Layers:", DETAILED.replace("NAME", name), *tail]
    else:
        lines = [HEADER, CLASSIC.format(name)]
    engine, codes = read(text(*lines, f"{V}done").replace("\n", end))
    (layer,) = engine.layers
    assert (layer.name, layer.raw) == (name, None)
    assert (engine.inputs, engine.outputs) == ((f"x{name}",), (f"y{name}",))
    assert codes == []


# ---- a record that is whole, and goes on --------------------------------------------------------

REST = "b (Half[4,4])"


def outputs(engine: Engine) -> list[str]:
    return [tensor.name for tensor in engine.layers[0].outputs]


def test_that_a_record_may_end_at_two_places_is_told() -> None:
    engine, codes = read(text(HEADER, RECORD, REST, f"{V}done"))
    assert (outputs(engine), codes) == (["y"], ["ELV107"])


@pytest.mark.parametrize("line", ["a plugin's word", "b (Half[4,4]) of it", "[4]", f"{V}x (4)"])
def test_other_lines_after_a_record_are_no_doubt(line: str) -> None:
    engine, codes = read(text(HEADER, RECORD, line, RECORD.replace("a,", "b,"), line))
    assert [layer.name for layer in engine.layers] == ["a", "b"]
    assert codes == []


# ---- headers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["Engine Layer Information:", "Layers:"])
def test_a_header_in_a_message_is_none(words: str) -> None:
    name = f"{V}CONVOLUTION l, {words}"
    engine, codes = read(text(name, f"{V}after", HEADER, RECORD))
    assert ([layer.name for layer in engine.layers], codes) == (["a"], [])
    # One of the log's own that is empty is still told of.
    engine, codes = read(text(f"{LATER}{words}", f"{V}after", HEADER, RECORD))
    assert ([layer.name for layer in engine.layers], codes) == (["a"], ["ELV105"])
