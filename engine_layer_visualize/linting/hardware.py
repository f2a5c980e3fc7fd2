"""Rules about layers that are far from what the device can do, or too small for it."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import extents, kinds, sizes, trtexec, work
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.linting import roles
from engine_layer_visualize.linting.rules import Evidence, Finding, finding, named, rule, shared
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions
from engine_layer_visualize.trt.types import width

_LEAST_SHARE: Final = 0.05
_TRANSPOSED: Final = (
    "replace transposed convolutions by convolution and DepthToSpace, or by Resize and convolution"
)
_MORE_TACTICS: Final = "let the builder try more tactics (trtexec: --builderOptimizationLevel=5)"
_LARGER: Final = "use larger tensors: the builder has tried the most tactics already"
_JOIN: Final = "join these convolutions of fewer than 8 filters into one, and measure it"
# Rows of a convolution or product, and numbers that it writes: more fill any GPU.
_MOST_ROWS: Final = 1 << 14
_MOST_WRITTEN: Final = 1 << 21
_BLOCK: Final = 8  # channels, or filters, that a kernel computes at least


@rule("H04")
def far_from_roof(subject: Subject) -> Iterator[Finding]:
    """Equal layers, or one, take more than three times what the device needs for them.

    **Found**: a layer, or layers that compute the same with the same kernel, take more than 5 % of
    the measured time. This is more than three times their bound: what the device needs for their
    multiplications or bytes, whichever is longer. The rule leaves out kernels that multiply less
    often (Winograd) or on unknown units, reformats, and layers of less than 20 µs. Convolutions of
    fewer than 8 filters count as equal ones, whatever their channels.

    **Why it costs**: a perfect kernel would save what lies above the bound. The finding counts what
    is saved if they use the device as well as this engine's best layer does. What joining
    convolutions of fewer than 8 filters saves no log tells.

    **What to do**: a larger batch or larger tensors fill the device. Channels that fill its blocks
    (H01) and another tactic may help. The layer's autotuning says what was tried. Few kernels
    compute transposed convolutions: a convolution of four times the filters and a DepthToSpace, or
    a Resize and a convolution, can replace one.

    **When to leave it**: where the layer is depthwise or has one row: no kernel comes near its
    bound.

    **Example**:

        conv5: 0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms

    **Versions**: all; the log, `--device` or `--peak` must give the device, a profile the times.

    **Severity**: hint.

    **Sources**: Williams, Waterman, Patterson: Roofline, 2009.
    """
    layers, whole = _measured(subject), subject.costs.whole or 0.0
    heads = _heads(subject, layers)
    in_heads = {layer.index for head in heads for layer in head}
    others = (layer for layer in layers if layer.index not in in_heads)
    for group in work.ranked_equal_layers(others, subject.work, subject.costs):
        ms, bound, first = group.ms, group.bound_ms, group.layers[0]
        if not ms or not bound or ms <= max(roles.TIMES_BOUND * bound, _LEAST_SHARE * whole):
            continue
        if ms < roles.SHORTEST_MS * len(group.layers) or not roles.is_sure(first, group.done):
            continue
        if isinstance(shape := subject.extents(first), sizes.Convolution) and shape.depthwise:
            continue  # no kernel comes near the bound
        advice = _advice(subject, first)
        most = roles.saved_together(subject, group.layers)
        if advice is _TRANSPOSED and most:
            most -= _moving(subject, group.layers)
            if most <= 0:
                continue
        is_compute = group.done.bound_by == "compute"
        of = "multiplications that the GPU can do" if is_compute else "bandwidth"
        told = f": {_told(ms, bound, group.done)}, at {percent(bound / ms)} of the {of}"
        yield finding(subject, group.layers, (*named(group.layers), told), advice, ms=most)
    for head in heads:
        if subject.work_of(head[0]).bound_ms is not None:
            yield from _few_filters(subject, head)


@rule("H10")
def slow_convolutions(subject: Subject) -> Iterator[Finding]:
    """Transposed convolutions, or convolutions of few filters, take much of the time.

    **Found**: transposed convolutions take more than 10 % of the measured time together. Or several
    convolutions of fewer than 8 filters take more than 5 %. What the device needs for them is
    unknown; else H04 finds them. Where all multiplications are known, a transposed convolution
    takes three times as long for each as the others do.

    **Why it costs**: few kernels compute transposed convolutions. A kernel computes whole blocks of
    filters, however few there are.

    **What to do**: a convolution of four times the filters and a DepthToSpace replace a transposed
    one of stride 2. Convolutions that read one tensor can be one.

    **When to leave it**: where the model cannot be trained or changed again.

    **Example**:

        Layer(CaskDeconvolution): up, Tactic: 0x1, x[Half(-1,8,4,4)] -> y[Half(-1,8,8,8)]

    **Versions**: all; a profile must give the times.

    **Severity**: hint.

    **Sources**: recorded logs.
    """
    layers = _measured(subject)
    if layers:
        yield from _transposed(subject)
    for head in _heads(subject, layers):
        if subject.work_of(head[0]).bound_ms is None:
            yield from _few_filters(subject, head)


def _measured(subject: Subject) -> list[Layer]:
    """Returns the layers with measured times, reformats apart; none where too few are known."""
    if subject.costs.kind != "measured" or not subject.costs.ranked:
        return []
    return [la for la in subject.layers if subject.ms(la) and not kinds.is_reformat(la)]


def _heads(subject: Subject, layers: Iterable[Layer]) -> list[list[Layer]]:
    """Returns convolutions of few filters, those together that one convolution could compute."""
    alike: dict[Hashable, list[Layer]] = defaultdict(list)
    for layer in layers:
        size = subject.extents(layer)
        if not isinstance(size, sizes.Convolution) or size.depthwise or size.transposed:
            continue
        if size.filters and size.filters < _BLOCK:
            done = subject.work_of(layer)
            is_bound = done.bound_ms is not None
            shape = size.kernel, size.stride, size.padding, size.before, size.after
            if not is_bound or roles.is_sure(layer, done):
                alike[is_bound, subject.dtype(layer), shape].append(layer)
    return [equal for equal in alike.values() if len(equal) > 1]


def _few_filters(subject: Subject, few: Sequence[Layer]) -> Iterator[Finding]:
    """Yields a finding for heads of few filters; where their bound is unknown, by their time."""
    ms, done = subject.costs.sum(few) or 0.0, [subject.work_of(layer) for layer in few]
    bound = sum(each.bound_ms or 0.0 for each in done)
    if ms <= max(_LEAST_SHARE * (subject.costs.whole or 0.0), roles.TIMES_BOUND * bound):
        return
    told = f"{_told(ms, bound, done[0])}, " if bound else ""
    why = (*named(few), f": {told}convolutions of fewer than 8 filters")
    yield finding(subject, few, why, _JOIN)


def _transposed(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for transposed convolutions without a bound that take long.

    Where the multiplications are known they have to be slower than those of other convolutions.
    """
    unbound, others = list[Layer](), list[Layer]()
    if not subject.edges:  # of times alone the names tell
        unbound += [layer for layer in subject.layers if "ConvTranspose" in layer.name]
    for layer in subject.convolving:
        if subject.operation(layer) != "deconvolution":
            others.append(layer)
        elif subject.work_of(layer).bound_ms is None:
            unbound.append(layer)
    ms, macs = subject.costs.sum(unbound) or 0.0, _macs(subject, unbound)
    other_ms, other_macs = subject.costs.sum(others) or 0.0, _macs(subject, others) or 0
    is_known = bool(macs and other_macs and other_ms)
    is_slow = not is_known or ms * other_macs >= roles.TIMES_BOUND * other_ms * (macs or 0)
    if is_slow and ms >= roles.SHORTEST_MS * len(unbound):
        yield from shared(subject, unbound, 0.1, "transposed convolution", _TRANSPOSED)


