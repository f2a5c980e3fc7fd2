"""The detailed listing, one `Name: …, LayerType: …` record a line (verbosity DETAILED).

From a block come layers in execution order, opaque where a record cannot be read, and problems.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from lark import Token, Transformer

from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock, Record, trimmed
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.inputs.listings.lark_parser import Mismatch, Parser
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt import data_types

# What a terminal of the grammar is called in a message; every terminal has one.
PHRASES: Final = {
    "NAMED": "`Name: NAME, LayerType: WORD` before `, Inputs: [`",
    "INPUTS": "`, Inputs: `",
    "CONSTANTS": "`, Constants: `",
    "OUTPUTS": "`, Outputs: `",
    "OBJECT": "a tensor such as `{ Name: x, Dimensions: [1,64], Format/Datatype: Half }`",
    "_FIRST": "`[ ` and a tensor",
    "_NEXT": "`, ` and another tensor",
    "RSQB": "`]`",
    "__ANON_0": "`[]`, or `[ ` and a tensor",
    "METADATA": "`, Metadata:`",
    "ATTRIBUTE": "`, KEY: VALUE`",
    "TENSOR": "`{ Name: `",
    "LOCATION": "`, Location: Device`",
    "DIMENSIONS": "`, Dimensions: [1,64]`",
    "FORMAT_DATATYPE": "`, Format/Datatype: Half`",
    "STRIDES": "`, Strides: [64,1]`",
    "ORDER": "`, StrideOrder: [1,0]`",
    "DATATYPE": "`, Datatype: Half`",
    "FORMAT": "`, Format: ` and its words",
    "_END": "` }`",
}


class _Rules(Transformer[Any, Any]):
    """A record becomes (name, type, groups of objects by key, attributes in order)."""

    def objects(self, tokens: list[Token]) -> tuple[str, ...]:
        return tuple(token.value for token in tokens if token.type == "OBJECT")

    def record(self, children: list[Any]) -> tuple[str, str, dict[str, tuple[str, ...]], list[str]]:
        name, _, type_ = children[0].value.removeprefix("Name: ").rpartition(", LayerType: ")
        groups: dict[str, tuple[str, ...]] = {}
        rest: list[str] = []
        key = ""
        for child in children[1:]:
            if isinstance(child, tuple):
                groups[key] = child
            elif child.type in ("INPUTS", "CONSTANTS", "OUTPUTS"):
                key = child.type
            else:
                rest.append(child.value)
        return name, type_, groups, rest

    def object(self, tokens: list[Token]) -> dict[str, str]:
        return {token.type: token.value for token in tokens}


@cache
def parser() -> Parser:
    """The grammar, loaded when the first detailed listing is read."""
    return Parser("detailed.lark", ("record", "object"), _Rules())


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
    def __init__(self, file: str) -> None:
        self._file = file
        self._tensors: dict[str, Tensor] = {}  # an object's text stands in every reader's record
        self.problems: list[Problem] = []

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        place = Place(self._file, record.line, record.column)
        text = decode(trimmed(record.text))
        try:
            name, type_, groups, rest = self._parsed(text, record)
            inputs = tuple(map(self._tensor, groups["INPUTS"]))
            outputs = tuple(map(self._tensor, groups["OUTPUTS"]))
        except Mismatch as mismatch:
            return self._opaque(index, place, text, mismatch, cut)
        tactic = kernel = None
        attributes: list[tuple[str, JsonValue]] = []
        if constants := groups.get("CONSTANTS"):
            attributes.append(("Constants", "[ " + ", ".join(constants) + "]"))
        for entry in rest:
            key, _, value = entry[len(", ") :].partition(":")
            value = value.removeprefix(" ")
            if key == "TacticValue":
                tactic = value
            elif key == "TacticName":
                kernel = value or None
            else:
                attributes.append((key, value))
        return Layer(
            index,
            place,
            type_,
            name,
            tactic,
            inputs,
            outputs,
            kernel=kernel,
            attributes=tuple(attributes),
            position=index,
        )

    def _parsed(self, text: str, record: Record) -> Any:
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
            parts: dict[str, str] = parser().parse(text, "object")
            words = parts.get("FORMAT_DATATYPE", "").removeprefix(", Format/Datatype: ")
            if "DATATYPE" in parts:
                words = parts["FORMAT"].removeprefix(", Format: ")
                dtype: str | None = parts["DATATYPE"].removeprefix(", Datatype: ")
            else:
                dtype = data_types.dtype(words)
            tensor = self._tensors[text] = Tensor(
                parts["TENSOR"].removeprefix("{ Name: "),
                dtype,
                dims := _inside(parts["DIMENSIONS"]),
                tuple(int(extent) for extent in dims.split(",") if extent),
                words,
                _inside(parts["STRIDES"]) if "STRIDES" in parts else None,
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


def _inside(text: str) -> str:
    """`, Dimensions: [1,64]` -> `1,64`."""
    return text[text.index("[") + 1 : -1]


def _bare(block: ListingBlock, file: str) -> list[Layer]:
    """The layers of a listing that holds their names alone."""
    return [
        Layer(
            index, Place(file, record.line), "", decode(record.text), None, (), (), position=index
        )
        for index, record in enumerate(block.bare_names)
    ]


FORMAT: Final = Format("detailed", None, read)
