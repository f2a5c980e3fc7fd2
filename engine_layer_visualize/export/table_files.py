"""Writes a file for each table, `layers.csv` …: CSV, JSON Lines, Arrow, Parquet; or one for Excel.

All are there, or none. A format is a `Format`, whose encoder writes the rows of one table. What
Excel's sheets cannot hold is left out with a remark.
"""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from errno import EISDIR
from functools import cache, partial
from os import strerror
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.text import count, visible
from engine_layer_visualize.documents.markup import table as csv_text
from engine_layer_visualize.export import columns
from engine_layer_visualize.export.columns import Row, Schema, converted, pyarrow, spelled
from engine_layer_visualize.facts.json import dump
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

    def __init__(self, file: BinaryIO, spell: Callable[[Iterable[Row]], Iterable[str]]) -> None:
        self._file, self._spell = file, spell

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine. Raises OSError."""
        texts = self._spell(rows)
        self._file.writelines(text.encode("utf-8", "backslashreplace") for text in texts)

    def end(self) -> None:
        """Nothing stands behind the last row."""


def _csv(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """Rows below the columns' names; no cell is a formula."""
    texts = [spelled(column.kind) for column in table.columns]
    file.write(csv_text(table.names, ()).encode())
    return _Text(file, lambda rows: (csv_text((), converted(rows, texts)),))


def _jsonl(table: Schema, sources: Sequence[str], file: BinaryIO) -> _Text:
    """An object for each row, with every column."""

    def objects(rows: Iterable[Row]) -> Iterator[str]:
        for row in columns.plain(table.columns, rows):
            yield dump(dict(zip(table.names, row))) + "\n"

    return _Text(file, objects)


# ---- Arrow and Parquet ---------------------------------------------------------------------------

_GROUP: Final = 1 << 21  # bytes of rows that are held before they are written


def spare_memory() -> None:
    """Makes Arrow keep 20 MB less, and do without numpy (13 MB, 0.04 s).

    It does nothing where they are imported already. It is for a process of the program's own:
    nothing else in it can import numpy then.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]


class Stream:
    """Writes record batches, many as one group of rows."""

    def __init__(self, writer: Any, made: Any) -> None:
        self._writer, self._made = writer, made
        self._held: list[Any] = []
        self._size = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Writes the rows of one engine."""
        for batch in columns.batches(rows, self._made):
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
    made = columns.schema(table, sources)
    return Stream(pyarrow().ipc.new_file(file, made), made)


def _parquet(table: Schema, sources: Sequence[str], file: BinaryIO) -> Stream:
    made = columns.schema(table, sources)
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


# ---- Excel: a text is never a formula nor a link, and control characters are spelled -------------

# The tables that people read: the others have many rows, and are wanted by name.
IN_WORKBOOK: Final = ("engines", "layers", "reformats", "findings", "problems")
_MOST_ROWS: Final = 1_048_576  # of a sheet
_LONGEST: Final = 32_767  # UTF-16 units of a cell
_IS_CUT: Final = (
    f"a cell of Excel holds {_LONGEST:,} characters: longer texts are cut, and end with …"
)
_EXACT: Final = 1 << 53  # a cell's number is a float
_NARROW: Final = (int, float, bool)  # columns of these have shorter cells than texts


def xlsxwriter() -> Any:
    """Imports xlsxwriter. Raises ModuleNotFoundError with what to install."""
    return columns.package("xlsxwriter", "a workbook for Excel needs")