def _moving(subject: Subject, layers: Sequence[Layer]) -> float:
    """Returns the ms of a DepthToSpace behind each: it reads and writes what they write."""
    peak, written = subject.work.peak, [la.outputs[0] for la in layers if la.outputs]
    bits = sum(2 * (width(each.dtype) or 0) * math.prod(each.shape or ()) for each in written)
    return bits / 8 / peak.bytes_per_ms if peak is not None and peak.bytes_per_ms else 0.0


def _macs(subject: Subject, layers: Sequence[Layer]) -> int | None:
    """Returns the multiplications of all; None where those of one are unknown."""
    known = [subject.work_of(layer).macs for layer in layers]
    return None if None in known else sum(filter(None, known))


def _advice(subject: Subject, layer: Layer) -> str:
    """Returns what fills the device: for products more rows, where these are few."""
    multiplied = subject.extents(layer)
    known = extents.channels(multiplied)
    if isinstance(multiplied, sizes.Convolution) and multiplied.transposed:
        return _TRANSPOSED
    rows, written = (known.rows, known.written or 0) if known is not None else (None, 0)
    if rows is None or rows > _MOST_ROWS or rows * written > _MOST_WRITTEN:
        level = trtexec.given_flags(subject.engine).get("--builderOptimizationLevel")
        level = level or trtexec.option(subject.facts, "BuilderOptimizationLevel")
        if versions.is_rtx(subject.engine.tensorrt):  # which chooses tactics where it runs
            return "use larger tensors"
        has_levels = trtexec.is_before(subject.engine, (8, 6)) is not True  # before, all are tried
        return _MORE_TACTICS if has_levels and level != "5" else _LARGER
    return f"use a larger batch: {count(rows, 'row')} cannot fill the GPU"


