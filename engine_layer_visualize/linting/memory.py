"""Rules about memory: what is read more often than it must be, workspace, copies for a DLA."""

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from engine_layer_visualize.analysis import kinds, trtexec
from engine_layer_visualize.analysis.extents import channels
from engine_layer_visualize.analysis.sizes import Convolution, Product
from engine_layer_visualize.core.layer_facts import Candidates
from engine_layer_visualize.core.limits import by_key, sum_of_all
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count, percent, plural
from engine_layer_visualize.core.words import FEW, Words, joined
from engine_layer_visualize.linting import roles, rules
from engine_layer_visualize.linting.rules import Evidence, Finding, finding, named, rule, taken
from engine_layer_visualize.linting.subject import Subject, first_data
from engine_layer_visualize.trt import names, types


@rule("H08")
def sibling_convolutions(subject: Subject) -> Iterator[Finding]:
    """Convolutions of few filters read one tensor, and could be one convolution.

    **Found**: two or more convolutions of one group and 8 to 127 filters read the same whole tensor
    in the same type. Their outputs differ only in the filters. They have the same kernel, stride
    and padding; where the listing has none of these, the same tactic and as many filters. Together
    they take more than 5 % of the time. Silent where the device is known and they take less than
    twice what it needs for them.

    **Why it costs**: each reads the whole tensor again, and each fills a part of the blocks of
    filters that kernels compute. No log tells what one layer would save.

    **What to do**: in the model, put the filters of these convolutions behind one another in one
    convolution, and split its output. The builder does so by itself in FP32 and FP16 where it can.
    It does not where each has a Q/DQ of its own: then give them one scale.

    **When to leave it**: where their outputs need scales that differ much.

    **Example**:

        Layer(CaskConvolution): hm.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> a[Int8(1,64,128,128)]
        Layer(CaskConvolution): wh.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> b[Int8(1,64,128,128)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: types of fusion; NVIDIA documentation: deep learning
    performance.
    """
    groups = by_key((_alike(subject, layer), layer) for layer in subject.convolving)
    groups.pop(None, None)
    scale = " give them one scale," if subject.has_qdq else ""
    advice = f"join the convolutions that read one tensor,{scale} and split the output"
    for layers in groups.values():
        took, ms = taken(subject, layers, 0.05), subject.costs.sum(layers) or 0.0
        needed = roles.bound_of(subject, layers)
        is_near = needed is not None and ms < 2 * needed
        if len(layers) > 1 and took and not is_near:
            why = (*named(layers), f" read one tensor and have equal shapes: they take {took}")
            yield finding(subject, layers, why, advice)


def _alike(subject: Subject, layer: Layer) -> Hashable | None:
    """Returns what convolutions have to have in common to be one; None for no such layer."""
    sizes, tensor = subject.extents(layer), roles.read_whole(subject, layer)
    if not isinstance(sizes, Convolution) or sizes.transposed or tensor is None:
        return None
    if len(subject.computed(layer)) > 1:
        return None  # a residual is added in it
    # Of so many filters a block that a kernel computes is not full.
    if sizes.groups not in (None, 1) or sizes.filters not in range(8, 128):
        return None
    shape: Hashable = (sizes.kernel, sizes.stride, sizes.padding, sizes.dilation, sizes.after)
    if sizes.kernel is None:
        shape = (layer.kernel or layer.tactic, sizes.filters, sizes.after)
    written = first_data(layer.outputs)
    return tensor, subject.dtype(layer), shape, written.dtype if written else None


_LEAST_BYTES: Final = 4 << 20  # of the weights of all such layers
_STREAMED: Final = 1e8  # bytes of weights in a ms: so many are read for few rows alone
_OF_INT8: Final = {"Half": "half", "BFloat16": "half", "Float": "a quarter"}


@rule("H09")
def weights_for_few_rows(subject: Subject) -> Iterator[Finding]:
    """Fully connected layers read all their weights for a few rows.

    **Found**: matrix products with constant weights, and convolutions, have at most 8 rows (pixels
    of all images), in fewer bits than Float 96. Their weights are at least nine tenths of the bytes
    that they move, and 4 MiB together. A product has 256 KiB or more, a convolution 4 MiB. Where
    the batch is symbolic, a product counts that reads 100 GB of weights a second. They take more
    than 10 % of the time. Where nothing is timed, their bytes are more than half of all that is
    moved.

    **Why it costs**: reading the weights takes the time: one row takes as long as several.

    **What to do**: a larger batch: it reads the weights once for all of its rows. Or fewer bits for
    the weights: FP16 (P15), INT8 (P16). That does not help layers that take more than three times
    as long as their bytes need. How much a batch saves depends on your requests.

    **When to leave it**: where requests come one by one, and each has to be answered at once.

    **Example**:

        Layer(CaskGemmConvolution): fc6, Tactic: 0x1, x[Half(1,9216,1,1)] -> y[Half(1,4096,1,1)]

    **Versions**: all; the log must tell the batch.

    **Severity**: hint.

    **Sources**: NVIDIA deep learning performance documentation: linear layers; TensorRT
    documentation: batching.
    """
    found = [(la, *few) for la in subject.multiplying if (few := _weights_read(subject, la))]
    layers, rows = [la for la, _, _ in found], {number for _, number, _ in found}
    read, needed = math.fsum(weights for _, _, weights in found), roles.bound_of(subject, layers)
    is_far = needed is not None and (subject.costs.sum(layers) or 0.0) > roles.TIMES_BOUND * needed
    if read < _LEAST_BYTES or not (part := _part(subject, layers)):
        return
    most = "few rows"
    if 0 not in rows:
        most = "at most " * (len(rows) > 1) + count(max(rows, default=0), "row")
    reads = plural(len(layers), "reads", "read")
    why = (*named(layers), f" {reads} {amount(read)} of weights for {most}: {part}")
    advice = "use a larger batch: it reads the weights once"
    parts = {_OF_INT8.get(subject.dtype(layer) or "", "") for layer in layers}
    if len(parts) == 1 and "" not in parts and not is_far and subject.has_int8:
        advice = f"use a larger batch, or INT8 weights ({parts.pop()} of the bytes)"
    yield finding(subject, subject.longest_first(layers), why, advice)


