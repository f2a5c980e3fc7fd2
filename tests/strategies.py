"""Engines, names and profiles as hypothesis strategies, and a printer for every format.

The printers are the tests' own: they ask the program nothing.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from logtext import cut, pieces

from engine_layer_visualize.core.model import Layer, ProfileRow, Tensor, Timing
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.reading.hosts import OTHER_LOGGERS

settings.register_profile(
    "project",
    deadline=None,
    max_examples=60,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("project")

_L = TypeVar("_L", bound="Lines")
OLD, NEW = "old", "new"  # `x[Float(1,3)]` (5 - 8.4), `x (Float[1,3])` (8.5.1 and later)

# ---- names -------------------------------------------------------------------------------------

_WORD: Final = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_./:-", min_size=1, max_size=10)

REAL_NAMES: Final = (
    "conv7.weight + QuantizeLinear_3_quantize_scale_node + Conv_12 + Relu_13",
    "PWN((Unnamed Layer* 31) [ElementWise], PWN(PWN(Sigmoid_4 + Mul_5, Add_6), Relu_7))",
    "{ForeignNode[/stem/Reshape.../head/Softmax]}",
    "Conv_1 + Relu_2 || Conv_3 + Relu_4 || Conv_5",
    "3-layer MLP: (Unnamed Layer* 2) [Fully Connected] -> (Unnamed Layer* 4) [Activation]",
    "(Unnamed Layer* 91) [NMS]_1_output[DevicetoShapeHostCopy]",
    "%3 : Tensor = aten::_convolution(%in.1, %w, %5, %6) # /net/blocks.py:12:7",
    "Reformatting CopyNode for Input Tensor 0 to Conv_1 + Relu_2",
    "Reformatted Output Tensor 0 to PWN(Sigmoid_4, Mul_5)",
    "[ShapeHostToDeviceCopy 0]",
    "onnx::Gather_12 copy",
    "input.1 [profile 1]",
    "[trainStation2]",
    "层/卷积_1",
)

HOSTILE_PIECES: Final = (
    *(", ", ",", " -> ", "->", ": ", ":", "[", "]", "(", ")", " (", ")]", "])", "[]", "()"),
    *("[Float(1,2)]", " (Half[1,2])", "(Int8[])", "[Int8()]", "[Float(", " (Float[1"),
    *(", Tactic: ", ", Tactic: 12", ", Tactic: 0x0f", ", Tactic: one, ", "Tactic: 1, "),
    *(", Tactic: -, ", ", Tactic: 0x, ", " , Tactic:1, "),
    *("Layer(Conv): ", "Engine Layer Information:", "=== Profile (3 iterations ) ===", "Total"),
    *("\x1c", "\x1d", "\x1e", "\x1f", "\t", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"),
    *('"', "'", "\\", "<script>", "&amp;", "{", "|", "}", "%s", "$(x)", "\x00", "\x1b[31m", "\x7f"),
    *("\ufeff", "\xa0", "é", "層", "😀", "\u202e", " ", "  "),
    *("```", "> ", "#", ";", "=", "\x1b[0m"),
    *("a", "conv", "_1", " [profile 1]", "_myl3_0", " + ", " || ", "long" * 300),
)
_ANY_TEXT: Final = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=6
)

real_names: Final = st.one_of(
    st.sampled_from(REAL_NAMES),
    _WORD,
    st.lists(_WORD, min_size=2, max_size=4).map(" + ".join),
    st.lists(_WORD, min_size=2, max_size=3).map(" || ".join),
    st.lists(_WORD, min_size=1, max_size=3).map(lambda words: f"PWN({', '.join(words)})"),
)
hostile_names: Final = st.lists(
    st.one_of(st.sampled_from(HOSTILE_PIECES), _ANY_TEXT), max_size=7
).map("".join)
names: Final = st.one_of(real_names, hostile_names)

_DESCRIPTORS: Final = {
    OLD: re.compile(r"\[\w+\([-0-9,:]*\)\](?=, | -> | ->$|$)"),
    NEW: re.compile(r" \(\w+\[[-0-9,:]*\]\)(?=, | -> | ->$|$)"),
}


def has_one_tactic(line: str) -> bool:
    """Whether `, Tactic: NUMBER, ` stands in a line once, the layer's own; a second one, in
    whatever name, is a second reading."""
    return len(re.findall(r", Tactic: (?=(?:0x[0-9a-fA-F]+|-?[0-9]+), )", line)) == 1


def ends_at_its_descriptor(name: str, style: str) -> bool:
    """Whether a tensor's first descriptor that a separator follows is its own, wherever it stands,
    and no separator opens it."""
    printed = name + ("[Float(1)]" if style == OLD else " (Float[1])")
    if printed.startswith(" -> "):
        return False
    for after in ("", ", x", " -> x", " ->"):
        match = _DESCRIPTORS[style].search(printed + after)
        if match is None or match.end() != len(printed):
            return False
    return True


# ---- tensors, layers, engines ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """What one line of a listing says."""

    type: str
    name: str
    tactic: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


Listing = tuple[Record, ...]


def tensor(name: str, dims: str, dtype: str = "Float") -> Tensor:
    """`dims` as printed, such as `1,64:8,-17`."""
    shape = tuple(int(dim.split(":")[0]) for dim in dims.split(",")) if dims else ()
    return Tensor(name, dtype, dims, shape)


_EXTENTS: Final = st.one_of(
    st.integers(1, 4096).map(str),
    st.sampled_from(["1", "3", "224", "0"]),
    st.integers(-40, -1).map(str),
    st.tuples(st.integers(1, 512), st.sampled_from([2, 4, 8, 16, 32, 64])).map(
        lambda pair: f"{pair[0]}:{pair[1]}"
    ),
)
dims: Final = st.lists(_EXTENTS, max_size=5).map(",".join)
dtypes: Final = st.sampled_from(
    ["Float", "Half", "Int8", "Int32", "Int64", "Bool", "BFloat16", "FP8", "FP4", "Int4", "UInt8"]
)
types: Final = st.sampled_from(
    (
        *("CaskConvolution", "NoOp", "Constant", "Reformat", "PointWiseV2", "Myelin", "PluginV3"),
        *("TrainStation", "cudaFusedBlockLocalMLP", "LogSoftmaxTopK", "Some_New_Type9"),
    )
)
tactics: Final = st.one_of(
    st.sampled_from(["0", "-1", "0x0000000000000000", "0xfffffffffffffffd", "1002"]),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.integers(0, 2**64 - 1).map(lambda number: f"0x{number:016x}"),
)


def tensors(style: str, tensor_names: st.SearchStrategy[str] = names) -> st.SearchStrategy[Tensor]:
    return st.builds(
        tensor, tensor_names.filter(lambda name: ends_at_its_descriptor(name, style)), dims, dtypes
    )


def records(style: str, named: st.SearchStrategy[str] = names) -> st.SearchStrategy[Record]:
    """Records whose line the documented rule decides."""
    some = st.lists(tensors(style, named), max_size=4).map(tuple)
    return st.builds(Record, types, named, tactics, some, some).filter(
        lambda record: has_one_tactic(print_record(record, style))
    )


@dataclass(frozen=True, slots=True)
class Written:
    """An engine, and the style in which its version of TensorRT prints it."""

    style: str
    listing: Listing


def engines(named: st.SearchStrategy[str] = names, max_size: int = 6) -> st.SearchStrategy[Written]:
    return st.sampled_from([OLD, NEW]).flatmap(
        lambda style: st.builds(
            Written,
            st.just(style),
            st.lists(records(style, named), min_size=1, max_size=max_size).map(tuple),
        )
    )


def records_of(*lines: str, dtype: str = "Float") -> tuple[Record, ...]:
    """Layers such as `x:4 -> y:2 z:1,2`: what each reads and writes, with its dims."""

    def tensors(text: str) -> tuple[Tensor, ...]:
        parts = (one.partition(":") for one in text.split())
        return tuple(tensor(name, own, dtype) for name, _, own in parts)

    sides = (line.split("->") for line in lines)
    return tuple(Record("NoOp", "n", "0x0", tensors(a), tensors(b)) for a, b in sides)


def layers(listing: Sequence[Record]) -> list[Layer]:
    """The records as the layers of an engine."""
    places = [Place("a.log", index + 1) for index in range(len(listing))]
    return [
        Layer(n, place, one.type, one.name, one.tactic, one.inputs, one.outputs, position=n)
        for n, (place, one) in enumerate(zip(places, listing))
    ]


def listing_of(found: Sequence[Layer]) -> Listing:
    """What was read, as what was printed. An opaque layer is never equal to a record."""
    assert all(layer.raw is None for layer in found), "an opaque layer"
    return tuple(Record(la.type, la.name, la.tactic or "", la.inputs, la.outputs) for la in found)


# ---- the classic listing -----------------------------------------------------------------------


def print_tensor(tensor: Tensor, style: str) -> str:
    if style == OLD:
        return f"{tensor.name}[{tensor.dtype}({tensor.dims})]"
    return f"{tensor.name} ({tensor.dtype}[{tensor.dims}])"


def print_record(record: Record, style: str) -> str:
    left = ", ".join(print_tensor(tensor, style) for tensor in record.inputs)
    right = ", ".join(print_tensor(tensor, style) for tensor in record.outputs)
    return f"Layer({record.type}): {record.name}, Tactic: {record.tactic}, {left} -> {right}"


# What hosts put before a message, and what systems that keep logs put before that.
PREFIXES: Final = {
    "none": "",
    "trtexec": "[03/24/2023-12:57:38] [V] [TRT] ",
    "trtexec, up to 7": "[12:15:24] [V] [TRT] ",
    "Python, from 8": "[07/07/2026-06:12:18] [TRT] [V] ",
    "Polygraphy": "[V] ",
    **{words.decode(): words.decode() for words, _, _ in OTHER_LOGGERS},
    "trtexec, month 00": "[00/24/2021-12:57:38] [V] [TRT] ",
    "journald": "Nov 21 02:34:00 orin trtexec[4242]: [11/21/2026-02:34:00] [V] [TRT] ",
    "docker": "2026-11-21T02:34:00.123456789Z stderr F [V] ",
    "torn": "[11/20/2026-18:[11/20/2026-18:04:09] [TRT] [V] ",
    "blank": " ",
}
HEADER: Final = "Engine Layer Information:"

STRAYS: Final = (
    *("", "   ", "\t", "plugin: enqueue called", "[#####     ] 50%", "x -> y", "Layer( 3 of 9 )"),
    "[03/24/2023-12:57:38] [I] Starting inference",
    "[V] Total Activation Memory: 8192",
    ", Tactic: 5, ",
    "Tactic Name: sm80_fprop Tactic: 0x12",
)


@dataclass(frozen=True)
class Lines:
    """What stands between the lines of a log. `strays`: before each of a listing, in turn."""

    newline: str = "\n"
    final_newline: bool = True
    before: tuple[str, ...] = ()
    strays: tuple[tuple[str, ...], ...] = ()

    def stray(self, number: int) -> tuple[str, ...]:
        return self.strays[number % len(self.strays)] if self.strays else ()

    def text(self, lines: Iterable[str]) -> str:
        return self.newline.join(lines) + (self.newline if self.final_newline else "")


def with_strays(made: type[_L], strays: Sequence[str], **more: Any) -> st.SearchStrategy[_L]:
    several = partial(st.lists, st.sampled_from(strays))
    between = st.lists(several(max_size=2).map(tuple), max_size=5).map(tuple)
    more |= {"newline": st.sampled_from(["\n", "\r\n"]), "final_newline": st.booleans()}
    return st.builds(made, before=several(max_size=4).map(tuple), strays=between, **more)


@dataclass(frozen=True)
class Layout(Lines):
    """Everything about a log that is not its engines."""

    prefix: str = ""
    every_line: bool = False
    color: bool = False
    fence: str = ""
    quoted: bool = False
    after: tuple[str, ...] = ()


PLAIN: Final = Layout(prefix="[V] ")

layouts: Final = with_strays(
    Layout,
    STRAYS,
    prefix=st.sampled_from(sorted(PREFIXES.values())),
    every_line=st.booleans(),
    color=st.booleans(),
    fence=st.sampled_from(["", "", "```", "~~~"]),
    quoted=st.sampled_from([False, False, False, True]),
    after=st.lists(st.sampled_from(STRAYS), max_size=20).map(tuple),
)


def print_network(inputs: Iterable[str], outputs: Iterable[str]) -> list[str]:
    """The lines of a parser that name the network's ends."""
    told = [f"Adding network input: {x} with dtype: float32, dimensions: (1, 3)" for x in inputs]
    return told + [f"Marking {number} as output: {name}" for number, name in enumerate(outputs)]


