"""Reports times (slowest layers, by type, by precision, latency), and work beside what it can cost.

Of the work: MACs, the device's peaks, and the layers farthest above what no kernel beats.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import kinds, labels, precisions, times, work
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count, large
from engine_layer_visualize.core.words import Name, Words, first_of, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph, grid
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.facts.json import HEAD
from engine_layer_visualize.facts.layer import called, cell, of_fields
from engine_layer_visualize.facts.layer_values import device, kernel, shapes_of
from engine_layer_visualize.linting.subject import Subject

_KEYS: Final = (
    *("index", "line", "name", "type", "report.operators", "report.precision", "report.kernel"),
    *("report.inputs", "report.outputs", "ms", "share", "time.median_ms", "facts.build_ms"),
)
_SUMS: Final = ("layers", "timed", "ms", "share")  # of a type, or of a precision
_SHOWN: Final = 4  # types, or precisions, of a line; the rest is counted


def data(subject: Subject, top: int) -> list[JsonValue]:
    """The `top` slowest layers."""
    return [of_fields(subject, layer, *_KEYS) for layer in subject.costs.ranking[:top]]


def blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    costs = subject.costs
    if not costs.ranking[:top]:
        return
    yield Heading("Slowest layers" if costs.ranked else "Timed layers, the longest first")
    yield table(subject, top)


def table(subject: Subject, top: int) -> Grid:
    """A row for each of the slowest layers, one for all equal ones."""
    costs = subject.costs
    groups = work.ranked_equal_layers(costs.ranking, subject.work, costs)
    groups = sorted(groups, key=lambda group: -(costs.sum(group.layers) or 0.0))[:top]
    share = f">share {costs.share_words}".rstrip()
    heads = (">time", share, "layer", "precision", "dims", "kernel")
    # Sums over an unknown number of runs have no time.
    first = 0 if any(costs.of(group.layers[0]) is not None for group in groups) else 1
    rows = tuple(_row(subject, group.layers)[first:] for group in groups)
    return Grid(heads[first:], rows)


def _row(subject: Subject, layers: Sequence[Layer]) -> tuple[Words, ...]:
    costs, layer, more = subject.costs, layers[0], len(layers) - 1
    name, ran = called(layer, labels.headline(layer)), kernel(subject, layer)
    keys = "report.precision", "report.inputs", "report.outputs"
    precision, read, written = (cell(subject, key)(layer) for key in keys)
    return (
        page.ms(costs.sum(layers)),
        page.part(costs.part(layers)),
        (*name, f" and {count(more, 'equal layer')}, together") if more else name,
        precision,
        f"{page.shapes(read)} → {page.shapes(written)}",
        page.called(None if ran == layer.name else ran),  # a trace of the GPU has kernels alone
    )


# ---- layers, time and share by layer type and by precision ---------------------------------------


def types_data(subject: Subject, top: int) -> list[JsonValue]:
    """A row for each type, with the slowest of all layers that wait for the DLA, if it is one."""
    waits = _waits(subject.costs)
    return [
        {"type": row.name, **picked(row, *_SUMS), "waits": waits.get(row.name)}
        for row in times.by_type(subject.costs)
    ]


def precisions_data(subject: Subject, top: int) -> list[JsonValue]:
    """A row for each precision, with the number of its layers that multiply in TF32."""
    used = _tf32(subject.costs)
    return [
        {"precision": row.name, **picked(row, *_SUMS), "tf32": used[str(row.name)]}
        for row in times.by_precision(subject.costs)
    ]


def _waits(costs: Costs) -> dict[str | None, str]:
    """The slowest of all layers that wait for the DLA: its type, and its name."""
    slowest = next(filter(kinds.waits_for_dla, costs.ranking), None)
    return {} if slowest is None else {slowest.type or None: slowest.name}


def _tf32(costs: Costs) -> Counter[str | None]:
    """How many layers of each precision multiply in TF32."""
    return Counter(known.dtype for la in costs.layers if (known := precisions.of(la)).tf32)


def types_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The line on types, and what to know of it, as blocks of a page."""
    yield from _line("By layer type", times.by_type(subject.costs), subject.costs)
    for name in _waits(subject.costs).values():
        yield Paragraph(("The time of ", Name(name), " holds a wait for the DLA."))


