"""Converting at the border of a quantised part of the engine costs much of what that part takes.

**Found**: layers that compute in Int8 or FP8 and are connected, whose reformats, Q and DQ at their
border (one side quantised, one side floating) take more than a quarter of the time of the layers
themselves. What converts an input or an output of the engine does not count: that is F02 and F03.
Silent where a time is unknown, and where layers are missing in the listing: these may be inside,
too.

P04, P05 and F04 do not tell of these conversions again.

**Why it costs**: quantisation gains what the layers inside become faster, and pays what converting
to it and back takes. A small part gains little and pays the same.

**What to do**: quantise the neighbours, too, so that the part becomes larger, or leave all of it in
FP16: the border then disappears.

**Example**:

    Layer(Reformat): to Int8, Tactic: 0x3e8, a[Half(1,32,8,8)] -> b[Int8(1,32,8,8)]
    Layer(CaskConvolution): conv2, Tactic: 0x1, b[Int8(1,32,8,8)] -> c[Int8(1,32,8,8)]
    Layer(Reformat): from Int8, Tactic: 0x3e8, c[Int8(1,32,8,8)] -> d[Half(1,32,8,8)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.connected import connected
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import QUANTISED, converts
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "P06",
    "quant-island",
    "warning",
    "Converting at the border of a quantised part of the engine costs much of what that part "
    "takes.",
    ("NVIDIA/TensorRT issues 993, 1423, 4711, 1895",),
)
_MOST: Final = 0.25  # of the time of the layers inside
_ADVICE: Final = (
    "quantise the neighbours, too (the operators outside of these reformats), or leave this part "
    "in FP16"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each part with such a border."""
    if subject.total is None or not subject.engine.source.complete:
        return
    convert = {layer.index: layer for layer in subject.layers if converts(subject, layer)}
    border = {index for index, layer in convert.items() if _inner(subject, layer)}
    inside = {
        layer.index: layer
        for layer in subject.layers
        if layer.index not in convert and subject.dtype(layer) in QUANTISED
    }
    pairs = ((edge.source, edge.target) for edge in subject.edges)
    for part in connected(inside, pairs) if border else ():
        island = [inside[index] for index in part]
        around = [one for one in _around(subject, island) if one.index in border]
        timed = [subject.ms(layer) for layer in (*island, *around)]
        if not around or None in timed:
            continue
        sides, whole = subject.costs.sum(around) or 0.0, subject.costs.sum(island) or 0.0
        if whole <= 0 or sides <= _MOST * whole:
            continue
        words = (
            *subject.names(around),
            f" convert{'s' if len(around) == 1 else ''} at the border of "
            f"{count(len(island), 'quantised layer')}: {milliseconds(sides)}, "
            f"{percent(sides / whole)} of what {plural(len(island), 'it takes', 'they take')}: ",
            *subject.names(island),
            ", beside ",
            *subject.names(_outside(subject, around, island)),
        )
        evidence = [
            *map(subject.record, around[:3]),
            subject.record(island[0], f"the first of the layers inside: {island[0].name}"),
        ]
        yield subject.finding(RULE, [*around, *island], words, _ADVICE, evidence, ms=sides)


def _inner(subject: Subject, layer: Layer) -> bool:
    """Whether a layer stands between layers, not at an input or an output of the engine."""
    leaves = any(edge.target is None for edge in subject.writes(layer))
    return not leaves and not subject.at_input(layer)


def _outside(subject: Subject, around: list[Layer], island: list[Layer]) -> list[Layer]:
    """What stands on the other side of these conversions."""
    inner = {layer.index for layer in (*around, *island)}
    return [layer for layer in _around(subject, around) if layer.index not in inner]


def _around(subject: Subject, layers: list[Layer]) -> list[Layer]:
    """The layers that read from these, or write for them."""
    found = {
        near.index: near
        for layer in layers
        for near in (*subject.writers(layer), *subject.readers(layer))
    }
    return [found[index] for index in sorted(found)]
