"""Times of `nsys stats`: those of the layers' NVTX ranges, and a GPU's launches one by one."""

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.layer_facts import LaunchedKernel
from engine_layer_visualize.core.limits import TOO_MANY, plausible
from engine_layer_visualize.core.model import JsonValue, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.json_stream import Walk, text_of
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.file_kinds import NSYS_RANGES
from engine_layer_visualize.reading.profile_json import json_rows

# `--timeunit` sets the unit of a column; reports as JSON up to 2022 spell it otherwise.
# e.g. Total Proj Time (ns)
# e.g. Duration(nsec)
_COLUMN: Final = re.compile(r"(.{1,40}?) ?\((\w{1,4})\)")
_NANOSECONDS: Final = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}  # or `sec`, `msec`, …

# ---- ranges ------------------------------------------------------------------------------------


class _Report(NamedTuple):
    """A report, by the names of its columns."""

    range: str
    time: str
    #: How many ranges a row is of; "": one.
    number: str


_KERNELS: Final = _Report("NVTX Range", "Total Time", "NVTX Inst")  # nvtx_kern_sum
_REPORTS: Final = (  # the better ones first
    _KERNELS,
    # From the first start on the GPU to the last end, gaps included.
    _Report("Range", "Total Proj Time", "Range Instances"),  # nvtx_gpu_proj_sum
    _Report("Name", "Projected Duration", ""),  # nvtx_gpu_proj_trace
)


class _Sum:
    """What one report says of the ranges of one name."""

    def __init__(self) -> None:
        self.ms = 0.0
        self.ranges: Counter[tuple[str | None, str | None]] = Counter()  # by process and thread
        self.kernels: dict[str, tuple[int, float]] = {}  # launches, ms

    def timing(self) -> Timing:
        """Without the average of one run where the number of runs is not told."""
        n = self.ranges.total()
        if not n:
            return Timing(None, total_ms=self.ms)
        kernels = (LaunchedKernel(k, times / n, ms / n) for k, (times, ms) in self.kernels.items())
        return Timing(self.ms / n, total_ms=self.ms, n=n, kernels=tuple(kernels))


def are_ranges(head: bytes) -> bool:
    """Whether the header of a report of ranges, as CSV, stands in it."""
    return re.search(NSYS_RANGES, head) is not None


def read_ranges(source: Source) -> tuple[list[Profile], list[Problem]]:
    """The profile of TensorRT's ranges, from several reports in one text.

    A layer has the sum of its kernels, where they are listed. A range is `DOMAIN:NAME`: TensorRT's
    bear the names of layers, those of other domains are the program's.
    """
    place, problems = Place(source.name, 1), []
    domains: dict[str, dict[str, defaultdict[int, _Sum]]] = {"TensorRT": {}, "": {}}
    for line, report, unit, row in _rows(source):
        domain, _, name = row[report.range].partition(":")
        if domain not in domains or name in ("", "ExecutionContext::enqueue"):
            continue
        try:
            ms = float(row[report.time]) * unit
            ranges = int(row.get(report.number, not report.number))
            launches = int(row.get("Kern Inst") or ranges)
            if not (plausible(ms) and 0 <= ranges < TOO_MANY and 0 <= launches < TOO_MANY):
                raise ValueError
        except ValueError:
            message = f"`{name:.80}` has an unreadable time or number"
            problems.append(Problem(Place(source.name, line), "ELV204", message))
            continue
        told = domains[domain].setdefault(name, defaultdict(_Sum))[_REPORTS.index(report)]
        told.ms += ms
        thread = row.get("PID"), row.get("TID")
        # The row of each kernel repeats how many ranges there were.
        before = told.ranges[thread]
        told.ranges[thread] = max(before, ranges) if report is _KERNELS else before + ranges
        if (kernel := row.get("Kernel Name")) is not None:
            times, total = told.kernels.get(kernel, (0, 0.0))
            told.kernels[kernel] = times + launches, total + ms
    named = domains["TensorRT"] or domains[""]
    rows = tuple(ProfileRow(name, sums[min(sums)].timing()) for name, sums in named.items())
    return [Profile(place, rows, of_ranges=True)] * bool(rows), problems


