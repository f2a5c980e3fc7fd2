"""Equal layers, or one, take more than three times what the device needs for them.

**Found**: a layer, or layers that compute the same with the same kernel, take more than 5 % of the
measured time, and more than three times their bound: the time that the device needs at its maximum
clock for their multiplications or for their bytes, whichever is longer. Not where the kernel
multiplies less often (Winograd), where nothing says which units of the device it uses, or where it
is a reformat. Several convolutions of fewer than 8 filters, which differ in their channels alone,
count as equal ones, also where the bound is unknown. Transposed ones without a bound count where
they together take more than 10 %, unless the log has all multiplications, and they take less than
three times as long for theirs as the other convolutions. A single layer of less than 20 µs does not
count (H07 counts those); equal ones do, unless H07 tells that most of the time goes to such layers.

**Why it costs**: a better kernel would save what lies above the bound, if it were perfect. What is
told is less: the time without what the layer takes where it reaches as much of the device as this
engine's best layer does, as P15 finds it. Of layers under 20 µs a part is the launch of the kernel:
nothing in the log prices it. Of convolutions of fewer than 8 filters that read one tensor, it is
their time without the longest one's, for each block of their kernels' filters (`tilesize128x32x64`
in the name: 32). Where each reads channels of its own, a convolution of all has zeros, which are
multiplied, too: what that saves is not known. From that of transposed convolutions the time is
taken in which a DepthToSpace moves what they write.

**What to do**: a larger batch or larger tensors fill the device; channels that fill its blocks
(H01, H02) and another tactic may help; equal layers that read one tensor can be one layer. See the
layer's autotuning for what was tried. This holds up to TensorRT 10.16 and from 11 on.

**When to leave it**: where the layer is depthwise or has one row: no kernel comes near its bound.

**Example**:

    conv5: 0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms

**Versions**: all; the log, `--device` or `--peak` must give the device, a profile the times.

**Severity**: hint.

**Sources**: Williams, Waterman, Patterson: Roofline, 2009.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import work as equal_layers
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.analysis.work import EqualLayers, LayerWork
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.linting.alignment import joined, read_whole
from engine_layer_visualize.linting.finding import SHORTEST_MS, Finding, described
from engine_layer_visualize.linting.roles import TIMES_BOUND, is_sure, small
from engine_layer_visualize.linting.rule import finding, named, saved_together
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernels import filters_of_block
from engine_layer_visualize.trt.types import width

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.05
_LEAST_SHARE_UNBOUND: Final = 0.1  # of transposed convolutions together, without a bound
_OF: Final = {True: "multiplications that the GPU can do", False: "bandwidth"}
_FOR: Final = {"compute": "multiplications", "memory": "bytes"}
_LEAST_FILTERS: Final = 8  # filters that a kernel computes at least
_FEW_FILTERS: Final = (
    "fewer than 8 filters fill a part of a kernel's block{}: put such heads into one convolution{}"
)
_APART: Final = (
    ", with zeros where they read different channels, and time that: zeros take time, too"
)
_TRANSPOSED_NODE: Final = "ConvTranspose"
_TRANSPOSED: Final = (
    "replace a transposed convolution by a convolution and a DepthToSpace, or by a Resize and a "
    "convolution"
)
_MULTIPLIES: Final = "a larger batch, or channels that fill the blocks of tensor cores"
_OTHERS: Final = "larger tensors, or a fusion with a neighbour"
_SHORT: Final = "each is too short for its launch: use a larger batch"
_SIBLINGS: Final = "each is too short for its launch: make one layer of those that read one tensor"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for each layer, or group of equal layers."""
    costs, work = subject.costs, subject.work
    if costs.kind != "measured" or not costs.ranked or not costs.whole:
        return
    layers = [la for la in subject.layers if subject.ms(la) and not is_reformat(la)]
    are_small = small(subject) is not None
    yield from _transposed(subject)
    heads = _heads(subject, layers)
    joined = {layer.index for equal in heads for layer in equal}
    for group in equal_layers.ranked_equal_layers(
        (la for la in layers if la.index not in joined), work, costs
    ):
        ms, bound, first = group.ms, group.bound_ms, group.layers[0]
        if not ms or ms <= _LEAST_SHARE * costs.whole or not bound or ms <= TIMES_BOUND * bound:
            continue
        number = len(group.layers)
        is_short = ms < SHORTEST_MS * number
        if (is_short and number == 1) or not is_sure(first, group.done):
            continue
        if isinstance(sizes := subject.extents(first), Convolution) and sizes.depthwise:
            continue  # no kernel comes near the bound
        part = f"at {percent(bound / ms)} of the {_OF[group.done.bound_by == 'compute']}"
        why = (*named(group.layers), f": {_told(ms, bound, group.done)}, {part}")
        advice = _advice(subject, group, is_short)
        if advice is _SHORT and are_small:
            continue  # H07 tells it of all
        most = saved_together(subject, group.layers)
        if advice is _TRANSPOSED and most:
            most -= _moving(subject, group.layers)
            if most <= 0:
                continue
        yield finding(subject, RULE, group.layers, why, advice, ms=most)
    for equal in heads:
        yield from _few_filters(subject, equal)


