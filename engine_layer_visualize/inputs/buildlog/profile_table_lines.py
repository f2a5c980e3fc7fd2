"""Reads the lines of a printed profile table, without the host's words before them."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.blocks import Table
from engine_layer_visualize.inputs.buildlog.markers import TABLE_MARK
from engine_layer_visualize.inputs.buildlog.prefixes import OWN, without_host
from engine_layer_visualize.io.source import decode

_NUMBER: Final = rb"(?:\d[\d.]*|-?nan|-?inf)"
# e.g. (8.2) conv_a  12.50  0.0125  1.5
# e.g. (9.2-)  12.50  0.0125  0.0124  1.5  conv_a
ROW: Final = lazy(
    rb".*\s%(n)s\s+%(n)s\s+%(n)s(?:\s+%(n)s)?\s*|\s*%(n)s\s+%(n)s\s+%(n)s\s+%(n)s\s.*"
    % {b"n": _NUMBER}
)
_MOST_STRAYS: Final = 16  # lines of other programs between two rows


class TableLines:
    """The lines of one table, as they come."""

    def __init__(self, line: int, text: bytes) -> None:
        column = text.index(TABLE_MARK)
        self._prefix = text[:column]
        self._lines = [(line, decode(text[column:]).rstrip())]
        self._strays = 0
        self._ended = False  # the row of totals was taken
        self._torn = False  # the input ended inside the last row

    def take(self, line: int, text: bytes) -> bool:
        """Takes the line in; False where it is no longer of the table."""
        row = without_host(text.rstrip(), self._prefix)
        is_header = len(self._lines) == 1 and b"Layer" in row
        if not is_header and not ROW.fullmatch(row):
            return self._is_stray(text)
        self._strays = 0
        self._torn = not text.endswith(b"\n")
        self._ended = row.lstrip().startswith(b"Total ") or row.endswith(b" Total")
        self._lines.append((line, decode(row)))
        return True

    def _is_stray(self, text: bytes) -> bool:
        """Whether a line is another program's: rows bear a host's words, and it bears none."""
        self._strays += 1
        foreign = bool(self._prefix) and not self._ended and OWN.search(text) is None
        return foreign and self._strays <= _MOST_STRAYS

    def table(self) -> Table:
        """The lines that were taken. A row that is torn may have the name of another layer."""
        lines = self._lines[:-1] if self._torn and not self._ended else self._lines
        return Table(lines[0][0], tuple(lines), not self._ended)
