"""Reports MACs, the device's peaks, and the layers farthest above what no kernel beats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.labels import headline, several
from engine_layer_visualize.analysis.precisions import precision_of
from engine_layer_visualize.analysis.work import EqualLayers, LayerWork, ranked_equal_layers
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count, large
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph, grid
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.facts.json import HEAD
from engine_layer_visualize.facts.layer import called, of_fields
from engine_layer_visualize.linting.subject import Subject

_DETAILED: Final = (
    "A detailed listing has kernel sizes: build with `--profilingVerbosity=detailed "
    "--dumpLayerInfo` (TensorRT 8.2 and later)."
)
_NO_PEAK: Final = "`--peak fp32=19.5,fp16=312,int8=624,bw=1555` (dense TFLOPS, GB/s) gives bounds."
_NO_BANDWIDTH: Final = "`--peak bw=…` (GB/s) gives bounds: its memory bandwidth is unknown."
_MARKS: Final = {  # of a bound -> what it means
    "L2": "the data fits the cache; the layer can be faster than its bound",
    "Winograd": "by the kernel's name it multiplies 2.25 to 4 times less, and so does the bound",
    "sparse": "by the kernel's name its weights are sparse: the bound counts half of the MACs",
}


def data(subject: Subject, top: int) -> JsonValue:
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
                **_row(subject, group.layers[0]),  # the slowest, with the sums of all
                "layers": [layer.index for layer in group.layers],
                **picked(group, "ms", "above_ms", "macs", "bytes", "bound_ms", "efficiency"),
            }
            for group in ranked_equal_layers(order, done, costs)[:top]
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


def _row(subject: Subject, layer: Layer) -> dict[str, JsonValue]:
    keys = ("index", "line", "name", "report.operators", "report.precision", "ms")
    return {
        **of_fields(subject, layer, *keys),
        **picked(subject.work.of(layer), "above_ms", "in_l2", "assumes", "macs", "bytes"),
        **picked(subject.work.of(layer), "intensity", "bound_ms", "bound_by", "efficiency"),
    }


def blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    done, (bounded, order) = subject.work, _ordered(subject)
    groups = ranked_equal_layers(order, done, subject.costs)[:top]
    reasons = _reasons(subject)
    yield Heading("Work")
    yield Paragraph((_macs(subject, reasons), *engine_words.shapes_of(done.at, done.of_times)))
    if any("kernel size" in why for why, _ in reasons):
        yield Advice(_DETAILED)
    if done.peak is not None:
        yield Paragraph(f"{engine_words.device(done.peak)}.")
    if groups and done.peak is None:
        yield Advice(_NO_PEAK)
    elif done.peak is not None and done.peak.bandwidth is None:
        yield Advice(_NO_BANDWIDTH)
    if bounded:
        takes = count(len(bounded), "layer") + (" takes" if len(bounded) == 1 else " take")
        ms, bound = page.ms(subject.costs.sum(bounded)), page.ms(_bound(subject, bounded))
        yield Paragraph(f"{takes} {ms}; the bounds sum to {bound}.")
    if groups:
        yield _table(groups, bool(bounded))
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


def _table(groups: Sequence[EqualLayers], bounded: bool) -> Grid:
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
        ("precision", lambda group: page.word(precision_of(group.layers[0]))),
    )


def _called(group: EqualLayers) -> Words:
    """The layers of a row: `16 Conv: Conv_60`; `22 × Conv: 18 Conv_64 and 21 more`."""
    head = headline(group.layers[0])
    if len(group.layers) == 1:
        return called(group.layers[0], head)
    whole = Name(several(head, len(group.layers)))
    return (whole, ": ", *first_of([*map(called, group.layers)], 1))


def _by(done: LayerWork) -> str:
    """Compute, memory or launch, and the marks of the bound."""
    return f"{done.bound_by}{''.join(f' ({mark})' for mark in _marks(done))}"


def _marks(done: LayerWork) -> list[str]:
    cached = "L2" if done.in_l2 and done.bound_by == "memory" else None
    return [mark for mark in (cached, done.assumes) if mark]
