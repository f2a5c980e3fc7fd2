"""The detailed listing: records of text (verbosity DETAILED), and the engine inspector's JSON.

A record of text is one line, `Name: …, LayerType: …`; from it comes a layer, opaque where it cannot
be read. From the JSON of trtexec's `--exportLayerInfo`, Polygraphy or Torch-TensorRT,
`{"Layers": [record or name, …], "Bindings": [names]}`, come layers, bindings and problems; of JSON
that was cut, the layers before the cut. Values stay as they are. Other text may stand around.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.json_stream import UNREADABLE, Walk, text_of
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.blocks import Record, trimmed
from engine_layer_visualize.reading.grammars import Mismatch, Parser
from engine_layer_visualize.reading.wrapping import without_logger
from engine_layer_visualize.trt import types

if TYPE_CHECKING:
    from lark import Token

# Name, type, inputs, constants, outputs, attributes, metadata; None: the record has none.
_Fields: TypeAlias = "tuple[str, str, str, str | None, str, str, str | None]"
# What stands between the outputs and the metadata: tactic, kernel, the others.
_Attributes: TypeAlias = "tuple[str | None, str | None, tuple[tuple[str, str], ...]]"
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


class _Rules:
    """A record becomes its fields, as texts."""

    def objects(self, tokens: list[Token]) -> tuple[str]:
        return (f"[ {', '.join([token.value for token in tokens])}]" if tokens else "[]",)

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
                    with suppress(Mismatch):
                        return self._read(decode(trimmed(joined + joint + line)), index, place)
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
        tactic, kernel, own = pairs
        if constants is not None and constants != "[]":
            if self._list(constants) is None:
                return None
            own = (("Constants", constants), *own)
        if metadata is not None:
            own = (*own, ("Metadata", metadata))
        kind = intern(type_)
        return Layer(index, place, kind, name, tactic, inputs, outputs, kernel, own, position=index)

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
            own = values.get("TacticValue"), values.get("TacticName") or None, others
            whole = "".join([match[0] for match in matches]) == text
            self._attributes[text] = own if whole else None
        return self._attributes[text]

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        message = "unreadable layer record" + (" (the log ends in this line)" if cut else "")
        at = Place(place.file, place.line, place.column + wrong.offset)
        expected = next((PHRASES[t] for t in PHRASES if t in wrong.expected), "")
        told = excerpt(text, wrong.offset + 1)
        self.problems.append(Problem(at, "ELV104", message, *told, expected))
        name, _, rest = text.removeprefix("Name: ").partition(", LayerType: ")
        type_ = rest.partition(",")[0]
        return Layer(index, place, type_, name, None, (), (), raw=text, position=index)


# ---- the inspector's JSON ------------------------------------------------------------------------

LAYERS: Final = b'"Layers"'
_BEGIN: Final = r'\{\s*"(?:Layers|Bindings|I/O Tensors|Engine Metadata)"\s*:'
_MOST_WRONG: Final = 16  # beginnings of which nothing comes: one in another would be many
_SNIFF: Final = re.compile(rb"\s*" + _BEGIN.encode())
_KEYS: Final = ("Name", "LayerType", "Inputs", "Outputs", "TacticName", "TacticValue")


class ListingFile:
    """What a file holds."""

    def __init__(self) -> None:
        self.line = 1  # where its layers begin
        self.layers: list[Layer] = []
        self.bindings: list[str] = []
        self.io: list[tuple[str, str]] = []  # (name, Input|Output) where given
        self.bare = 0  # how many layers are names alone
        self.cut = False  # the file ends too early
        self.problems: list[Problem] = []


def is_inspector_json(head: bytes) -> bool:
    """Whether a file that begins so is an inspector's."""
    return _SNIFF.match(head) is not None


def has_inspector_json(data: bytes) -> bool:
    """Whether a text holds the beginning of an inspector's JSON."""
    return LAYERS in data and re.search(_BEGIN.encode(), data) is not None


def read_json(source: Source) -> list[ListingFile]:
    """A listing for each JSON in it. Layers past `limits.LAYERS` are left out.

    Raises ReadError (ELV402) where there is none.
    """
    text, at = without_logger(text_of(source)), 0
    listings: list[ListingFile] = []
    room = limits.LAYERS
    walk = Walk(text, source.name)
    wrong: list[ReadError] = []
    while len(wrong) < _MOST_WRONG and (begin := re.compile(_BEGIN).search(text, at)) is not None:
        walk.go(begin.start())
        try:
            listings.append(_listing(walk, source.name, room))
            room -= len(listings[-1].layers)
        except ReadError as error:
            wrong.append(error)
        at = max(walk.at, begin.end())
    if not listings:
        none = ReadError(Problem(Place(source.name, 1), "ELV402", "no inspector's JSON"))
        raise next(iter(wrong), none)
    told = (one.problem for one in wrong if one.problem.code in ("ELV108", "ELV112"))
    listings[-1].problems += told
    if len(wrong) == _MOST_WRONG and re.compile(_BEGIN).search(text, at) is not None:
        message = f"{_MOST_WRONG} JSON texts could not be read: what follows is left out"
        listings[-1].problems.append(Problem(Place(source.name, walk.line), "ELV108", message))
    return listings