@dataclass(slots=True)
class Printed:
    """A log's text, and per engine the numbers (from 1) of its header's line and its records'."""

    text: str = ""
    headers: list[int] = field(default_factory=list)
    lines: list[list[int]] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        return self.text.encode()


def print_log(engines: Sequence[Written], layout: Layout = PLAIN) -> Printed:
    """One listing after another, as `layout` has it."""
    printed, lines = Printed(), list(layout.before)
    for engine in engines:
        if layout.fence:
            lines.append(layout.fence)
        lines.append(layout.prefix + HEADER)
        printed.headers.append(len(lines))
        printed.lines.append([])
        for number, record in enumerate(engine.listing):
            lines += layout.stray(number)
            every = layout.prefix if layout.every_line else ""
            lines.append(every + print_record(record, engine.style))
            printed.lines[-1].append(len(lines))
        if layout.fence:
            lines.append(layout.fence)
        lines += layout.after
    if layout.color and not any("\x1b" in line for line in lines):  # all colours are a logger's
        lines = [f"\x1b[36m{line}\x1b[0m" for line in lines]
    if layout.quoted:
        lines = [f"> {line}" for line in lines]
    printed.text = layout.text(lines)
    return printed


# ---- profiles ----------------------------------------------------------------------------------

_TEN_THOUSANDTHS: Final = st.one_of(st.just(0), st.integers(0, 10**7)).map(lambda n: n / 10000)

