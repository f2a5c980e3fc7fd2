"""Writes one file for each table: `layers.csv` and the others, all of them or none.

A format is a module with `writer`, whose encoder writes the rows of one table into an open file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from engine_layer_visualize.export.columns import Row, Schema
from engine_layer_visualize.io.atomic_file import Spool
from engine_layer_visualize.linting.subject import Subject


class About(NamedTuple):
    """What a file says of itself. `sources`: names of the logs; `version`: of the program."""

    sources: tuple[str, ...]
    version: str


class Encoder(Protocol):
    """Writes one table."""

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine. Raises OSError."""

    def end(self) -> None:
        """There are no more. Raises OSError."""


class TextEncoder:
    """Writes one table as text. `spell` makes the text of rows."""

    def __init__(
        self, file: BinaryIO, spell: Callable[[Iterable[Row]], Iterable[str]], head: str = ""
    ) -> None:
        self._file, self._spell = file, spell
        self._put((head,))

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine."""
        self._put(self._spell(rows))

    def end(self) -> None:
        """Nothing is to be written after the last row."""

    def _put(self, texts: Iterable[str]) -> None:
        self._file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)


class Writer(Protocol):
    """Writes tables of several engines."""

    remarks: list[str]  # what the format could not hold
    paths: list[Path]  # the files that it writes

    def add(self, subject: Subject) -> None:
        """The rows of an engine. Raises OSError."""

    def finish(self) -> list[Written]:
        """Gives all files their names. Raises OSError."""

    def close(self) -> None:
        """Deletes what `finish` has not named."""


class Written(NamedTuple):
    """A file, and what it holds: `54 rows`."""

    path: Path
    rows: int


class Files:
    """The files of some tables in a folder, of one format: a `Writer`.

    `key`: each stands in a folder of its table, under this name.
    """

    def __init__(
        self,
        folder: Path,
        format: str,
        tables: Sequence[Schema],
        about: About,
        encoder: Callable[[Schema, About, BinaryIO], Encoder],
        key: str = "",
    ) -> None:
        self.remarks: list[str] = []
        names = [f"{table.name}/{key}" if key else table.name for table in tables]
        self.paths = [folder / f"{name}.{format}" for name in names]
        self._open = ExitStack()
        self._tables: list[tuple[Schema, Path, Spool, Encoder]] = []
        self._rows = dict.fromkeys((table.name for table in tables), 0)
        try:
            for table, path in zip(tables, self.paths):
                spool = Spool(path.parent, path.name)
                self._open.callback(spool.close)
                self._tables.append((table, path, spool, encoder(table, about, spool.file)))
        except BaseException:
            self.close()
            raise

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine."""
        for table, *_ in self._tables:
            self.put(table.name, table.rows_of(subject))

    def put(self, name: str, rows: Iterable[Row]) -> None:
        """Writes rows of a table."""
        for table, _, _, encoder in self._tables:
            if table.name == name:
                encoder.add(self._counted(name, rows))

    def _counted(self, name: str, rows: Iterable[Row]) -> Iterable[Row]:
        for row in rows:
            self._rows[name] += 1
            yield row

    def finish(self, sync: bool = True) -> list[Written]:
        """Gives all files their names, in order. `sync`: as `Spool.finish` has it."""
        for _, _, spool, encoder in self._tables:
            encoder.end()
            (spool.sync if sync else spool.file.flush)()
        for path in filter(Path.is_dir, self.paths):  # the others would have their names by then
            # Both as of a file that is renamed: the second is its new name.
            raise IsADirectoryError(EISDIR, strerror(EISDIR), str(path), None, str(path))
        for _, path, spool, _ in self._tables:
            spool.finish(path, sync)
        return [Written(path, self._rows[table.name]) for table, path, *_ in self._tables]

    def close(self) -> None:
        """Deletes what `finish` has not named."""
        self._open.close()
