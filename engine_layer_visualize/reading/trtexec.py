"""Reads what trtexec prints of a build and of runs."""

from __future__ import annotations

import math
from array import array
from typing import Any, Final

from engine_layer_visualize.core import build_info, limits
from engine_layer_visualize.core.build_info import Device, Measure, Performance, Span
from engine_layer_visualize.core.limits import lazy, plausible
from engine_layer_visualize.io.source import decode, line_end
from engine_layer_visualize.reading.hosts import INFO, OWN, TRT
from engine_layer_visualize.reading.markers import Line, Stretch, Told, line

SECTION: Final = "Device Information"
# e.g. (8-) [I] Throughput: 245.3 qps
_QUANTITY: Final = lazy(r"\s*(\d{1,20}(?:\.\d{0,20})?(?:e[+-]?\d{1,3})?)(?![\w.])")


def quantity(words: str) -> float | None:
    """The number at the start of `424.281 qps`; None where there is none that can be."""
    match = _QUANTITY.match(words)
    number = float(match[1]) if match else math.nan
    return number if plausible(number) else None


# The sections hold options, the device and the performance of a run.


_MOST_STRAYS: Final = 16  # lines of other programs between two of a section
# e.g. (8-) [I] === Build Options ===
# e.g. (8-) [I] === Device Information ===
# e.g. (8-) [I] === Performance summary ===
_HEADER: Final = lazy(
    rb"=== (?:(Model|Build|System|Inference|Reporting) Options"
    rb"|(Device Information)|(Performance summary)) ==="
)
_TOTALS: Final = {
    "Throughput": "throughput_qps",
    "Total Host Walltime": "host_walltime_s",
    "Total GPU Compute Time": "gpu_compute_s",
}
# e.g. (8.4-) [I] Latency: min = 1.5 ms, max = 2 ms, percentile(99%) = 1.9 ms
_PERCENTILE: Final = lazy(r"percentile\(([\d.]{1,12})%\) = ([\d.e+-]{1,24}) ms")
# e.g. (8-) [I] H2D Latency: min = 0.1 ms, max = 0.2 ms, mean = 0.15 ms, median = 0.15 ms
_STATISTIC: Final = lazy(r"\b(min|max|mean|median) = ([\d.e+-]{1,24}) ms")
# e.g. (8-) [TRT] [V] Graph construction completed in 0.25 seconds.
_PHASE: Final = lazy(rb"(?:^|[\]:-] )((?:\w+[ /]){1,8})completed in ([\d.e+-]{1,24})")
# e.g. (8.4-) [V] [TRT] Graph optimization time: 0.25 seconds.
_OPTIMIZED: Final = lazy(rb"(Graph optimization) time: ([\d.e+-]{1,24})")
# e.g. (8.2-) [I] Engine built in 12.5 sec.
_BUILT: Final = lazy(rb"(Engine built) in ([\d.e+-]{1,24}) sec")
# e.g. (8.5-) [I] Finished parsing network model. Parse time: 0.25
_PARSED: Final = lazy(rb"(Parse time): ([\d.e+-]{1,24})")
_LONGEST_PHASE: Final = 120  # bytes of a phase's words before the mark
# How long something took: a mark of such lines, and the pattern.
_DURATIONS: Final = {
    b" completed in ": _PHASE,
    b"Graph optimization time: ": _OPTIMIZED,
    b"Engine built in ": _BUILT,
    b"Parse time: ": _PARSED,
}
# What trtexec made, and the mark of the line with its size in MiB.
# e.g. (10) [I] Created engine with size: 6.42511 MiB
_SIZES: Final = {
    b"Created engine with size: ": "engine_bytes",
    b"Created execution context with device memory size: ": "context_bytes",
}
_MIB: Final = 1 << 20
# e.g. (8-) [I] Average on 10 runs - GPU latency: 0.15 ms - Host latency: 0.16 ms (enqueue 0.04 ms)
_AVERAGE: Final = lazy(rb"\d{1,6} runs? - GPU latency: ([\d.e+-]{1,24}) ms")
_LEAST_AVERAGES: Final = 10  # of fewer, halves say nothing
# e.g. (8.4-) [V] [TRT] Deleting timing cache: 12 entries, served 34 hits since creation.
# e.g. (8.2-) Loaded 14 timing cache entries
# e.g. (10) Loaded 107484 bytes of timing cache from a.cache
# e.g. (8.4-) [I] [TRT] Local timing cache in use.
_CACHE: Final = lazy(
    rb"(?:Deleting|Builder) timing cache: (?:created )?(?P<entries>\d{1,12}) entries, "
    rb"(?:served )?(?P<hits>\d{1,12}) hit"
    rb"|Loaded (?P<loaded>[1-9]\d{0,11}) (?:bytes of )?timing cache"
    rb"|(?P<kind>Local|Global) timing cache in use"
)


