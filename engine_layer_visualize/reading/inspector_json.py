"""The engine inspector's JSON (trtexec `--exportLayerInfo`, Polygraphy, Torch-TensorRT).

From `{"Layers": [record or name, …], "Bindings": [names]}` come layers, bindings and problems; of
JSON that was cut, the layers before the cut. Values stay as they are. Other text may stand around.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.limits import TOO_MANY
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import UNREADABLE, Walk, text_of
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.wrapping import without_logger
from engine_layer_visualize.trt import types

LAYERS: Final = b'"Layers"'
_BEGIN: Final = r'\{\s*"(?:Layers|Bindings|I/O Tensors|Engine Metadata)"\s*:'
_MOST_WRONG: Final = 16  # beginnings of which nothing comes: one in another would be many
_SNIFF: Final = re.compile(rb"\s*" + _BEGIN.encode())
_MODELLED: Final = ("Name", "LayerType", "Inputs", "Outputs", "TacticName", "TacticValue")


@dataclass
class ListingFile:
    """What a file holds."""

    line: int = 1  # where its layers begin
    layers: list[Layer] = field(default_factory=list)
    bindings: list[str] = field(default_factory=list)
    io: list[tuple[str, str]] = field(default_factory=list)  # (name, Input|Output) where given
    bare: int = 0  # how many layers are names alone
    beyond: Place | None = None  # the first layer that was left out
    cut: bool = False  # the file ends too early
    problems: list[Problem] = field(default_factory=list)


def sniff(head: bytes) -> bool:
    """Whether a file that begins so is an inspector's."""
    return _SNIFF.match(head) is not None


def is_in(data: bytes) -> bool:
    """Whether a text holds the beginning of an inspector's JSON."""
    return LAYERS in data and re.search(_BEGIN.encode(), data) is not None


def read(source: Source) -> list[ListingFile]:
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
        if listings and room <= 0:
            listings[-1].problems.append(_too_many(Place(source.name, walk.line)))
            break
        try:
            listings.append(_read(walk, source.name, room))
            room -= len(listings[-1].layers)
        except ReadError as error:
            wrong.append(error)
        at = max(walk.at, begin.end())
    if not listings:
        none = ReadError(Problem(Place(source.name, 1), "ELV402", "no inspector's JSON"))
        raise next(iter(wrong), none)
    broken = (error.problem for error in wrong if error.problem.code == "ELV108")
    listings[-1].problems += broken
    if len(wrong) == _MOST_WRONG and re.compile(_BEGIN).search(text, at) is not None:
        message = f"{_MOST_WRONG} JSON texts could not be read: what follows is left out"
        listings[-1].problems.append(Problem(Place(source.name, walk.line), "ELV108", message))
    return listings


def _read(walk: Walk, file: str, most: int) -> ListingFile:
    """Raises ReadError (ELV402) where there is no layer."""
    listing = ListingFile()
    try:
        for key in walk.members():
            if key == "Layers" and walk.starts("["):
                listing.line = walk.line
                for record in walk.elements():
                    if len(listing.layers) < most:
                        listing.layers.append(_layer(record, Place(file, walk.line), listing))
                    elif listing.beyond is None:
                        listing.beyond = Place(file, walk.line)
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
    if listing.beyond is not None:
        listing.problems.append(_too_many(listing.beyond))
    return listing


def _too_many(place: Place) -> Problem:
    return Problem(place, "ELV112", f"more than {limits.LAYERS:,} layers: the rest is left out")


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
    attributes = tuple((k, v) for k, v in known.items() if k not in _MODELLED)
    return Layer(
        index, place, kind, name, tactic, inputs, outputs, kernel, attributes, position=index
    )


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
    if not isinstance(value, list) or not all(type(n) is int and abs(n) < TOO_MANY for n in value):
        return None
    return tuple(n for n in value if isinstance(n, int))


def names_only(place: Place, bare: int, layers: int) -> Problem:
    """The warning for an engine that keeps names alone of so many of its layers."""
    which = "the layers' names" if bare == layers else f"the names of {bare} of {layers} layers"
    message = (
        f"{which} alone, without tensors: no graph{' there' * (bare < layers)};"
        " for one, build with --profilingVerbosity=detailed"
    )
    return Problem(place, "ELV111", message)
