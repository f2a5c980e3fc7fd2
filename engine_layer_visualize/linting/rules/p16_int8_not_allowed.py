"""Convolutions and products run near what the GPU can do in FP16; INT8 was not allowed.

**Found**: convolutions and matrix products in Half or BFloat16 take more than 40 % of the time,
each at least a third of what the device can do in that type, or of its bandwidth. The build allowed
nothing lower than FP16; where the log has no options of the build (the inspector's JSON, a loaded
engine), nothing in the listing computes in a lower type. The GPU has tensor cores for INT8: compute
capability 7.2 and later. Left out are layers of less than 20 µs, whose time goes to the launch of
their kernel, depthwise convolutions, those that read a picture (4 channels or fewer), and kernels
that multiply less often (Winograd). Where the device is unknown, the kernels have to be such that
run on tensor cores alone, and nothing is said of what could be saved. Compute capability 6.1 has no
tensor cores, but multiplies four pairs of INT8 at once (DP4A), and FP16 slowly: there layers in
Float count.

**Why it costs**: no kernel in FP16 makes them much shorter. Tensor cores multiply INT8 at twice the
speed of FP16, and half of the bytes are moved. What could be saved is half of their bounds: the
time above the bound counts as staying. It is no more than what P15 would tell of INT8.

**What to do**: put Q/DQ into the model (Model Optimizer quantises ONNX and PyTorch models) and
check the accuracy. Up to TensorRT 10.16 also allow INT8 (`trtexec --int8`, `BuilderFlag.INT8`), or
calibrate a model without Q/DQ (`--int8 --calib`, a calibrator in the API); TensorRT 7 has
calibration alone. From 11 on the types are the model's: quantise the ONNX model. From compute
capability 8.9 and TensorRT 10 on FP8 is another way.

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

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis.extents import channels
from engine_layer_visualize.analysis.precisions import computes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import percent, plural
from engine_layer_visualize.linting.finding import SHORTEST_MS, Finding, described
from engine_layer_visualize.linting.quantisation import QUANTISED, is_explicit
from engine_layer_visualize.linting.roles import TIMES_BOUND, is_sure
from engine_layer_visualize.linting.rule import finding, named, precision_option, record, saved_by
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernels import is_winograd, on_tensor_cores
from engine_layer_visualize.trt.types import canonical

RULE: Final = described(__name__, __doc__)
_NOW: Final = {"Half": "FP16", "BFloat16": "BF16"}
_LEAST_SHARE: Final = 0.4  # of the time of the engine
_LEAST_LAYERS: Final = 3
_LEAST_BY_DP4A: Final = 2  # nothing else is faster there
_WITH_CORES: Final = (7, 2)
_WITH_DP4A: Final = (6, 1)  # and with slow FP16
_NOW_DP4A: Final = {"Float": "FP32"}
_WITH_FP8: Final = (8, 9)
_FP8_SINCE: Final = (10,)
_TYPES_OF_MODEL: Final = (11,)
_QDQ_SINCE: Final = (8,)
_PICTURE_CHANNELS: Final = 4
_MOST_GAIN: Final = 0.5  # of a bound: INT8 halves the bytes and doubles the multiplications
_CALIBRATED: Final = "calibrate for INT8 (BuilderFlag.INT8), and check the accuracy"
_QUANTISED: Final = "quantise {} to {} (Q/DQ, Model Optimizer)"
_BY_API: Final = "put Q/DQ for INT8 into the network's definition"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    device, whole = subject.capability, subject.costs.whole
    if device is None or (device < _WITH_CORES and device != _WITH_DP4A):
        return
    if subject.lacks_tensor_cores and device != _WITH_DP4A:
        return
    if not whole or not subject.costs.ranked or not _is_lowest(subject):
        return
    layers = [layer for layer in subject.multiplying if _is_near(subject, layer)]
    took = subject.costs.sum(layers)
    least = _LEAST_BY_DP4A if device == _WITH_DP4A else _LEAST_LAYERS
    if took is None or len(layers) < least or took <= _LEAST_SHARE * whole:
        return
    saved = [_saved(subject, layer) for layer in layers]
    ms = None if None in saved else sum(filter(None, saved))
    verb = plural(len(layers), "computes", "compute")
    by = "the build allowed" if subject.facts.precisions else "the engine has"
    types = " and ".join(sorted({_now(subject)[subject.dtype(layer) or ""] for layer in layers}))
    lacks = f"{by} nothing lower"
    if device == _WITH_DP4A:  # FP16 may have been allowed, and was no faster
        lacks = "the build did not allow INT8" if subject.facts.precisions else "nothing is in INT8"
        lacks += ", which the GPU multiplies faster (DP4A)"
    words = f" {verb} in {types}{_told(subject, layers)}; {lacks}"
    why = (*named(layers), words)
    layers.sort(key=lambda layer: -(subject.ms(layer) or 0.0))
    evidence = [*precision_option(subject), *map(record, layers[:_LEAST_LAYERS])]
    yield finding(subject, RULE, layers, why, _advice(subject, device), evidence, ms=ms)


def _now(subject: Subject) -> Mapping[str, str]:
    """Returns the types in which layers compute that INT8 would make shorter, and their names."""
    return _NOW_DP4A if subject.capability == _WITH_DP4A else _NOW


def _is_lowest(subject: Subject) -> bool:
    """Whether FP16 is the lowest type that the build allowed, or that the engine has."""
    if is_explicit(subject):
        return False
    allowed = set(map(canonical, subject.facts.precisions))
    used = {subject.dtype(layer) for layer in subject.layers if computes(layer)}
    return not QUANTISED.intersection(allowed | used)


def _is_near(subject: Subject, layer: Layer) -> bool:
    """Whether no other kernel in its type makes a layer much shorter."""
    ms, done = subject.ms(layer), subject.work_of(layer)
    if subject.dtype(layer) not in _now(subject) or ms is None or ms < SHORTEST_MS:
        return False
    sizes, on_cores = channels(subject.extents(layer)), on_tensor_cores(layer.kernel or "")
    by_dp4a = subject.capability == _WITH_DP4A
    if sizes is None or not sizes.read or sizes.read <= _PICTURE_CHANNELS:
        return False
    if (on_cores is False and not by_dp4a) or is_winograd(layer.kernel or ""):
        return False
    if sizes.groups is not None and sizes.groups == sizes.read > 1:
        return False
    if by_dp4a:  # it has units of one kind for Float
        return done.bound_ms is None or ms <= TIMES_BOUND * done.bound_ms
    if done.bound_ms is None:
        return subject.work.peak is None and on_cores is True and bool(done.macs)
    return is_sure(layer, done) and ms <= TIMES_BOUND * done.bound_ms


def _saved(subject: Subject, layer: Layer) -> float | None:
    """Returns the ms that the layer's bound loses in INT8; None where no bound is known."""
    bound, saved = subject.work_of(layer).bound_ms, saved_by(subject, layer, ("Int8",))
    if bound is None or saved is None:
        return None
    # The bound is more on a faster device than was named.
    return min(saved, _MOST_GAIN * min(bound, subject.ms(layer) or 0.0))


