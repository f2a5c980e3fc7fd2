"""The detailed listing, one `Name: …, LayerType: …` record a line (verbosity DETAILED).

From a record comes a layer, opaque where it cannot be read.
"""

from __future__ import annotations

import re
from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.blocks import Record, trimmed
from engine_layer_visualize.reading.grammars import Mismatch, Parser
from engine_layer_visualize.trt import types

if TYPE_CHECKING:
    from lark import Token

# Name, type, inputs, constants, outputs, attributes, metadata; None: the record has none.
_Fields: TypeAlias = "tuple[str, str, str, str | None, str, str, str | None]"
# What a terminal of the grammar is called in a message; every terminal has one.
PHRASES: Final = {
    "NAMED": "`Name: NAME, LayerType: WORD` before `, Inputs: [`",
    "INPUTS": "`, Inputs: `",
    "CONSTANTS": "`, Constants: `",
    "OUTPUTS": "`, Outputs: `",
    "OBJECT": "a tensor such as `{ Name: x, Dimensions: [1,64], Format/Datatype: Half }`",
    "_FIRST": "`[ ` and a tensor",
    "_NEXT": "`, ` and another tensor",
    "_LAST": "`]`",
    "_NONE": "`[]`, or `[ ` and a tensor",
    "METADATA": "`, Metadata:`",
    "ATTRIBUTE": "`, KEY: VALUE`",
    "RECORD": "`Name: NAME, LayerType: WORD, Inputs: [`",
}

_LAST_KEYS: Final = (b", TacticValue: ", b", StreamId: ", b", Metadata: ")
_MODELLED: Final = ("TacticValue", "TacticName", "Metadata")


class _Attributes(NamedTuple):
    """What stands between the outputs and the metadata."""

    tactic: str | None
    kernel: str | None
    others: tuple[tuple[str, str], ...]


class _Rules:
    """A record becomes its fields, as texts."""

    def objects(self, tokens: list[Token]) -> tuple[str]:
        return (f"[ {', '.join([token.value for token in tokens])}]" if tokens else "[]",)

    def record(self, children: list[_Fields]) -> _Fields:
        return children[0]

    def pieces(self, children: list[Any]) -> _Fields:
        # Each token with what its pattern looks ahead to.
        name, type_ = _matched("NAMED", children[0].value + children[1].value + "[").groups()
        lists: dict[str, str] = {}
        attributes, metadata, key = "", None, ""
        for child in children[1:]:
            if isinstance(child, tuple):
                (lists[key],) = child
            elif child.type == "ATTRIBUTE":
                attributes += child.value
            elif child.type == "METADATA":
                metadata = _matched("METADATA", child.value)[1]
            else:
                key = child.type
        constants = lists.get("CONSTANTS")
        return name, type_, lists["INPUTS"], constants, lists["OUTPUTS"], attributes, metadata


@cache
def parser() -> Parser:
    """The grammar, loaded when the first detailed listing is read."""
    return Parser("detailed.lark", {"record": re.Match.groups, "pieces": None}, _Rules())


def _matched(terminal: str, text: str) -> re.Match[str]:
    """The parts of a token that lark has matched."""
    match = parser().pattern(terminal).match(text)
    assert match is not None
    return match


def _unbroken(record: Record) -> Record:
    """The record with the line behind it, where that has the keys that end a record.

    A terminal broke it inside of a value: what stands before the break is no value.
    """
    rest = record.tail[0] if record.tail else b""
    ends = any(key in rest and key not in record.text for key in _LAST_KEYS)
    if not ends or b"TacticName: " not in record.text:  # its start may be taken for a host's words
        return record
    return record._replace(text=record.text.rstrip(b"\r\n") + rest, tail=record.tail[1:])


