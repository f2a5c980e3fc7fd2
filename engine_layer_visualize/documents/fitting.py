"""Cuts values of JSON until they fit into so many bytes, and says how much is left out.

A text that is cut has an ellipsis.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import Name, Words, abridged, shown

_dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
_DIGITS: Final = 6  # of a number, the significant ones


class Listed(NamedTuple):
    """Rows of which some may be cut off; `left` of them are already."""

    rows: Sequence[Any]
    left: int = 0


class Said(NamedTuple):
    """A sentence, whose names are shortened each on its own."""

    words: Words


class _Size(NamedTuple):
    rows: int  # of a list of objects or of sentences
    items: int  # of a list of numbers
    name: int  # characters
    sentence: int


# Sentences are cut before rows are.
_SIZES: Final = (
    *(_Size(8, 12, 100, 500), _Size(8, 12, 80, 350), _Size(7, 10, 64, 250), _Size(6, 8, 64, 200)),
    *(_Size(5, 6, 48, 200), _Size(4, 6, 48, 160), _Size(4, 4, 40, 120), _Size(3, 4, 32, 100)),
    *(_Size(2, 3, 32, 100), _Size(2, 2, 24, 80), _Size(1, 1, 24, 60), _Size(1, 1, 16, 40)),
)


def fitted(value: Mapping[str, Any], most: int) -> str:
    """Returns the value as JSON of at most so many bytes, cut as little as is needed.

    A list that is cut stands before the number of what is left of it: `layers`, then `layers_left`.

    Args:
        value: of JSON, with names as `Name`, sentences as `Said` and what can be cut as `Listed`.
        most: bytes in UTF-8.

    Raises:
        ValueError: where it does not fit even with one row of each list.
    """
    return _first_fitting((_cut(value, size) for size in _SIZES), most)


def _first_fitting(values: Iterable[JsonValue], most: int) -> str:
    for text in map(_dump, values):
        if len(text.encode("utf-8", "backslashreplace")) <= most:
            return text
    raise ValueError(f"cannot be cut to {most:,} bytes")


def _cut(value: Any, size: _Size) -> JsonValue:
    if isinstance(value, Mapping):
        made: dict[str, JsonValue] = {}
        for key, inner in value.items():
            if isinstance(inner, Listed):
                is_plain = not inner.rows or isinstance(inner.rows[0], int)
                longest = size.items if is_plain else size.rows
                made[key] = [_cut(row, size) for row in inner.rows[:longest]]
                made[f"{key}_left"] = inner.left + max(0, len(inner.rows) - longest)
            else:
                made[key] = _cut(inner, size)
        return made
    if isinstance(value, list):
        return [_cut(inner, size) for inner in value]
    if isinstance(value, Name):
        return shown(value, size.name, size.sentence)
    if isinstance(value, Said):
        return shown(value.words, size.name, size.sentence)
    if isinstance(value, float):
        return _rounded(value)
    assert value is None or isinstance(value, (str, int))
    return value


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


# ---- any value -----------------------------------------------------------------------------------

_WIDTHS: Final = ((2_000, 60), (500, 30), (200, 15), (80, 8), (40, 4), (20, 2), (20, 1))


def shortened(value: JsonValue, most: int) -> str:
    """Returns the JSON of a value, of which texts, lists and objects are cut until it fits.

    What is left of a list stands at its end, of an object at the key `…`.

    Raises:
        ValueError: where it does not fit with one item of each list.
    """
    return _first_fitting((_shorter(value, *widths) for widths in _WIDTHS), most)


def _shorter(value: JsonValue, characters: int, items: int) -> JsonValue:
    if isinstance(value, str):
        return shown(Name(value), characters, characters)
    if isinstance(value, (list, tuple)):
        kept = [_shorter(inner, characters, items) for inner in value[:items]]
        more = len(value) - items
        return [*kept, f"… {more:,} more"] if more > 0 else kept
    if isinstance(value, dict):
        pairs = [*value.items()][: 2 * items]
        named = {
            abridged(visible(key), characters): _shorter(inner, characters, items)
            for key, inner in pairs
        }
        more = len(value) - 2 * items
        return {**named, "…": f"{more:,} more"} if more > 0 else named
    return _rounded(value) if isinstance(value, float) else value
