"""Spells lists and tensors as text, for formats without nested values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine_layer_visualize.fields.field import ListOf, Scalar, Struct, Type
from engine_layer_visualize.fields.layer import TENSORS
from engine_layer_visualize.tables.schema import Row

_BETWEEN: Final = "; "


def spelled(type: Type) -> Callable[[Any], Any] | None:
    """What makes a cell of a value that is not None; None where the value is the cell."""
    if isinstance(type, Scalar):
        return None if type.python is not bool else lambda value: "true" if value else "false"
    if type == TENSORS:
        return lambda several: _BETWEEN.join(map(_tensor, several))
    if isinstance(type, ListOf) and isinstance(type.of, Scalar):
        between = "," if type.of.python is int else _BETWEEN
        return lambda several: between.join(map(str, several))
    if isinstance(type, ListOf) and isinstance(type.of, Struct):
        return lambda several: _BETWEEN.join(map(_pair, several))
    raise TypeError(f"no text for {type}")


def _tensor(tensor: Row) -> str:
    """A tensor such as `255 Int8 1,3,17,18`; what is not known is left out."""
    name, dtype, shape, *_ = tensor
    extents = ",".join(map(str, shape)) if isinstance(shape, tuple) else None
    return " ".join(str(part) for part in (name, dtype, extents) if part)


def _pair(pair: Row) -> str:
    """A value with its name, such as `Activation: 1024`, or a text alone."""
    *keys, value = pair
    key = ".".join(str(part) for part in keys if part is not None)
    return f"{key}: {value}" if key else str(value)