def _heads(subject: Subject, layers: Iterable[Layer]) -> list[list[Layer]]:
    """Returns convolutions of few filters, those together that one convolution could compute."""
    alike: dict[Hashable, list[Layer]] = defaultdict(list)
    for layer in layers:
        if (sizes := _of_few_filters(subject, layer)) is not None:
            done = subject.work_of(layer)
            is_bound = done.bound_ms is not None
            shape = sizes.kernel, sizes.stride, sizes.padding, sizes.before, sizes.after
            if not is_bound or is_sure(layer, done):
                alike[is_bound, subject.dtype(layer), shape].append(layer)
    return [equal for equal in alike.values() if len(equal) > 1]


def _few_filters(subject: Subject, few: Sequence[Layer]) -> Iterator[Finding]:
    """Yields a finding for heads of few filters; where their bound is unknown, by their time."""
    ms, done = subject.costs.sum(few) or 0.0, [subject.work_of(layer) for layer in few]
    bound = sum(work.bound_ms or 0.0 for work in done)
    if ms <= max(_LEAST_SHARE * (subject.costs.whole or 0.0), TIMES_BOUND * bound):
        return
    told = f"{_told(ms, bound, done[0])}, " if bound else ""
    why = (*named(few), f": {told}convolutions of fewer than 8 filters")
    # What is read by one head alone is multiplied with zeros for the others: nothing prices that.
    whole = {read_whole(subject, layer) for layer in few}
    alike = len(whole) == 1 and None not in whole
    blocks = {filters_of_block(layer.kernel or "") or 0 for layer in few}
    block = blocks.pop() if len(blocks) == 1 else 0
    filters = sum(sizes.filters or 0 for layer in few if (sizes := _of_few_filters(subject, layer)))
    stake = joined(subject, few, filters, block or _LEAST_FILTERS) if alike and bound else None
    filled = (f" of {block}", f" of up to {block} filters") if block else ("", "")
    advice = _FEW_FILTERS.format(*filled) + ("" if alike else _APART)
    yield finding(subject, RULE, few, why, advice, ms=stake)


def _transposed(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for transposed convolutions without a bound that take long.

    Where the multiplications are known they have to be slower than those of other convolutions.
    """
    whole, unbound = subject.costs.whole or 0.0, list[Layer]()
    others: list[Layer] = []
    if not subject.edges:  # of times alone the names tell
        unbound += [layer for layer in subject.layers if _TRANSPOSED_NODE in layer.name]
    for layer in subject.convolving:
        is_transposed = subject.operation(layer) == "deconvolution"
        if is_transposed and subject.work_of(layer).bound_ms is None:
            unbound.append(layer)
        others += [] if is_transposed else [layer]
    ms, macs = subject.costs.sum(unbound) or 0.0, _macs(subject, unbound)
    if ms <= _LEAST_SHARE_UNBOUND * whole or ms < SHORTEST_MS * len(unbound):
        return
    other_ms, other_macs = subject.costs.sum(others), _macs(subject, others)
    if macs and other_macs and other_ms and ms * other_macs < TIMES_BOUND * other_ms * macs:
        return
    took = f"{milliseconds(ms)}, {percent(ms / whole)} {subject.of_all}"
    what = count(len(unbound), "transposed convolution")
    unbound.sort(key=lambda layer: -(subject.ms(layer) or 0.0))
    why = (f"{what} {plural(len(unbound), 'takes', 'take')} {took}: ", *named(unbound))
    yield finding(subject, RULE, unbound, why, _TRANSPOSED)


def _moving(subject: Subject, layers: Sequence[Layer]) -> float:
    """Returns the ms of a DepthToSpace behind each: it reads and writes what they write."""
    peak, written = subject.work.peak, [la.outputs[0] for la in layers if la.outputs]
    bits = sum(2 * (width(each.dtype) or 0) * math.prod(each.shape or ()) for each in written)
    return bits / 8 / peak.bytes_per_ms if peak is not None and peak.bytes_per_ms else 0.0


def _macs(subject: Subject, layers: Sequence[Layer]) -> int | None:
    """Returns the multiplications of all; None where those of one are unknown."""
    known = [subject.work_of(layer).macs for layer in layers]
    return None if None in known else sum(filter(None, known))


def _of_few_filters(subject: Subject, layer: Layer) -> Convolution | None:
    sizes = subject.extents(layer)
    if not isinstance(sizes, Convolution) or sizes.depthwise or sizes.transposed:
        return None
    return sizes if sizes.filters and sizes.filters < _LEAST_FILTERS else None


def _advice(subject: Subject, group: EqualLayers, is_short: bool) -> str:
    layer = group.layers[0]
    sizes = subject.extents(layer)
    if isinstance(sizes, Convolution) and sizes.transposed:
        return _TRANSPOSED
    if is_short:
        return _SIBLINGS if _read_one_tensor(group.layers) else _SHORT
    return _MULTIPLIES if subject.multiplies(layer) else _OTHERS


def _read_one_tensor(layers: Sequence[Layer]) -> bool:
    read = [layer.inputs[0].name for layer in layers if layer.inputs]
    return len(set(read)) < len(read)


def _told(ms: float, bound: float, work: LayerWork) -> str:
    """Returns `0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms`."""
    what = _FOR.get(work.bound_by or "", "bytes")
    if not bound:
        return f"{milliseconds(ms)}; the {what} need no time"
    return (
        f"{milliseconds(ms)}, {ms / bound:.1f} times as long as the {what} need: "
        + milliseconds(bound)
    )
