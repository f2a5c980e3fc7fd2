"""Writes rows as CSV, with the columns' names above. No cell is a formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.documents.csv_text import table as lines
from engine_layer_visualize.tables.files import About, Files
from engine_layer_visualize.tables.flat import spelled
from engine_layer_visualize.tables.schema import Row, Schema


class _Csv:
    def __init__(self, table: Schema, file: BinaryIO) -> None:
        self._file = file
        spelling = ((place, spelled(column.kind)) for place, column in enumerate(table.columns))
        self._nested = [(place, text) for place, text in spelling if text is not None]
        self._put(table.names, ())

    def add(self, rows: Iterable[Row]) -> None:
        self._put((), map(self._flat, rows))

    def end(self) -> None:
        """Nothing is to be written after the last row."""

    def _flat(self, row: Row) -> Iterable[object]:
        cells = list(row)
        for place, text in self._nested:
            if cells[place] is not None:
                cells[place] = text(cells[place])
        return cells

    def _put(self, names: tuple[str, ...], rows: Iterable[Iterable[object]]) -> None:
        self._file.write(lines(names, rows).encode("utf-8", "backslashreplace"))


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "csv", tables, about, lambda table, about, file: _Csv(table, file))
