"""Printed times, tables of trtexec and lines `name: 0.1ms`; and the profiles of a file of any kind.

Each reader of a file gives its profiles, none where no row can be used, and problems.
"""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.core.limits import plausible
from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import MAX_WHOLE, Source, decode
from engine_layer_visualize.reading import file_kinds, nsight, profile_json
from engine_layer_visualize.reading.blocks import Table
from engine_layer_visualize.reading.hosts import PREFIX
from engine_layer_visualize.reading.markers import TABLE_MARK
from engine_layer_visualize.reading.scanner import TableLines, scan
from engine_layer_visualize.reading.wrapping import unwrapped, without_logger

# trtexec's. 8.2: `Layer  Time (ms)  Avg. Time (ms)  Time %`; 8.5 adds `Median Time (ms)` before the
# percents; 9.2 and later: `Time(ms)  Avg.(ms)  Median(ms)  Time(%)  Layer`.
_NAME_FIRST: Final = re.compile(
    r"\s*Layer\s+Time \(ms\)\s+Avg\. Time \(ms\)(\s+Median Time \(ms\))?"
)
_NAME_LAST: Final = re.compile(
    r"\s*Time\s?\(ms\)\s+Avg\.\s?\(ms\)\s+Median\s?\(ms\)\s+Time\s?\(%\)\s+Layer"
)
# These alone separate cells: a name may hold \x1e or U+2028.
_BLANKS: Final = re.compile("[ \t]+")
_INEXACT: Final = 1e-4  # of a sum, which trtexec adds up in 32 bits
_COUNT: Final = re.compile(r"=== Profile \((\d{1,18}) iterations? ?\) ===")

# A name may hold `: `: the time is what stands after the last one.
_TIME: Final = re.compile(r": *([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|[-+]?nan|[-+]?inf) ?ms$")
# e.g. (a logger) TensorRT layer "conv1"
_QUOTED: Final = re.compile(r"""[\w ]{0,40}[:= ]{0,3}(["'`])(.+)\1""")
_TICK, _MICROSECOND = 32, 1000  # ns; CUDA's events tick so: a mean of several runs does not
_TRTEXEC: Final = b"&&&& RUNNING TensorRT.trtexec"


def is_trtexec(head: bytes) -> bool:
    """Whether a table's title or its column heads stand in it."""
    return TABLE_MARK in head or any(_heads(line) is not None for line in decode(head).split("\n"))


def read_trtexec(source: Source) -> tuple[list[Profile], list[Problem]]:
    """A profile of each table that has rows."""
    read = [read_table(table, source.name) for table in _tables(source.text())]
    profiles = [profile for profile, _ in read if profile.rows]
    return profiles, [problem for _, wrong in read for problem in wrong] if profiles else []


def last_of(tables: Sequence[Table], file: str) -> tuple[Profile | None, list[Problem]]:
    """The last of these tables of a log that has rows; a whole one before one that is cut."""
    read = [(table, *read_table(table, file)) for table in reversed(tables)]
    with_rows = [one for one in read if one[1].rows]
    if not with_rows:
        message = "a profile table without rows"
        return None, [Problem(Place(file, tables[-1].line), "ELV201", message)]
    last = with_rows[0][0]
    taken, profile, problems = next((one for one in with_rows if not one[0].cut), with_rows[0])
    if taken is not last:
        message = f"this table of times is cut; the whole one at line {taken.line} is taken"
        problems = [Problem(Place(file, last.line), "ELV206", message), *problems]
    return profile, problems


