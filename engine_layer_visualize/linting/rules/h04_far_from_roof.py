"""A layer takes more than three times as long as the device needs for it.

**Found**: a layer takes at least 20 µs and more than 5 % of the time of all layers, measured, and
more than three times its bound: the time that the device needs at its maximum clock for the
layer's multiplications or for its bytes, whichever is longer. Not where the kernel multiplies less
often (Winograd), where nothing says which units of the device it uses, or where it is a reformat:
F02 to F14 say what that is for. H07 is about shorter layers.

**Why it costs**: the time above the bound is what a perfect kernel would save.

**What to do**: a larger batch or larger tensors fill the device; channels that fill its blocks
(H01, H02) and another tactic may help. See the layer's autotuning for what was tried.

**Example**:

    conv5: 0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms

**Versions**: all; the log must give the device, a profile the times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernel_names import is_winograd

RULE: Final = Rule(
    "H04",
    "far-from-roof",
    "hint",
    "A layer takes more than three times as long as the device needs for it.",
    ("Williams, Waterman, Patterson: Roofline, 2009",),
)
_SHARE: Final = 0.05
SHORTEST: Final = 0.02  # ms
TIMES: Final = 3
_FOR: Final = {"compute": "multiplications", "memory": "bytes"}
_ADVICE: Final = {
    True: "see in its autotuning what was tried; a larger batch and channels that fill the blocks "
    "of tensor cores bring a kernel nearer to its bound",
    False: "see in its autotuning what was tried; larger tensors, or a fusion with a neighbour, "
    "bring a kernel nearer to its bound",
}


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers of the same kernel."""
    costs = subject.costs
    if costs.kind != "measured" or not costs.ranked:
        return
    found: dict[tuple[str, bool], list[tuple[Layer, float, LayerWork]]] = defaultdict(list)
    for layer in subject.layers:
        ms = subject.ms(layer)
        if ms is None or ms < SHORTEST or (subject.share(layer) or 0.0) <= _SHARE:
            continue
        if is_reformat(layer):
            continue
        one = subject.work(layer)
        if one.bound_ms is not None and ms > TIMES * one.bound_ms and is_sure(layer, one):
            key = layer.kernel or layer.name, subject.multiplies(layer)
            found[key].append((layer, ms, one))
    for (_, multiplies), several in found.items():
        layers = [layer for layer, *_ in several]
        told = [_told(ms, one) for _, ms, one in several]
        evidence = [subject.record(la, words) for la, words in zip(layers[:3], told)]
        above = sum(one.above_ms or 0.0 for *_, one in several)
        more = f" and {len(told) - 1} more" if len(told) > 1 else ""
        why = (*subject.names(layers), f": {told[0]}{more}")
        yield subject.finding(RULE, layers, why, _ADVICE[multiplies], evidence, ms=above)


def is_sure(layer: Layer, one: LayerWork) -> bool:
    """Whether the peak is that of the units on which its kernel runs: Float may run on two. How
    much a Winograd kernel saves is unknown."""
    if is_winograd(layer.kernel or ""):
        return False
    precision = precisions.of(layer)
    known = precision.tf32 or layer.kernel is not None or precision.dtype != "Float"
    return known or one.bound_by == "memory"


def _told(ms: float, one: LayerWork) -> str:
    """`0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms`."""
    bound, what = one.bound_ms or 0.0, _FOR.get(one.bound_by or "", "bytes")
    if not bound:
        return f"{milliseconds(ms)}; its {what} need no time"
    return (
        f"{milliseconds(ms)}, {ms / bound:.1f} times as long as its {what} need: "
        + milliseconds(bound)
    )
