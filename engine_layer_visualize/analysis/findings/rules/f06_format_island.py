"""Layers stand between reformats that change the format and change it back.

**Found**: every way into a group of layers is a reformat from one type and format to another, every
way out is a reformat back, and the reformats take longer than the group gains by it. The gain is
known where the log has timings of these layers in the outer format: as many times their own time
as the builder measured. Else the reformats must take longer than the layers themselves.

**Why it costs**: the builder compares timings of single layers. What it saves in the group, the
reformats around it cost again.

**What to do**: hold the group in the outer type and format: `--layerPrecisions` and
`--layerOutputTypes` with `--precisionConstraints=prefer`, or other `--tacticSources`.

**Example**:

    Layer(Reformat): r1, Tactic: 0x3e8, a[Half(1,8:8,4,4)] -> b[Float(1,8,4,4)]
    Layer(CaskPooling): pool, Tactic: 0x1, b[Float(1,8,4,4)] -> c[Float(1,8,2,2)]
    Layer(Reformat): r2, Tactic: 0x3e8, c[Float(1,8,2,2)] -> d[Half(1,8:8,2,2)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.format_islands import Island, islands
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.trt.memory_formats import in_format

RULE: Final = Rule(
    "F06",
    "format-island",
    "hint",
    "Layers stand between reformats that change the format and change it back.",
    ("NVIDIA/TensorRT issue 4039",),
)
_ADVICE: Final = (
    "hold these layers in the outer type and format (trtexec: --layerPrecisions and "
    "--layerOutputTypes with --precisionConstraints=prefer), or try other --tacticSources"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each island."""
    for island in islands(subject):
        running = [layer for layer in island.layers if runs_kernel(layer)]
        ms = _sum(subject.ms(layer) for layer in island.reformats)
        inside = _sum(subject.ms(layer) for layer in running)
        if ms is None or inside is None or not running:
            continue
        gain = _gain(subject, island, running)
        against = f"the layers {milliseconds(inside)}"
        if gain is not None:
            against = f"the layers gain {milliseconds(max(0.0, gain))} by it"
        if ms > (inside if gain is None else gain):
            names = subject.names(running)
            verb = plural(len(running), "runs", "run")
            words = f" {verb} in {island.inside} amid {island.outside}: "
            took = f"the reformats around take {milliseconds(ms)}, {against}"
            why = (*names, words, took)
            yield subject.finding(RULE, (*island.reformats, *running), why, _ADVICE, ms=ms)


def _gain(subject: Subject, island: Island, running: Sequence[Layer]) -> float | None:
    """What the layers would take more in the outer format: of their times, the part that the
    builder measured."""
    more = []
    for layer in running:
        own, ms = subject.known(layer).build_ms, subject.ms(layer)
        outer = [
            one.ms
            for one in subject.tuned(layer).combinations
            if one.formats is not None and in_format(one.formats, island.outside)
        ]
        if not own or ms is None or not outer:
            return None
        more.append(ms * (min(outer) / own - 1))
    return math.fsum(more)


def _sum(times: Iterator[float | None]) -> float | None:
    """None where one of them is unknown."""
    known = tuple(times)
    return None if None in known else math.fsum(ms for ms in known if ms is not None)
