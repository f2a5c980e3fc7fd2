"""Writes rows as Parquet files. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.tables import arrow
from engine_layer_visualize.tables.arrow import library as library
from engine_layer_visualize.tables.files import About, Files
from engine_layer_visualize.tables.schema import Schema


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables. Raises ModuleNotFoundError."""
    return Files(folder, "parquet", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> arrow.Stream:
    made = arrow.schema(table, about)
    from pyarrow.parquet import ParquetWriter

    # Without its end: it would write it to a file that is closed, as its disk was full.
    unended = type("Writer", (ParquetWriter,), {"__del__": lambda self: None})
    return arrow.Stream(unended(file, made, compression="zstd"), made)
