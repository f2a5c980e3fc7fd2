"""Writes rows as JSON Lines: an object for each row, with every column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.export.columns import Row, Schema, plain
from engine_layer_visualize.export.table_files import About, Files, TextEncoder
from engine_layer_visualize.facts.json import dump


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "jsonl", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> TextEncoder:
    def spell(rows: Iterable[Row]) -> Iterator[str]:
        return (dump(dict(zip(table.names, row))) + "\n" for row in plain(table, rows))

    return TextEncoder(file, spell)
