"""What a GPU did, one launch after another: `nsys stats --report gputrace` as JSON or as CSV.

Gives one profile with a row for each name of a kernel, copy or set, in the order in which they
first stand. A launch says neither its layer nor its run, so a row's time is a sum over an unknown
number of runs; `Profile.launches` has each launch, from which the assembly may find the runs.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.layer_facts import Launches
from engine_layer_visualize.core.model import JsonValue, Profile, ProfileRow, Timing
from engine_layer_visualize.core.numbers import measured
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import UNREADABLE, Walk
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.listings import Format

# The report's name was `gputrace`, and is `cuda_gpu_trace` since 2022; `--timeunit` sets the unit.
# e.g. "Duration(nsec)": 1472
# e.g. "Duration (ns)": 1472
_JSON: Final = re.compile(rb'\s*\[\s*\{\s*"Start ?\(\w{1,4}\)"\s*:')
_CSV: Final = re.compile(rb'^"?Start ?\(\w{1,4}\)"?,"?Duration ?\(\w{1,4}\)', re.MULTILINE)
_TIME: Final = re.compile(r"(Start|Duration) ?\((\w{1,4})\)")
_NANOSECONDS: Final = {
    **{"sec": 1e9, "s": 1e9, "msec": 1e6, "ms": 1e6},
    **{"usec": 1e3, "us": 1e3, "nsec": 1.0, "ns": 1.0},
}
_NUMBER_OF_DEVICE: Final = re.compile(r" \(\d{1,4}\)$")


def sniff(head: bytes) -> bool:
    """Whether the first keys are a launch's begin and duration."""
    return _JSON.match(head) is not None or _CSV.search(head) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads the launches. Raises ReadError (ELV201) where there is none to use."""
    text, file = source.text(), source.name
    launched = _Launched(file)
    if text.lstrip().startswith("["):
        walk = Walk(text, file)
        try:
            for row in walk.elements():
                launched.take(row, walk)
            walk.end()
        except UNREADABLE as error:
            raise ReadError(walk.problem("ELV201", "not JSON", error)) from None
    else:
        try:
            for line, row in _of_csv(text):
                launched.take(row, line)
        except csv.Error as error:
            raise ReadError(Problem(Place(file, 1), "ELV201", f"not CSV: {error}")) from None
    return [launched.profile()], launched.problems


class _Launched:
    """The launches so far, and the rows that they make."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._place = Place(file, 1)
        self._numbers: dict[str, int] = {}  # of rows, by name
        self._row, self._start, self._ns = array("L"), array("d"), array("d")
        self._devices: set[str] = set()
        self._units: dict[str, tuple[str, float]] = {}  # Start, Duration -> key, nanoseconds

    def take(self, row: JsonValue, at: Walk | int) -> None:
        """Takes one launch; `at`: the line, or what knows it."""
        words = "no object with a name"
        if isinstance(row, dict) and isinstance(name := row.get("Name"), str):
            start, ns = self._time(row, "Start"), self._time(row, "Duration")
            if start is not None and ns is not None and measured(ns / 1e6):
                self._row.append(self._numbers.setdefault(name, len(self._numbers)))
                self._start.append(start)
                self._ns.append(ns)
                if isinstance(device := row.get("Device"), str) and device:
                    self._devices.add(_NUMBER_OF_DEVICE.sub("", device))
                return
            words = f"`{name:.80}` has an unreadable " + ("start" if start is None else "duration")
        line = at if isinstance(at, int) else at.line
        self.problems.append(Problem(Place(self._place.file, line), "ELV204", words))

    def profile(self) -> Profile:
        """The rows in the order of their first launches. Raises ReadError (ELV201): none."""
        if not self._row:
            empty = Problem(self._place, "ELV201", "a trace of the GPU without launches")
            raise ReadError(self.problems[0] if self.problems else empty)
        order = sorted(range(len(self._row)), key=self._start.__getitem__)
        launches = Launches(
            array("L", (self._row[i] for i in order)), array("d", (self._ns[i] for i in order))
        )
        sums, counts = [0.0] * len(self._numbers), [0] * len(self._numbers)
        for number, ns in zip(launches.rows, launches.nanoseconds):
            sums[number] += ns
            counts[number] += 1
        rows = tuple(
            ProfileRow(name, Timing(None, total_ms=sums[number] / 1e6, parts=counts[number]))
            for name, number in self._numbers.items()
        )
        device = Device(self._devices.pop()) if len(self._devices) == 1 else None
        return Profile(self._place, rows, device=device, launches=launches)

    def _time(self, row: dict[str, JsonValue], which: str) -> float | None:
        """Nanoseconds of one of the two times of a launch."""
        if which not in self._units:
            for key in row:
                match = _TIME.fullmatch(key)
                if match is not None and match[2] in _NANOSECONDS:
                    self._units[match[1]] = key, _NANOSECONDS[match[2]]
        if which not in self._units:
            return None
        key, unit = self._units[which]
        value = row.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        try:
            return float(value) * unit
        except (ValueError, OverflowError):
            return None


def _of_csv(text: str) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """The rows, with their lines; what `nsys` prints before the table is left out."""
    lines: Iterable[str] = text.split("\n")
    rows = csv.reader(lines)
    keys: list[str] | None = None
    for row in rows:
        if keys is None:
            keys = row if row and _TIME.fullmatch(row[0]) else None
        elif row:
            yield rows.line_num, dict(zip(keys, row))


FORMAT: Final = Format("gpu_trace", sniff, read)
