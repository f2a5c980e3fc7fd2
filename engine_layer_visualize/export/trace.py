"""Writes an engine as a trace that Perfetto, chrome://tracing and speedscope open.

An optimisation profile is a process. Layers are slices of its only thread, laid end to end: a
profile tells how long a layer took, and not when it began. Their modules are slices around them,
and kernels, where the times tell them, slices below. The format is the "Trace Event Format" of the
Catapult project.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
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
_NS_OF_MS: Final = 1_000_000


class _Placed(NamedTuple):
    """A layer, with the whole nanoseconds at which its slice begins and ends."""

    layer: Layer
    start: int
    end: int


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
        yield {**_named("thread_name", "layers", process), "tid": _THREAD}
        yield from _slices(subject, placed, process)


def _placed(costs: Costs) -> list[_Placed]:
    """The timed layers of an optimisation profile, one after the other.

    There is a nanosecond between two, so that they nest and do not overlap for readers that round.
    """
    start = 0
    placed: list[_Placed] = []
    for layer in costs.layers:
        if (ms := costs.of(layer)) is not None:
            end = start + round(ms * _NS_OF_MS)
            placed.append(_Placed(layer, start, end))
            start = end + 1
    return placed


def _slices(
    subject: Subject, placed: Sequence[_Placed], process: int, depth: int = 0
) -> Iterator[Event]:
    """The slices of neighbours inside of `depth` modules: a module stands before what it holds."""
    for path, run in groupby(placed, lambda one: subject.paths[one.layer.index][: depth + 1]):
        several = list(run)
        if len(path) > depth:
            # Of those that end together an outer one ends last, before the next layer.
            end = several[-1].end + (DEEPEST - depth) / (DEEPEST + 1)
            name, args = path[-1].lstrip("/.") or path[-1], {"scope": scopes.written(path)}
            yield _slice(name, "module", process, several[0].start, end, args)
            yield from _slices(subject, several, process, depth + 1)
            continue
        for one in several:
            facts = layer_facts_of(subject, one.layer)
            yield _slice(one.layer.name, "layer", process, one.start, one.end, facts)
            yield from _kernels(subject.costs, one, process)


def _kernels(costs: Costs, placed: _Placed, process: int) -> Iterator[Event]:
    """Kernels end to end inside the layer: however readers round, the last ends no later."""
    time = placed.layer.time
    if time is None or costs.estimated:
        return
    kernels = [(kernel.name, kernel.average_ms) for kernel in time.kernels]
    start, last = placed.start, max(placed.start, placed.end - 1)
    for name, ms in kernels or [(row.name, row.time.average_ms or 0.0) for row in time.rows]:
        end = min(start + round(ms * _NS_OF_MS), last)
        yield _slice(name, "kernel", process, start, end, {})
        start = min(end + 1, last)


def microseconds(ns: float) -> float:
    """The number that a trace holds for a time.

    Perfetto multiplies it and drops what is below a nanosecond: it is the next larger number where
    rounding would cost a nanosecond.
    """
    us = ns / 1000
    while int(us * 1000) < int(ns):
        us = math.nextafter(us, math.inf)
    return us


def _slice(
    name: str, category: str, process: int, start: int, end: float, args: Mapping[str, Any]
) -> Event:
    """A slice between two nanoseconds. Slices of a thread nest."""
    return {
        **{"ph": "X", "name": name, "cat": category, "pid": process, "tid": _THREAD},
        **{"ts": microseconds(start), "dur": microseconds(end - start)},
        "args": dict(args),
    }


def _named(what: str, value: JsonValue, process: int) -> Event:
    """A name of a process or a thread (`process_name`), or what a process is labelled."""
    args: Event = {what.partition("_")[2]: value}
    return {"ph": "M", "name": what, "pid": process, "args": args}
