"""Writes the lists of columns and of fields into the docs: `python docs/field_docs.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine_layer_visualize.fields.field import of_place
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.outputs.tables import SCHEMAS
from engine_layer_visualize.outputs.tables.schema import (
    FIRST,
    Column,
)

PAGE: Final = Path(__file__).resolve().parent / "tables.md"
TRACES: Final = PAGE.with_name("traces.md")
_FACTS: Final = "| key | unit | |\n|---|---|---|\n"  # of what other programs show of a layer
_START: Final = "Every table begins with:\n\n"  # what is above is written by hand
_TABLE: Final = "| column | type | unit | |\n|---|---|---|---|\n"


def page(text: str) -> str:
    """The text of the page with its lists made anew."""
    above, start, _ = text.partition(_START)
    return above + start + "".join(_lists())


def traces(text: str) -> str:
    """The text of the page on traces with its list made anew."""
    above, head, rest = text.partition(_FACTS)
    below = rest[rest.index("\n\n") :]
    fields = of_place(LAYER, "exchange")
    rows = [f"| `{one.key.rpartition('.')[2]}` | {one.unit} | {one.doc} |" for one in fields]
    return above + head + "\n".join(rows) + below


def _lists() -> Iterator[str]:
    yield _TABLE
    yield from map(_row, FIRST)
    for schema in SCHEMAS.values():
        yield f"\n### {schema.name}\n\n{schema.doc}\n\n{_TABLE}"
        yield from map(_row, schema.columns[len(FIRST) :])


def _row(column: Column) -> str:
    return f"| `{column.name}` | `{column.type}` | {column.unit} | {column.doc} |\n"


if __name__ == "__main__":
    for path, made in ((PAGE, page), (TRACES, traces)):
        path.write_text(made(path.read_text("utf-8")), "utf-8")
