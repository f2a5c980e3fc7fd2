"""The table that trtexec prints: `=== Profile (961 iterations ) ===`, in its three shapes.

Gives one profile per table of a file, or that of one table of a log, and problems. A layer that is
called `Total` differs from the row of totals by its place: that is the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import measured
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.blocks import Table
from engine_layer_visualize.reading.hosts import PREFIX
from engine_layer_visualize.reading.listings import Format
from engine_layer_visualize.reading.markers import TABLE_MARK as TITLE
from engine_layer_visualize.reading.scanner import scan

# 8.2: `Layer  Time (ms)  Avg. Time (ms)  Time %`; 8.5 adds `Median Time (ms)` before the percents;
# 9.2 and later: `Time(ms)  Avg.(ms)  Median(ms)  Time(%)  Layer`.
_NAME_FIRST: Final = re.compile(
    r"\s*Layer\s+Time \(ms\)\s+Avg\. Time \(ms\)(\s+Median Time \(ms\))?"
)
_NAME_LAST: Final = re.compile(
    r"\s*Time\s?\(ms\)\s+Avg\.\s?\(ms\)\s+Median\s?\(ms\)\s+Time\s?\(%\)\s+Layer"
)
_BLANKS: Final = " \t"
_INEXACT: Final = 1e-4  # of a sum, which trtexec adds up in 32 bits
_COUNT: Final = re.compile(r"=== Profile \((\d{1,18}) iterations? ?\) ===")


def sniff(head: bytes) -> bool:
    """Whether a table's title or its column heads stand in it."""
    return TITLE in head or _heads(decode(head)) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """All tables of a file. Raises ReadError (ELV201) where none has a row to use."""
    file = source.name
    profiles, problems = [], []
    for table in _tables(source.text(), file):
        profile, wrong = read_table(table, file)
        problems += wrong
        if profile.rows:
            profiles.append(profile)
    if not profiles:
        raise ReadError(Problem(Place(file, 1), "ELV201", "a profile table without rows"))
    return profiles, problems


def last_of(tables: Sequence[Table], file: str) -> tuple[Profile | None, list[Problem]]:
    """The last of these tables of a log that has rows; a whole one before one that is cut."""
    read = [(table, *read_table(table, file)) for table in reversed(tables)]
    with_rows = [one for one in read if one[1].rows]
    if not with_rows:
        message = "a profile table without rows"
        return None, [Problem(Place(file, tables[-1].line), "ELV201", message)]
    last, profile, problems = with_rows[0]
    whole = next((one for one in with_rows if not one[0].cut), None)
    if whole is None or whole[0] is last:
        return profile, problems
    taken, profile, problems = whole
    message = f"this table of times is cut; the whole one at line {taken.line} is taken"
    return profile, [Problem(Place(file, last.line), "ELV206", message), *problems]


def read_table(table: Table, file: str) -> tuple[Profile, list[Problem]]:
    """One table; its rows may be none."""
    lines = list(table.lines)
    match = _COUNT.search(lines[0][1])
    count = int(match[1]) if match else None
    lines = lines[1:] if "=== Profile" in lines[0][1] else lines
    heads = lines[0][1] if lines else ""
    first = _NAME_FIRST.match(heads)
    columns = 4 if first is None or first[1] else 3
    rows: list[ProfileRow] = []
    printed: list[list[str]] = []
    problems: list[Problem] = []
    for number, text in lines[1:]:
        name, cells = _cells(text, columns, name_first=first is not None)
        try:
            rows.append(ProfileRow(name, _timing(cells, count), line=number))
            printed.append(cells)
        except ValueError:
            shown, caret = excerpt(text, 1)
            message = f"`{name:.80}` has an unreadable time"
            problems.append(Problem(Place(file, number), "ELV204", message, shown, caret))
    if table.cut and rows:
        end = lines[-1][0]
        message = f"the table of times ends at line {end}, cut: no row of totals"
        problems.append(Problem(Place(file, end), "ELV210", message))
    total = rows.pop().time if rows and rows[-1].name == "Total" else None
    if not problems and (told := _missing(rows, printed)):
        problems.append(Problem(Place(file, table.line), "ELV215", told))
    return Profile(Place(file, table.line), tuple(rows), count, total), problems


