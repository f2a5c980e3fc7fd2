"""Writes events of a trace as the JSON that Perfetto, chrome://tracing and speedscope open.

The format: "Trace Event Format" of the Catapult project. Times are in µs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.fields.json import dump, rows

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


def written(about: JsonValue, events: Iterable[Event]) -> Iterator[bytes]:
    """The file, an event a line. `about`: what the trace is of."""
    yield _bytes(f'{{"displayTimeUnit": "ns",\n"otherData": {dump(about)},\n"traceEvents": ')
    yield from map(_bytes, rows(events))
    yield b"}\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
