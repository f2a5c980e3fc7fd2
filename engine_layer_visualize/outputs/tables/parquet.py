"""Rows in; Parquet files out. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from engine_layer_visualize.outputs.tables import arrow
from engine_layer_visualize.outputs.tables.arrow import library as library
from engine_layer_visualize.outputs.tables.files import About, Files
from engine_layer_visualize.outputs.tables.schema import Schema


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables. Raises ModuleNotFoundError."""
    return Files(folder, "parquet", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> arrow.Stream:
    made = arrow.schema(table, about)
    from pyarrow.parquet import ParquetWriter

    class Writer(ParquetWriter):
        def __del__(self) -> None:
            """Nothing: it would write the end of a file that is closed, as its disk was full."""

    return arrow.Stream(Writer(file, made, compression="zstd"), table, made)
