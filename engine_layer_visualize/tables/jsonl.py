"""Writes rows as JSON Lines: an object for each row, with every column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.fields.json import dump
from engine_layer_visualize.tables.files import About, Files, TextEncoder
from engine_layer_visualize.tables.schema import Row, Schema
from engine_layer_visualize.tables.values import plain


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "jsonl", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> TextEncoder:
    def spell(rows: Iterable[Row]) -> Iterator[str]:
        return (dump(dict(zip(table.names, row))) + "\n" for row in plain(table, rows))

    return TextEncoder(file, spell)
