"""The schema of the tables in, the lists of the page out: `python docs/table_columns.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine_layer_visualize.outputs.tables import SCHEMAS
from engine_layer_visualize.outputs.tables.schema import (
    FIRST,
    Column,
)

PAGE: Final = Path(__file__).resolve().parent / "tables.md"
_START: Final = "Every table begins with:\n\n"  # what is above is written by hand
_TABLE: Final = "| column | type | unit | |\n|---|---|---|---|\n"


def page(text: str) -> str:
    """The text of the page with its lists made anew."""
    above, start, _ = text.partition(_START)
    return above + start + "".join(_lists())


def _lists() -> Iterator[str]:
    yield _TABLE
    yield from map(_row, FIRST)
    for schema in SCHEMAS.values():
        yield f"\n### {schema.name}\n\n{schema.doc}\n\n{_TABLE}"
        yield from map(_row, schema.columns[len(FIRST) :])


def _row(column: Column) -> str:
    return f"| `{column.name}` | `{column.type}` | {column.unit} | {column.doc} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