class TrtexecSections(Told):
    """`section`: the one that is being read, as its lines may come in several stretches.

    `spans`: the lines of each section that was read; `performances`: in the log's order.
    """

    def __init__(self) -> None:
        self.options: list[build_info.Option] = []
        self.command = ""  # the command line of the run
        self.phases: list[build_info.Phase] = []
        self.sizes: dict[str, Any] = {}  # bytes of the engine and of its execution context
        self.cache: dict[str, Any] = {}  # what is told of the timing cache
        self.performances: list[Performance] = []
        self.failed = False  # as trtexec says at its end
        self.averages = array("d")  # of the GPU latency, in ms, of the run that is being read
        self.spans: list[Span] = []
        self.section = ""
        self.has_severity = False  # of the section's lines
        self.strays = 0  # lines since the last of the section
        self._end = 0  # where, in the stretch, the section's lines end that were read

    def read(self, stretch: Stretch, late: bool = False) -> None:
        """Takes in the next lines: what a mark tells, and the sections."""
        self._read_section(stretch, stretch.begin)
        super().read(stretch, late)

    @line(b"=== ")
    def _open(self, line: Line) -> None:
        match = _HEADER.search(line.mark + line.words)
        if match is None or line.place < self._end:
            return
        self.section = (match[1] or match[2] or match[3]).decode()
        self.has_severity = INFO in line.before
        if len(self.spans) < limits.OPTIONS:
            self.spans.append(Span(self.section, line.number, line.number))
        if match[3] and len(self.performances) < limits.OPTIONS:
            self.performances.append(Performance(halves_ms=self._halves(), line=line.number))
        self._read_section(line.stretch, line_end(line.stretch.data, line.place))

    def _read_section(self, stretch: Stretch, start: int) -> None:
        """Reads the lines of the section that is open, as far as they go."""
        while self.section and start < stretch.end:
            number, stop = stretch.number(start), line_end(stretch.data, start)
            if self._line(stretch.data[start:stop], number):
                start = stop
                if self.spans and len(self.spans) < limits.OPTIONS:
                    self.spans[-1] = self.spans[-1]._replace(last_line=number)
            else:
                self.section = ""
        self._end = start

    @line(b"Average on ")
    def _average(self, line: Line) -> None:
        match = _AVERAGE.match(line.words)
        ms = None if match is None else quantity(match[1].decode())
        if ms is not None and len(self.averages) < limits.AVERAGES:
            self.averages.append(ms)

    def _halves(self) -> tuple[float, float] | None:
        """The averages before the summary of a run, in halves."""
        averages, self.averages = self.averages, array("d")
        if len(averages) < _LEAST_AVERAGES:
            return None
        from statistics import median  # it imports much, and few logs have a run

        middle = len(averages) // 2
        return median(averages[:middle]), median(averages[middle:])

    def _line(self, text: bytes, line: int) -> bool:
        """Whether it is of the section."""
        before, severity, words = text.partition(INFO)
        if self.has_severity and not severity and OWN.search(text) is None:  # another program's
            self.strays += 1
            return self.strays <= _MOST_STRAYS
        self.strays = 0
        if bool(severity) != self.has_severity or b"===" in text or words.startswith(b" " + TRT):
            return False
        shown = decode(words if severity else before).strip()
        if not shown:
            return self.section != SECTION  # others have empty lines inside
        key, colon, value = shown.partition(":")
        if colon and self.section == "Performance summary":
            self._measured(key, value.strip(), line)
        elif colon and len(self.options) < limits.OPTIONS:
            key, value = key.strip()[:200], value.strip()[: limits.VALUE]
            self.options.append(build_info.Option(self.section, key, value, line))
        return True

    def _measured(self, key: str, value: str, line: int) -> None:
        """Takes in a row of the performance summary."""
        summary = self.performances[-1]
        if key in _TOTALS:
            total: dict[str, Any] = {_TOTALS[key]: quantity(value)}
            self.performances[-1] = summary._replace(**total)
        elif statistics := {m[1]: quantity(m[2]) for m in _STATISTIC.finditer(value)}:
            told = ((quantity(m[1]), quantity(m[2])) for m in _PERCENTILE.finditer(value))
            percentiles = tuple((p, ms) for p, ms in told if p is not None and ms is not None)
            least, most, mean, median = map(statistics.get, ("min", "max", "mean", "median"))
            row = Measure(key, least, most, mean, median, percentiles, line)
            if len(summary.measures) < limits.OPTIONS:
                self.performances[-1] = summary._replace(measures=(*summary.measures, row))

    @line(*_DURATIONS)
    def _duration(self, line: Line) -> None:
        """How long a phase took."""
        words = line.before[-_LONGEST_PHASE:] + line.mark + line.words
        match = _DURATIONS[line.mark].search(words)
        seconds = None if match is None else quantity(match[2].decode())
        if match is None or seconds is None or b"profiling" in match[1]:
            return
        if len(self.phases) < limits.OPTIONS:
            name = match[1].decode("ascii", "replace").strip()
            self.phases.append(build_info.Phase(name, seconds, line.number))

    @line(*_SIZES)
    def _size(self, line: Line) -> None:
        number, _, unit = line.words.partition(b" ")
        mib = quantity(number.decode("ascii", "replace"))
        if mib is not None and unit.startswith(b"MiB"):
            self.sizes[_SIZES[line.mark]] = round(mib * _MIB)

    @line(b" timing cache")
    def _cache(self, line: Line) -> None:
        match = _CACHE.search(line.text)
        for key, words in match.groupdict().items() if match else ():
            if words is not None:
                self.cache[key] = int(words) if words.isdigit() else words.decode().lower()

    def told(self, *keys: str) -> tuple[str, ...]:
        """The values of these options, in the order of the log."""
        return tuple(option.value for option in self.options if option.key in keys)

    def of_same_run(self) -> TrtexecSections:
        """What is true of another build of the same run, too: its options and its device."""
        same = TrtexecSections()
        same.options, same.command = [*self.options], self.command
        same.spans = [span for span in self.spans if span.what != "Performance summary"]
        return same

    def option(self, key: str, section: str) -> str | None:
        """The value of an option; None where there is none."""
        values = (one.value for one in self.options if one[:2] == (section, key))
        return next(values, None)

    @property
    def strongly_typed(self) -> bool | None:
        """Whether the network's types were obeyed; None: the log does not say."""
        told = self.option("Precision", "Build")
        if "--stronglyTyped" in self.command.split():
            return True
        return None if told is None else "strongly" in told.casefold()

    def precisions(self) -> tuple[str, ...]:
        """`Precision: FP32+FP16` -> FP32, FP16."""
        if self.strongly_typed:
            return ()
        words = (self.option("Precision", "Build") or "").partition(" ")[0]
        return tuple(word for word in words.split("+") if word)

    def device(self) -> Device | None:
        """What stands under `Device Information`; None where nothing does."""
        if not any(option.section == SECTION for option in self.options):
            return None

        def number(most: float, *keys: str) -> float | None:
            told = (quantity(words) for key in keys if (words := self.option(key, SECTION)))
            amount = next(told, None)
            return amount if amount is not None and 0 < amount <= most else None

        def whole(most: int, key: str) -> int | None:
            amount = number(most, key)
            return None if amount is None else int(amount)

        compute, memory = "Compute Clock Rate", "Memory Clock Rate"
        return Device(
            name=self.option("Selected Device", SECTION),
            compute_capability=self.option("Compute Capability", SECTION),
            sms=whole(limits.SMS, "SMs"),
            memory_mib=whole(limits.MEMORY, "Device Global Memory"),
            shared_kib=whole(limits.MEMORY, "Shared Memory per SM"),
            bus_bits=whole(limits.BUS_BITS, "Memory Bus Width"),
            compute_clock_ghz=number(limits.CLOCK, compute, f"Application {compute}"),
            memory_clock_ghz=number(limits.CLOCK, memory, f"Application {memory}"),
        )
