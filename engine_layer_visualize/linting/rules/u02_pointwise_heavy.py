"""A pointwise layer takes more than 5 % of the engine's time.

**Found**: a layer of type PointWise, ElementWise, Activation or Unary, or a kernel that Myelin
generated (`kgen`) and that holds no product, takes more than 5 % of the time of all layers. Only
where most of the engine is timed. Silent below 5 µs: such a kernel is mostly launched, and only the
builder can fuse it.

**Why it costs**: such a layer computes little for each number that it reads and writes. Its time is
the time of the memory, so no other kernel makes it much faster.

**What to do**: move less: fuse it with the layer before or behind it, run it in a type of fewer
bits, or make its tensors smaller.

**When to leave it**: where its neighbours cannot take it in and the accuracy needs its type: no
other kernel makes it much faster.

**Example**:

    PWN(/block/Mul): 0.4 ms of 3 ms

**Versions**: all; a profile gives better times than the builder's.

**Severity**: hint.

**Sources**: TensorRT documentation: types of fusion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import is_generated, is_pointwise, is_tail, product_before
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.05
_MOVED: Final = "its time is that of reading and writing its tensors: "
_SMALLER: Final = "use a type of fewer bits or smaller tensors"
_ADVICE: Final = f"{_MOVED}fuse it with a neighbour, or {_SMALLER}"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for each such layer: each does something else."""
    if not subject.costs.ranked:
        return
    for layer in subject.layers:
        ms, share = subject.ms(layer), subject.share(layer)
        if ms is None or ms < LAUNCH or share is None or share <= _LEAST_SHARE:
            continue
        if is_pointwise(layer) or is_generated(layer):
            took = f"{milliseconds(ms)}, {percent(share)} {subject.costs.share_of(layer)}"
            evidence = [subject.record(layer, f"{layer.type}: {took}")]
            why = (*subject.names([layer]), f": pointwise, {took}")
            product = product_before(subject, layer)
            is_own = product is not None and is_tail(subject, layer, product)
            advice = f"{_MOVED}{_SMALLER}" if is_own else _ADVICE
            yield subject.finding(RULE, [layer], why, advice, evidence)
