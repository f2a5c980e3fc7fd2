"""Writes rows as CSV, with the columns' names above. No cell is a formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.documents.html import table as lines
from engine_layer_visualize.export.columns import Row, Schema, spelled
from engine_layer_visualize.export.table_files import About, Files, TextEncoder


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "csv", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> TextEncoder:
    spelling = ((place, spelled(column.kind)) for place, column in enumerate(table.columns))
    nested = [(place, text) for place, text in spelling if text is not None]

    def flat(row: Row) -> list[object]:
        cells = list(row)
        for place, text in nested:
            if cells[place] is not None:
                cells[place] = text(cells[place])
        return cells

    def spell(rows: Iterable[Row]) -> tuple[str]:
        return (lines((), map(flat, rows)),)

    return TextEncoder(file, spell, lines(table.names, ()))