class Reader:
    """Reads the records of one listing in order. What stands in several is cut once."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lists: dict[str, tuple[Tensor, ...] | None] = {}
        self._tensors: dict[str, Tensor] = {}  # an object's text stands in every reader's record
        self._attributes: dict[str, _Attributes | None] = {}
        self.problems: list[Problem] = []

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        """The layer of a record; opaque where it cannot be read."""
        place = Place(self._file, record.line, record.column)
        record = _unbroken(record)
        text = decode(trimmed(record.text))
        try:
            return self._read(text, index, place)
        except Mismatch as mismatch:
            # Lines after it may make it whole: a name may hold newlines, a terminal may wrap.
            joined = record.text
            for line in record.tail:
                for joint in (b"\n", b""):
                    try:
                        return self._read(decode(trimmed(joined + joint + line)), index, place)
                    except Mismatch:
                        continue
                joined += b"\n" + line
            return self._opaque(index, place, text, mismatch, cut)

    def _read(self, text: str, index: int, place: Place) -> Layer:
        """Reads a record, in pieces where it is not one token. Raises Mismatch."""
        for start in ("record", "pieces"):
            if (layer := self._made(parser().parse(text, start), index, place)) is not None:
                return layer
        raise AssertionError("lark has cut it")

    def _made(self, fields: _Fields, index: int, place: Place) -> Layer | None:
        """The layer; None where a list is not made of objects alone, or attributes not of pairs."""
        name, type_, read, constants, written, entries, metadata = fields
        inputs, outputs = self._list(read), self._list(written)
        # A value ends where the next key stands, and the metadata are one.
        pairs = self._own(entries if metadata is None else f"{entries}, Metadata: ")
        if inputs is None or outputs is None or pairs is None:
            return None
        tactic, kernel, attributes = pairs
        if constants is not None and constants != "[]":
            if self._list(constants) is None:
                return None
            attributes = (("Constants", constants), *attributes)
        if metadata is not None:
            attributes = (*attributes, ("Metadata", metadata))
        kind = intern(type_)
        return Layer(
            index, place, kind, name, tactic, inputs, outputs, kernel, attributes, position=index
        )

    def _list(self, text: str) -> tuple[Tensor, ...] | None:
        """The tensors of a list; None where it is not made of objects."""
        if text not in self._lists:
            objects = list(parser().pattern("OBJECT").finditer(text))
            whole = f"[ {', '.join([match[0] for match in objects])}]" if objects else "[]"
            self._lists[text] = tuple(map(self._tensor, objects)) if whole == text else None
        return self._lists[text]

    def _tensor(self, match: re.Match[str]) -> Tensor:
        tensor = self._tensors.get(match[0])
        if tensor is None:
            words, dims = match["words"], match["dims"]
            dtype = match["dtype"] if words is None else types.dtype(words)
            layout = match["format"] if words is None else words
            shape = tuple([int(extent) for extent in dims.split(",") if extent])
            tensor = Tensor(match["tensor"], dtype, dims, shape, layout, match["strides"])
            self._tensors[match[0]] = tensor
        return tensor

    def _own(self, text: str) -> _Attributes | None:
        """The attributes in a text; None where it is not made of these."""
        if text not in self._attributes:
            matches = list(parser().pattern("ATTRIBUTE").finditer(text))
            entries = [(match[1], match[2] or "") for match in matches]
            values = dict(entries)
            others = tuple(entry for entry in entries if entry[0] not in _MODELLED)
            own = _Attributes(values.get("TacticValue"), values.get("TacticName") or None, others)
            whole = "".join([match[0] for match in matches]) == text
            self._attributes[text] = own if whole else None
        return self._attributes[text]

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        message = "unreadable layer record" + (" (the log ends in this line)" if cut else "")
        shown, caret = excerpt(text, wrong.offset + 1)
        wrong_at = Place(place.file, place.line, place.column + wrong.offset)
        expected = next((PHRASES[t] for t in PHRASES if t in wrong.expected), "")
        self.problems.append(Problem(wrong_at, "ELV104", message, shown, caret, expected))
        name, _, rest = text.removeprefix("Name: ").partition(", LayerType: ")
        type_ = rest.partition(",")[0]
        return Layer(index, place, type_, name, None, (), (), raw=text, position=index)
