"""Writes an engine's data shorter: numbers as steps between them, texts as what is new in each.

`packing.js` reads both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

_TABLES: Final = ("layers", "tensors", "ports", "layout", "edges")  # those with long columns
# A text begins with the character that is so many after this one: JSON escapes none of them.
_NONE_SHARED: Final = "]"
_MOST_SHARED: Final = 33


def packed(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the data of an engine, with its strings and the columns of its tables packed."""
    tables = {key: {name: shorter(column) for name, column in data[key].items()} for key in _TABLES}
    return {**data, **tables, "strings": fronted(data["strings"])}


def fronted(texts: Sequence[str]) -> list[str]:
    """Returns `]Conv_1`, `b2`: each without what it begins with as the one before, but how much."""
    found: list[str] = []
    last = ""
    for text in texts:
        shared = 0
        for old, new in zip(last[:_MOST_SHARED], text):
            if old != new or not new.isascii():  # a script counts others differently
                break
            shared += 1
        found.append(chr(ord(_NONE_SHARED) + shared) + text[shared:])
        last = text
    return found


def shorter(column: Any) -> Any:
    """Returns `4 1*3 . -2` for 4, 5, 6, 7, null, 5, where a column's JSON is longer.

    Each part is by how much the next number is larger than the last, `*` how many times that comes;
    a point stands for null.
    """
    if not _is_packable(column):
        return column
    steps: list[str] = []
    last = 0
    for value in column:
        steps.append("." if value is None else str(value - last))
        last = last if value is None else value
    runs = ((step, len(list(same))) for step, same in groupby(steps))
    text = " ".join(step if number == 1 else f"{step}*{number}" for step, number in runs)
    whole = json.dumps(column, separators=(",", ":"))
    return text if len(text) + 2 < len(whole) else column


def _is_packable(column: object) -> bool:
    """Whether these are whole numbers and nulls: a bool, too, is an int to Python."""
    return isinstance(column, list) and all(type(each) in (int, type(None)) for each in column)
