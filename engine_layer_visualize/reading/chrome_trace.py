"""Torch-TensorRT's profile, a Chrome trace: JSON objects with a `name` and a `dur` in microseconds.

Gives one profile; a trace's other events (those without a duration) are no layers. A duration is
the sum over all calls of the engine, and the file does not give their number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import JsonValue, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.json_stream import UNREADABLE, Walk, measured
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.listings import Format

_TRACE: Final = re.compile(rb'\s*\{\s*"traceEvents"')
_LIST: Final = re.compile(rb"\s*\[\s*\{")
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')


def sniff(head: bytes) -> bool:
    """Whether this is a trace: it says so, or its first events have a key `ph`."""
    if _TRACE.match(head):
        return True
    return _LIST.match(head) is not None and _PHASE.search(head) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads the events. Raises ReadError (ELV201) where there is no event to use."""
    file, rows, problems = source.name, [], []
    walk = Walk(source.text(), file)
    try:
        for event in _events(walk):
            if not isinstance(event, dict) or event.get("ph") != "X":
                continue
            name, duration = event.get("name"), event.get("dur")
            if not isinstance(name, str):
                continue
            ms = measured(duration, per=1000)
            if ms is None:
                shown = json.dumps(duration)[:40]
                message = f"`{name:.80}` has an unreadable duration: {shown}"
                problems.append(Problem(Place(file, walk.line), "ELV204", message))
            else:
                rows.append(ProfileRow(name, Timing(None, total_ms=ms)))
    except UNREADABLE as error:
        raise ReadError(walk.problem("ELV201", "not JSON", error)) from None
    if not rows:
        empty = Problem(Place(file, 1), "ELV201", "a trace without complete events")
        raise ReadError(problems[0] if problems else empty)
    return [Profile(Place(file, 1), tuple(rows))], problems


def _events(walk: Walk) -> Iterator[JsonValue]:
    """A trace is a list of events, or an object that holds one."""
    if walk.starts("["):
        yield from walk.elements()
    else:
        for key in walk.members():
            if key == "traceEvents" and walk.starts("["):
                yield from walk.elements()
            else:
                walk.value()
    walk.end()


FORMAT: Final = Format("chrome_trace", sniff, read)