def _told(ms: float, bound: float, done: work.LayerWork) -> str:
    """Returns `0.42 ms, 3.5 times as long as its multiplications need: 0.12 ms`."""
    what = "multiplications" if done.bound_by == "compute" else "bytes"
    took, need = milliseconds(ms), milliseconds(bound)
    return f"{took}, {ms / bound:.1f} times as long as the {what} need: {need}"


@rule("H07")
def small_layers(subject: Subject) -> Iterator[Finding]:
    """Most of the time goes to layers that are too small to fill the device.

    **Found**: ten or more layers of less than 10 µs each take more than two fifths of the measured
    time. Or a hundred or more of them are more than half of the layers. A layer that takes less
    than three times what a known device needs for it does not count. Without times of layers, ten
    or more count where trtexec's time on the GPU is less than 20 µs for each.

    **Why it costs**: a kernel takes some microseconds to start and to end, however little it
    computes. A few blocks leave most of the device idle.

    **What to do**: larger batches give each launch more to do. Fewer, larger layers save launches.
    A CUDA graph shortens the pauses. Up to TensorRT 10.16 trtexec captures one with
    `--useCudaGraph`, from 11 on by itself. No graph is advised where one runs already. No log tells
    how much all this saves.

    **When to leave it**: where the batch is fixed, such as one picture at a time, and the latency
    is short enough.

    **Example**:

        52 of 59 layers take less than 10.0 µs each, 392 µs together, 86.7 % of all

    **Versions**: all; a profile, the builder or trtexec's summary must give times.

    **Severity**: hint.

    **Sources**: TensorRT documentation: batching, CUDA graphs; Williams, Waterman, Patterson:
    Roofline, 2009.
    """
    costs = subject.costs
    if costs.whole is None:
        yield from _untimed(subject)
    if not costs.ranked or not costs.whole:
        return
    timed = [layer for layer in subject.layers if subject.ms(layer)]
    short = [layer for layer in timed if _is_short(subject, layer)]
    took, part = costs.sum(short), costs.part(short) or 0.0
    if len(short) < roles.LEAST_LAYERS or not took:
        return
    # Launching so many takes long, whatever the others compute.
    are_most = len(short) >= 100 and len(short) > len(timed) / 2
    takes_most = part > 0.4 and costs.kind == "measured"
    if not (are_most or takes_most):
        return
    what, most = f"{len(short):,} of {count(len(timed), 'layer')}", milliseconds(roles.LAUNCH_MS)
    together = f"{milliseconds(took)} together, {percent(part)} {subject.of_all}"
    why = f"{what} take less than {most} each, {together}"
    yield finding(subject, (), why, _launch_less(subject), about=short)


def _is_short(subject: Subject, layer: Layer) -> bool:
    """Whether the launch of its kernel takes most of a layer's time, and not its work."""
    ms, bound = subject.ms(layer) or 0.0, subject.work_of(layer).bound_ms or 0.0
    return roles.TIMES_BOUND * bound < ms < roles.LAUNCH_MS


def _untimed(subject: Subject) -> Iterator[Finding]:
    """Yields a finding where no layer has a time: by the time of an inference."""
    each = roles.mean_of_kernels(subject)
    kernels = [layer for layer in subject.layers if kinds.runs_kernel(layer)]
    if each is None or each >= roles.SHORTEST_MS or len(kernels) < roles.LEAST_LAYERS:
        return
    took, mean = milliseconds(each * len(kernels)), milliseconds(each)
    why = f"{count(len(kernels), 'layer')} take {took} of GPU time, {mean} each in the mean"
    row = subject.performance.gpu_compute
    assert row is not None  # the mean of kernels is of it
    evidence = [Evidence(f"{row.name}: mean {milliseconds(row.mean or 0.0)}", row.line)]
    yield finding(subject, (), why, _launch_less(subject), evidence, about=kernels)


def _launch_less(subject: Subject) -> str:
    """Returns what to do about kernels that are mostly launched."""
    refused = "--noCudaGraph" in (subject.facts.command or "")
    refused = refused or any(la.type.casefold() in kinds.WAITING for la in subject.layers)
    if subject.can_add("--useCudaGraph") and not (refused or subject.has_cuda_graph):
        return (
            "use a CUDA graph (trtexec: --useCudaGraph), larger batches, or fewer and larger layers"
        )
    return "use larger batches, or fewer and larger layers"