def _missing(rows: Sequence[ProfileRow], printed: Sequence[Sequence[str]]) -> str:
    """How it is told that a table lacks rows; empty where its numbers, as rounded, do not show it.

    All rows take what its Total says; without one, what a row takes by the share that it is.

    Args:
        rows: of layers.
        printed: The cells of each, then those of the Total if it has one.
    """
    if not rows:
        return ""
    taken = sum(float(cells[0]) for cells in printed[: len(rows)])
    rounded = sum(_half(cells[0]) for cells in printed)
    if len(printed) > len(rows):
        whole = float(printed[-1][0])
        why = f"{whole:,.2f} ms by its Total"
    else:
        whole, name, share = max(map(_all, rows, printed))
        why = f"at least {whole:,.2f} ms, of which `{name:.80}` is {share:g} %"
    if whole - taken <= rounded + _INEXACT * whole:
        return ""
    return f"rows are missing: those of this table take {taken:,.2f} ms, all together {why}"


def _all(row: ProfileRow, cells: Sequence[str]) -> tuple[float, str, float]:
    """What all rows take at least by one of them, its name and its share."""
    share = float(cells[-1])
    least = (float(cells[0]) - _half(cells[0])) / (share + _half(cells[-1])) * 100
    return least if share else 0.0, row.name, share


def _half(number: str) -> float:
    """How much a printed number may be rounded by."""
    return float(0.5 / 10 ** len(number.partition(".")[2]))


def _cells(text: str, columns: int, *, name_first: bool) -> tuple[str, list[str]]:
    r"""The name, and so many cells. Blanks alone separate: a name may hold \\x1e or U+2028."""
    cells: list[str] = []
    for _ in range(columns):
        text = text.strip(_BLANKS)
        if name_first:
            border = max(text.rfind(blank) for blank in _BLANKS) + 1
            cells.insert(0, text[border:])
            text = text[:border]
        else:
            border = min(
                (i for blank in _BLANKS if (i := text.find(blank)) >= 0), default=len(text)
            )
            cells.append(text[:border])
            text = text[border:]
    return text.strip(_BLANKS), cells


def _timing(cells: list[str], count: int | None) -> Timing:
    """total, average[, median], percent. Raises ValueError."""
    numbers = [float(cell) for cell in cells]
    if len(numbers) < 3 or not all(map(measured, numbers)):
        raise ValueError(cells)
    median = numbers[2] if len(numbers) == 4 else None
    return Timing(numbers[1], median, numbers[0], numbers[-1], n=count or None)


def _tables(text: str, file: str) -> list[Table]:
    if "=== Profile (" in text:
        scanned = scan(
            Source(None, chunks=[text.encode("utf-8", "replace")], name=file), tables=True
        )
        return [
            *scanned.tables,
            *(table for listing in scanned.listings for table in listing.tables),
        ]
    first = (_heads(text) or 0) + 1  # an excerpt without the line above the column heads
    lines = enumerate(text.split("\n")[first - 1 :], first)
    rows = [(number, PREFIX.sub("", line, count=1).rstrip()) for number, line in lines]
    return [Table(first, tuple(row for row in rows if row[1]))]


def _heads(text: str) -> int | None:
    """The index of the line with the column heads; None where there is none."""
    for number, line in enumerate(text.split("\n")):
        bare = PREFIX.sub("", line, count=1)
        if _NAME_FIRST.match(bare) or _NAME_LAST.match(bare):
            return number
    return None


FORMAT: Final = Format("trtexec_table", sniff, read)
