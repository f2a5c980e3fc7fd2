"""Reads numbers, lists and weights from a record's further keys, whether text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.numbers import TOO_MANY
from engine_layer_visualize.trt.data_types import canonical

Ints = tuple[int, ...]


def constants(layer: Layer) -> tuple[Tensor, ...]:
    """The weights that a record of Myelin lists beside its inputs."""
    for key, words in layer.attributes:
        if key == "Constants":
            return _constants(words) if isinstance(words, str) else tuple(_listed(words))
    return ()


@lru_cache(maxsize=1 << 10)
def _constants(words: str) -> tuple[Tensor, ...]:
    """The constants in the words of a detailed listing."""
    tensors = []
    for piece in words.split("{ Name: ")[1:]:
        name, mark, rest = piece.partition(", Dimensions: [")
        dims, _, rest = rest.partition("]")
        shape = ints(f"[{dims}]")
        _, typed, dtype = rest.partition("Datatype: ")
        if mark and shape is not None and typed:
            dtype = dtype.partition(",")[0].partition(" }")[0]
            tensors.append(Tensor(name, canonical(dtype), dims, shape))
    return tuple(tensors)


def _listed(values: JsonValue) -> Iterator[Tensor]:
    """The constants in an inspector's JSON."""
    for entry in values if isinstance(values, list) else ():
        if isinstance(entry, dict) and (shape := ints(entry.get("Dimensions"))) is not None:
            words = entry.get("Datatype", entry.get("Format/Datatype"))
            dims = ",".join(map(str, shape))
            yield Tensor(str(entry.get("Name")), canonical(str(words)), dims, shape)


def ints(value: JsonValue) -> Ints | None:
    """Integers such as `[3,3]`, as text or as JSON; None where it is something else."""
    return _written_ints(value) if isinstance(value, str) else _ints(value)


@lru_cache(maxsize=1 << 12)
def _written_ints(words: str) -> Ints | None:
    return _ints(_parsed(words))


def _ints(value: JsonValue) -> Ints | None:
    if not isinstance(value, list):
        return None
    numbers = tuple(
        [number for number in value if isinstance(number, int) and abs(number) < TOO_MANY]
    )
    return numbers if len(numbers) == len(value) else None


def integer(value: JsonValue) -> int | None:
    """An integer such as `64`, as text or as JSON."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None
    return value if isinstance(value, int) and abs(value) < TOO_MANY else None


def stored(value: JsonValue) -> tuple[str, int] | None:
    """Type and number of `{"Type": "Half", "Count": 9408}`, as text or as JSON."""
    return _written_weights(value) if isinstance(value, str) else _weights(value)


@lru_cache(maxsize=1 << 12)
def _written_weights(words: str) -> tuple[str, int] | None:
    return _weights(_parsed(words))


def _weights(value: JsonValue) -> tuple[str, int] | None:
    if not isinstance(value, dict):
        return None
    dtype, count = value.get("Type"), integer(value.get("Count"))
    return (dtype, count) if isinstance(dtype, str) and count is not None else None


def _parsed(words: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value