class Workbook(Writer):
    """Writes one file, `EngineLayers.xlsx`. `remarks`: what its sheets could not hold."""

    def __init__(self, folder: Path, tables: Sequence[Schema], sources: Sequence[str]) -> None:
        from tempfile import TemporaryDirectory  # slow to import

        super().__init__([folder / "EngineLayers.xlsx"])
        self._builds: set[str] = set()
        options = {
            "constant_memory": True,
            "use_zip64": True,  # where a sheet has more than 2 GB; others are as without it
            "tmpdir": self._open.enter_context(TemporaryDirectory(prefix="elv-")),
        }
        self._book = xlsxwriter().Workbook(self._spools[0].file, options)
        self._title = ", ".join(map(visible, sources))[:255]
        self._sheets = [_Sheet(self._book, table, self.remarks) for table in tables]

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine into each sheet."""
        self._builds.add(subject.engine.build_id or "")
        for sheet in self._sheets:
            sheet.add(subject)

    def finish(self) -> list[Written]:
        """Names the file."""
        import datetime

        if not self._book.worksheets():  # Excel opens no workbook without a sheet
            self._sheets[0].begin()
        for sheet in self._sheets:
            sheet.finish()
        # By these it is known whose workbook it is; the same tables give the same bytes.
        words = {"title": self._title, "keywords": " ".join(["build_id", *sorted(self._builds)])}
        self._book.set_properties({**words, "created": datetime.datetime(2000, 1, 1)})
        try:
            self._book.close()
        except xlsxwriter().exceptions.FileCreateError as error:
            raise error.args[0] from None  # the OSError
        self._spools[0].finish()
        return [Written(self.paths[0], sum(sheet.rows for sheet in self._sheets))]

    def close(self) -> None:
        """Deletes what `finish` has not named."""
        self._book.fileclosed = True  # it would write a warning
        for sheet in self._book.worksheets():
            if sheet.row_data_fh is not None:
                with suppress(OSError):  # it writes what is left, and the disk may be full
                    sheet.row_data_fh.close()
        super().close()


class _Sheet:
    """One table, from its first row on. `rows`: how many it has, without the header."""

    def __init__(self, book: Any, table: Schema, remarks: list[str]) -> None:
        self._book, self._table, self._remarks = book, table, remarks
        self.rows = 0
        self._left_out = 0
        kinds = [column.kind for column in table.columns]
        self._texts = [None if kind is bool else spelled(kind) for kind in kinds]

    def begin(self) -> None:
        """Adds the sheet, with its header."""
        self._sheet = self._book.add_worksheet(self._table.name.capitalize())
        bold = self._book.add_format({"bold": True})
        for place, column in enumerate(self._table.columns):
            self._sheet.set_column(place, place, 12 if column.kind in _NARROW else 30)
            self._sheet.write_string(0, place, column.name, bold)
        self._sheet.freeze_panes(1, 0)

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine."""
        for row in converted(self._table.rows_of(subject), self._texts):
            if self.rows + 1 >= _MOST_ROWS:
                self._left_out += 1
                continue
            if not self.rows:
                self.begin()
            self.rows += 1
            self._write(row)

    def _write(self, cells: Sequence[object]) -> None:
        """Writes the cells of a row; one that is None stays empty."""
        line, sheet = self.rows, self._sheet
        for column, cell in enumerate(cells):
            if isinstance(cell, bool):
                sheet.write_boolean(line, column, cell)
            elif isinstance(cell, (int, float)) and abs(cell) < _EXACT:
                sheet.write_number(line, column, cell)
            elif cell not in (None, ""):  # of a large number the text has all digits
                sheet.write_string(line, column, self._cut(str(cell)))

    def _cut(self, text: str) -> str:
        """A text that a cell can hold."""
        shown = visible(text)
        wide = shown.encode("utf-16-le")
        if len(wide) // 2 <= _LONGEST:
            return shown
        if _IS_CUT not in self._remarks:
            self._remarks.append(_IS_CUT)
        return wide[: 2 * (_LONGEST - 1)].decode("utf-16-le", "ignore") + "…"

    def finish(self) -> None:
        """Remarks the rows that it does not hold."""
        if self._left_out:
            self._remarks.append(
                f"a sheet of Excel holds {_MOST_ROWS:,} rows: {count(self._left_out, 'row')} of "
                f"{self._table.name} left out"
            )


CSV: Final = Format(partial(Files, "csv", _csv))
JSONL: Final = Format(partial(Files, "jsonl", _jsonl))
ARROW: Final = Format(partial(Files, "arrow", _arrow), pyarrow)
PARQUET: Final = Format(partial(Files, "parquet", _parquet), pyarrow)
XLSX: Final = Format(Workbook, xlsxwriter, IN_WORKBOOK)
