"""Writes columns of whole numbers shorter: as steps between them; `packing.js` reads them."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any, Final

_TABLES: Final = ("layers", "tensors", "ports", "layout", "edges")  # those with long columns


def packed(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the data of an engine, where columns of its tables are texts if that is shorter."""
    return {
        key: {name: shorter(column) for name, column in value.items()} if key in _TABLES else value
        for key, value in data.items()
    }


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