timings: Final = st.builds(
    lambda **times: Timing(**times),
    average_ms=_TEN_THOUSANDTHS,
    median_ms=_TEN_THOUSANDTHS,
    total_ms=st.one_of(st.just(0), st.integers(0, 10**7)).map(lambda n: n / 100),
    percent=st.integers(0, 1000).map(lambda n: n / 10),
)


def _rows(row_names: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[ProfileRow, ...]]:
    row = st.tuples(row_names, timings).map(lambda pair: ProfileRow(*pair))
    return st.lists(row, min_size=1, max_size=8).map(tuple)


def _stands_free(name: str) -> bool:
    """Whether no blank at a name's ends could be taken for one around it."""
    return name != "" and name.strip() == name


def _is_text_row(name: str) -> bool:
    """Whether a text that begins with the name does not look like another format."""
    return "=== Profile (" not in name and re.match(r"[\[{]\s*[\[\]{}\"]", name) is None


profile_rows: Final = _rows(st.one_of(names, st.text(max_size=8)))  # JSON bears any name
table_rows: Final = _rows(names.filter(_stands_free))
text_rows: Final = _rows(names.filter(lambda name: _stands_free(name) and _is_text_row(name)))


def print_profile_json(
    rows: Sequence[ProfileRow], count: int = 961, *, medians: bool = True, raw: bool = False
) -> str:
    """trtexec's `--exportProfile`. `raw`: control characters unescaped, as some versions write."""
    lines = [f'  {{ "count" : {count} }}']
    for row in rows:
        name = json.dumps(row.name, ensure_ascii=not raw)
        if raw:
            name = re.sub(r"\\u00([01][0-9a-f])", lambda m: chr(int(m[1], 16)), name)
        median = f', "medianMs" : {row.time.median_ms}' if medians else ""
        lines.append(
            f', {{ "name" : {name}, "timeMs" : {row.time.total_ms}'
            f', "averageMs" : {row.time.average_ms}{median}, "percentage" : {row.time.percent} }}'
        )
    return "[\n" + "\n".join(lines) + "\n]\n"


