"""Writes CSV in which no cell is a formula: a text that would start one gets an apostrophe.

So does what follows a semicolon, at which spreadsheets of some countries split.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

from engine_layer_visualize.core.text import visible

# Full-width forms too, and the apostrophe itself, so that one at the start never belongs to a name.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", *"＝＋－＠", "'")
_FORMULA_AFTER: Final = re.compile(r""";(?="*[-=+@＝＋－＠'])""")


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Returns rows with their columns' names above, if these are given."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(value: object) -> object:
    """Returns a number as it is, and a text as one that no spreadsheet computes."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    if ";" in shown:
        shown = _FORMULA_AFTER.sub(";'", shown)
    return "'" + shown if value.startswith(_FORMULA_STARTS) else shown
