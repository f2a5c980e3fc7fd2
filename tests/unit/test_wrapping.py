"""What was put around a log's lines is taken off; what stands in a message stays."""

import html
import json
import re
import textwrap
from collections.abc import Callable
from functools import partial

import pytest
from factories import engine_of, engines_of
from logtext import pieces, text
from paths import CENTERNET

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import Source, Span
from engine_layer_visualize.reading import hosts
from engine_layer_visualize.reading.wrapping import unwrapped
from fuzz import budget

PREFIX = b"[11/21/2026-02:40:00] [V] [TRT] "
NAMES = [b"conv", b"a\x1b[31mb\x1b[0m", b"\x1b[31mred", b"off\x1b[0m", b"Severity.ERROR x", b"c\rd"]


def listing(name: bytes, prefix: bytes = PREFIX) -> bytes:
    lines = [
        prefix + b"Adding network input: x with dtype: float32, dimensions: (1, 4)",
        prefix + b"Marking y as output: y",
        prefix + b"Registering layer: " + name + b" for ONNX node: " + name,
        prefix + b"Engine Layer Information:",
        b"Layer(Conv): " + name + b", Tactic: 0x0f, x (Float[1,4]) -> y (Float[1,4])",
        prefix + b"Engine generation completed in 2.5 seconds.",
    ]
    return b"\n".join(lines) + b"\n"