def read_table(table: Table, file: str) -> tuple[Profile, list[Problem]]:
    """The profile of one table of trtexec, whose rows may be none.

    A layer that is called `Total` differs from the row of totals by its place: that is the last.
    """
    lines = list(table.lines)
    match = _COUNT.search(lines[0][1])
    count = int(match[1]) if match else None
    lines = lines[1:] if "=== Profile" in lines[0][1] else lines
    first = _NAME_FIRST.match(lines[0][1]) if lines else None
    columns = 4 if first is None or first[1] else 3
    rows: list[ProfileRow] = []
    printed: list[list[str]] = []
    problems: list[Problem] = []
    for number, text in lines[1:]:
        name, cells = _cells(text, columns, name_first=first is not None)
        numbers = [*map(nsight.number, cells)]
        if all(map(plausible, numbers)):
            total, average, *_, percent = numbers
            median = numbers[2] if columns == 4 else None
            time = Timing(average, median, total, percent, n=count or None)
            rows.append(ProfileRow(name, time, line=number))
            printed.append(cells)
        else:
            message = f"`{name:.80}` has an unreadable time"
            problems.append(Problem(Place(file, number), "ELV204", message, *excerpt(text, 1)))
    if table.cut and rows:
        end = lines[-1][0]
        message = f"the table of times ends at line {end}, cut: no row of totals"
        problems.append(Problem(Place(file, end), "ELV210", message))
    summed = rows.pop().time if rows and rows[-1].name == "Total" else None
    if rows and not problems and (told := _missing(rows, printed)):
        problems.append(Problem(Place(file, table.line), "ELV215", told))
    return Profile(Place(file, table.line), tuple(rows), summed), problems


def _missing(rows: Sequence[ProfileRow], printed: Sequence[Sequence[str]]) -> str:
    """How it is told that a table lacks rows; empty where its numbers, as rounded, do not show it.

    All rows take what its Total says; without one, what a row takes by the share that it is.
    `printed`: the cells of each row, then those of the Total if it has one.
    """
    taken = sum(float(cells[0]) for cells in printed[: len(rows)])
    rounded = sum(_half(cells[0]) for cells in printed)
    if len(printed) > len(rows):
        whole = float(printed[-1][0])
        why = f"{whole:,.2f} ms by its Total"
    else:
        whole, name, share = max(map(_all, rows, printed))
        why = f"at least {whole:,.2f} ms, as `{name:.80}` is {share:g} %"
    if whole - taken <= rounded + _INEXACT * whole:
        return ""
    return f"rows are missing: these take {taken:,.2f} ms, all together {why}"


def _all(row: ProfileRow, cells: Sequence[str]) -> tuple[float, str, float]:
    """What all rows take at least by one of them, its name and its share."""
    share = float(cells[-1])
    least = (float(cells[0]) - _half(cells[0])) / (share + _half(cells[-1])) * 100
    return least if share else 0.0, row.name, share


def _half(number: str) -> float:
    """How much a printed number may be rounded by."""
    return float(0.5 / 10 ** len(number.partition(".")[2]))


def _cells(text: str, columns: int, *, name_first: bool) -> tuple[str, list[str]]:
    """The name, and so many cells; what is not there is empty."""
    text = text.strip(" \t")
    # A name may hold blanks: where it stands first, cells are split off from the end.
    parts: list[str] = _BLANKS.split(text[::-1] if name_first else text, columns)
    parts += [""] * (columns + 1 - len(parts))
    *cells, name = parts
    return (name[::-1], [cell[::-1] for cell in cells[::-1]]) if name_first else (name, cells)


def _tables(text: str) -> list[Table]:
    if "=== Profile (" in text:
        lines = [text.encode("utf-8", "replace")]
        scanned = scan(Source(None, chunks=lines, unwrap=unwrapped), tables=True)
        of_listings = (table for listing in scanned.listings for table in listing.tables)
        return [*scanned.tables, *of_listings]
    # An excerpt without the line above the column heads.
    tables: list[TableLines] = []
    is_open = False
    for number, line in enumerate(text.encode().split(b"\n"), 1):
        if is_open and (not line.strip() or tables[-1].take(number, line + b"\n")):
            continue
        column = _heads(line.decode())
        is_open = column is not None
        if column is not None:
            tables.append(TableLines(number, line, column))
    return [table.table()._replace(cut=False) for table in tables]


def _heads(line: str) -> int | None:
    """Where the column heads of a table begin on a line; None where it has none."""
    begin = len(line) - len(PREFIX.sub("", line, count=1))
    heads = _NAME_FIRST.match(line, begin) or _NAME_LAST.match(line, begin)
    return None if heads is None else len(line[:begin].encode())


def are_lines(head: bytes) -> bool:
    """Whether a line ends in `: TIMEms`. trtexec prints options so (`Sleep time: 0ms`)."""
    lines = decode(head).split("\n")
    return _TRTEXEC not in head and any(_TIME.search(line.rstrip(" \t\r")) for line in lines)


