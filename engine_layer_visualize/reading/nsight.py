"""Times of the layers' NVTX ranges: the CSV of `nsys stats`, several reports of it in one text.

Read are `nvtx_kern_sum` (the kernels of each range), `nvtx_gpu_proj_sum` and
`nvtx_gpu_proj_trace` (from the first start on the GPU to the last end, gaps included). A layer has
the sum of its kernels, where they are listed. A range is `DOMAIN:NAME`: TensorRT's bear the names
of layers, those of other domains are the program's.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from engine_layer_visualize.core.layer_facts import LaunchedKernel
from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import TOO_MANY, measured
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.listings import Format
from engine_layer_visualize.reading.other_files import NSYS_RANGES

# e.g. Total Proj Time (ns)
_UNIT: Final = re.compile(r"(.{1,40}?) ?\((\w{1,4})\)")
_MS: Final = {
    **{"ns": 1e-6, "nsec": 1e-6, "us": 1e-3, "usec": 1e-3},
    **{"ms": 1.0, "msec": 1.0, "s": 1e3, "sec": 1e3},
}
_HOLDS_LAYERS: Final = "ExecutionContext::enqueue"
_TENSORRT: Final = "TensorRT"


class _Report(NamedTuple):
    """A report, by the names of its columns."""

    range: str
    time: str
    #: How many ranges a row is of; "": one.
    number: str


_KERNELS: Final = _Report("NVTX Range", "Total Time", "NVTX Inst")
_REPORTS: Final = (  # the better ones first
    _KERNELS,
    _Report("Range", "Total Proj Time", "Range Instances"),
    _Report("Name", "Projected Duration", ""),
)


class _Sum:
    """What one report says of the ranges of one name."""

    def __init__(self) -> None:
        self.ms = 0.0
        self._counts: dict[tuple[str | None, ...], int] = {}  # of ranges, by thread
        self._kernels: dict[str, list[float]] = {}  # launches, ms

    def add(
        self, row: Mapping[str, str], report: _Report, ms: float, ranges: int, launches: int
    ) -> None:
        """Adds a row."""
        thread = row.get("PID"), row.get("TID")
        before = self._counts.get(thread, 0)
        # The row of each kernel repeats how many ranges there were.
        self._counts[thread] = max(before, ranges) if report is _KERNELS else before + ranges
        self.ms += ms
        if (kernel := row.get("Kernel Name")) is not None:
            held = self._kernels.setdefault(kernel, [0, 0.0])
            held[0] += launches
            held[1] += ms

    def timing(self) -> Timing:
        """Without the average of one run where the number of runs is not told."""
        n = sum(self._counts.values())
        if not n:
            return Timing(None, total_ms=self.ms)
        kernels = (LaunchedKernel(k, times / n, ms / n) for k, (times, ms) in self._kernels.items())
        return Timing(self.ms / n, total_ms=self.ms, n=n, kernels=tuple(kernels))


def sniff(head: bytes) -> bool:
    """Whether the header of such a report stands in it."""
    return re.search(NSYS_RANGES, head) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads the ranges of TensorRT. Raises ReadError (ELV201) where there is none."""
    place, problems = Place(source.name, 1), []
    domains: dict[str, dict[str, dict[int, _Sum]]] = {_TENSORRT: {}, "": {}}
    for line, report, unit, row in _rows(source):
        domain, _, name = row[report.range].partition(":")
        if domain not in domains or name in ("", _HOLDS_LAYERS):
            continue
        try:
            ms = float(row[report.time]) * unit
            ranges = int(row[report.number]) if report.number in row else int(not report.number)
            launches = int(row.get("Kern Inst") or ranges)
            if not (measured(ms) and 0 <= ranges < TOO_MANY and 0 <= launches < TOO_MANY):
                raise ValueError
            sums = domains[domain].setdefault(name, {})
            sums.setdefault(_REPORTS.index(report), _Sum()).add(row, report, ms, ranges, launches)
        except ValueError:
            message = f"`{name:.80}` has an unreadable time or number"
            problems.append(Problem(Place(source.name, line), "ELV204", message))
    named = domains[_TENSORRT] or domains[""]
    times = {name: sums[min(sums)].timing() for name, sums in named.items()}
    rows = tuple(ProfileRow(name, time) for name, time in times.items())
    if not rows:
        message = "a report of `nsys stats` without TensorRT's ranges: record `--trace=cuda,nvtx`"
        raise ReadError(problems[0] if problems else Problem(place, "ELV201", message))
    counts = {row.time.n for row in rows}
    count = counts.pop() if len(counts) == 1 else None
    return [Profile(place, rows, count, of_ranges=True)], problems


def _rows(source: Source) -> Iterator[tuple[int, _Report, float, dict[str, str]]]:
    """The rows of our reports: line, report, milliseconds of its unit, cells by their columns."""
    lines = (
        decode(line)
        for span in source.spans()
        for line in span.data.removesuffix(b"\n").split(b"\n")
    )
    report: _Report | None = None
    names: list[str] = []
    unit, table = 1.0, csv.reader(lines)
    for row in _readable(table):
        cells = dict(zip(names, row)) if len(row) == len(names) else {}
        if report is None or not cells.get(report.time, "")[:1].isdigit():
            found, its_names, its_unit = _columns(row)
            if its_names and (found or not cells):
                report, names, unit = found, its_names, its_unit
                continue
        if report is not None and cells:
            yield table.line_num, report, unit, cells


def _readable(table: Iterable[list[str]]) -> Iterator[list[str]]:
    rows = iter(table)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:  # a cell that no name is as long as
            continue


def _columns(row: list[str]) -> tuple[_Report | None, list[str], float]:
    """The report that a header begins, its columns, and the milliseconds of its unit.

    No columns: the row is no header.
    """
    split = [_UNIT.fullmatch(cell) for cell in row]
    units = {match[1]: match[2] for match in split if match is not None and match[2] in _MS}
    if not units:
        return None, [], 1.0
    names = [match[1] if match is not None else cell for cell, match in zip(row, split)]
    report = next((one for one in _REPORTS if {one.range, one.time} <= {*names}), None)
    if report is None or report.time not in units:
        return None, names, 1.0
    return report, names, _MS[units[report.time]]


FORMAT: Final = Format("nsight", sniff, read)
