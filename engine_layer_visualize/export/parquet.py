"""Writes rows as Parquet files. Needs pyarrow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from engine_layer_visualize.export import arrow
from engine_layer_visualize.export.arrow import library as library
from engine_layer_visualize.export.columns import Schema
from engine_layer_visualize.export.table_files import About, Files


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables. Raises ModuleNotFoundError."""
    return Files(folder, "parquet", tables, about, encoder)


def encoder(
    table: Schema,
    about: About,
    file: BinaryIO,
    docs: bool = True,
    said: dict[str, str] | None = None,
    **options: Any,
) -> arrow.Stream:
    """Writes a table. `said`: what the file says of itself; `options`: of pyarrow's writer."""
    made = arrow.schema(table, about, docs)
    writer = _unended()(file, made, **{"compression": "zstd", **options})
    if said:
        writer.add_key_value_metadata(said)
    return arrow.Stream(writer, made)


@cache
def _unended() -> Any:
    from pyarrow.parquet import ParquetWriter

    # Without its end: it would write it to a file that is closed, as its disk was full.
    return type("Writer", (ParquetWriter,), {"__del__": lambda self: None})


def is_whole(path: Path) -> bool:
    """Whether a file ends as Parquet does; one that was cut or emptied does not."""
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(-4, os.SEEK_END)
            return file.read() == b"PAR1"
    except OSError:
        return False
