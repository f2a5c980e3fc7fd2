"""The table that Torch-TensorRT's `TRTEngineProfiler` prints, as of 2.13, after a run.

Gives a profile for each engine that is named, of its last table: each holds the sums of all calls
so far. A sum divided by the row's invocations is the time of one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import TOO_MANY, measured
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.hosts import without_host
from engine_layer_visualize.reading.listings import Format
from engine_layer_visualize.reading.other_files import TORCH_TABLE

# e.g. ========== _run_on_acc_0_engine profile ==========
_TITLE: Final = re.compile(TORCH_TABLE.decode())
# e.g. TensorRT layer name   Runtime, %  Invocations  Runtime, ms
_HEADS: Final = re.compile(r"\s*TensorRT layer name\s+Runtime, *%\s+Invocations\s+Runtime, ms\s*$")
# e.g. ========== _run_on_acc_0_engine total runtime = 12.3 ms ==========
_END: Final = re.compile(r"={10} ([^=]{0,4096}) total runtime = (?:\S{1,40}) ms ={10}")
_NUMBER: Final = r"(-?(?:[\d.]{1,40}(?:e[-+]?\d{1,3})?|nan|inf))"
_CELLS: Final = re.compile(rf"{_NUMBER}% +(\d{{1,18}}) +{_NUMBER}$")
_WIDEST: Final = 200  # characters of the three numbers of a row


def sniff(head: bytes) -> bool:
    """Whether the title of a table stands in it."""
    return re.search(TORCH_TABLE, head) is not None


class _Row(NamedTuple):
    line: int
    text: str


class _Table:
    """The lines of one table."""

    def __init__(self, line: int, name: str, before: str) -> None:
        self.line, self.name = line, name
        self.before = before.encode()
        self.rows: list[_Row] = []
        self.ended = False

    def take(self, line: int, text: str) -> None:
        """Takes a line that is a row; another's may stand between them."""
        row = without_host(text.encode(), self.before).decode().rstrip()
        if _HEADS.match(row) is None and _CELLS.search(row[-_WIDEST:]) is not None:
            self.rows.append(_Row(line, row))


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """The last table of each engine. Raises ReadError (ELV201) where none has a row to use."""
    file, problems = source.name, []
    profiles: list[Profile] = []
    last = {table.name: table for table in _tables(source.text())}
    for table in last.values():
        rows, wrong = _rows(table, file)
        problems += wrong
        if rows:
            profiles.append(Profile(Place(file, table.line), rows, _same({r.time.n for r in rows})))
        if not table.ended:
            end = table.rows[-1].line if table.rows else table.line
            message = f"the table of times ends at line {end}, cut: no total runtime"
            problems.append(Problem(Place(file, end), "ELV210", message))
    if not profiles:
        empty = Problem(Place(file, 1), "ELV201", "a profile table without rows")
        raise ReadError(next((one for one in problems if one.code == "ELV204"), empty))
    return profiles, problems


def _tables(text: str) -> Iterator[_Table]:
    table: _Table | None = None
    lines = text.split("\n")
    lines.pop()  # torn where the file is cut
    for line, words in enumerate(lines, 1):
        if "==========" in words and (match := _TITLE.search(words)) is not None:
            table = _Table(line, match[1], words[: match.start()])
            yield table
        elif table is not None:
            match = _END.search(words) if "==========" in words else None
            if match is not None and match[1] == table.name:
                table.ended, table = True, None
            else:
                table.take(line, words)


def _rows(table: _Table, file: str) -> tuple[tuple[ProfileRow, ...], list[Problem]]:
    rows, problems = [], []
    for line, text in table.rows:
        start = max(0, len(text) - _WIDEST)
        match = _CELLS.search(text, start)
        assert match is not None
        name, runs = text[: match.start()].strip(" "), int(match[2])
        try:
            share, total = float(match[1]), float(match[3])
        except ValueError:
            share = total = -1.0
        if measured(total) and measured(share) and 0 < runs < TOO_MANY:
            rows.append(ProfileRow(name, Timing(total / runs, None, total, share, n=runs)))
        else:
            shown, caret = excerpt(text, match.start() + 1)
            message = f"`{name:.80}` has an unreadable time or number of invocations"
            problems.append(Problem(Place(file, line), "ELV204", message, shown, caret))
    return tuple(rows), problems


def _same(counts: set[int | None]) -> int | None:
    return counts.pop() if len(counts) == 1 else None


FORMAT: Final = Format("torch_table", sniff, read)
