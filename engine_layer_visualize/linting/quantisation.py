"""Rules about INT8 and FP8: what stands between quantised layers, and what could be quantised."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import extents, kinds, precisions
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, percent, plural
from engine_layer_visualize.linting import roles, rules
from engine_layer_visualize.linting.rules import Finding, finding, named, rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import names, types, versions

_Between = tuple[Layer, ...]  # what stands from one layer that computes to the next
_NEVER: Final = lazy("SoftMax|TopK|NMS|NonMax", re.IGNORECASE)  # types of layers


@rule("P06")
def quantisation_border(subject: Subject) -> Iterator[Finding]:
    """Layers in a floating type stand between quantised ones, and others convert for them.

    **Found**: in a network with Q/DQ, layers compute in Float, Half or BFloat16 beside layers in
    Int8 or FP8. These are residual additions and pools between them, and convolutions and products
    before or behind them. Silent about softmax, top-k and non-maximum suppression, which TensorRT
    does not quantise. Silent about layers that stand at the engine's ends alone, and where no layer
    converts.

    **Why it costs**: at each border a reformat, a QuantizeLinear or a DequantizeLinear runs as a
    layer of its own. A convolution in front of it writes more bytes, and an addition cannot fuse
    into the convolution before it. What could be saved is the time of the layers that convert. It
    is unknown where convolutions or products are named: no log tells what they gain in Int8.

    **What to do**: put Q/DQ on both inputs of a residual addition, with the scale of the branch
    that is quantised already. Quantise inputs and weights of the convolutions and products that are
    named. Let the others read what the same QuantizeLinear writes. Then the conversions between
    them go. This is a change of the model, and holds up to TensorRT 10.16 and from 11 on.

    **When to leave it**: where the accuracy needs these layers in a floating type.

    **Example**:

        Layer(CaskConvolution): conv1, Tactic: 0x1, x[Int8(1,32,8,8)] -> a[Half(1,32,8,8)]
        Layer(ElementWise): add, Tactic: 0x1, a[Half(1,32,8,8)], s[Half(1,32,8,8)]
            -> b[Half(1,32,8,8)]
        Layer(Reformat): QuantizeLinear_1, Tactic: 0x0, b[Half(1,32,8,8)] -> c[Int8(1,32,8,8)]
        Layer(CaskConvolution): conv2, Tactic: 0x1, c[Int8(1,32,8,8)] -> y[Int8(1,32,8,8)]

    **Versions**: all that build networks with Q/DQ.

    **Severity**: warning.

    **Sources**: TensorRT documentation: placement of Q/DQ; NVIDIA/TensorRT issues 993, 1423, 1895,
    4039, 4711.
    """
    if not subject.engine.source.complete or not subject.has_qdq:
        return
    floating, converting = _border(subject)
    if not converting:
        return
    advice = "; ".join([*dict.fromkeys(_todo(subject, layer) for layer in floating)][:3])
    convert = plural(len(converting), "converts", "convert")
    what = f"{count(len(converting), 'layer')} {convert} between quantised layers and "
    words = (what, *named(floating), f" in {precisions.computed_in(floating)}")
    every = sorted([*converting, *floating], key=lambda layer: layer.index)
    evidence = [rules.record(layer) for layer in (*floating[:3], *converting[:3])]
    times = [subject.ms(layer) for layer in converting]
    # What products gain in Int8 no log tells.
    is_known = None not in times and not any(map(subject.multiplies, floating))
    ms = sum(filter(None, times)) if is_known else None
    yield finding(subject, every, words, advice, evidence, ms=ms)


def _is_inner(subject: Subject, layer: Layer) -> bool:
    """Whether a layer stands between layers, not at an input or an output of the engine."""
    leaves = any(edge.target is None for edge in subject.writes(layer))
    return not leaves and not subject.at_input(layer)


def _todo(subject: Subject, layer: Layer) -> str:
    """Returns what to do with a layer beside quantised ones."""
    operators = subject.operators(layer)
    if subject.multiplies(layer):
        return "quantise inputs and weights of convolutions and products beside quantised layers"
    if roles.is_pointwise(layer) and not {"Add", "Sum"}.isdisjoint(operators):
        return "put Q/DQ on both inputs of additions beside quantised layers"
    what = f"each {operators[0]}" if len(operators) == 1 else "other layers beside quantised ones"
    return f"put Q/DQ in front of {what}"


def _border(subject: Subject) -> tuple[list[Layer], list[Layer]]:
    """Returns what computes in a floating type beside quantised layers and could be quantised.

    The second list has the layers that convert around these, also for others that read the same
    tensor.
    """
    # Of each layer in a floating type what stands before it, and behind it, up to quantised ones.
    beside: dict[int, tuple[list[_Between], list[_Between]]] = defaultdict(lambda: ([], []))
    for layer in subject.layers:
        dtype = subject.dtype(layer)
        if not precisions.computes(layer) or dtype not in roles.QUANTISED | roles.FLOATING:
            continue
        between, readers = roles.behind(subject, layer)
        for reader in readers:
            theirs = subject.dtype(reader)
            if dtype in roles.QUANTISED and theirs in roles.FLOATING:
                beside[reader.index][0].append(between)
            elif dtype in roles.FLOATING and theirs in roles.QUANTISED:
                beside[layer.index][1].append(between)
    floating: list[Layer] = []
    converting: dict[int, Layer] = {}
    for layer in subject.layers:
        sides = beside.get(layer.index, ((), ()))
        is_meant = any(sides) if subject.multiplies(layer) else all(sides)
        if not is_meant or _NEVER.search(layer.type) or roles.converts(subject, layer):
            continue
        near = {
            other.index: other
            for between in chain(*sides)
            for other in between
            if (kinds.is_reformat(other) or roles.converts(subject, other))
            and _is_inner(subject, other)
        }
        if any(roles.converts(subject, other) for other in near.values()):
            floating.append(layer)
            converting.update(near)
    return floating, [converting[index] for index in sorted(converting)]


_LEAST_LAYERS: Final = 3


@rule("P16")
def int8_not_allowed(subject: Subject) -> Iterator[Finding]:
    """Convolutions and products run near what the GPU can do in FP16; INT8 was not allowed.

    **Found**: three or more convolutions and matrix products in Half or BFloat16 take more than a
    quarter of the time, in a network without Q/DQ. Each reaches at least a third of what the device
    can multiply in that type, or of its bandwidth. The build allowed nothing lower than FP16; where
    the log has no options, nothing in the listing computes in a lower type. The GPU has tensor
    cores for INT8 (compute capability 7.2 and later). The rule leaves out layers of less than
    20 µs, depthwise ones, those that read at most 4 channels, and Winograd kernels. Where the
    device is unknown, all kernels must be of tensor cores, and no saving is told. Compute
    capability 6.1 multiplies INT8 (DP4A), and FP16 slowly: there two layers in Float are enough.

    **Why it costs**: no kernel in FP16 makes them much shorter. Tensor cores multiply INT8 at twice
    the speed of FP16, and half of the bytes are moved. What could be saved is at most half of their
    bounds.

    **What to do**: put Q/DQ into the model (Model Optimizer quantises ONNX and PyTorch models) and
    check the accuracy. Up to TensorRT 10.16 also allow INT8 (`trtexec --int8`, `BuilderFlag.INT8`),
    or calibrate a model without Q/DQ (`--int8 --calib`). From 11 on quantise the ONNX model. FP8 is
    another way, from TensorRT 10 and compute capability 8.9 on.

    **When to leave it**: where the accuracy needs FP16, or the latency is short enough.

    **Example**:

        Precision: FP32+FP16
        Compute Capability: 8.0
        conv1: 0.42 ms, at 58 % of the multiplications in Half that the GPU can do

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: working with quantized types; NVIDIA documentation: Model
    Optimizer; Williams, Waterman, Patterson: Roofline, 2009.
    """
    device, whole = subject.capability or (0, 0), subject.costs.whole
    by_dp4a = device == (6, 1)  # it multiplies INT8 (DP4A) fast, and FP16 slowly
    has_cores = device >= (7, 2) and subject.has_int8 and not subject.lacks_tensor_cores
    is_able = by_dp4a or has_cores
    if not is_able or not whole or not subject.costs.ranked or not _is_lowest(subject):
        return
    # What INT8 would make shorter.
    called = {"Float": "FP32"} if by_dp4a else {"Half": "FP16", "BFloat16": "BF16"}
    wide = (layer for layer in subject.multiplying if subject.dtype(layer) in called)
    layers = [layer for layer in wide if _is_near(subject, layer, by_dp4a)]
    took = subject.costs.sum(layers)
    least = 2 if by_dp4a else _LEAST_LAYERS  # by DP4A: nothing else is faster there
    if took is None or len(layers) < least or took <= 0.25 * whole:
        return
    saved = [_saved(subject, layer) for layer in layers]
    ms = None if None in saved else sum(filter(None, saved))
    verb = plural(len(layers), "computes", "compute")
    now = " and ".join(sorted({called[subject.dtype(layer) or ""] for layer in layers}))
    allowed = bool(subject.facts.precisions)
    lacks = f"{'the build allowed' if allowed else 'the engine has'} nothing lower"
    if by_dp4a:  # FP16 may have been allowed, and was no faster
        lacks = "the build did not allow INT8" if allowed else "nothing is in INT8"
        lacks += ", which the GPU multiplies faster (DP4A)"
    why = (*named(layers), f" {verb} in {now}{_told(subject, layers)}; {lacks}")
    layers = subject.longest_first(layers)
    evidence = [*rules.precision_option(subject), *map(rules.record, layers[:_LEAST_LAYERS])]
    yield finding(subject, layers, why, _advice(subject), evidence, ms=ms)


def _is_lowest(subject: Subject) -> bool:
    """Whether FP16 is the lowest type that the build allowed, or that the engine has."""
    if subject.has_qdq:
        return False
    allowed = set(map(types.canonical, subject.facts.precisions))
    used = {subject.dtype(layer) for layer in subject.layers if precisions.computes(layer)}
    return not roles.QUANTISED.intersection(allowed | used)


def _is_near(subject: Subject, layer: Layer, by_dp4a: bool) -> bool:
    """Whether no other kernel in its type makes a layer much shorter."""
    ms, done, kernel = subject.ms(layer), subject.work_of(layer), layer.kernel or ""
    sizes, on_cores = extents.channels(subject.extents(layer)), names.on_tensor_cores(kernel)
    if ms is None or ms < roles.SHORTEST_MS or names.is_winograd(kernel):
        return False
    if sizes is None and by_dp4a:
        return True  # of a listing without the sizes of kernels, the type alone tells
    if sizes is None or not sizes.read or sizes.read <= roles.PICTURE_CHANNELS:
        return False
    is_depthwise = sizes.groups == sizes.read > 1
    if is_depthwise or (on_cores is False and not by_dp4a):
        return False
    is_within = done.bound_ms is None or ms <= roles.TIMES_BOUND * done.bound_ms
    if by_dp4a:  # it has units of one kind for Float
        return is_within
    if done.bound_ms is None:
        return subject.work.peak is None and on_cores is True and bool(done.macs)
    return is_within and roles.is_sure(layer, done)


def _saved(subject: Subject, layer: Layer) -> float | None:
    """Returns the ms that the layer's bound loses in INT8; None where no bound is known."""
    bound, saved = subject.work_of(layer).bound_ms, roles.saved_by(subject, layer, ("Int8",))
    if bound is None or saved is None:
        return None
    # INT8 halves bytes, and multiplies twice as fast: half of the bound at most. On a faster device
    # than was named the bound is more than the time.
    return min(saved, 0.5 * min(bound, subject.ms(layer) or 0.0))


