"""The classic listing, one `Layer(TYPE): …` record a line (TensorRT 5 - 10).

From a block come layers in execution order, opaque where a record cannot be read, and problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import chain, pairwise
from sys import intern
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock, Record, trimmed
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.inputs.grammars import terminal
from engine_layer_visualize.inputs.listings import ambiguity, joined_names
from engine_layer_visualize.inputs.listings.ambiguity import (
    UNDECIDED,
    Known,
    Parts,
    Reading,
    Tuned,
)
from engine_layer_visualize.inputs.listings.lark_parser import Mismatch, Parser
from engine_layer_visualize.io.source import decode

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
# Stands in for a `, Tactic: ` that a name may hold, while the record is read past it.
_KIND: Final = re.compile(terminal("classic.lark", "KIND"))
_TACTIC, _MASK = ", Tactic: ", ", Tactic\ue000 "


_Descriptor: TypeAlias = "tuple[str, tuple[str, ...]]"  # dtype, dims


class _Rules:
    """A record becomes `Parts`."""

    def old(self, tokens: list[Token]) -> Parts:
        head = parser().pattern("HEAD").match(tokens[0].value)
        assert head is not None  # lark has matched it
        texts = [token.value for token in tokens]
        arrows = [place for place, token in enumerate(tokens) if token.type == "ARROW"]
        groups = [
            tuple(texts[place + 1 : end]) for place, end in pairwise((0, *arrows, len(texts)))
        ]
        return _parts(head, groups)

    new = old

    def dims(self, tokens: list[Token]) -> tuple[str, ...]:
        return tuple(token.value for token in tokens)

    def descriptor(self, children: list[Any]) -> _Descriptor:
        return children[0].value, children[1]


def _record(match: re.Match[str]) -> Parts:
    groups = [tuple(texts.split(", ")) if texts else () for texts in match.groups()[3:]]
    return _parts(match, groups)


def _parts(match: re.Match[str], groups: Iterable[tuple[str, ...]]) -> Parts:
    return Parts(intern(match[1]), match[2], match[3], tuple(groups))  # few types


def _extents(match: re.Match[str]) -> _Descriptor:
    return match[1], tuple(match[2].split(",")) if match[2] else ()


@cache
def parser() -> Parser:
    """The grammar, loaded when the first listing is read."""
    starts = {_OLD: _record, _NEW: _record, "descriptor": _extents}
    return Parser("classic.lark", starts, _Rules())


def read(
    block: ListingBlock, file: str, known: Iterable[str] = ()
) -> tuple[list[Layer], list[Problem]]:
    """The layers of `block`. `known`: the engine's inputs and outputs, where the log names them."""
    names = tuple(known)
    tuned = partial(block.context.tuned, host=block.host)
    reader = _Reader(file, names, tuned)
    layers = reader.all(block)
    joined, doubts = joined_names.find(layers, names, tuned, block.context.ends, reader.old)
    if joined:
        reader = _Reader(file, (*names, *joined), tuned)
        layers = reader.all(block)
    return layers, [*reader.problems, *doubts]


