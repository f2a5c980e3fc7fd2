"""Writes a file for each table, `layers.csv` …: CSV, JSON Lines; with pyarrow Arrow IPC, Parquet.

All are there, or none. A format is a `Format`, whose encoder writes the rows of one table.
"""

from __future__ import annotations

import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from errno import EISDIR
from functools import cache, partial
from itertools import islice
from os import strerror
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from engine_layer_visualize.core import __version__
from engine_layer_visualize.documents.markup import table as csv_text
from engine_layer_visualize.export.columns import (
    VERSION,
    Column,
    Row,
    Schema,
    converted,
    held,
    package,
    plain,
    spelled,
)
from engine_layer_visualize.facts.engine import dump
from engine_layer_visualize.facts.field import ListOf, Scalar, Type
from engine_layer_visualize.io.atomic_file import Spool
from engine_layer_visualize.linting.subject import Subject


class Written(NamedTuple):
    """A file, and how many rows it holds."""

    path: Path
    rows: int


class Writer(ABC):
    """Writes tables of several engines into files, which have their names when all are whole."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = list(paths)
        self.remarks: list[str] = []  # what the format could not hold
        self._spools: list[Spool] = []
        with ExitStack() as opened:  # where one cannot be opened, none stays
            for path in self.paths:
                self._spools.append(opened.enter_context(closing(Spool(path))))
            self._open = opened.pop_all()

    @abstractmethod
    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine. Raises OSError."""

    @abstractmethod
    def finish(self) -> list[Written]:
        """Gives all files their names, in order. Raises OSError."""

    def close(self) -> None:
        """Deletes what `finish` has not named."""
        self._open.close()


class Format(NamedTuple):
    """A format of tables. `writer` opens their files in a folder; it is told the logs' names."""

    writer: Callable[[Path, Sequence[Schema], Sequence[str]], Writer]
    library: Callable[[], object] = lambda: None  # imports what it needs; ModuleNotFoundError
    tables: tuple[str, ...] = ()  # those that it has unless others are asked for; none: all


# A table, the logs' names, the file -> what writes the table into the file.
Encoding: TypeAlias = "Callable[[Schema, Sequence[str], BinaryIO], _Text | Stream]"


class Files(Writer):
    """The files of some tables in a folder. `format`: the end of their names."""

    def __init__(
        self,
        format: str,
        encoding: Encoding,
        folder: Path,
        tables: Sequence[Schema],
        sources: Sequence[str],
    ) -> None:
        super().__init__(folder / f"{table.name}.{format}" for table in tables)
        self._tables = tables
        files = (spool.file for spool in self._spools)
        self._encoders = [encoding(table, sources, file) for table, file in zip(tables, files)]
        self._rows = [0] * len(tables)

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine."""
        for number, (table, encoder) in enumerate(zip(self._tables, self._encoders)):
            encoder.add(self._counted(number, table.rows_of(subject)))

    def _counted(self, number: int, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self._rows[number] += 1
            yield row

    def finish(self) -> list[Written]:
        """Gives all files their names, in order."""
        for encoder, spool in zip(self._encoders, self._spools):
            encoder.end()
            spool.complete()
        for path in filter(Path.is_dir, self.paths):  # the others would have their names by then
            # Both as of a file that is renamed: the second is its new name.
            raise IsADirectoryError(EISDIR, strerror(EISDIR), str(path), None, str(path))
        for spool in self._spools:
            spool.finish()
        return list(map(Written, self.paths, self._rows))


class _Text:
    """Writes one table as text. `spell` makes the text of rows."""

    def __init__(
        self, file: BinaryIO, spell: Callable[[Iterable[Row]], Iterable[str]], head: str = ""
    ) -> None:
        self._file, self._spell = file, spell
        file.write(head.encode())

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine. Raises OSError."""
        texts = self._spell(rows)
        self._file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)

    def end(self) -> None:
        """Nothing stands behind the last row."""


def _csv(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """Rows below the columns' names; no cell is a formula."""
    texts = [spelled(column.kind) for column in table.columns]
    head = csv_text(table.names, ())
    return _Text(file, lambda rows: (csv_text((), converted(rows, texts)),), head)


def _jsonl(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """An object for each row, with every column."""

    def objects(rows: Iterable[Row]) -> Iterator[str]:
        for row in plain(table.columns, rows):
            yield dump(dict(zip(table.names, row))) + "\n"

    return _Text(file, objects)


# ---- Arrow: a text that is no Unicode is escaped, a number that 64 bits do not hold is null ------

BATCH: Final = 1 << 11  # rows that are held as Python's values
_GROUP: Final = 1 << 21  # bytes of rows that are held before they are written


def spare_memory() -> None:
    """Makes Arrow keep 20 MB less, and do without numpy (13 MB, 0.04 s).

    It does nothing where they are imported already. It is for a process of the program's own:
    nothing else in it can import numpy then.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]


def pyarrow() -> Any:
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
    return pyarrow().schema(_fields(table.columns, docs), metadata=said)


@cache
def _fields(columns: tuple[Column, ...], docs: bool) -> Sequence[Any]:
    fields = []
    for column in columns:
        words = {"doc": column.doc if docs else "", "unit": column.unit}
        said = {key: text for key, text in words.items() if text}
        fields.append(pyarrow().field(column.name, _type(column.kind), metadata=said or None))
    return fields


def _type(type: Type) -> Any:
    pa = pyarrow()
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
        yield pyarrow().RecordBatch.from_arrays(columns, schema=made)


def _array(cells: Sequence[Any], type: Any) -> Any:
    """The cells of a column. A number that is too large is null, a text that is none escaped."""
    pa = pyarrow()
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
        self._writer.write_table(pyarrow().Table.from_batches(self._held, schema=self._made))
        self._held, self._size = [], 0

    def end(self) -> None:
        """Writes what is held, and closes the file."""
        if self._held:
            self._flush()
        self._writer.close()


def _arrow(table: Schema, sources: Sequence[str], file: BinaryIO) -> Stream:
    made = schema(table, sources)
    return Stream(pyarrow().ipc.new_file(file, made), made)


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


CSV: Final = Format(partial(Files, "csv", _csv))
JSONL: Final = Format(partial(Files, "jsonl", _jsonl))
ARROW: Final = Format(partial(Files, "arrow", _arrow), pyarrow)
PARQUET: Final = Format(partial(Files, "parquet", _parquet), pyarrow)
