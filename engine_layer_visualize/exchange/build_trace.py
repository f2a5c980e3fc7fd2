"""Writes the build of an engine as a trace, which shows where the time of the build went.

A thread of stages, with the passes of the optimiser and the tuning of each layer inside, and
threads of what the log says that phases took.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from engine_layer_visualize.core.build_timeline import BuildTimeline, Moment
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.exchange import chrome_events
from engine_layer_visualize.exchange.chrome_events import Event, Span, named, slice_
from engine_layer_visualize.views.subgraph import View

_STAGES: Final = (1, 1)  # process and thread
_CATEGORY: Final = {"stage": "stage", "layer": "layer", "runner": "timing"}
_DEPTH: Final = {"stage": 0, "layer": 1, "runner": 2}
_LANES: Final = 50  # of phases that overlap; builders print two or three
_HINT: Final = (
    "trtexec and TensorRT's own loggers write time stamps before each line; keep these, and in "
    "Python read them with elv.read(…, timeline=True)"
)


class _Slice(NamedTuple):
    """µs; `depth`: how many slices are around it."""

    start: int
    end: int
    depth: int
    category: str
    moment: Moment


def render(view: View, format: str = "build-trace", options: Options = DEFAULT) -> Iterator[bytes]:
    """Writes the build log of the engine, whatever the view.

    Raises:
        ReadError: (ELV411) No line of the log has a time stamp.
    """
    listing, timeline = view.engine.source, view.engine.timeline
    if timeline is None:
        message = "no time stamps of the log are known, so nothing tells how long what took"
        raise ReadError(Problem(Place(listing.file), "ELV411", message), _HINT)
    source: JsonValue = {"file": listing.file, "first_line": listing.first_line}
    return _written(listing.file, timeline, {"source": source})


def without_engine(file: str, timeline: BuildTimeline, why: str) -> Iterator[bytes]:
    """The build of a log that holds no engine. `why`: what ended it."""
    source: JsonValue = {"file": file, "first_line": 1}
    return _written(file, timeline, {"source": source, "no_engine": why})


def _written(file: str, timeline: BuildTimeline, of: dict[str, JsonValue]) -> Iterator[bytes]:
    lanes, left = _phases(timeline)
    about = of | _about(timeline, left)
    return chrome_events.written(about, _events(file, timeline, lanes))


def _about(timeline: BuildTimeline, left: int) -> dict[str, JsonValue]:
    return {
        "begins": timeline.begins,
        "seconds": timeline.us / 1e6,
        "resolution_seconds": timeline.resolution_us / 1e6,
        "declared": "by the log's time stamps: shown times are never later than the truth, and "
        "earlier by less than a stamp can tell; of one stamp, each is 1 µs after the one before",
        "stamps_that_go_back": timeline.backwards,
        "left_out": timeline.lost + left,
    }


def _events(
    file: str, timeline: BuildTimeline, lanes: Iterable[Sequence[_Slice]]
) -> Iterator[Event]:
    yield named("process_name", f"build · {file}", 1)
    yield named("process_labels", f"from {timeline.begins}", 1)
    yield named("thread_name", "stages", *_STAGES)
    yield named("thread_sort_index", 1, *_STAGES)
    for part in _nested(timeline):
        yield _event(part, _STAGES)
    for number, lane in enumerate(lanes, 2):
        yield named("thread_name", "phases, as the log sums them up", 1, number)
        yield named("thread_sort_index", number, 1, number)
        for part in lane:
            yield _event(part, (1, number))


def _event(part: _Slice, thread: tuple[int, int]) -> Event:
    args: dict[str, JsonValue] = {"line": part.moment.line}
    if part.moment.detail:
        args["formats" if part.category == "timing" else "left"] = part.moment.detail
    span = Span(part.start * 1000, Decimal(part.end - part.start) * 1000)
    return slice_(part.moment.name, part.category, thread, span, args)


def _nested(timeline: BuildTimeline) -> list[_Slice]:
    """Stages, and what is inside of them; what lies around stands before what is inside."""
    slices: list[_Slice] = []
    opened: list[Moment] = []
    passed = 0  # where the last pass ended

    def close(depth: int, us: int) -> None:
        while opened and _DEPTH[opened[-1].kind] >= depth:
            one = opened.pop()
            kind = one.kind
            slices.append(_Slice(one.us, us, _DEPTH[kind], _CATEGORY[kind], one))

    for one in timeline.moments:
        if one.kind in _DEPTH:
            close(_DEPTH[one.kind], one.us)
            opened.append(one)
            passed = one.us
        elif one.kind == "timed":
            close(_DEPTH["runner"], one.us)
        elif one.kind == "pass":
            slices.append(_Slice(passed, one.us, 1, "pass", one))
            passed = one.us
    close(0, timeline.us)
    return sorted(slices, key=lambda one: (one.start, one.moment.line, one.depth))


def _phases(timeline: BuildTimeline) -> tuple[list[list[_Slice]], int]:
    """Lays out the phases in lanes where they nest, and counts those that no lane takes.

    A slice ends where the log says how long the phase took. A stamp is earlier than its line: a
    phase that began before the log's first stamp is cut there.
    """
    lanes: list[list[_Slice]] = []
    around: list[list[_Slice]] = []  # of each lane, what has not ended, the innermost last
    left = 0
    ended = [
        _Slice(max(0, part.us - (part.took or 0)), part.us, 0, "phase", part)
        for part in timeline.moments
        if part.kind == "phase"
    ]
    for moment in sorted(ended, key=lambda part: (part.start, -part.end)):
        lane = next((lane for lane, open_ in enumerate(around) if _fits(moment, open_)), len(lanes))
        if lane == _LANES:
            left += 1
            continue
        if lane == len(lanes):
            lanes.append([])
            around.append([])
        lanes[lane].append(moment)
        around[lane].append(moment)
    return lanes, left


def _fits(part: _Slice, around: list[_Slice]) -> bool:
    """Whether a slice lies in all slices of a lane that have not ended when it begins.

    Those that have ended are forgotten.
    """
    while around and around[-1].end <= part.start:
        around.pop()
    return not around or part.end <= around[-1].end
