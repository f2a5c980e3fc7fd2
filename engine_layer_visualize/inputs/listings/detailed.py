"""The detailed listing, one `Name: …, LayerType: …` record a line (verbosity DETAILED).

From a block come layers in execution order, opaque where a record cannot be read, and problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeAlias

from lark import Token, Transformer

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock, Record, trimmed
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.inputs.listings.lark_parser import Mismatch, Parser
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt import data_types

_Parts: TypeAlias = "tuple[str, str, dict[str, tuple[str, ...]], list[tuple[str, str]]]"
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
}


_MODELLED: Final = ("TacticValue", "TacticName")


class _Rules(Transformer[Any, Any]):
    """A record becomes (name, type, groups of objects by key, attributes in order)."""

    def objects(self, tokens: list[Token]) -> tuple[str, ...]:
        return tuple(token.value for token in tokens)

    def record(self, children: list[Any]) -> _Parts:
        # Each token with what its pattern looks ahead to.
        named = _matched("NAMED", children[0].value + children[1].value + "[")
        groups: dict[str, tuple[str, ...]] = {}
        rest: list[tuple[str, str]] = []
        key = ""
        for child in children[1:]:
            if isinstance(child, tuple):
                groups[key] = child
            elif child.type == "ATTRIBUTE":
                found = _matched("ATTRIBUTE", child.value)
                rest.append((found["key"], found["value"] or ""))
            elif child.type == "METADATA":
                rest.append(("Metadata", _matched("METADATA", child.value)["metadata"]))
            else:
                key = child.type
        return named["name"], named["type"], groups, rest


@cache
def parser() -> Parser:
    """The grammar, loaded when the first detailed listing is read."""
    return Parser("detailed.lark", ("record",), _Rules())


def _matched(terminal: str, text: str) -> re.Match[str]:
    """The parts of a token that lark has matched."""
    found = parser().pattern(terminal).match(text)
    assert found is not None
    return found


def read(
    block: ListingBlock, file: str, known: Iterable[str] = ()
) -> tuple[list[Layer], list[Problem]]:
    """The layers of `block`. `known` is of no use here: every tensor has its frame."""
    if block.bare_names:
        return _bare(block, file), []
    reader = _Reader(file)
    last = len(block.records) - 1
    layers = [
        reader.layer(index, record, cut=block.cut and index == last)
        for index, record in enumerate(block.records)
    ]
    return layers, reader.problems


class _Reader:
    """Reads the records of one listing in order."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._tensors: dict[str, Tensor] = {}  # an object's text stands in every reader's record
        self.problems: list[Problem] = []

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        """The layer of a record; opaque where it cannot be read."""
        place = Place(self._file, record.line, record.column)
        text = decode(trimmed(record.text))
        try:
            name, type_, groups, rest = self._parsed(text, record)
            inputs = tuple(map(self._tensor, groups["INPUTS"]))
            outputs = tuple(map(self._tensor, groups["OUTPUTS"]))
        except Mismatch as mismatch:
            return self._opaque(index, place, text, mismatch, cut)
        if constants := groups.get("CONSTANTS"):
            rest.insert(0, ("Constants", "[ " + ", ".join(constants) + "]"))
        values = dict(rest)
        return Layer(
            index,
            place,
            type_,
            name,
            values.get("TacticValue"),
            inputs,
            outputs,
            kernel=values.get("TacticName") or None,
            attributes=tuple(entry for entry in rest if entry[0] not in _MODELLED),
            position=index,
        )

    def _parsed(self, text: str, record: Record) -> Any:
        """Raises Mismatch."""
        try:
            return parser().parse(text, "record")
        except Mismatch as mismatch:
            # Lines after it may make it whole: a name may hold newlines, a terminal may wrap.
            joined = record.text
            for line in record.tail:
                for joint in (b"\n", b""):
                    try:
                        return parser().parse(decode(trimmed(joined + joint + line)), "record")
                    except Mismatch:
                        continue
                joined += b"\n" + line
            raise mismatch

    def _tensor(self, text: str) -> Tensor:
        tensor = self._tensors.get(text)
        if tensor is None:
            parts = _matched("OBJECT", text + "]")  # with what may follow it
            words, dims = parts["words"], parts["dims"]
            tensor = self._tensors[text] = Tensor(
                parts["tensor"],
                parts["dtype"] if words is None else data_types.dtype(words),
                dims,
                tuple(int(extent) for extent in dims.split(",") if extent),
                parts["format"] if words is None else words,
                parts["strides"],
            )
        return tensor

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        message = "unreadable layer record" + (" (the log ends in this line)" if cut else "")
        shown, caret = excerpt(text, wrong.offset + 1)
        at = Place(place.file, place.line, place.column + wrong.offset)
        expected = next((PHRASES[t] for t in PHRASES if t in wrong.expected), "")
        self.problems.append(Problem(at, "ELV104", message, shown, caret, expected))
        name, _, rest = text.removeprefix("Name: ").partition(", LayerType: ")
        type_ = rest.partition(",")[0]
        return Layer(index, place, type_, name, None, (), (), raw=text, position=index)


def _bare(block: ListingBlock, file: str) -> list[Layer]:
    """The layers of a listing that holds their names alone."""
    return [
        Layer(
            index, Place(file, record.line), "", decode(record.text), None, (), (), position=index
        )
        for index, record in enumerate(block.bare_names)
    ]


FORMAT: Final = Format("detailed", None, read)
