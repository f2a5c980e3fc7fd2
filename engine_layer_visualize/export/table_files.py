"""Writes one file for each table, `layers.csv` and the others: all or none; CSV and JSON Lines.

A format is a `Format`, whose encoder writes the rows of one table into an open file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from errno import EISDIR
from functools import partial
from os import strerror
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol, TypeAlias

from engine_layer_visualize.documents.markup import table as csv_text
from engine_layer_visualize.export.columns import Row, Schema, plain, spelled
from engine_layer_visualize.facts.json import dump
from engine_layer_visualize.io.atomic_file import Spool
from engine_layer_visualize.linting.subject import Subject


class Written(NamedTuple):
    """A file, and how many rows it holds."""

    path: Path
    rows: int


class Writer(Protocol):
    """Writes tables of several engines."""

    remarks: list[str]  # what the format could not hold
    paths: list[Path]  # the files that it writes

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine. Raises OSError."""

    def finish(self) -> list[Written]:
        """Gives all files their names. Raises OSError."""

    def close(self) -> None:
        """Deletes what `finish` has not named."""


class Format(NamedTuple):
    """A format of tables. `writer` opens their files in a folder; it is told the logs' names."""

    writer: Callable[[Path, Sequence[Schema], Sequence[str]], Writer]
    library: Callable[[], object] = lambda: None  # imports what it needs; ModuleNotFoundError
    tables: tuple[str, ...] = ()  # those that it has unless others are asked for; none: all


class Encoder(Protocol):
    """Writes one table."""

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine. Raises OSError."""

    def end(self) -> None:
        """There are no more. Raises OSError."""


# A table, the logs' names, the file -> what writes the table into the file.
Encoding: TypeAlias = Callable[[Schema, Sequence[str], BinaryIO], Encoder]


class _File(NamedTuple):
    """The file of one table."""

    table: Schema
    path: Path
    spool: Spool
    encoder: Encoder


class Files:
    """The files of some tables in a folder: a `Writer`. `format`: the end of their names."""

    def __init__(
        self,
        format: str,
        encoding: Encoding,
        folder: Path,
        tables: Sequence[Schema],
        sources: Sequence[str],
    ) -> None:
        self.remarks: list[str] = []
        self._open = ExitStack()
        self._files: list[_File] = []
        self._rows: Counter[Path] = Counter()
        try:
            for table in tables:
                path = folder / f"{table.name}.{format}"
                spool = Spool(path.parent, path.name)
                self._open.callback(spool.close)
                encoder = encoding(table, sources, spool.file)
                self._files.append(_File(table, path, spool, encoder))
        except BaseException:
            self.close()
            raise
        self.paths = [file.path for file in self._files]

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine."""
        for file in self._files:
            file.encoder.add(self._counted(file, subject))

    def _counted(self, file: _File, subject: Subject) -> Iterator[Row]:
        for row in file.table.rows_of(subject):
            self._rows[file.path] += 1
            yield row

    def finish(self) -> list[Written]:
        """Gives all files their names, in order."""
        for file in self._files:
            file.encoder.end()
            file.spool.sync()
        for path in filter(Path.is_dir, self.paths):  # the others would have their names by then
            # Both as of a file that is renamed: the second is its new name.
            raise IsADirectoryError(EISDIR, strerror(EISDIR), str(path), None, str(path))
        for file in self._files:
            file.spool.finish(file.path)
        return [Written(path, self._rows[path]) for path in self.paths]

    def close(self) -> None:
        """Deletes what `finish` has not named."""
        self._open.close()


class _Text:
    """Writes one table as text. `spell` makes the text of rows."""

    def __init__(
        self, file: BinaryIO, spell: Callable[[Iterable[Row]], Iterable[str]], head: str = ""
    ) -> None:
        self._file, self._spell = file, spell
        self._put((head,))

    def add(self, rows: Iterable[Row]) -> None:
        self._put(self._spell(rows))

    def end(self) -> None:
        """Nothing stands behind the last row."""

    def _put(self, texts: Iterable[str]) -> None:
        self._file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)


def _csv(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """Rows below the columns' names; no cell is a formula."""
    spelling = ((place, spelled(column.kind)) for place, column in enumerate(table.columns))
    nested = [(place, text) for place, text in spelling if text is not None]

    def flat(row: Row) -> list[object]:
        cells = list(row)
        for place, text in nested:
            if cells[place] is not None:
                cells[place] = text(cells[place])
        return cells

    return _Text(file, lambda rows: (csv_text((), map(flat, rows)),), csv_text(table.names, ()))


def _jsonl(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """An object for each row, with every column."""

    def objects(rows: Iterable[Row]) -> Iterator[str]:
        for row in plain(table.columns, rows):
            yield dump(dict(zip(table.names, row))) + "\n"

    return _Text(file, objects)


CSV: Final = Format(partial(Files, "csv", _csv))
JSONL: Final = Format(partial(Files, "jsonl", _jsonl))