def _rows(source: Source) -> Iterator[tuple[int, _Report, float, dict[str, str]]]:
    """The rows of our reports: line, report, milliseconds of its unit, cells by their columns."""
    texts = (decode(span.data.removesuffix(b"\n")) for span in source.spans())
    lines = chain.from_iterable(text.split("\n") for text in texts)
    report: _Report | None = None
    names: list[str] = []
    unit = 1.0
    for number, row in _csv_rows(lines):
        cells = dict(zip(names, row)) if len(row) == len(names) else {}
        if report is None or not cells.get(report.time, "")[:1].isdigit():
            timed = _timed(row)
            columns = [match[1] if (match := _COLUMN.fullmatch(cell)) else cell for cell in row]
            ours = (one for one in _REPORTS if one.range in columns and one.time in timed)
            found = next(ours, None)
            if found or (timed and not cells):  # a header: of one of these, or of another report
                report, names = found, columns
                unit = timed[found.time][1] / 1e6 if found else 1.0
                continue
        if report is not None and cells:
            yield number, report, unit, cells


def _csv_rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows, with their lines; without cells where a line is no CSV."""
    table = csv.reader(lines)
    while True:
        try:
            for row in table:
                yield table.line_num, row
            return
        except csv.Error:  # a cell that no name is as long as
            yield table.line_num, []


def _timed(columns: Iterable[str]) -> dict[str, tuple[str, float]]:
    """The columns of times by their names without units: the whole names, the nanoseconds."""
    split = ((column, _COLUMN.fullmatch(column)) for column in columns)
    return {
        match[1]: (column, _NANOSECONDS[unit])
        for column, match in split
        if match is not None and (unit := match[2].removesuffix("ec")) in _NANOSECONDS
    }


# ---- launches ----------------------------------------------------------------------------------

# e.g. "Duration(nsec)": 1472
# e.g. "Duration (ns)": 1472
_JSON: Final = re.compile(rb'\s*\[\s*\{\s*"Start ?\(\w{1,4}\)"\s*:')
_CSV: Final = re.compile(rb'^"?Start ?\(\w{1,4}\)"?,"?Duration ?\(\w{1,4}\)', re.MULTILINE)
_NUMBER_OF_DEVICE: Final = re.compile(r" \(\d{1,4}\)$")


def are_launches(head: bytes) -> bool:
    """Whether the first keys are a launch's begin and duration."""
    return _JSON.match(head) is not None or _CSV.search(head) is not None


def read_launches(source: Source) -> tuple[list[Profile], list[Problem]]:
    """The profile of `cuda_gpu_trace` (`gputrace` before 2022), as JSON or as CSV.

    It has a row for each name of a kernel, copy or set, in the order in which they first stand. A
    launch says neither its layer nor its run, so a row's time is a sum over an unknown number of
    runs.
    """
    place, problems = Place(source.name, 1), []
    sums: dict[str, list[float]] = {}
    devices: set[str] = set()
    column, unit = "", 1.0
    for line, launch in _launches(source):
        words = "no object with a name"
        if isinstance(launch, dict) and isinstance(name := launch.get("Name"), str):
            if not column:  # a launch may lack it
                column, unit = _timed(launch).get("Duration", (column, unit))
            ms = number(str(launch.get(column))) * unit / 1e6
            if plausible(ms):
                sums.setdefault(name, []).append(ms)
                if isinstance(of := launch.get("Device"), str) and of:
                    devices.add(_NUMBER_OF_DEVICE.sub("", of))
                continue
            words = f"`{name:.80}` has an unreadable duration"
        problems.append(Problem(Place(source.name, line), "ELV204", words))
    rows = tuple(
        ProfileRow(name, Timing(None, total_ms=math.fsum(times), parts=len(times)))
        for name, times in sums.items()
    )
    device = Device(devices.pop()) if len(devices) == 1 else None
    return [Profile(place, rows, device=device, of_kernels=True)] * bool(rows), problems


def _launches(source: Source) -> Iterator[tuple[int, JsonValue]]:
    """The launches with their lines; what `nsys` prints before a table is left out."""
    if source.head(1 << 10).lstrip().startswith(b"["):
        yield from json_rows(Walk(text_of(source), source.name))
        return
    names: list[str] = []
    lines = decode(source.whole()).split("\n")
    for line, row in _csv_rows(lines):
        if not names:
            names = row if "Start" in _timed(row[:1]) else []
        elif row or lines[line - 1].strip():  # a row that is no CSV has no cells
            yield line, dict(zip(names, row))


def number(text: str) -> float:
    """The number; NaN, which no time is, where the text is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
