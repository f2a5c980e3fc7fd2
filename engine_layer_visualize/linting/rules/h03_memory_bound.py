"""A layer moves its bytes about as fast as the memory can.

**Found**: a layer takes more than 5 % of the time of all layers, its bytes take longer than its
multiplications, and moving them at the memory's full bandwidth would take more than 70 % of its
time: measured or, without a profile, the builder's, and then the message says so. More than all of
its time only where the L2 cache may hold them. Each tensor is counted once, with the weights.

**Why it costs**: no other kernel makes the layer much faster; only fewer bytes do.

**What to do**: fuse it with a neighbour, use a type of fewer bits, or make its tensors smaller.

**Example**:

    PWN(/block/Mul) takes 240 µs for 392 MiB, which the memory moves in 202 µs: 84.2 % of its time

**Versions**: all; the log must give the device; it or a profile gives the times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import amount, milliseconds, percent
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "H03",
    "memory-bound",
    "hint",
    "A layer moves its bytes about as fast as the memory can.",
    ("Williams, Waterman, Patterson: Roofline, 2009",),
)
_SHARE: Final = 0.05
_EFFICIENT: Final = 0.7
_ADVICE: Final = (
    "another tactic gains little: fuse it with a neighbour, use a type of fewer bits, or make its "
    "tensors smaller"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each such layer: each moves other tensors."""
    if not subject.costs.ranked:
        return
    of_builder = " (the builder's timing)" if subject.costs.estimated else ""
    for layer in subject.layers:
        ms = subject.ms(layer)
        if ms is None or (subject.share(layer) or 0.0) <= _SHARE:
            continue
        one = subject.work(layer)
        if one.bound_by != "memory" or one.bytes is None or one.efficiency is None:
            continue
        if one.efficiency <= _EFFICIENT or (one.efficiency > 1 and not one.in_l2):
            continue  # in less than its bound: a size, or the device, is not as the log says
        bound, size = milliseconds(one.bound_ms or 0.0), amount(one.bytes)
        took = f"{milliseconds(ms)}{of_builder} for {size}, which the memory moves in {bound}"
        cached = " (the L2 cache may hold them)" if one.in_l2 else ""
        part = f"{percent(one.efficiency)} of its time"
        evidence = [subject.record(layer, took)]
        why = (*subject.names([layer]), f" takes {took}{cached}: {part}")
        yield subject.finding(RULE, [layer], why, _ADVICE, evidence, part=None)