def _told(subject: Subject, layers: list[Layer]) -> str:
    """Returns ` at 37.1 % to 66.0 % of what the GPU can do`; their share without its figures."""
    times = ((subject.work_of(layer).bound_ms, subject.shown.of(layer)) for layer in layers)
    used = [min(1.0, bound / ms) for bound, ms in times if bound and ms]
    if used:
        least, most = percent(min(used)), percent(max(used))
        return f" at {least if least == most else f'{least} to {most}'} of what the GPU can do"
    share = percent(subject.costs.part(layers) or 0.0)
    if subject.work.peak is not None:
        return f", {share} {subject.of_all}"
    return f" on tensor cores, {share} {subject.of_all}; --device tells what INT8 could save"


def _advice(subject: Subject) -> str:
    version, frontend = subject.version, subject.frontend
    if (version is not None and version < (8,)) or frontend.source in ("uff", "caffe"):
        return "calibrate for INT8 (BuilderFlag.INT8), and check the accuracy"
    words = f"quantise {frontend.model} to INT8 with Q/DQ"
    # From 11 on a network's types are the model's.
    by_model = subject.facts.strongly_typed or (version or ()) >= (11,)
    if by_model or versions.is_rtx(subject.engine.tensorrt) or frontend.source in ("torch", "api"):
        return f"{words}, and check the accuracy"
    return f"{words.replace(' to INT8 with', ' with')} (trtexec: --int8), and check the accuracy"
