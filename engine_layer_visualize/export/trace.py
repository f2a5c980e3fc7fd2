"""Writes an engine as a trace that Perfetto, chrome://tracing and speedscope open.

An optimisation profile is a process. Layers are slices of its only thread, laid end to end: a
profile tells how long a layer took, and not when it began. Their modules are slices around them,
and kernels, where the times tell them, slices below. The format is the "Trace Event Format" of the
Catapult project.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.scopes import DEEPEST
from engine_layer_visualize.analysis.times import timed_layers
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.facts.json import dump, layer_facts_of, rows
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject

Event: TypeAlias = dict[str, JsonValue]
_THREAD: Final = 1  # the number of the only one of a process
_SEQUENCE: Final = "sequence, not a time line"
_DECLARED: Final = (
    f"{_SEQUENCE}: layers stand end to end in the order of execution, as no profile says when "
    "each began"
)
HINT: Final = "--profile_file takes the times, such as those of trtexec --exportProfile"
_NS_OF_MS: Final = 6  # decimal places
_NS_OF_US: Final = -3
_GAP: Final = Decimal("0.01")  # ns, at least, between two slices
_AROUND: Final = _GAP / 2 / DEEPEST  # ns


class _Span(NamedTuple):
    """When a slice begins and how long it is, in nanoseconds.

    It begins on a whole one: then slices nest for readers that drop parts of one, and the duration
    of a layer is its time to the last digit.
    """

    start: int
    took: Decimal

    @property
    def end(self) -> Decimal:
        return self.start + self.took

    @property
    def next(self) -> int:
        """Where the next slice of the thread may begin, with more between than rounding costs."""
        return int((self.end + _GAP).to_integral_value(ROUND_CEILING))


class _Placed(NamedTuple):
    """A layer, with its slice."""

    layer: Layer
    span: _Span


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV411) where no layer has a time."""
    costs = Costs(view.engine, options.optimization_profile, options.peak)
    engine = costs.engine
    place = Place(engine.source.file, engine.source.first_line)
    if costs.kind is None or costs.is_sum:
        of_run = "the time of a run: an unknown number of runs is summed"
        what = of_run if costs.is_sum else "a time"
        message = f"no layer of engine {engine.index} has {what}"
        raise ReadError(Problem(place, "ELV411", message), HINT)
    about = {
        "source": {"file": place.file, "first_line": place.line},
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "times": costs.kind,
        "timed": timed_layers(costs),
        "declared": _DECLARED,
    }
    yield _bytes(f'{{"displayTimeUnit": "ns",\n"otherData": {dump(about)},\n"traceEvents": ')
    yield from map(_bytes, rows(_events(Subject(costs))))  # an event a line
    yield b"}\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _events(subject: Subject) -> Iterator[Event]:
    costs = subject.costs
    for number in costs.profiles:
        process = number + 1  # 0 is the kernel's own in Perfetto
        if not (placed := _placed(costs.of_profile(number))):
            continue
        name = f"engine {costs.engine.index}"
        name += f", optimisation profile {number}" if len(costs.profiles) > 1 else ""
        yield _named("process_name", f"{name} · {costs.engine.source.file}", process)
        estimated = ", builder's estimates" if costs.estimated else ""
        yield _named("process_labels", _SEQUENCE + estimated, process)
        yield _named("process_sort_index", process, process)
        yield {**_named("thread_name", "layers", process), "tid": _THREAD}
        yield {**_named("thread_sort_index", _THREAD, process), "tid": _THREAD}
        yield from _slices(subject, placed, process)


def _placed(costs: Costs) -> list[_Placed]:
    """The timed layers of an optimisation profile, one after the other."""
    start = 0
    placed: list[_Placed] = []
    for layer in costs.layers:
        if (ms := costs.of(layer)) is not None:
            placed.append(_Placed(layer, _Span(start, nanoseconds(ms))))
            start = placed[-1].span.next
    return placed


def _slices(
    subject: Subject, placed: Sequence[_Placed], process: int, depth: int = 0
) -> Iterator[Event]:
    """The slices of neighbours inside of `depth` modules: a module stands before what it holds."""
    for path, run in groupby(placed, lambda one: subject.paths[one.layer.index][: depth + 1]):
        several = list(run)
        if len(path) > depth:
            start, end = several[0].span.start, several[-1].span.end
            # Of those that end together an outer one ends last, however readers round.
            inside = _Span(start, end + _AROUND * (DEEPEST - depth) - start)
            name = path[-1].lstrip("/.") or path[-1]
            yield _slice(name, "module", process, inside, {"scope": scopes.written(path)})
            yield from _slices(subject, several, process, depth + 1)
            continue
        for one in several:
            args = layer_facts_of(subject, one.layer)
            yield _slice(one.layer.name, "layer", process, one.span, args)
            yield from _kernels(subject.costs, one, process)


def _kernels(costs: Costs, placed: _Placed, process: int) -> Iterator[Event]:
    """Kernels end to end inside the layer: however readers round, the last ends no later."""
    time = placed.layer.time
    if time is None or costs.estimated:
        return
    kernels = [(kernel.name, kernel.average_ms) for kernel in time.kernels]
    left_ms, start, last = costs.of(placed.layer) or 0.0, placed.span.start, int(placed.span.end)
    for name, ms in kernels or [(row.name, row.time.average_ms or 0.0) for row in time.rows]:
        ms = min(ms, left_ms)
        left_ms -= ms
        left = max(Decimal(0), placed.span.end - _GAP / 2 - start)
        took = min(nanoseconds(ms), left) if start < last else Decimal(0)
        inner = _Span(start, took)
        yield _slice(name, "kernel", process, inner, {})
        start = min(last, inner.next if took else start)


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


def _slice(name: str, category: str, process: int, span: _Span, args: Mapping[str, Any]) -> Event:
    """A slice. Slices of a thread nest."""
    return {
        **{"ph": "X", "name": name, "cat": category, "pid": process, "tid": _THREAD},
        **{"ts": microseconds(span.start), "dur": microseconds(span.took)},
        "args": dict(args),
    }


def _named(what: str, value: JsonValue, process: int) -> Event:
    """A name of a process or a thread (`process_name`), or its place (`thread_sort_index`)."""
    args: Event = {what.partition("_")[2]: value}
    return {"ph": "M", "name": what, "pid": process, "args": args}