def _weights_read(subject: Subject, layer: Layer) -> tuple[int, float] | None:
    """Returns for how many rows a layer reads its weights, and their bytes.

    None for many rows, or few weights. The rows are 0 where the batch is symbolic, and the time is
    that of reading the weights.
    """
    extents, done, dtype = subject.extents(layer), subject.work_of(layer), subject.dtype(layer)
    sizes, bits = channels(extents), types.width(dtype) or 0
    is_picture = isinstance(extents, Convolution) and {*extents.after} != {1}
    factors = extents.inputs if isinstance(extents, Product) else ()
    computed = {edge.tensor for edge in subject.computed(layer)}
    if sizes is None or len(computed.intersection(layer.inputs[at].name for at in factors)) > 1:
        return None
    if sizes.rows is None:  # the batch is symbolic
        ms, weights = subject.ms(layer), (sizes.read or 0) * (sizes.written or 0) * bits / 8
        return (0, weights) if ms and not is_picture and weights >= _STREAMED * ms else None
    # In fewer bits than Float tensor cores compute more for each byte.
    if not 0 < sizes.rows <= (8 if dtype == "Float" else 96):
        return None
    weights = (done.macs or 0) / sizes.rows * bits / 8  # each is multiplied once for a row
    least = _LEAST_BYTES if is_picture else 1 << 18  # of less the launch of its kernel counts
    moved = done.bytes or 0  # fewer than the weights where these have fewer bits than the layer
    is_weights = max(least, 0.9 * moved) <= weights <= moved
    return (sizes.rows, weights) if is_weights else None


def _part(subject: Subject, layers: Sequence[Layer]) -> str:
    """Returns `380 µs, 72.5 % of all`, or the share of bytes; empty where that is too little."""
    if subject.costs.sum(layers) and subject.costs.whole:
        return taken(subject, layers, 0.1)
    whole = sum_of_all(subject.work_of(layer).bytes for layer in subject.layers)
    part = math.fsum(subject.work_of(layer).bytes or 0 for layer in layers) / (whole or math.inf)
    if part <= 0.5 or not subject.engine.source.complete:
        return ""
    move = plural(len(layers), "it moves", "they move")
    return f"{move}, with inputs and outputs, {percent(part)} of the bytes of all layers"


_MIB: Final = 1 << 20
# cuDNN has other tactics in its place (-7: Cuda…); Myelin's is told as skipped, then timed and run.
_NO_LOSS: Final = ("CudnnConvolution", "CudaConvolution", "Myelin")


@rule("T04")
def skipped_for_memory(subject: Subject) -> Iterator[Finding]:
    """Tactics were left out for want of workspace.

    **Found**: while a layer was timed, the builder skipped tactics that asked for more scratch
    memory than the workspace has. Silent where the other tactics of that implementation took more
    than twice as long as the chosen one. Silent about cuDNN's convolutions: their large tactics are
    Fourier transforms, which took five times as long. Silent about a ForeignNode, whose only tactic
    is told as skipped, then timed and run.

    **Why it costs**: the tactics were never timed; one of them may be the fastest.

    **What to do**: build with a larger workspace: `--memPoolSize=workspace:` of trtexec in MiB
    (`--workspace=` before TensorRT 8.4.1), or `set_memory_pool_limit`. The
    advice has the amount that the largest skipped tactic asked for.

    **When to leave it**: where the largest skipped tactic asked for more than the GPU has, or other
    programs need it.

    **Example**:

        Tactic: 0x4 skipped. Scratch requested: 7527202816, available: 1073741824

    **Versions**: all verbose logs.

    **Severity**: warning.

    **Sources**: NVIDIA/TensorRT issues 4136, 749; DeepStream-Yolo issue 55; NVIDIA/TensorRT-LLM
    issue 493.
    """
    running = filter(kinds.runs_kernel, subject.layers)
    layers = [layer for layer in running if _may_gain(layer.known.candidates)]
    tuned = [layer.known.candidates for layer in layers]
    skipped, asked = [*map(_skipped, tuned)], [each.scratch or 0 for each in tuned]
    if not layers or not (advice := _workspace_advice(subject, asked)):
        return
    every = subject.facts.tactics_skipped or 0
    of = f" of {every:,}" if every > sum(skipped) else ""
    words = f": {sum(skipped):,}{of} {plural(every, 'tactic')} skipped for want of workspace"
    words += f", the largest asked for {amount(max(asked))}" if any(asked) else ""
    evidence = [
        Evidence(f"{layer.name}: {number} skipped", dict(layer.known.lines).get("candidates"))
        for layer, number in zip(layers[:FEW], skipped)
    ]
    yield finding(subject, layers, (*named(layers), words), advice, evidence)


