"""Rows in; Arrow's record batches out, and files of them (Arrow IPC). Needs pyarrow.

A text that is no Unicode is escaped, and a number that 64 bits do not hold is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from engine_layer_visualize.io.extras import install
from engine_layer_visualize.outputs.tables.files import About, Files
from engine_layer_visualize.outputs.tables.schema import (
    VERSION,
    ListOf,
    Row,
    Scalar,
    Schema,
    Type,
)

BATCH: Final = 1 << 13  # rows that are held as Python's values


def library() -> Any:
    """pyarrow. Raises ModuleNotFoundError with what to install."""
    try:
        import pyarrow
    except ImportError as error:
        message = f"tables as Arrow and Parquet need pyarrow: {install('tables')}"
        raise ModuleNotFoundError(message, name="pyarrow") from error
    return pyarrow


def schema(table: Schema, about: About) -> Any:
    """As a `pyarrow.Schema`: units and meanings are metadata of the columns."""
    pa = library()
    fields = [
        pa.field(
            column.name,
            _type(column.type),
            metadata={"doc": column.doc} | ({"unit": column.unit} if column.unit else {}),
        )
        for column in table.columns
    ]
    said = {
        "elv.schema": str(VERSION),
        "elv.table": table.name,
        "elv.version": about.version,
        "elv.sources": json.dumps(about.sources),
    }
    return pa.schema(fields, metadata=said)


def _type(type: Type) -> Any:
    pa = library()
    if isinstance(type, Scalar):
        return pa.type_for_alias(type.name)
    if isinstance(type, ListOf):
        return pa.list_(_type(type.of))
    return pa.struct([pa.field(name, _type(inner)) for name, inner in type.fields])


def batches(rows: Iterable[Row], schema: Any) -> Iterator[Any]:
    """The rows as record batches."""
    pa, rows = library(), iter(rows)
    while several := list(islice(rows, BATCH)):
        columns = [_array(cells, field.type) for cells, field in zip(zip(*several), schema)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _array(cells: Iterable[object], type: Any) -> Any:
    pa = library()
    try:
        return pa.array(cells, type)
    except (UnicodeError, OverflowError, pa.ArrowInvalid):
        return pa.array([_held(cell) for cell in cells], type)


def _held(cell: Any) -> Any:
    """What Arrow can hold of a value."""
    if isinstance(cell, str):
        return cell.encode("utf-8", "backslashreplace").decode()
    if isinstance(cell, (tuple, list)):
        return tuple(map(_held, cell))
    if isinstance(cell, int) and not -(1 << 63) <= cell < 1 << 63:
        return None
    return cell


class Stream:
    """Writes record batches as they come."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema

    def add(self, rows: Iterable[Row]) -> None:
        for batch in batches(rows, self._schema):
            self._writer.write_batch(batch)

    def end(self) -> None:
        self._writer.close()


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables, in the IPC format. Raises ModuleNotFoundError."""
    return Files(folder, "arrow", tables, about, _encoder)


def _encoder(table: Schema, about: About, file: BinaryIO) -> Stream:
    made = schema(table, about)
    return Stream(library().ipc.new_file(file, made), made)