def read(data: bytes) -> Engine:
    return engine_of(data, facts=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("before", [b"", b"web_1  | ", b"[pod/a-1/b] ", b"2024-02-21T08:41:15.7Z "])
@pytest.mark.parametrize("color", [b"", b"\x1b[1;32m"])
def test_a_name_is_as_it_was_printed(name: bytes, end: bytes, before: bytes, color: bytes) -> None:
    off = b"\x1b[0m" if color else b""
    data = b"".join(before + color + line + off + end for line in listing(name).split(b"\n")[:-1])
    engine = read(data)
    told = re.sub(rb"\x1b\[[0-9;]*m", b"", name) if color else name  # all colours are the logger's
    assert [layer.name for layer in engine.layers] == [told.decode()]
    assert (engine.inputs, engine.outputs) == (("x",), ("y",))
    assert engine.facts is not None
    assert [phase.name for phase in engine.facts.phases] == ["Engine generation"]


@pytest.mark.parametrize("begin", [b"<!DOCTYPE html>\n<pre>", b"<html><body><pre><code>"])
def test_a_saved_page_is_no_log(begin: bytes) -> None:
    page = html.escape(listing(b"conv").decode()).encode()
    with pytest.raises(ReadError, match="this is a page of HTML, not a log"):
        engines_of(begin + page + b"</pre>\n")


def test_a_column_counts_what_was_taken_off() -> None:
    lines = listing(b"conv").split(b"\n")
    docker = b"".join("büro-1  | ".encode() + line + b"\n" for line in lines[:-1])
    place = read(docker).layers[0].place
    assert (place.line, place.column) == (5, len("büro-1  | ") + 1)
    assert read(docker.replace(b"\n", b"\r\n")).layers[0].place == place
    colored = b"".join(b"\x1b[32m" + line + b"\x1b[0m\n" for line in lines[:-1])
    assert read(colored).layers[0].place.column == len("\x1b[32m") + 1


def test_broken_lines_behind_a_line_in_pieces_keep_their_places() -> None:
    record = (
        b"Layer(Conv): conv%d + relu%d, Tactic: 0x0f, tensor_%d (Float[1,3,224,224]) -> tensor_%d"
    )
    lines = [b"[V] [TRT] one ", b"message\\n", b"[V] [TRT] Engine Layer Information:\\n"]
    for number in range(4):
        text = record % (number, number, number, number + 1) + b" (Float[1,64,112,112])"
        lines += [text[:80] + b"\\n", text[80:] + b"\\n"]
    engine = engine_of(b"".join(b'{"log": "%b"}\n' % line for line in lines))
    # Each record begins behind `{"log": "`.
    assert [(layer.place.line, layer.place.column) for layer in engine.layers] == [
        *((4, 10), (6, 10), (8, 10), (10, 10))
    ]
    assert [layer.outputs[0].shape for layer in engine.layers] == [(1, 64, 112, 112)] * 4


@pytest.mark.parametrize(
    "data",
    [
        b"note: a\nnote: b\n" + listing(b"conv"),
        # two threads tore a line
        listing(b"conv").replace(PREFIX + b"Marking", b"[11/20/2026-18:" + PREFIX + b"Marking"),
    ],
)
def test_what_stands_before_some_lines_is_no_host(data: bytes) -> None:
    assert b"".join(span.data for span in unwrapped(Source(None, chunks=[data]).spans())) == data
    assert read(data).outputs == ("y",)


PAINTED, OFF = b"\x1b[32m[V] \x1b[0mx\n", b"\x1b[0m"
DOCKER = b'{"log":"[V] [TRT] x\\n"}\n' * 64
CUT = (b"[V] [TRT] Layer(Conv): " + b"a" * 37 + b"\n" + b"b" * 20 + b"\n") * 64
BROKEN = b"Layer(Conv): a, Tactic: 0x1, x (Float[1,\n4]) -> y (Float[1,4])\n" * 9
BROKEN += b"Layer(Conv): b, Tactic: 0x1, x (Float[1,\n4])"
LONG = {
    "colours before a message": lambda n: PAINTED + OFF * (n // 4) + b"x\n",
    "a line of colours": lambda n: PAINTED + OFF * n + b"\n",
    # From 1 MiB on such a line costs three times as much, once.
    "severities before a colour": lambda n: PAINTED + b"[V] " * (16 * n) + OFF + b"\n",
    "long words before each line": lambda n: (b"a" * 500 + b"[V] x\n") * (n // 100),
    "many words before a line": lambda n: b"a 1 " * n + b"[V] x\n",
    "severities of no logger": lambda n: b"Severity.\n" * n,
    "times of ONNX Runtime": lambda n: b"2" * n + b" [W:onnxruntime:" * n,
    "values in odd quotes": lambda n: (b"m" + b' a="' * 40 + b" !\n") * (n // 400),
    "pieces without an end": lambda n: DOCKER + b'{"log":"aaaa"}\n' * (n // 15),
    "a cut that never ends": lambda n: CUT + (b"z" * 60 + b"\n") * (n // 60),
    "a record broken at each word": lambda n: BROKEN + b", t (Float[1,\n224])" * (n // 17) + b"\n",
    "empty lines": lambda n: b"\r\n" * n,
}


@pytest.mark.slow
@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in LONG.items()])
def test_time_grows_with_the_length(make: Callable[[int], bytes]) -> None:
    def unwrap(data: bytes) -> list[Span]:
        return list(unwrapped(Source(None, chunks=[data]).spans()))

    def prepared(count: int) -> Callable[[], object]:
        return partial(unwrap, make(count))

    budget.linear(prepared, 16_000, 256_000)


@pytest.mark.parametrize("logger", hosts.OTHER_LOGGERS)
def test_a_logger_s_words_begin_a_message(logger: tuple[bytes, bytes, bytes]) -> None:
    words, mark, pattern = logger
    assert hosts.OWN.search(words + b"Registering layer: a") is not None
    assert mark in words
    assert re.fullmatch(pattern, words) is not None


# ---- notebooks -----------------------------------------------------------------------------------


def notebook(log: bytes) -> bytes:
    """As Jupyter saves it: a line of the file for each line that a cell printed."""
    lines = log.decode().splitlines(keepends=True)
    stream = {"name": "stdout", "output_type": "stream", "text": lines}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["Engine Layer Information:\n", "a"]},
        {"cell_type": "code", "metadata": {}, "outputs": [stream], "source": ["build()\n"]},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1).encode()


def test_a_notebook_that_jupyter_has_not_laid_out_is_no_empty_input() -> None:
    whole = json.loads(notebook(listing(b"a")))
    for cell in whole["cells"]:
        for stream in cell.get("outputs", []):
            stream["text"] = "".join(stream["text"])
    deep = b'{"cells": ["cell_type"], "a": ' + b"[" * 100_000
    for data in (json.dumps(whole, indent=1).encode(), json.dumps(whole).encode(), deep):
        with pytest.raises(ReadError) as refused:
            engines_of(data)
        assert "no printed line can be read" in str(refused.value)
        assert "save a notebook with Jupyter" in refused.value.hint


@pytest.mark.parametrize("size", [100, 1 << 18])
def test_the_log_that_a_notebook_s_cell_printed_is_read(size: int) -> None:
    data = notebook(listing(b'a "quoted" \\ name'))
    engine = engine_of(pieces(data, size), facts=True)
    assert (engine.inputs, engine.outputs, engine.problems) == (("x",), ("y",), ())
    assert engine.layers[0].name == 'a "quoted" \\ name'
    line = data.decode().split("\n")[engine.layers[0].place.line - 1]
    assert line.strip().startswith('"Layer(Conv)')


def test_a_notebook_whose_cells_printed_no_log_says_so() -> None:
    for data in (notebook(b"hello\n"), b'{"cells": [5, {"cell_type": 1, "outputs": 2}]}'):
        with pytest.raises(ReadError, match="ELV402"):
            engines_of([data])


@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_lines_that_were_broken_between_words_are_joined(width: int) -> None:
    data = CENTERNET.read_text("utf-8")
    wrap = partial(textwrap.wrap, width=width, break_long_words=False, break_on_hyphens=False)
    broken = "\n".join(piece for line in data.split("\n") for piece in wrap(line))
    read, whole = engine_of(broken), engine_of(data)
    assert read.graph == whole.graph
    assert [layer.inputs for layer in read.layers] == [layer.inputs for layer in whole.layers]


def test_an_attribute_of_an_inspector_s_json_is_no_message() -> None:
    attributes = {key: {"a": "Layer(x): "} for key in "pqrst"}
    record = {"Name": "a", "Inputs": [], "Outputs": [], **attributes}
    engine = engine_of(json.dumps({"Layers": [record]}, indent=0))
    assert engine.dialect == "inspector-json"


# ---- names are printed raw into other messages, too ----------------------------------------------


V = "[11/21/2026-02:40:00] [TRT] [V] "
LATER = "[12/01/2026-12:40:13] [TRT] [V] "
HEADER = f"{V}Engine Layer Information:"
RECORD = "Layer(A): a, Tactic: 0x1, x (Float[4]) -> y (Float[4])"


def checked(data: str) -> tuple[Engine, list[str]]:
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
        engine, codes = checked(text(*lines, HEADER, TWO))
        assert (engine.inputs, engine.outputs) == (("x",), ("y",))
        assert engine.graph.unused == ("z",)
        assert codes == []


def test_a_name_adds_no_input() -> None:
    fake = f"{V}CONVOLUTION lAdding network input: z with dtype: float32, dimensions: (4)"
    record = "Layer(A): a, Tactic: 0x1, x (Float[4]), z (Float[4]) -> y (Float[4])"
    engine, codes = checked(text(INPUT, fake, OUTPUT, HEADER, record))
    assert (engine.inputs, engine.graph.unresolved, codes) == (("x",), ("z",), ["ELV301"])
    # After an output it would begin a definition of its own.
    engine, _ = checked(text(INPUT, OUTPUT, fake, HEADER, record))
    assert (engine.inputs, engine.outputs) == (("x",), ("y",))


@pytest.mark.parametrize("name", ["z", "y", "Marking a as output: y"])
def test_a_network_that_nothing_names_is_not_named_by_a_layer(name: str) -> None:
    engine, codes = checked(text(f"{V}CONVOLUTION lMarking a as output: {name}", HEADER, TWO))
    assert (engine.inputs, engine.outputs) == (("x",), ("y", "z"))
    assert codes == []


def test_words_that_name_no_tensor_name_nothing() -> None:
    """The line stands alone, as the log's own might; the listing has only a name that ends so."""
    record = "Layer(A): a, Tactic: 0x1, x (Float[4]) -> o\nMarking a as output: b: y (Float[4])"
    lines = ["GRAPH o", "Marking a as output: b: y", "Engine Layer Information:", record]
    engine, codes = checked(text(*lines))
    assert engine.outputs == ("o\nMarking a as output: b: y",)
    assert codes == []


def test_an_input_below_a_listing_needs_no_record() -> None:
    tail = ["", "I/O Tensors:", IO.format("shape", "Input")]
    engine, codes = checked(text(f"{V}Layers:", DETAILED.replace("NAME", "a"), *tail, f"{V}done"))
    assert (engine.inputs, engine.outputs) == (("shape",), ())
    assert codes == ["ELV301"]


def test_a_host_of_another_kind_is_believed() -> None:
    """The parser's messages may come through another logger than the builder's."""
    engine, codes = checked(text("INFO: Marking y_0 as output: y", HEADER, TWO))
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
    engine, codes = checked(text(*lines, f"{V}done").replace("\n", end))
    (layer,) = engine.layers
    assert (layer.name, layer.raw) == (name, None)
    assert (engine.inputs, engine.outputs) == ((f"x{name}",), (f"y{name}",))
    assert codes == []


# ---- a record that is whole, and goes on --------------------------------------------------------


def outputs(engine: Engine) -> list[str]:
    return [tensor.name for tensor in engine.layers[0].outputs]


def test_that_a_record_may_end_at_two_places_is_told() -> None:
    engine, codes = checked(text(HEADER, RECORD, "b (Half[4,4])", f"{V}done"))
    assert (outputs(engine), codes) == (["y"], ["ELV107"])


@pytest.mark.parametrize("line", ["a plugin's word", "b (Half[4,4]) of it", "[4]", f"{V}x (4)"])
def test_other_lines_after_a_record_are_no_doubt(line: str) -> None:
    engine, codes = checked(text(HEADER, RECORD, line, RECORD.replace("a,", "b,"), line))
    assert [layer.name for layer in engine.layers] == ["a", "b"]
    assert codes == []


# ---- headers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["Engine Layer Information:", "Layers:"])
def test_a_header_in_a_message_is_none(words: str) -> None:
    name = f"{V}CONVOLUTION l, {words}"
    engine, codes = checked(text(name, f"{V}after", HEADER, RECORD))
    assert ([layer.name for layer in engine.layers], codes) == (["a"], [])
    # One of the log's own that is empty is still told of.
    engine, codes = checked(text(f"{LATER}{words}", f"{V}after", HEADER, RECORD))
    assert ([layer.name for layer in engine.layers], codes) == (["a"], ["ELV105"])
