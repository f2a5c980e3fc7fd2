"""Writes an engine as a trace: a process with a thread for each stream.

Layers are slices, laid end to end; their modules are slices around them, and kernels, where the
times tell them, slices below.
Each layer begins on a whole nanosecond: then slices nest for readers that drop parts of one, and
the duration of a layer is its time to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.scopes import DEEPEST, Path, written
from engine_layer_visualize.analysis.work import EngineWork
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.export import engine_json, trace_events
from engine_layer_visualize.export.trace_events import (
    GAP,
    Event,
    Span,
    TimedLayer,
    counter,
    flow,
    named,
    nanoseconds,
    slice_,
)
from engine_layer_visualize.facts.endpoints import live
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject

_AROUND: Final = GAP / 2 / DEEPEST  # ns


class _Placed(NamedTuple):
    """A layer on its thread."""

    timed: TimedLayer
    thread: tuple[int, int]
    span: Span


def render(view: View, format: str = "trace", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV411) where no layer has a time."""
    costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
    timed = trace_events.sequence_timed(costs)
    yield from trace_events.chrome_events_written(
        trace_events.sequence_about(costs), _events(costs, timed)
    )


def _events(costs: Costs, timed: dict[int, list[TimedLayer]]) -> Iterator[Event]:
    subject = Subject(costs)
    for number, layers in timed.items():
        process = number + 1  # 0 is the kernel's own in Perfetto
        name = f"{trace_events.name_of(costs, number)} · {costs.engine.source.file}"
        yield named("process_name", name, process)
        estimated = ", builder's estimates" if costs.estimated else ""
        label = trace_events.DECLARED.partition(":")[0] + estimated
        yield named("process_labels", label, process)
        yield named("process_sort_index", process, process)
        placed = _placed(layers, process)
        told = any(_stream(timed_layer) is not None for timed_layer in layers)
        for thread in sorted({slice_of.thread for slice_of in placed}):
            yield named("thread_name", f"stream {thread[1] - 1}" if told else "layers", *thread)
            yield named("thread_sort_index", thread[1], *thread)
        yield from _slices(subject, placed)
        yield from _counters(costs.of_profile(number), subject.work, placed, process)
        yield from _flows(costs, placed)


def _placed(layers: Iterable[TimedLayer], process: int) -> list[_Placed]:
    """The layers one after the other."""
    placed: list[_Placed] = []
    start = 0
    for timed_layer in layers:
        thread = process, (_stream(timed_layer) or 0) + 1
        placed.append(_Placed(timed_layer, thread, Span(start, nanoseconds(timed_layer.ms))))
        start = placed[-1].span.next
    return placed


def _stream(timed_layer: TimedLayer) -> int | None:
    """The number of its stream, as detailed records print it; None where one does not."""
    value = str(dict(timed_layer.layer.attributes).get("StreamId", ""))
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None


# ---- slices --------------------------------------------------------------------------------------


def _slices(subject: Subject, placed: Sequence[_Placed]) -> Iterator[Event]:
    """The slices of each thread in order: what lies around stands before what is inside."""
    for place, layer in enumerate(placed):
        for depth in range(1, len(layer.timed.path) + 1):
            path = layer.timed.path[:depth]
            if place == 0 or not _goes_on(placed[place - 1], layer, path):
                yield _module(placed, place, path)
        args = engine_json.layer_facts_of(subject, layer.timed.layer)
        yield slice_(layer.timed.layer.name, "layer", layer.thread, layer.span, args)
        yield from _kernels(layer)


def _kernels(layer: _Placed) -> Iterator[Event]:
    """End to end inside the layer; however readers round, the last ends no later than it."""
    start, last = layer.span.start, int(layer.span.end)
    for name, ms in layer.timed.kernels:
        left = max(Decimal(0), layer.span.end - GAP / 2 - start)
        took = min(nanoseconds(ms), left) if start < last else Decimal(0)
        inner = Span(start, took)
        yield slice_(name, "kernel", layer.thread, inner, {})
        start = min(last, inner.next if took else start)


def _goes_on(before: _Placed, layer: _Placed, path: Path) -> bool:
    """Whether the module of the layer before is the same slice still."""
    return before.thread == layer.thread and before.timed.path[: len(path)] == path


def _module(placed: Sequence[_Placed], place: int, path: Path) -> Event:
    """The slice of the neighbours, from the layer `at` on, that are of one module."""
    last, first = place, placed[place]
    while last + 1 < len(placed) and _goes_on(placed[last + 1], first, path):
        last += 1
    # Of those that end together an outer one ends last, however readers round.
    end = placed[last].span.end + _AROUND * max(1, DEEPEST + 1 - len(path))
    name = trace_events.sequence_label(path[-1])
    inside = Span(first.span.start, end - first.span.start)
    return slice_(name, "module", first.thread, inside, {"scope": written(path)})


# ---- counters and flows --------------------------------------------------------------------------


def _counters(
    costs: Costs, done: EngineWork, placed: Sequence[_Placed], process: int
) -> Iterator[Event]:
    held = live(costs.engine, costs.layers)
    end = placed[-1].span.next
    words = "bytes of live tensors"
    words += f" ({held.unknown:,} of unknown size left out)" if held.unknown else ""
    if any(held.bytes):
        for layer in placed:
            yield counter(words, process, layer.span.start, held.bytes[layer.timed.layer.index])
        yield counter(words, process, end, 0)
    rates = [_rate(done, layer) for layer in placed]
    words = "GB/s (0 where unknown)" if None in rates else "GB/s"
    if any(rates):
        for layer, rate, after in zip(placed, rates, [*placed[1:], None]):
            yield counter(words, process, layer.span.start, rate or 0.0)
            if after is not None and after.span.start > layer.span.next:
                yield counter(words, process, layer.span.next, 0)
        yield counter(words, process, end, 0)


def _rate(done: EngineWork, layer: _Placed) -> float | None:
    moved = done.of(layer.timed.layer).bytes
    return None if moved is None or not layer.timed.ms else moved / layer.timed.ms / 1e6


def _flows(costs: Costs, placed: Sequence[_Placed]) -> Iterator[Event]:
    """Arrows for tensors that one stream writes and another reads.

    A slice of no width holds no arrow.
    """
    of = {layer.timed.layer.index: layer for layer in placed if int(layer.span.took)}
    for number, edge in enumerate(costs.engine.graph.between, 1):
        writer, reader = of.get(edge.source or 0), of.get(edge.target or 0)
        if writer is None or reader is None or writer.thread == reader.thread:
            continue
        if writer.span.start < reader.span.start:
            yield flow("s", number, edge.tensor, writer.thread, writer.span.start)
            yield flow("f", number, edge.tensor, reader.thread, reader.span.start)
