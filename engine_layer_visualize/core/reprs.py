"""Writes what Python shows of a value: one short line. The rest is in the value's attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.core.words import first_of, plain

_NAME_WIDTH: Final = 80  # characters of a name
_SEVERAL: Final = 4  # names, or numbers, that are shown of many


def brief(name: str) -> str:
    """A name as text that is safe and short enough to show."""
    return shorten(visible(name), _NAME_WIDTH)


def some(names: Iterable[str]) -> str:
    """The first names, and how many more there are: `hm, wh, reg`; `none` without any."""
    return plain(first_of([*map(brief, names)], _SEVERAL)) or "none"


def filled(value: Any) -> str:
    """The fields that are not at their default: `Timing(average_ms=0.02, percent=0.8)`.

    It shows only the number of several values, and only the type of a value inside a value.
    """
    return f"{type(value).__name__}({', '.join(_fields(value))})"


def _defaults(value: Any) -> dict[str, Any]:
    """The default of each field; empty where the value is neither a dataclass nor a NamedTuple."""
    if is_dataclass(value):
        return {field.name: field.default for field in fields(value)}
    names = getattr(value, "_fields", ())
    return {name: value._field_defaults.get(name, MISSING) for name in names}


def _fields(value: Any, inner: bool = False) -> Iterator[str]:
    for name, default in _defaults(value).items():
        held = getattr(value, name)
        if default is MISSING or held != default:
            yield f"{name}={_shown(held, inner)}"


def _shown(held: Any, inner: bool) -> str:
    if isinstance(held, str):
        return repr(shorten(held, _NAME_WIDTH))
    if _defaults(held):
        name = type(held).__name__
        return f"<{name}>" if inner else f"{name}({', '.join(_fields(held, inner=True))})"
    if not isinstance(held, tuple):
        return repr(held)
    if len(held) <= _SEVERAL and all(isinstance(item, (str, int, float)) for item in held):
        return f"({', '.join(_shown(item, inner) for item in held)}{',' * (len(held) == 1)})"
    return f"<{len(held)} {type(held[0]).__name__}>"
