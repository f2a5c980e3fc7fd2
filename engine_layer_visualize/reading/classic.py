"""The classic listing, one `Layer(TYPE): …` record a line (TensorRT 5 - 10).

From a record comes a layer, opaque where it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.blocks import Record, trimmed
from engine_layer_visualize.reading.grammars import Mismatch, Parser, terminal

if TYPE_CHECKING:
    from lark import Token

# What a terminal of the grammar is called in a message; every terminal has one.
PHRASES: Final = {
    "HEAD": "`Layer(TYPE): NAME, Tactic: NUMBER, `",
    "ARROW": "` -> ` and the outputs",
    "_COMMA": "`, ` and another tensor",
    "OLD_TENSOR": "a tensor such as `270[Int8(1,64)]`",
    "NEW_TENSOR": "a tensor such as `270 (Int8[1,64])`",
    "DTYPE": "a data type such as `Float`",
    "EXTENT": "a dimension such as `64` or `64:8`",
    "_SEPARATOR": "`,`",
    "_OPEN": "an opening bracket",
    "_CLOSE": "a closing bracket",
    "OLD_RECORD": "`Layer(TYPE): NAME, Tactic: NUMBER, 27[Int8(1)] -> 28[Int8(1)]`",
    "NEW_RECORD": "`Layer(TYPE): NAME, Tactic: NUMBER, 27 (Int8[1]) -> 28 (Int8[1])`",
    "DESCRIPTOR": "a descriptor such as `Int8(1,64)`",
}

_OLD, _NEW = "old", "new"
_LONGEST_TORN: Final = 1_000  # characters of a line with words of another writer
_MOST_TORN: Final = 8  # records of a listing: such a writer prints a few lines
_ENDS: Final = (b")]", b"])", b" ->")  # of a record
# By style: what stands behind a descriptor inside of a name that could be several, and a tensor.
_DESCRIPTOR_ENDS: Final = {
    _OLD: ((")], ", ")] -> "), "OLD_TENSOR"),
    _NEW: (("]), ", "]) -> "), "NEW_TENSOR"),
}
_KIND: Final = re.compile(terminal("classic.lark", "KIND"))
_TACTIC: Final = ", Tactic: "
_WHOLE_TACTIC: Final = re.compile(terminal("classic.lark", "TACTIC"))
_SEVERAL: Final = "several readings, as a name holds a separator; the leftmost is drawn"

_Sides: TypeAlias = "tuple[tuple[str, ...], tuple[str, ...]]"  # inputs, outputs


class Parts(NamedTuple):
    """A record as the grammar reads it: descriptors are still on the tensors' names."""

    type: str
    name: str
    tactic: str | None
    groups: tuple[tuple[str, ...], ...]  # the tensors between the arrows


class _Rules:
    """A record becomes `Parts`. Of descriptors lark reads only those that are none."""

    def old(self, tokens: list[Token]) -> Parts:
        head = parser().pattern("HEAD").match(tokens[0].value)
        assert head is not None  # lark has matched it
        texts = [token.value for token in tokens]
        arrows = [place for place, token in enumerate(tokens) if token.type == "ARROW"]
        ends = pairwise((0, *arrows, len(texts)))
        return _parts(head, [tuple(texts[place + 1 : end]) for place, end in ends])

    new = old


def _record(match: re.Match[str]) -> Parts:
    groups = [tuple(texts.split(", ")) if texts else () for texts in match.groups()[3:]]
    return _parts(match, groups)


def _parts(match: re.Match[str], groups: Iterable[tuple[str, ...]]) -> Parts:
    return Parts(intern(match[1]), match[2], match[3], tuple(groups))  # few types