def _listing(walk: Walk, file: str, most: int) -> ListingFile:
    """Raises ReadError (ELV402) where there is no layer."""
    listing = ListingFile()
    try:
        for key in walk.members():
            if key == "Layers" and walk.starts("["):
                listing.line = walk.line
                for number, record in enumerate(walk.elements()):
                    place = Place(file, walk.line)
                    if number < most:
                        listing.layers.append(_layer(record, place, listing))
                    elif number == most:
                        message = f"more than {limits.LAYERS:,} layers: the rest is left out"
                        listing.problems.append(Problem(place, "ELV112", message))
            else:
                _other(key, walk.value(), listing)
    except UNREADABLE as error:
        listing.problems.append(walk.problem("ELV108", "the JSON breaks off here", error))
        listing.cut = walk.is_cut(error)
    if not listing.layers:
        problem = Problem(Place(file, 1), "ELV402", "an inspector's JSON without layers")
        hint = "build with profilingVerbosity=detailed, then trtexec --exportLayerInfo=layers.json"
        raise ReadError(listing.problems[0] if listing.problems else problem, hint)
    if listing.bare:
        place = Place(file, listing.line)
        listing.problems.append(names_only(place, listing.bare, len(listing.layers)))
    return listing


def _layer(record: JsonValue, place: Place, listing: ListingFile) -> Layer:
    """The layer of a record; of a bare name or an unreadable record one without tensors."""
    index = len(listing.layers)
    if isinstance(record, str):
        listing.bare += 1
        return Layer(index, place, "", record, None, (), (), position=index)
    known = record if isinstance(record, dict) else {}
    name, tactic, kernel = map(known.get, ("Name", "TacticValue", "TacticName"))
    inputs, outputs = _tensors(known.get("Inputs", [])), _tensors(known.get("Outputs", []))
    if not isinstance(name, str) or inputs is None or outputs is None:
        raw = json.dumps(record, ensure_ascii=False)
        message = "a layer that is neither a record with a name and tensors nor a name"
        listing.problems.append(Problem(place, "ELV104", message))
        shown = name if isinstance(name, str) else raw
        return Layer(index, place, "", shown, None, (), (), raw=raw, position=index)
    kind = str(known.get("LayerType") or "")
    tactic = None if tactic in (None, "") else str(tactic)
    kernel = str(kernel) if kernel else None
    others = tuple((k, v) for k, v in known.items() if k not in _KEYS)
    return Layer(index, place, kind, name, tactic, inputs, outputs, kernel, others, position=index)


def _other(key: str, value: JsonValue, listing: ListingFile) -> None:
    if not isinstance(value, list):
        return
    if key == "Bindings":
        listing.bindings = [name for name in value if isinstance(name, str)]
    elif key == "I/O Tensors":
        for tensor in value:
            if isinstance(tensor, dict) and isinstance(name := tensor.get("Name"), str):
                listing.io.append((name, str(tensor.get("IOMode"))))


def _tensors(entries: JsonValue) -> tuple[Tensor, ...] | None:
    """The tensors of a list; None where it is none, or one of them cannot be read."""
    if not isinstance(entries, list):
        return None
    tensors = []
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(name := entry.get("Name"), str):
            return None
        dims, strides = _numbers(entry.get("Dimensions")), _numbers(entry.get("Strides"))
        if dims is None:
            return None
        words = entry.get("Format/Datatype", entry.get("Format"))
        datatype = entry.get("Datatype")
        dtype = str(datatype) if datatype else types.dtype(str(words or ""))
        layout = None if words is None else str(words)
        told = None if strides is None else ",".join(map(str, strides))
        tensors.append(Tensor(name, dtype, ",".join(map(str, dims)), dims, layout, told))
    return tuple(tensors)


def _numbers(value: JsonValue) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    numbers = tuple(n for n in value if type(n) is int and abs(n) < limits.TOO_MANY)
    return numbers if len(numbers) == len(value) else None


def names_only(place: Place, bare: int, layers: int) -> Problem:
    """The warning for an engine that keeps names alone of so many of its layers."""
    which = "the layers' names" if bare == layers else f"the names of {bare} of {layers} layers"
    message = (
        f"{which} alone, without tensors: no graph{' there' * (bare < layers)};"
        " for one, build with --profilingVerbosity=detailed"
    )
    return Problem(place, "ELV111", message)
