"""Makes tables of the rows of a section, column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.documents import blocks as page

Cell: TypeAlias = Callable[[page.Data], Words]
Column: TypeAlias = tuple[str, Cell]


def grid(rows: Iterable[page.Data], columns: Sequence[Column | None]) -> page.Grid:
    """A table with a row for each of the section. A column that is None is left out."""
    kept = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in kept) for row in rows)
    return page.Grid(tuple(head for head, _ in kept), cells)


def identity(layer: Layer) -> dict[str, JsonValue]:
    """The keys that say which layer a row is of."""
    return {"index": layer.index, "line": layer.place.line, "name": layer.name}


# ---- cells of the value at a key -----------------------------------------------------------------


def ms(key: str) -> Cell:
    """A time."""
    return lambda row: page.ms(row[key])


def part(key: str) -> Cell:
    """A share."""
    return lambda row: page.part(row[key])


def word(key: str) -> Cell:
    """Any value."""
    return lambda row: page.word(row[key])


def layer(kind: str = "") -> Cell:
    """The layer that the row is of; `kind` is the key of what it is."""
    return lambda row: page.of_layer(row, kind)
