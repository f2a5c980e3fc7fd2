"""Writes tables as one Excel workbook: a sheet for each that has rows. Needs xlsxwriter.

A text is never a formula nor a link, control characters are spelled, and what a sheet cannot hold
is left out with a remark.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from engine_layer_visualize.core.text import count, visible
from engine_layer_visualize.export.columns import Schema, converted, package, spelled
from engine_layer_visualize.export.table_files import Format, Writer, Written
from engine_layer_visualize.facts.field import INTEGER, NUMBER, TRUTH
from engine_layer_visualize.linting.subject import Subject

# The tables that people read: the others have many rows, and are wanted by name.
DEFAULT: Final = ("engines", "layers", "reformats", "findings", "problems")
ROWS: Final = 1_048_576  # of a sheet
LONGEST: Final = 32_767  # UTF-16 units of a cell
_IS_CUT: Final = (
    f"a cell of Excel holds {LONGEST:,} characters: longer texts are cut, and end with …"
)
_EXACT: Final = 1 << 53  # a cell's number is a float
_NARROW: Final = (INTEGER, NUMBER, TRUTH)  # columns of these have shorter cells than texts


def library() -> Any:
    """Imports xlsxwriter. Raises ModuleNotFoundError with what to install."""
    return package("xlsxwriter", "a workbook for Excel needs")


class Workbook(Writer):
    """Writes one file, `EngineLayers.xlsx`. `remarks`: what its sheets could not hold."""

    def __init__(self, folder: Path, tables: Sequence[Schema], sources: Sequence[str]) -> None:
        super().__init__([folder / "EngineLayers.xlsx"])
        self._builds: set[str] = set()
        options = {
            "constant_memory": True,
            "use_zip64": True,  # where a sheet has more than 2 GB; others are as without it
            "tmpdir": self._open.enter_context(TemporaryDirectory(prefix="elv-")),
        }
        self._book = library().Workbook(self._spools[0].file, options)
        self._title = ", ".join(map(visible, sources))[:255]
        self._sheets = [_Sheet(self._book, table, self.remarks) for table in tables]

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine into each sheet."""
        self._builds.add(subject.engine.build_id or "")
        for sheet in self._sheets:
            sheet.add(subject)

    def finish(self) -> list[Written]:
        """Names the file."""
        if not self._book.worksheets():  # Excel opens no workbook without a sheet
            self._sheets[0].begin()
        for sheet in self._sheets:
            sheet.finish()
        # By these it is known whose workbook it is; the same tables give the same bytes.
        words = {"title": self._title, "keywords": " ".join(["build_id", *sorted(self._builds)])}
        self._book.set_properties({**words, "created": datetime.datetime(2000, 1, 1)})
        try:
            self._book.close()
        except library().exceptions.FileCreateError as error:
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
        self._texts = [None if kind == TRUTH else spelled(kind) for kind in kinds]

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
            if self.rows + 1 >= ROWS:
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
            if isinstance(cell, str):
                if cell:
                    sheet.write_string(line, column, self._cut(cell))
            elif isinstance(cell, bool):
                sheet.write_boolean(line, column, cell)
            elif isinstance(cell, (int, float)):
                if abs(cell) < _EXACT:
                    sheet.write_number(line, column, cell)
                else:  # text has all its digits
                    sheet.write_string(line, column, str(cell))

    def _cut(self, text: str) -> str:
        """A text that a cell can hold."""
        shown = visible(text)
        if len(shown) * 2 <= LONGEST:
            return shown
        wide = shown.encode("utf-16-le")
        if len(wide) // 2 <= LONGEST:
            return shown
        if _IS_CUT not in self._remarks:
            self._remarks.append(_IS_CUT)
        return wide[: 2 * (LONGEST - 1)].decode("utf-16-le", "ignore") + "…"

    def finish(self) -> None:
        """Remarks the rows that it does not hold."""
        if self._left_out:
            self._remarks.append(
                f"a sheet of Excel holds {ROWS:,} rows: {count(self._left_out, 'row')} of "
                f"{self._table.name} left out"
            )


XLSX: Final = Format(Workbook, library, DEFAULT)
