"""Writes rows as JSON Lines: an object for each row, with every column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.fields.json import dump
from engine_layer_visualize.tables.files import About, Files
from engine_layer_visualize.tables.schema import Row, Schema
from engine_layer_visualize.tables.values import plain


class _Lines:
    def __init__(self, table: Schema, file: BinaryIO) -> None:
        self._table, self._file = table, file

    def add(self, rows: Iterable[Row]) -> None:
        names = self._table.names
        lines = (dump(dict(zip(names, row))) + "\n" for row in plain(self._table, rows))
        self._file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)

    def end(self) -> None:
        """Nothing is to be written after the last row."""


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "jsonl", tables, about, lambda table, about, file: _Lines(table, file))
