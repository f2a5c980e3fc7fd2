"""Lists the timed layers in their order, and writes events of a trace."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import timed_layers
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.facts.json import dump, rows

# ---- writes events of a trace as the JSON that Perfetto, chrome://tracing and speedscope o ------

# The format: "Trace Event Format" of the Catapult project. Times are in µs.

Event = dict[str, JsonValue]
_NS_OF_MS: Final = 6  # decimal places
_NS_OF_US: Final = -3
GAP: Final = Decimal("0.01")  # ns, at least, between two slices


def nanoseconds(ms: float) -> Decimal:
    """The nanoseconds that the text of a number of ms says: no digit is rounded away."""
    return Decimal(repr(ms)).scaleb(_NS_OF_MS)


def microseconds(ns: Decimal | int) -> float:
    """The number that a trace holds for a time.

    Perfetto multiplies it and drops what is below a nanosecond: it is the next larger number where
    rounding would cost a nanosecond.
    """
    us = float(Decimal(ns).scaleb(_NS_OF_US))
    while int(us * 1000) < int(ns):
        us = math.nextafter(us, math.inf)
    return us


class Span(NamedTuple):
    """When a slice begins and how long it is, in nanoseconds.

    Slices begin on whole nanoseconds: what readers drop below one moves no end past the end of the
    slice around it.
    """

    start: int
    took: Decimal

    @property
    def end(self) -> Decimal:
        """When the slice ends."""
        return self.start + self.took

    @property
    def next(self) -> int:
        """Where the next slice of the thread may begin, with more between than rounding costs."""
        return int((self.end + GAP).to_integral_value(ROUND_CEILING))


def slice_(
    name: str, category: str, thread: tuple[int, int], span: Span, args: Mapping[str, Any]
) -> Event:
    """Makes the event of a slice. Slices of a thread nest.

    `thread` is the number of its process and its own.
    """
    return {
        **{"ph": "X", "name": name, "cat": category, "pid": thread[0], "tid": thread[1]},
        **{"ts": microseconds(span.start), "dur": microseconds(span.took)},
        "args": dict(args),
    }


def counter(name: str, process: int, start: int, value: float) -> Event:
    """Makes the event with which a counter gets a value."""
    return {
        **{"ph": "C", "name": name, "pid": process, "ts": microseconds(start)},
        "args": {"value": value},
    }


def flow(phase: str, number: int, name: str, thread: tuple[int, int], start: int) -> Event:
    """Makes an end of an arrow between slices.

    `phase` is `s` where the arrow leaves the innermost slice, or `f` where it arrives.
    """
    event: Event = {
        **{"ph": phase, "id": number, "name": name, "cat": "tensor"},
        **{"pid": thread[0], "tid": thread[1], "ts": microseconds(start)},
    }
    return event | {"bp": "e"} if phase == "f" else event


def named(what: str, value: JsonValue, process: int, thread: int | None = None) -> Event:
    """A name of a process or a thread (`process_name`), or its place (`thread_sort_index`)."""
    key = "sort_index" if what.endswith("sort_index") else what.rpartition("_")[2]
    event: Event = {"ph": "M", "name": what, "pid": process, "args": {key: value}}
    return event if thread is None else event | {"tid": thread}


def chrome_events_written(about: JsonValue, events: Iterable[Event]) -> Iterator[bytes]:
    """The file, an event a line. `about`: what the trace is of."""
    yield _bytes(f'{{"displayTimeUnit": "ns",\n"otherData": {dump(about)},\n"traceEvents": ')
    yield from map(_bytes, rows(events))
    yield b"}\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


# ---- lists the timed layers of an engine in the order of execution, as traces show them ---------

# Layers are laid end to end: a profile tells how long a layer took, and not when it began.


DECLARED: Final = (
    "sequence, not a time line: the layers are laid end to end in the order of execution, for a "
    "profile says how long each took, and not when it began"
)
HINT: Final = "--profile_file takes the times, such as those of trtexec --exportProfile"


class TimedLayer(NamedTuple):
    """A layer with its time, the scopes around it, and what ran inside, where times tell that.

    `kernels` are names and ms, no more in all than `ms`.
    """

    layer: Layer
    ms: float
    path: scopes.Path
    kernels: tuple[tuple[str, float], ...] = ()


def sequence_timed(costs: Costs) -> dict[int, list[TimedLayer]]:
    """The timed layers of each optimisation profile.

    Raises:
        ReadError: (ELV411) No layer has a time.
    """
    engine = costs.engine
    if costs.kind is None or costs.is_sum:
        place = Place(engine.source.file, engine.source.first_line)
        what = (
            "the time of a run: an unknown number of runs is summed" if costs.is_sum else "a time"
        )
        message = f"no layer of engine {engine.index} has {what}"
        raise ReadError(Problem(place, "ELV411", message), HINT)
    layers_of: dict[int, list[TimedLayer]] = {number: [] for number in costs.profiles}
    for layer, path in zip(engine.layers, scopes.paths(engine.layers)):
        if (ms := costs.of(layer)) is not None:
            kernels = tuple(_kernels(costs, layer, ms))
            layers_of[costs.profile_of(layer)].append(TimedLayer(layer, ms, path, kernels))
    return {number: layers for number, layers in layers_of.items() if layers}


def _kernels(costs: Costs, layer: Layer, ms: float) -> Iterator[tuple[str, float]]:
    """Medians of parts do not add up to the median of the whole: then there are none."""
    time = layer.time
    if time is None or costs.estimated or costs.statistic != "mean":
        return
    inside = [(kernel.name, kernel.average_ms) for kernel in time.kernels]
    rows = [(row.name, row.time.average_ms or 0.0) for row in time.rows]
    for name, took in inside or rows:
        took = min(took, ms)
        yield name, took
        ms -= took


def name_of(costs: Costs, number: int) -> str:
    """The name of a sequence: `engine 0`, and the optimisation profile if there are several."""
    words = f"engine {costs.engine.index}"
    return words if len(costs.profiles) < 2 else f"{words}, optimisation profile {number}"


def sequence_label(part: str) -> str:
    """A scope's own name, without the separator before it."""
    return part.lstrip("/.") or part


def sequence_about(costs: Costs) -> dict[str, JsonValue]:
    """What a trace is of, and what its times are."""
    engine = costs.engine
    return {
        "source": {"file": engine.source.file, "first_line": engine.source.first_line},
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "times": costs.kind,
        "statistic": costs.statistic,
        "timed": timed_layers(costs),
        "declared": DECLARED,
    }