def _extents(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    """The dtype and the dims of a descriptor."""
    return match[1], tuple(match[2].split(",")) if match[2] else ()


@cache
def parser() -> Parser:
    """The grammar, loaded when the first listing is read."""
    return Parser("classic.lark", {_OLD: _record, _NEW: _record, "descriptor": _extents}, _Rules())


class Reader:
    """Reads the records of one listing in order.

    `known`: the engine's inputs and outputs, where the log names them. Names are printed unescaped,
    so a hostile one can give a record several readings: the leftmost is taken, and that is told.
    """

    def __init__(self, file: str, known: Iterable[str]) -> None:
        self._file = file
        # Tensors that a record seems to have where it has one whose name holds a descriptor: the
        # beginnings of such names, of the engine's own inputs and outputs.
        begun = (_tensor_in(name, style) for name in known for style in _DESCRIPTOR_ENDS)
        self._begun = frozenset(filter(None, begun))
        self._tensors: dict[str, Tensor] = {}
        self._style = _OLD
        self._torn = 0  # how many records were tried
        self.problems: list[Problem] = []

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        """The layer of a record; opaque where it cannot be read."""
        place = Place(self._file, record.line, record.column)
        text = decode(trimmed(record.text))
        try:
            parts, (read, written) = self._read(text, record, place)
            known = self._tensors.get
            inputs = tuple([known(tensor) or self._tensor(tensor, text) for tensor in read])
            outputs = tuple([known(tensor) or self._tensor(tensor, text) for tensor in written])
        except Mismatch as mismatch:
            if (mended := self._mended(text, record, place)) is not None:
                return self.layer(index, mended, cut=False)
            return self._opaque(index, place, text, mismatch, cut)
        kind, name, tactic, _ = parts
        return Layer(index, place, kind, name, tactic, inputs, outputs, position=index)

    def _read(self, text: str, record: Record, place: Place) -> tuple[Parts, _Sides]:
        """How a record is read. Raises Mismatch."""
        text, parts, goes_on = self._parsed(text, record)
        groups = parts.groups
        sides = (groups[0], groups[1]) if len(groups) == 2 else _sides(text, groups)
        is_begun = bool(self._begun) and not self._begun.isdisjoint(chain(*groups))
        has_two = text.count(_TACTIC) > 1 and _has_two_tactics(text)
        if goes_on or len(groups) > 2 or is_begun or has_two or _tensor_in(parts.name, self._style):
            column = text.index(_TACTIC, len(parts.name)) + 1
            self.problems.append(Problem(place, "ELV107", _SEVERAL, *excerpt(text, column)))
        return parts, sides

    def _parsed(self, text: str, record: Record) -> tuple[str, Parts, bool]:
        """The record's text, its parts, and whether it may go on. Raises Mismatch.

        Lines after it may make it whole: a name may hold newlines. If it is whole without them, and
        with them as well, it may go on; few lines end as a record does.
        """
        if not record.tail:
            return text, self._parse(text), False
        read: tuple[str, Parts] | None = None
        wrong: Mismatch | None = None
        joined = record.text
        for line in (None, *record.tail):
            if line is not None:
                joined += b"\n" + line
                if read is not None and not trimmed(line).endswith(_ENDS):
                    continue
                text = decode(trimmed(joined))
            try:
                parts = self._parse(text)
            except Mismatch as mismatch:
                wrong = wrong or mismatch
                continue
            if read is not None:
                return *read, True
            read = text, parts
        if read is None:
            assert wrong is not None  # the first text was tried
            raise wrong
        return *read, False

    def _mended(self, text: str, record: Record, place: Place) -> Record | None:
        """A record without the words of another writer, whose line ended within it; None: not one.

        Its rest follows on the next line. Where the words begin, nothing says: there must be one
        place alone whose words, left out, leave a record. In a name or a number there are several.
        """
        rest = trimmed(record.tail[0]) if record.tail else b""
        if not rest.endswith(_ENDS) or len(text) > _LONGEST_TORN or self._torn == _MOST_TORN:
            return None
        self._torn += 1
        ends: list[int] = []
        for end in range(len(text) - 1, 0, -1):
            whole = text[:end] + decode(rest)
            with suppress(Mismatch):
                for tensor in chain(*self._parse(whole).groups):
                    _descriptor(_split(tensor)[1])
                ends.append(end)
            if len(ends) > 1:
                return None
        if not ends:
            return None
        before, words = text[: ends[0]], text[ends[0] :]
        message = f"`{words}` stands in the record, which goes on in the next line; read without it"
        at = Place(place.file, place.line, place.column + ends[0])
        self.problems.append(Problem(at, "ELV116", message, *excerpt(text, ends[0] + 1)))
        return record._replace(text=before.encode() + rest, tail=record.tail[1:])

    def _parse(self, text: str) -> Parts:
        """The parts of a record, whose descriptors are all of one style, as the last one is."""
        new, old = text.rfind("])"), text.rfind(")]")
        if new != old:
            self._style = _NEW if new > old else _OLD
        parts: Parts = parser().parse(text, self._style)
        return parts

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        offset, code, message, expected = _named(text, wrong)
        if cut:
            message += " (the log ends in this line)"
        at = Place(place.file, place.line, place.column + offset)
        self.problems.append(Problem(at, code, message, *excerpt(text, offset + 1), expected))
        # The name is certain up to its tactic, whatever follows; without one there is no name.
        head = parser().pattern("HEAD").match(text)
        kind, _, rest = text.removeprefix("Layer(").partition("):")
        name, tactic = head.groups()[1:] if head else (rest.strip(" "), None)
        return Layer(index, place, kind, name, tactic, (), (), raw=text, position=index)

    def _tensor(self, text: str, record: str) -> Tensor:
        """One that was not read before. Raises Mismatch, with the offset in the record."""
        name, descriptor = _split(text)
        try:
            dtype, dims, shape = _descriptor(descriptor)
        except Mismatch as wrong:
            end = max(0, record.find(text)) + len(text) - 1
            raise Mismatch(end - len(descriptor) + wrong.offset, wrong.expected) from None
        tensor = self._tensors[text] = Tensor(name, dtype, dims, shape)
        return tensor


def _sides(text: str, groups: tuple[tuple[str, ...], ...]) -> _Sides:
    """What stands before the record's arrow and behind it, of several arrows. Raises Mismatch.

    It is the leftmost. The others are of names, which end in a descriptor: nothing stands between
    two arrows only where one of them is the record's.
    """
    arrow = max((place for place, group in enumerate(groups) if place and not group), default=1)
    if not all(groups[1:arrow]):
        raise Mismatch(len(text), frozenset({"OLD_TENSOR"}))
    return _glued(groups[:arrow]), _glued(groups[arrow:])


def _glued(groups: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The tensors of one side, where arrows are of names."""
    pieces = [[tensor] for tensor in groups[0]]
    for group in groups[1:]:
        if not pieces:
            pieces.append([""])
        pieces[-1].append(group[0])
        pieces += [[tensor] for tensor in group[1:]]
    return tuple(" -> ".join(piece) for piece in pieces)


def _tensor_in(name: str, style: str) -> str:
    """What would be read as a tensor if the name were a tensor's; empty where nothing would."""
    descriptor, terminal = _DESCRIPTOR_ENDS[style]
    if not any(end in name for end in descriptor):
        return ""
    match = parser().pattern(terminal).match(name)
    return match[0] if match is not None and match.end() < len(name) else ""


def holds_descriptor(name: str) -> bool:
    """Whether a tensor's name may hold a descriptor, so that a record has several readings."""
    return any(end in name for ends, _ in _DESCRIPTOR_ENDS.values() for end in ends)


def _has_two_tactics(text: str) -> bool:
    """Whether the layer's name may end at a second place. The tactics may share a comma."""
    first = _WHOLE_TACTIC.search(text)
    return first is not None and _WHOLE_TACTIC.search(text, first.end() - 2) is not None


def _split(tensor: str) -> tuple[str, str]:
    """A tensor's name and descriptor, of `270[Int8(1,64)]` and of `270 (Int8[1,64])`."""
    if tensor.endswith("])"):
        opening = tensor.rindex(" (")
        return tensor[:opening], tensor[opening + 2 : -1]
    opening = tensor.rindex("[")
    return tensor[:opening], tensor[opening + 1 : -1]


@lru_cache(maxsize=1 << 16)
def _descriptor(text: str) -> tuple[str, str, tuple[int, ...]]:
    """(dtype, dims as printed, shape); there are few different ones in an engine."""
    dtype, dims = parser().parse(text, "descriptor")
    return dtype, ",".join(dims), tuple(int(extent.partition(":")[0]) for extent in dims)


def _named(text: str, wrong: Mismatch) -> tuple[int, str, str, str]:
    """Where a record stops being one, the problem's code and message, and what was expected."""
    if "HEAD" in wrong.expected:
        kind = _KIND.match(text)
        if kind is None:
            return 0, "ELV104", "not a layer record", "`Layer(TYPE): `"
        return kind.end(), "ELV101", "layer record without a tactic", "`, Tactic: ` and a number"
    code, message = "ELV104", "unreadable layer record"
    if wrong.expected & {"OLD_TENSOR", "NEW_TENSOR"}:
        code, message = "ELV102", "tensor without a descriptor"
    elif "ARROW" in wrong.expected and wrong.offset >= len(text):
        code, message = "ELV103", "layer record without an arrow"
    expected = [name for name in PHRASES if name in wrong.expected]
    expected.sort(key=lambda name: name in ("ARROW", "_COMMA"))  # the likeliest first
    return wrong.offset, code, message, PHRASES[expected[0]] if expected else ""
