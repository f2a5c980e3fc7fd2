"""Writes tables as one Excel workbook: a sheet for each and a summary. Needs xlsxwriter.

A text is never a formula nor a link, control characters are spelled, and what a sheet cannot hold
is left out with a remark.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from engine_layer_visualize.core.text import count, visible
from engine_layer_visualize.fields.field import INTEGER, NUMBER, TRUTH
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.io.atomic_file import Spool
from engine_layer_visualize.io.extras import install
from engine_layer_visualize.tables.files import About, Written
from engine_layer_visualize.tables.flat import spelled
from engine_layer_visualize.tables.schema import Column, Schema
from engine_layer_visualize.tables.xlsx_summary import Summary

# The tables that people read: the others have many rows, and are wanted by name.
DEFAULT: Final = ("engines", "layers", "reformats", "findings", "problems")
ROWS: Final = 1_048_576  # of a sheet
LONGEST: Final = 32_767  # UTF-16 units of a cell
LINKS: Final = 65_530  # of a sheet
_EXACT: Final = 1 << 53  # a cell's number is a float
_STEM: Final = "EngineLayers"
# The column that names layers, and the one whose cells link to the first of them: in LibreOffice
# a link is one line.
_LINKED: Final = {"reformats": ("layer", "layer"), "findings": ("layers", "code")}
_WIDTHS: Final = {
    **{"name": 44, "kernel": 40, "inputs": 34, "outputs": 34, "reason": 80, "message": 60},
    **{"advice": 60, "onnx_nodes": 34, "type": 20, "file": 24, "node": 40, "tensor": 40},
    **{"device": 24, "key": 20, "value": 40, "evidence": 60, "options": 30, "memory": 30},
    **{"tactic": 21, "runner": 18, "from": 34, "to": 34, "macs": 18, "bytes": 14, "layers": 22},
    **{"build_id": 20, "scope": 24, "rank": 8, "chosen": 9, "tensorrt": 12, "changes": 16},
}
_FORMATS: Final = {"ms": "0.0000", "bytes": "#,##0", "FLOP/byte": "0.0", "1/s": "#,##0.0"}
_WRAPPED: Final = ("message", "advice", "evidence", "options", "reason", "layers")
_LINE, _LINES = 15, 8  # the height of a line, and how many of a cell are seen
_BARS: Final = {"ms": "#F4B183", "share": "#9DC3E6"}


def library() -> Any:
    """Imports xlsxwriter. Raises ModuleNotFoundError with what to install."""
    try:
        import xlsxwriter
    except ImportError as error:
        message = f"a workbook for Excel needs xlsxwriter: {install('excel')}"
        raise ModuleNotFoundError(message, name="xlsxwriter") from error
    return xlsxwriter


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Workbook:
    """The workbook `EngineLayers.xlsx`. Raises ModuleNotFoundError, OSError."""
    return Workbook(folder, tables, about)


class Workbook:
    """A `Writer` of one file. `remarks`: what its sheets could not hold."""

    def __init__(self, folder: Path, tables: Sequence[Schema], about: About) -> None:
        xlsxwriter = library()
        self.remarks: list[str] = []
        self._path = folder / f"{_STEM}.xlsx"
        self.paths = [self._path]
        self._builds: set[str] = set()
        self._open = ExitStack()
        self._spool = Spool(folder, self._path.name)
        self._open.callback(self._spool.close)
        options = {
            "constant_memory": True,
            "use_zip64": True,  # where a sheet has more than 2 GB; others are as without it
            "tmpdir": self._open.enter_context(TemporaryDirectory(prefix="elv-")),
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        self._book = xlsxwriter.Workbook(self._spool.file, options)
        self._title = ", ".join(map(visible, about.sources))[:255]
        self._book.set_size(1_600, 1_000)
        summary = self._book.add_worksheet("Summary")
        cut = _Cut(self.remarks)
        self._sheets = {table.name: _Sheet(self._book, table, cut) for table in tables}
        layers = self._sheets.get("layers")
        self._summary = Summary(self._book, summary, layers.link if layers else None)

    def add(self, subject: Subject) -> None:
        """Writes the rows of an engine into each sheet."""
        self._builds.add(subject.build_id or "")
        layers = self._sheets.get("layers")
        start = layers.rows if layers is not None else 0
        for sheet in self._sheets.values():
            sheet.add(subject, layers, start)
        self._summary.add(subject, start)

    def finish(self) -> list[Written]:
        """Writes the summary and names the file."""
        self._summary.write()
        for sheet in self._sheets.values():
            sheet.finish()
        # By these it is known whose workbook it is; the same tables give the same bytes.
        words = {"title": self._title, "keywords": " ".join(["build_id", *sorted(self._builds)])}
        self._book.set_properties({**words, "created": datetime.datetime(2000, 1, 1)})
        try:
            self._book.close()
        except library().exceptions.FileCreateError as error:
            raise error.args[0] from None  # the OSError
        self._spool.finish(self._path)
        return [Written(self._path, sum(sheet.rows for sheet in self._sheets.values()))]

    def close(self) -> None:
        """Deletes what `finish` has not named."""
        self._book.fileclosed = True  # it would write a warning
        for sheet in self._book.worksheets():
            if sheet.row_data_fh is not None:
                sheet.row_data_fh.close()
        self._open.close()


class _Cut:
    """Makes texts that a cell can hold, and remarks the first that is cut."""

    def __init__(self, remarks: list[str]) -> None:
        self._remarks, self._is_said = remarks, False

    def remark(self, text: str) -> None:
        self._remarks.append(text)

    def __call__(self, text: str) -> str:
        shown = visible(text)
        if len(shown) * 2 <= LONGEST:
            return shown
        wide = shown.encode("utf-16-le")
        if len(wide) // 2 <= LONGEST:
            return shown
        if not self._is_said:
            self._is_said = True
            self.remark(
                f"a cell of Excel holds {LONGEST:,} characters: longer texts are cut, and end "
                "with …; the other formats have them whole"
            )
        return wide[: 2 * (LONGEST - 1)].decode("utf-16-le", "ignore") + "…"


class _Sheet:
    """One table. `rows`: how many it has, without the header."""

    def __init__(self, book: Any, table: Schema, cut: _Cut) -> None:
        self._table, self._cut = table, cut
        self.name = table.name.capitalize()
        self._sheet = book.add_worksheet(self.name)
        self.rows = 0
        self._links = 0
        self._left_out = 0
        self._engines: set[object] = set()
        self._builds: set[object] = set()
        head = book.add_format({"bold": True, "font_color": "#FFFFFF", "bg_color": "#1F3864"})
        self._texts = [
            None if column.kind == TRUTH else spelled(column.kind, _comma(column))
            for column in table.columns
        ]
        self._wrapped = [
            (at, _width(column)) for at, column in enumerate(table.columns) if _is_wrapped(column)
        ]
        self._sheet.write_row(0, 0, table.names, head)
        self._sheet.freeze_panes(1, 0)
        self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)
        self._sheet.repeat_rows(0)
        self._formats = [_format(book, column) for column in table.columns]
        self._set_columns()  # a cell takes the format that its column has by then
        self._named = self._linked = -1
        if table.name in _LINKED:
            self._named, self._linked = map(table.names.index, _LINKED[table.name])
            column = table.columns[self._linked]
            self._link = _format(book, column, font_color="#0563C1", underline=1)

    def link(self, row: int) -> str | None:
        """A link to a row, from 0; None where the sheet does not have it."""
        return f"internal:'{self.name}'!A{row + 2}" if row + 1 < ROWS else None

    def add(self, subject: Subject, layers: _Sheet | None, start: int) -> None:
        """Writes the rows of an engine.

        `layers` is the sheet to link to, where the engine's layers begin at `start`.
        """
        self._engines.add(subject.engine.index)
        self._builds.add(subject.build_id)
        for row in self._table.rows_of(subject):
            if self.rows + 1 >= ROWS:
                self._left_out += 1
                continue
            self.rows += 1
            self._write(row, layers, start)

    def _write(self, row: tuple[Any, ...], layers: _Sheet | None, start: int) -> None:
        line, sheet = self.rows, self._sheet
        cells = [
            text(cell) if text is not None and cell is not None else cell
            for cell, text in zip(row, self._texts)
        ]
        if self._wrapped:
            lines = 1 + max(len(cells[column] or "") // wide for column, wide in self._wrapped)
            sheet.set_row(line, _LINE * min(lines, _LINES))
        for column, cell in enumerate(cells):
            look = None  # that of the column
            if column == self._linked and layers is not None:
                look = self._write_link(line, column, row[self._named], layers, start)
            if isinstance(cell, str):
                if cell:
                    sheet.write_string(line, column, self._cut(cell), look)
            elif isinstance(cell, bool):
                sheet.write_boolean(line, column, cell)
            elif cell is None:
                continue
            elif abs(cell) < _EXACT:
                sheet.write_number(line, column, cell, look)
            else:  # text has all its digits
                sheet.write_string(line, column, str(cell))

    def _write_link(self, line: int, column: int, named: Any, layers: _Sheet, start: int) -> Any:
        """Links the cell to the first of the layers that are `named`, beneath its value.

        Returns the look of such a cell, None where there is no link.
        """
        first = named if isinstance(named, int) else next(iter(named or ()), None)
        target = layers.link(start + first) if first is not None else None
        if target is None:
            return None
        self._links += 1
        if self._links > LINKS:
            if self._links == LINKS + 1:
                self._cut.remark(
                    f"a sheet of Excel holds {LINKS:,} links: later rows of {self._table.name} "
                    "have none"
                )
            return None
        self._sheet.write_url(line, column, target, string=str(first))
        return self._link

    def finish(self) -> None:
        """What is known after the last row: widths, filters, bars."""
        sheet, last = self._sheet, self.rows
        if self._left_out:
            self._cut.remark(
                f"a sheet of Excel holds {ROWS:,} rows: {count(self._left_out, 'row')} of "
                f"{self._table.name} left out; the other formats have all"
            )
        self._set_columns()
        for place, column in enumerate(self._table.columns):
            if column.name in _BARS and last:
                bar = {"type": "data_bar", "bar_color": _BARS[column.name], "bar_solid": True}
                bar |= {"min_type": "num", "min_value": 0}
                sheet.conditional_format(1, place, last, place, bar)
        sheet.autofilter(0, 0, last, len(self._table.columns) - 1)

    def _set_columns(self) -> None:
        for place, (column, format) in enumerate(zip(self._table.columns, self._formats)):
            self._sheet.set_column(place, place, _width(column), format, self._is_hidden(column))

    def _is_hidden(self, column: Column) -> dict[str, bool] | None:
        """What is the same in every row is there, but not in the way."""
        if self._table.name == "engines":
            return None
        same = {"build_id": self._builds, "engine": self._engines}.get(column.name)
        return {"hidden": True} if same is not None and len(same) < 2 else None


def _is_wrapped(column: Column) -> bool:
    """Whether its cells have several lines; `layers` of an engine is their number."""
    return column.name in _WRAPPED and column.kind != INTEGER


def _comma(column: Column) -> str:
    """Between whole numbers: a line breaks at blanks alone."""
    return ", " if _is_wrapped(column) else ","


def _format(book: Any, column: Column, **look: object) -> Any:
    """How its cells look."""
    look["valign"] = "top"
    if column.unit == "share":
        return book.add_format({"num_format": "0.0%", **look})
    if _is_wrapped(column):
        return book.add_format({"indent": 1, "text_wrap": True, **look})
    if column.kind not in (INTEGER, NUMBER):
        return book.add_format({"indent": 1, **look})
    words = _FORMATS.get(column.unit) or ("#,##0" if column.name.startswith("macs") else None)
    return book.add_format({"num_format": words or "General", **look})


def _width(column: Column) -> int:
    """The width of a column in characters."""
    return _WIDTHS.get(column.name, max(len(column.name) + 3, 10))