def _may_gain(tuned: Candidates) -> bool:
    """Whether tactics were skipped, and those beside them were not far slower than the chosen."""
    chosen, beside = tuned.chosen, tuned.beside
    slower = chosen is not None and beside is not None and beside > 2 * chosen.ms
    return _skipped(tuned) > 0 and not slower


def _skipped(tuned: Candidates) -> int:
    """Returns how many tactics were skipped, without those that are no loss."""
    return sum(number for runner, number in tuned.skipped_by if runner not in _NO_LOSS)


def _workspace_advice(subject: Subject, asked: Sequence[int]) -> str:
    device = subject.facts.device
    has = device.memory_mib * _MIB if device is not None and device.memory_mib else None
    fit = sorted(size for size in asked if size and (has is None or size < has))
    if any(asked) and not fit:
        return ""  # the GPU has less
    flag = f"build with a larger workspace (trtexec: {trtexec.workspace_flag(subject.engine)}"
    mib = -(-fit[-1] // _MIB) if fit else "N"
    return f"{flag}{mib}, in MiB)"


_REPLACE: Final = "replace the layers that the DLA cannot run"
_ONE_RUN: Final = (
    "let the DLA have one run of layers (trtexec: --layerDeviceTypes), or replace the layers that "
    "it cannot run"
)


@rule("H06")
def dla_ping_pong(subject: Subject) -> Iterator[Finding]:
    """The engine goes back and forth between GPU and DLA.

    **Found**: layers alternate between GPU and DLA three times or more, or the log says that layers
    fall back to the GPU.

    **Why it costs**: each change of the device waits for the other one and needs reformats to the
    DLA's memory formats and back. What could be saved is the time of copies that hold no such wait:
    the others last as long as the DLA computes.

    **What to do**: replace layers that the DLA cannot run, or change their parameters to ones that
    it supports. Of several runs, give the DLA one, and the GPU the rest (`--layerDeviceTypes` of
    trtexec). Give inputs and outputs of the DLA in its formats (`dla_linear`, `chw32`).

    **When to leave it**: where the DLA is meant to free the GPU, and the engine's own time does not
    matter.

    **Example**:

        Default DLA is enabled but layer /up/Resize is not supported on DLA, falling back to GPU.

    **Versions**: all with a DLA.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issues 3820, 2319, 3438.
    """
    running = [la for la in subject.layers if kinds.runs_kernel(la) and not kinds.is_reformat(la)]
    on_dla = list(filter(kinds.on_dla, running))
    changes = sum(a != b for a, b in pairwise(map(kinds.on_dla, running)))
    fallen = [layer for layer in running if layer.known.device_reason]
    if changes < 3 and not fallen:
        return
    copies = {layer.index: layer for layer in subject.layers if names.is_dla_copy(layer.name)}
    for layer in on_dla:
        for near in (*subject.writers(layer), *subject.readers(layer)):
            if kinds.is_reformat(near) or names.is_dla_copy(near.name):
                copies[near.index] = near
    why: list[Words] = [count(changes, "change") + " between GPU and DLA"] if on_dla else []
    if fallen:
        run = plural(len(fallen), "runs", "run")
        why.append((*named(fallen), f" {run} on the GPU: the DLA cannot"))
    # A wait is as long as the DLA computes: fewer copies do not shorten it.
    ms = subject.costs.sum(la for la in copies.values() if not kinds.waits_for_dla(la))
    if subject.costs.sum(filter(kinds.waits_for_dla, copies.values())):
        why.append("the times of some copies hold the waits for the DLA")
    lines = ((layer.known.device_reason, dict(layer.known.lines)) for layer in fallen)
    told = [Evidence(reason or "", at.get("device_reason")) for reason, at in lines]
    evidence = told[:FEW] or [rules.record(layer) for layer in on_dla[:FEW]]
    layers = [*on_dla, *copies.values(), *fallen]
    runs = sum(on for on, _ in groupby(map(kinds.on_dla, running)))
    advice, stake = (_ONE_RUN, ms) if runs > 1 else (_REPLACE, None)  # of one run the copies stay
    yield finding(subject, layers, joined("; ", why), advice, evidence, ms=stake)