class _Reader:
    """Reads the records of one listing in order: what came before decides ambiguous ones."""

    def __init__(self, file: str, known: Iterable[str], tuned: Tuned) -> None:
        self._file = file
        self._tuned = tuned
        self._known = Known(known)
        self._tensors: dict[str, Tensor] = {}
        self._style = _OLD
        self._torn = 0  # how many records were tried
        self.problems: list[Problem] = []

    @property
    def old(self) -> bool:
        """Whether descriptors are of the older style."""
        return self._style == _OLD

    def all(self, block: ListingBlock) -> list[Layer]:
        """All layers of the block."""
        last = len(block.records) - 1
        return [
            self.layer(index, record, cut=block.cut and index == last)
            for index, record in enumerate(block.records)
        ]

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        """The layer of a record; opaque where it cannot be read."""
        place = Place(self._file, record.line, record.column)
        text = decode(trimmed(record.text))
        try:
            reading = self._read(text, record, place)
            known = self._tensors.get
            inputs = tuple(
                [known(tensor) or self._tensor(tensor, text) for tensor in reading.inputs]
            )
            outputs = tuple(
                [known(tensor) or self._tensor(tensor, text) for tensor in reading.outputs]
            )
        except Mismatch as mismatch:
            if (mended := self._mended(text, record, place)) is not None:
                return self.layer(index, mended, cut=False)
            return self._opaque(index, place, text, mismatch, cut)
        for tensor in outputs:
            self._known.add(tensor.name)
        parts = reading.parts
        return Layer(
            index, place, parts.type, parts.name, parts.tactic, inputs, outputs, position=index
        )

    def _read(self, text: str, record: Record, place: Place) -> Reading:
        """Decides how a record is read. Raises Mismatch."""
        readings = self._parsed(text, record)
        whole, parts = readings[0]
        sure = len(readings) == 1 and not self._known.doubtful
        if sure and len(parts.groups) == 2 and whole.count(_TACTIC) == 1:
            return Reading(parts, *parts.groups)  # nearly every record
        candidates = [named for text, parts in readings for named in self._names(text, parts)]
        reading, undecided = self._known.choose(candidates, self._tuned)
        if reading is None:
            raise Mismatch(len(text), frozenset({"OLD_TENSOR"}))
        if undecided > 1:
            message = UNDECIDED.format(undecided)
            column = whole.index(_TACTIC, len(parts.name)) + 1
            shown, caret = excerpt(whole, column)
            self.problems.append(Problem(place, "ELV107", message, shown, caret))
        return reading

    def _names(self, text: str, first: Parts) -> Iterator[Parts]:
        """The parts, and those if the layer's name ended at a later tactic."""
        yield first
        start = text.find(_TACTIC) + 1
        for _ in range(ambiguity.MOST):
            start = text.find(_TACTIC, start) + 1
            if not start:
                return
            masked = text[: start - 1].replace(_TACTIC, _MASK) + text[start - 1 :]
            try:
                parts = _parse(masked, self._style)
            except Mismatch:
                continue
            name = parts.name.replace(_MASK, _TACTIC)
            if name != first.name:
                yield parts._replace(name=name)

    def _parsed(self, text: str, record: Record) -> list[tuple[str, Parts]]:
        """The record's text and its parts. Raises Mismatch.

        Lines after it may make it whole: a name may hold newlines. If it is whole without them, and
        with them as well, there is more than one; few lines end as a record does.
        """
        if not record.tail:
            return [(text, _parse(text, self._style_of(text)))]
        readings: list[tuple[str, Parts]] = []
        wrong: Mismatch | None = None
        joined = record.text
        for line in (None, *record.tail):
            if line is not None:
                joined += b"\n" + line
                if readings and (
                    len(readings) == ambiguity.MOST or not trimmed(line).endswith(_ENDS)
                ):
                    continue
                text = decode(trimmed(joined))
            try:
                readings.append((text, _parse(text, self._style_of(text))))
            except Mismatch as mismatch:
                wrong = wrong or mismatch
        if wrong is not None and not readings:
            raise wrong
        return readings

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
            try:
                parts = _parse(whole, self._style_of(whole))
                for tensor in chain(*parts.groups):
                    _descriptor(ambiguity.split(tensor)[1])
            except Mismatch:
                continue
            ends.append(end)
            if len(ends) > 1:
                return None
        if not ends:
            return None
        before, words = text[: ends[0]], text[ends[0] :]
        shown, caret = excerpt(text, ends[0] + 1)
        message = f"`{words}` stands in the record, which goes on in the next line; read without it"
        at = Place(place.file, place.line, place.column + ends[0])
        self.problems.append(Problem(at, "ELV116", message, shown, caret))
        return record._replace(text=before.encode() + rest, tail=record.tail[1:])

    def _style_of(self, text: str) -> str:
        """All descriptors of a record are of one style, as the last one is."""
        new, old = text.rfind("])"), text.rfind(")]")
        if new != old:
            self._style = _NEW if new > old else _OLD
        return self._style

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        offset, code, message, expected = _named(text, wrong)
        if cut:
            message += " (the log ends in this line)"
        shown, caret = excerpt(text, offset + 1)
        wrong_at = Place(place.file, place.line, place.column + offset)
        self.problems.append(Problem(wrong_at, code, message, shown, caret, expected))
        # The name is certain up to its tactic, whatever follows; without one there is no name.
        head = parser().pattern("HEAD").match(text)
        kind, _, rest = text.removeprefix("Layer(").partition("):")
        name, tactic = head.groups()[1:] if head else (rest.strip(" "), None)
        return Layer(index, place, kind, name, tactic, (), (), raw=text, position=index)

    def _tensor(self, text: str, record: str) -> Tensor:
        """One that was not read before. Raises Mismatch, with the offset in the record."""
        name, descriptor = ambiguity.split(text)
        try:
            dtype, dims, shape = _descriptor(descriptor)
        except Mismatch as wrong:
            end = max(0, record.find(text)) + len(text) - 1
            raise Mismatch(end - len(descriptor) + wrong.offset, wrong.expected) from None
        tensor = self._tensors[text] = Tensor(name, dtype, dims, shape)
        return tensor


def _parse(text: str, style: str) -> Parts:
    parts = parser().parse(text, style)
    assert isinstance(parts, Parts)
    return parts


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
        tactic = "`, Tactic: ` and a number"
        return kind.end(), "ELV101", "layer record without a tactic", tactic
    code, message = "ELV104", "unreadable layer record"
    if wrong.expected & {"OLD_TENSOR", "NEW_TENSOR"}:
        code, message = "ELV102", "tensor without a descriptor"
    elif "ARROW" in wrong.expected and wrong.offset >= len(text):
        code, message = "ELV103", "layer record without an arrow"
    return wrong.offset, code, message, _expected(wrong.expected)


def _expected(terminals: frozenset[str]) -> str:
    """The likeliest of what could stand here, in words."""
    for name in PHRASES:
        if name in terminals and name not in ("ARROW", "_COMMA"):
            return PHRASES[name]
    return next((PHRASES[t] for t in PHRASES if t in terminals), "")


FORMAT: Final = Format("classic", None, read)
