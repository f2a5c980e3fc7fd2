"""Convolutions of few filters read one tensor, and could be one convolution.

**Found**: two or more convolutions of one group and of fewer than 128 filters each read the same
whole tensor in the same type, and have the same output shape but for the filters, and the same
kernel, stride and padding; where the listing has none of these, as a classic one, the same tactic.
Together they take more than 5 % of the time. Silent where the device is known and they take less
than twice what it needs for them, and of fewer than 8 filters: those are H01's and H04's.

**Why it costs**: each reads the whole tensor again, and each fills a part of the blocks of filters
that kernels compute. What one layer saves, no log tells: no time is at stake.

**What to do**: in the model, put the filters of these convolutions behind one another in one
convolution, and split its output. The builder does so by itself with layers in FP32 and FP16 where
it can, and not where each has a Q/DQ of its own: then give them one scale for the output. This
holds up to TensorRT 10.16 and from 11 on.

**When to leave it**: where their outputs need scales that differ much.

**Example**:

    Layer(CaskConvolution): hm.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> a[Int8(1,64,128,128)]
    Layer(CaskConvolution): wh.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> b[Int8(1,64,128,128)]

**Versions**: all.

**Severity**: hint.

**Sources**: TensorRT documentation: types of fusion; NVIDIA documentation: deep learning
performance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Final

from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.linting.alignment import read_whole
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.quantisation import is_explicit
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.05  # of the time of the engine
_FILTERS: Final = range(8, 128)  # of blocks that kernels compute: they fill a part
_TIMES_BOUND: Final = 2
_ADVICE: Final = "in {}, make one convolution of those that read one tensor, and split its output"
_ONE_SCALE: Final = "; it has one scale for all"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for the readers of each tensor."""
    whole = subject.costs.whole
    if not whole or not subject.costs.ranked:
        return
    groups: dict[Hashable, list[Layer]] = defaultdict(list)
    for layer in subject.convolving:
        if (key := _key(subject, layer)) is not None:
            groups[key].append(layer)
    for layers in groups.values():
        ms = subject.costs.sum(layers)
        if len(layers) < 2 or not ms or ms <= _LEAST_SHARE * whole:
            continue
        bounds = [subject.work_of(layer).bound_ms for layer in layers]
        if None not in bounds and ms < _TIMES_BOUND * sum(filter(None, bounds)):
            continue
        took = f" {milliseconds(ms)}, {percent(ms / whole)} {subject.of_all}"
        why = (*named(layers), " read one tensor and have equal shapes: they take", took)
        advice = _ADVICE.format(subject.frontend.model) + is_explicit(subject) * _ONE_SCALE
        yield finding(subject, RULE, layers, why, advice)


def _key(subject: Subject, layer: Layer) -> Hashable | None:
    """Returns what convolutions have to have in common to be one; None for no such layer."""
    sizes, tensor = subject.extents(layer), read_whole(subject, layer)
    if not isinstance(sizes, Convolution) or sizes.transposed or tensor is None:
        return None
    if sizes.groups not in (None, 1) or sizes.filters not in _FILTERS:
        return None
    alike: Hashable = (sizes.kernel, sizes.stride, sizes.padding, sizes.dilation, sizes.after)
    if sizes.kernel is None:
        alike = (layer.kernel or layer.tactic, sizes.filters, sizes.after)
    written = subject.data_output(layer)
    return tensor, subject.dtype(layer), alike, written.dtype if written else None