# The head of each, and a row: a name, its width, and its time.
TABLES: Final = {
    "8.2": (
        "{0:>{1}}   Time (ms)   Avg. Time (ms)   Time %",
        "{0:>{1}}{2.total_ms:>12.2f}{2.average_ms:>17.4f}{2.percent:>9.1f}",
    ),
    "8.5": (
        "{0:>{1}}   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %",
        "{0:>{1}}{2.total_ms:>12.2f}{2.average_ms:>17.4f}{2.median_ms:>20.4f}{2.percent:>9.1f}",
    ),
    "9.2": (
        "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer",
        "{2.total_ms:>11.2f}{2.average_ms:>12.4f}{2.median_ms:>13.4f}{2.percent:>11.1f}   {0}",
    ),
}


def print_table(
    rows: Sequence[ProfileRow],
    shape: str,
    count: int = 961,
    prefix: str = "[08/20/2024-19:31:54] [I] ",
    newline: str = "\n",
) -> str:
    """The table that trtexec prints; its last row is the total."""
    heads, line = TABLES[shape]
    width = max(len(row.name) for row in rows) + 3
    total = Timing(
        average_ms=sum(row.time.average_ms or 0.0 for row in rows),
        median_ms=sum(row.time.median_ms or 0 for row in rows),
        total_ms=sum(row.time.total_ms or 0 for row in rows),
        percent=100.0,
    )
    shown = [line.format(row.name, width, row.time) for row in (*rows, ProfileRow("Total", total))]
    lines = [f"=== Profile ({count} iterations ) ===", heads.format("Layer", width), *shown, ""]
    return newline.join(prefix + line for line in lines) + newline


def print_profile_text(rows: Sequence[ProfileRow]) -> str:
    return "".join(f"{row.name}: {row.time.average_ms}ms\n" for row in rows)


# ---- streams -----------------------------------------------------------------------------------


Chunks = Callable[[bytes], list[bytes]]
chunked: Final = st.one_of(
    st.lists(st.integers(0, 1000), max_size=12).map(lambda places: partial(cut, places=places)),
    st.just(partial(pieces, size=1)),
)  # what cuts a text as a stream might: anywhere, or behind each byte