def read_lines(source: Source) -> tuple[list[Profile], list[Problem]]:
    """The profile that TensorRT's sample profiler, fx2trt and torch2trt print, a row a line.

    Lines that are no rows are skipped.
    """
    file, rows, problems = source.name, [], []
    for number, line in enumerate(without_logger(source.text()).split("\n"), 1):
        line = line.rstrip(" \t\r")
        match = _TIME.search(line)
        if match is None:
            continue
        name = line[: match.start()].strip(" \t")
        name = words[2] if (words := _QUOTED.fullmatch(name)) else name
        average = nsight.number(match[1])
        if plausible(average):
            rows.append(ProfileRow(name, Timing(average), line=number))
        else:
            message = f"`{name:.80}` has an unreadable time: {match[1]:.40}"
            problems.append(Problem(Place(file, number, match.start() + 1), "ELV204", message))
    times = [round(row.time.average_ms * 1e6) for row in rows if row.time.average_ms]
    if any(ns % _MICROSECOND for ns in times) and not any(ns % _TICK for ns in times):
        rows = [row._replace(time=row.time._replace(n=1)) for row in rows]  # of one run
    return [Profile(Place(file, 1), tuple(_of_runs(rows)))] * bool(rows), problems


def _of_runs(rows: list[ProfileRow]) -> list[ProfileRow]:
    """A row for each layer, with its mean, where a profiler printed the same layers in each run.

    Layers may have one name: rows are of runs where each name is there once in a run. Two runs are
    whole, at least; the last may be cut.
    """
    names = [row.name for row in rows]
    period = len(set(names))
    if not 2 <= period <= len(names) / 2 or names[period:] != names[:-period]:
        return rows
    times = [[row.time.average_ms or 0.0 for row in rows[at::period]] for at in range(period)]
    means = [Timing(math.fsum(ms) / len(ms), n=len(ms)) for ms in times]
    return [row._replace(time=mean) for row, mean in zip(rows, means)]


class Format(NamedTuple):
    """A format of files of times."""

    #: Whether a file that begins with these bytes is of this format.
    sniff: Callable[[bytes], bool]
    #: Its profiles, none where no row can be used, and problems; may raise ReadError.
    read: Callable[[Source], tuple[list[Profile], list[Problem]]]
    #: What to say where it has neither.
    empty: str = "no rows"


# In the order in which they are tried.
FORMATS: Final = {
    "nsight": Format(
        nsight.are_ranges,
        nsight.read_ranges,
        "no CSV with TensorRT's ranges: record `--trace=cuda,nvtx`, print `--format csv`",
    ),
    "chrome_trace": Format(profile_json.is_trace, profile_json.read_trace),
    "gpu_trace": Format(nsight.are_launches, nsight.read_launches),
    "trtexec_json": Format(profile_json.holds_rows, profile_json.read_trtexec),
    "trtexec_table": Format(is_trtexec, read_trtexec),
    "name_ms_text": Format(are_lines, read_lines),
}


def read(given: str | Path | Source) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, whose format its content decides. Raises ReadError."""
    if isinstance(given, Source):
        source = given
    else:
        source = Source(given, max_line=MAX_WHOLE, unwrap=unwrapped)

    def wrong(message: str, hint: str = "") -> ReadError:
        return ReadError(Problem(Place(source.name, 1), "ELV201", message), hint)

    head = source.head()
    if re.match(file_kinds.ITERATION_TIMES, head.lstrip()):
        raise wrong("no profile: these are the times of whole runs (trtexec's --exportTimes)")
    format = of_head(head)
    if format is None and b"\0" not in head:  # the rows may stand further down, as in a run's log
        head = source.head(MAX_WHOLE + 1)
        if len(head) > MAX_WHOLE:
            raise source.too_large()
        format = of_head(head)
    if format is None:
        what = (
            "neither JSON, nor a printed table, nor `name: 0.1ms` lines, nor CSV of "
            f"`nsys stats` (read are {file_kinds.NSYS_READ})"
        )
        raise wrong(f"no profile: {what if decode(head).strip() else 'empty'}")
    profiles, problems = format.read(source)
    if not profiles:
        unread = next((one for one in problems if one.code == "ELV204"), None)
        raise ReadError(unread) if unread else wrong(format.empty)
    return profiles, [*source.problems, *problems]


def of_head(head: bytes) -> Format | None:
    """The format of a file that begins so; None where it is of none."""
    return next((format for format in FORMATS.values() if format.sniff(head)), None)
