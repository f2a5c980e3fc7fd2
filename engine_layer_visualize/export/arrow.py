"""Makes Arrow's record batches of rows, and files of them: Arrow IPC and Parquet. Needs pyarrow.

A text that is no Unicode is escaped, and a number that 64 bits do not hold is null.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from engine_layer_visualize.core import __version__
from engine_layer_visualize.export.columns import VERSION, Column, Row, Schema, held, package
from engine_layer_visualize.export.table_files import Files, Format
from engine_layer_visualize.facts.field import ListOf, Scalar, Type

BATCH: Final = 1 << 11  # rows that are held as Python's values
_GROUP: Final = 1 << 21  # bytes of rows that are held before they are written


def spare_memory() -> None:
    """Makes Arrow keep 20 MB less, and do without numpy (13 MB, 0.04 s).

    It does nothing where they are imported already. It is for a process of the program's own:
    nothing else in it can import numpy then.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]


def library() -> Any:
    """Imports pyarrow. Raises ModuleNotFoundError with what to install."""
    return package("pyarrow", "tables as Arrow and Parquet need")


def schema(table: Schema, sources: Sequence[str], docs: bool = True) -> Any:
    """The `pyarrow.Schema` of a table: units and, where `docs`, meanings are metadata.

    `sources`: the logs' names.
    """
    said = {
        "elv.schema": str(VERSION),
        "elv.table": table.name,
        "elv.version": __version__,
        "elv.sources": json.dumps(sources),
    }
    return library().schema(_fields(table.columns, docs), metadata=said)


@cache
def _fields(columns: tuple[Column, ...], docs: bool) -> Sequence[Any]:
    fields = []
    for column in columns:
        words = {"doc": column.doc if docs else "", "unit": column.unit}
        said = {key: text for key, text in words.items() if text}
        fields.append(library().field(column.name, _type(column.kind), metadata=said or None))
    return fields


def _type(type: Type) -> Any:
    pa = library()
    if isinstance(type, Scalar):
        return pa.type_for_alias(type.name)
    if isinstance(type, ListOf):
        return pa.list_(_type(type.of))
    return pa.struct([pa.field(name, _type(inner)) for name, inner in type.fields])


def batches(rows: Iterable[Row], made: Any) -> Iterator[Any]:
    """The rows as record batches. `made`: the table's `pyarrow.Schema`."""
    rows = iter(rows)
    while cells := list(islice(rows, BATCH)):
        columns = list(map(_array, zip(*cells), made.types))
        yield library().RecordBatch.from_arrays(columns, schema=made)


def _array(cells: Sequence[Any], type: Any) -> Any:
    """The cells of a column. A number that is too large is null, a text that is none escaped."""
    pa = library()
    try:
        return pa.array(cells, type)
    except (OverflowError, UnicodeError, pa.ArrowInvalid):
        return pa.array(list(map(held, cells)), type)


class Stream:
    """Writes record batches, many as one group of rows."""

    def __init__(self, writer: Any, made: Any) -> None:
        self._writer, self._made = writer, made
        self._held: list[Any] = []
        self._size = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine."""
        for batch in batches(rows, self._made):
            self._held.append(batch)
            self._size += batch.nbytes
            if self._size >= _GROUP:
                self._flush()

    def _flush(self) -> None:
        self._writer.write_table(library().Table.from_batches(self._held, schema=self._made))
        self._held, self._size = [], 0

    def end(self) -> None:
        """Writes what is held, and closes the file."""
        if self._held:
            self._flush()
        self._writer.close()


def _arrow(table: Schema, sources: Sequence[str], file: BinaryIO) -> Stream:
    made = schema(table, sources)
    return Stream(library().ipc.new_file(file, made), made)


def _parquet(table: Schema, sources: Sequence[str], file: BinaryIO) -> Stream:
    made = schema(table, sources)
    return Stream(_unended()(file, made, compression="zstd"), made)


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


ARROW: Final = Format(partial(Files, "arrow", _arrow), library)
PARQUET: Final = Format(partial(Files, "parquet", _parquet), library)