def precisions_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The line on precisions, and what to know of it, as blocks of a page."""
    rows, used = times.by_precision(subject.costs), _tf32(subject.costs)
    yield from _line("By precision", rows, subject.costs)
    for row in rows:
        if number := used[row.name]:
            verb = "multiplies" if number == 1 else "multiply"
            yield Paragraph(f"{number} of the {row.layers} {row.name} layers {verb} in TF32.")


def _line(title: str, rows: Sequence[times.Row], costs: Costs) -> Iterator[Block]:
    """`By precision: Int8 80.8 %, Float 15.4 %`; untimed: how many layers."""
    if not rows:
        return
    timed = any(row.share is not None for row in rows)
    of = f", shares {costs.share_words}" if timed and costs.share_words else ""
    yield Paragraph((f"{title}{of}: ", *first_of([*map(_words, rows)], _SHOWN), "."))


def _words(row: times.Row) -> Words:
    name = page.called(row.name or "unknown")
    return joined(
        " ", [f"{row.layers:,}", name] if row.share is None else [name, page.part(row.share)]
    )


# ---- the sum of the layers' times, and trtexec's end-to-end latency ------------------------------


def latency_data(subject: Subject, top: int) -> JsonValue:
    """The sum of the layers' times, and trtexec's measurements."""
    costs, run, compute = subject.costs, subject.performance, subject.performance.gpu_compute
    return {
        "layers_ms": costs.shown_total,
        "of_profile_ms": costs.whole if costs.kind == "measured" else None,
        "times": costs.kind,
        **picked(run, "throughput_qps", "measures"),
        "gpu_compute_ms": compute.mean if compute is not None else None,
        "runs": [
            {"loaded": one.engine, **picked(one.performance, "line", "throughput_qps", "measures")}
            for one in subject.facts.runs
        ],
    }


def latency_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    run, runs = subject.performance, subject.facts.runs
    if not run.measures:
        return
    yield Heading("End-to-end latency")
    yield grid(
        run.measures,
        ("trtexec's summary", lambda row: page.word(row.name)),
        (">mean", lambda row: page.ms(row.mean)),
        (">median", lambda row: page.ms(row.median)),
        (">min", lambda row: page.ms(row.min)),
        (">max", lambda row: page.ms(row.max)),
    )
    if run.throughput_qps is not None:
        yield Paragraph(f"Throughput: {run.throughput_qps:g} queries per second.")
    if len(runs) > 1:
        which = "this is the last, or that of the times"
        yield Paragraph(f"The log has {len(runs)} runs of this engine; {which}.")


# ---- MACs, and what no kernel beats --------------------------------------------------------------

_WORK_KEYS: Final = ("index", "line", "name", "report.operators", "report.precision", "ms")
_WORK_VALUES: Final = (
    *("above_ms", "in_l2", "assumes", "macs", "bytes"),
    *("intensity", "bound_ms", "bound_by", "efficiency"),
)
_DETAILED: Final = "A detailed listing has kernel sizes: build with `{}` (TensorRT 8.2 and later)."
_NO_PEAK: Final = "`--device NAME`, or `--peak fp16=…,bw=…` (dense TFLOPS, GB/s), gives bounds."
_NO_BANDWIDTH: Final = "`--peak bw=…` (GB/s) gives bounds: its memory bandwidth is unknown."
_MARKS: Final = {  # of a bound -> what it means
    "L2": "the data fits the cache; the layer can be faster than its bound",
    "Winograd": "by the kernel's name it multiplies 2.25 to 4 times less, and so does the bound",
    "sparse": "by the kernel's name its weights are sparse: the bound counts half of the MACs",
}


def work_data(subject: Subject, top: int) -> JsonValue:
    """Totals, and the `top` layers that are farthest above their bound.

    Without bounds it is those with the most MACs. `groups` has the same of equal layers together.
    """
    done, costs = subject.work, subject.costs
    bounded, order = _ordered(subject)
    return {
        **HEAD.part(subject, subject.engine, "work"),
        "layers": len(subject.layers),
        "reasons": [{"why": why, "layers": number} for why, number in _reasons(subject)],
        "kind": costs.kind,
        "bounded": len(bounded),
        "ms": costs.sum(bounded),
        "bound_ms": _bound(subject, bounded) if bounded else None,
        "groups": [
            {
                # The slowest, with the sums of all.
                **of_fields(subject, group.layers[0], *_WORK_KEYS),
                **picked(group.done, *_WORK_VALUES),
                "layers": [layer.index for layer in group.layers],
                **picked(group, "ms", "above_ms", "macs", "bytes", "bound_ms", "efficiency"),
            }
            for group in work.ranked_equal_layers(order, done, costs)[:top]
        ],
    }


def _ordered(subject: Subject) -> tuple[list[Layer], list[Layer]]:
    """The layers with a bound, and those that are reported, in their order."""
    of = subject.work.of
    bounded = [layer for layer in subject.layers if of(layer).above_ms is not None]
    if bounded:
        return bounded, sorted(bounded, key=lambda layer: -(of(layer).above_ms or 0))
    some = [layer for layer in subject.layers if of(layer).macs]
    return bounded, sorted(some, key=lambda layer: -(of(layer).macs or 0))


def _reasons(subject: Subject) -> list[tuple[str, int]]:
    """Why the MACs of layers are not known, and of how many."""
    works = map(subject.work.of, subject.layers)
    return Counter(known.unknown or "" for known in works if known.macs is None).most_common()


def _bound(subject: Subject, layers: Iterable[Layer]) -> float:
    return math.fsum(subject.work.of(layer).bound_ms or 0.0 for layer in layers)


def work_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    done, (bounded, order) = subject.work, _ordered(subject)
    groups = work.ranked_equal_layers(order, done, subject.costs)[:top]
    reasons = _reasons(subject)
    yield Heading("Work")
    yield Paragraph((_macs(subject, reasons), *shapes_of(done.at, done.of_times)))
    if any("kernel size" in why for why, _ in reasons):
        flags = "--profilingVerbosity=detailed --dumpLayerInfo"
        yield Advice(
            _DETAILED.format(flags if subject.by_trtexec else "ProfilingVerbosity.DETAILED")
        )
    if done.peak is not None:
        yield Paragraph(f"{device(done.peak)}.")
    if groups and done.peak is None:
        yield Advice(_NO_PEAK)
    elif done.peak is not None and done.peak.bandwidth is None:
        yield Advice(_NO_BANDWIDTH)
    if bounded:
        takes = count(len(bounded), "layer") + (" takes" if len(bounded) == 1 else " take")
        ms, bound = page.ms(subject.costs.sum(bounded)), page.ms(_bound(subject, bounded))
        yield Paragraph(f"{takes} {ms}; the bounds sum to {bound}.")
    if groups:
        yield _work_table(groups, bool(bounded))
    for mark in sorted({mark for group in groups for mark in _marks(group.done)}):
        yield Paragraph(f"({mark}): {_MARKS[mark]}.")


def _macs(subject: Subject, reasons: list[tuple[str, int]]) -> str:
    """How many multiplications with additions, and of how many layers they are not known."""
    missing, known = subject.work.layers_unknown, subject.work.macs_known
    if not missing:
        return f"{known:,} MACs."
    why = "; ".join(f"{number:,}: {why}" for why, number in reasons)
    told_why = f": {reasons[0][0]}" if len(reasons) == 1 else f" ({why})"
    told = f"{known:,} MACs; unknown" if known else "MACs are unknown"
    return f"{told} for {count(missing, 'layer')}{told_why}."


def _work_table(groups: Sequence[work.EqualLayers], bounded: bool) -> Grid:
    """Equal layers in a row, ranked by the time above the bound, or by MACs."""
    return grid(
        groups,
        (">above the bound", lambda group: page.ms(group.above_ms)) if bounded else None,
        (">time", lambda group: page.ms(group.ms)),
        (">bound", lambda group: page.ms(group.bound_ms)) if bounded else None,
        (">efficiency", lambda group: page.part(group.efficiency)) if bounded else None,
        ("bound by", lambda group: _by(group.done)) if bounded else None,
        (">MACs", lambda group: large(group.macs) if group.macs else "–"),
        (">bytes", lambda group: amount(group.bytes) if group.bytes else "–"),
        ("layer", _called),
        ("precision", lambda group: page.word(precisions.precision_of(group.layers[0]))),
    )


def _called(group: work.EqualLayers) -> Words:
    """The layers of a row: `16 Conv: Conv_60`; `22 × Conv: 18 Conv_64 and 21 more`."""
    head = labels.headline(group.layers[0])
    if len(group.layers) == 1:
        return called(group.layers[0], head)
    whole = Name(labels.several(head, len(group.layers)))
    return (whole, ": ", *first_of([*map(called, group.layers)], 1))


def _by(done: work.LayerWork) -> str:
    """Compute, memory or launch, and the marks of the bound."""
    return f"{done.bound_by}{''.join(f' ({mark})' for mark in _marks(done))}"


def _marks(done: work.LayerWork) -> list[str]:
    cached = "L2" if done.in_l2 and done.bound_by == "memory" else None
    return [mark for mark in (cached, done.assumes) if mark]
