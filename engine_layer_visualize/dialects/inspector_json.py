"""The engine inspector's JSON (trtexec `--exportLayerInfo`, Polygraphy, Torch-TensorRT).

takes: the text of a file: `{"Layers": [record or name, …], "Bindings": [names]}`
gives: layers, bindings, and problems; a file that was cut gives the layers before the cut
never: changes a value: what is JSON stays JSON
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Final

from engine_layer_visualize.dialects import memory_format
from engine_layer_visualize.errors import Place, Problem, ReadError, excerpt
from engine_layer_visualize.model import JsonValue, Layer, Tensor

# Some versions write raw control characters into strings.
_DECODER: Final = json.JSONDecoder(
    strict=False,
    # What is no finite number stays the text that it is: JSON has no other.
    parse_constant=str,
    parse_float=lambda text: number if math.isfinite(number := float(text)) else text,
)
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_SNIFF: Final = re.compile(rb'\s*\{\s*"(?:Layers|Bindings|I/O Tensors|Engine Metadata)"\s*:')
_MODELLED: Final = ("Name", "LayerType", "Inputs", "Outputs", "TacticName", "TacticValue")


@dataclass(slots=True)
class Inspection:
    """What a file holds. `line`: where its layers begin; `io`: (name, Input|Output) where given."""

    line: int = 1
    layers: list[Layer] = field(default_factory=list)
    bindings: list[str] = field(default_factory=list)
    io: list[tuple[str, str]] = field(default_factory=list)
    bare: int = 0  # layers that are names alone
    problems: list[Problem] = field(default_factory=list)


def sniff(head: bytes) -> bool:
    """Whether a file that begins so is an inspector's."""
    return _SNIFF.match(head) is not None


def read(text: str, file: str) -> Inspection:
    """Raises ReadError (ELV402) where there is no layer in it."""
    found = Inspection()
    reader = _Reader(text, file, found)
    try:
        reader.document()
    except (ValueError, RecursionError) as error:
        found.problems.append(reader.cut(error))
    if not found.layers:
        problem = Problem(Place(file, 1), "ELV402", "an inspector's JSON without layers")
        raise ReadError(
            found.problems[0] if found.problems else problem,
            "build with profilingVerbosity=detailed, then trtexec --exportLayerInfo=layers.json",
        )
    return found


class _Reader:
    """Walks the outermost levels itself, so that every layer has its line."""

    def __init__(self, text: str, file: str, found: Inspection) -> None:
        self._text, self._file, self._found = text, file, found
        self._at, self._line, self._counted = 0, 1, 0

    def document(self) -> None:
        self._expect("{")
        while not self._accept("}"):
            key = self._value()
            self._expect(":")
            if key == "Layers":
                self._found.line = self._line_here()
                self._layers()
            else:
                self._other(key, self._value())
            if not self._accept(","):
                self._expect("}")
                return

    def cut(self, error: Exception) -> Problem:
        at = getattr(error, "pos", self._at)
        start = self._text.rfind("\n", 0, at) + 1
        place = Place(self._file, self._text.count("\n", 0, at) + 1, at - start + 1)
        end = self._text.find("\n", at)
        line = self._text[start : end if end >= 0 else len(self._text)]
        shown, caret = excerpt(line, at - start + 1)
        why = getattr(error, "msg", "nested too deeply, or a number too long").lower()
        return Problem(place, "ELV108", f"the JSON breaks off here: {why}", shown, caret)

    def _layers(self) -> None:
        self._expect("[")
        while not self._accept("]"):
            self._skip()
            place = Place(self._file, self._line_here())
            self._found.layers.append(self._layer(self._value(), place))
            if not self._accept(","):
                self._expect("]")
                return

    def _layer(self, record: JsonValue, place: Place) -> Layer:
        index = len(self._found.layers)
        if isinstance(record, str):
            self._found.bare += 1
            return Layer(index, place, "", record, None, (), (), position=index)
        name = record.get("Name") if isinstance(record, dict) else None
        inputs = _tensors(record, "Inputs")
        outputs = _tensors(record, "Outputs")
        if (
            not isinstance(record, dict)
            or not isinstance(name, str)
            or inputs is None
            or outputs is None
        ):
            raw = json.dumps(record, ensure_ascii=False)
            message = "a layer that is neither a record with a name and tensors nor a name"
            self._found.problems.append(Problem(place, "ELV104", message))
            shown = name if isinstance(name, str) else raw
            return Layer(index, place, "", shown, None, (), (), raw=raw, position=index)
        tactic, kernel = record.get("TacticValue"), record.get("TacticName")
        return Layer(
            index,
            place,
            str(record.get("LayerType") or ""),
            name,
            None if tactic in (None, "") else str(tactic),
            inputs,
            outputs,
            kernel=str(kernel) if kernel else None,
            attributes=tuple((k, v) for k, v in record.items() if k not in _MODELLED),
            position=index,
        )

    def _other(self, key: JsonValue, value: JsonValue) -> None:
        if not isinstance(value, list):
            return
        if key == "Bindings":
            self._found.bindings = [name for name in value if isinstance(name, str)]
        elif key == "I/O Tensors":
            for tensor in value:
                if isinstance(tensor, dict) and isinstance(name := tensor.get("Name"), str):
                    self._found.io.append((name, str(tensor.get("IOMode"))))

    def _value(self) -> JsonValue:
        self._skip()
        value: JsonValue
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _accept(self, mark: str) -> bool:
        self._skip()
        if self._text.startswith(mark, self._at):
            self._at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise json.JSONDecodeError(f"expecting '{mark}'", self._text, self._at)

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def _tensors(record: JsonValue, key: str) -> tuple[Tensor, ...] | None:
    """None where the record has no readable list of tensors."""
    entries = record.get(key, []) if isinstance(record, dict) else None
    if not isinstance(entries, list):
        return None
    tensors = []
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("Name"), str):
            return None
        dims = _numbers(entry.get("Dimensions"))
        if dims is None:
            return None
        words = entry.get("Format/Datatype", entry.get("Format"))
        datatype = entry.get("Datatype")
        strides = _numbers(entry.get("Strides"))
        tensors.append(
            Tensor(
                str(entry["Name"]),
                str(datatype) if datatype else memory_format.dtype(str(words or "")),
                ",".join(map(str, dims)),
                dims,
                None if words is None else str(words),
                None if strides is None else ",".join(map(str, strides)),
            )
        )
    return tuple(tensors)


def _numbers(value: JsonValue) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(type(n) is int for n in value):
        return None
    return tuple(n for n in value if isinstance(n, int))