def _told(subject: Subject, layers: list[Layer]) -> str:
    """Returns ` at 37.1 % to 66.0 % of what the GPU can do`; their share without its figures."""
    used = [
        min(1.0, done.bound_ms / ms)
        for layer in layers
        if (done := subject.work_of(layer)).bound_ms and (ms := subject.measured.costs.of(layer))
    ]
    if not used:
        share = percent((subject.costs.sum(layers) or 0.0) / (subject.costs.whole or 1.0))
        if subject.work.peak is not None:
            return f", {share} {subject.of_all}"
        return f" on tensor cores, {share} {subject.of_all}; --device tells what INT8 could save"
    least, most = percent(min(used)), percent(max(used))
    return f" at {least if least == most else f'{least} to {most}'} of what the GPU can do"


def _advice(subject: Subject, device: tuple[int, int]) -> str:
    version, frontend = subject.version, subject.frontend
    is_rtx = version is None and subject.engine.tensorrt is not None
    by_model = is_rtx or subject.facts.strongly_typed or (version or ()) >= _TYPES_OF_MODEL
    if (version is not None and version < _QDQ_SINCE) or frontend.source in ("uff", "caffe"):
        return _CALIBRATED
    by_api = frontend.source == "api"
    has_fp8 = device >= _WITH_FP8 and (version or ()) >= _FP8_SINCE
    words = _BY_API if by_api else _QUANTISED.format(frontend.model, "INT8" + has_fp8 * " or FP8")
    if by_model or frontend.source == "torch":
        return f"{words}, and check the accuracy"
    if by_api:
        return f"{words} and allow it (BuilderFlag.INT8), or calibrate"
    return f"{words} with --int8, or calibrate (--calib); check the accuracy"
