"""Rules about values that a type cannot hold: tensors without a scale, weights that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.linting.finding import Evidence, Finding
from engine_layer_visualize.linting.roles import is_explicit
from engine_layer_visualize.linting.rules import finding, listed, named, rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import without_profile

_MOST_LINES: Final = 3  # of the log, as evidence
_MISSING: Final = lazy(
    r"Missing (?:scale and zero-point|dynamic range) for tensor (.*), expect fall back", re.DOTALL
)
_UNUSED: Final = lazy("Calibrator is not being used")
_SAME_RANGE: Final = (
    "trtexec had no calibration file and gave all tensors the same range: the times hold, but what "
    "the engine computes means nothing"
)
_CALIBRATE: Final = (
    "before the engine is used, calibrate (trtexec: --calib), or put Q/DQ into {model}"
)
_SCALES: Final = "calibrate (trtexec: --calib), or give these tensors scales by Q/DQ in {model}"


@rule("P09")
def missing_scales(subject: Subject) -> Iterator[Finding]:
    """Tensors without a scale, or with a placeholder: INT8 is not what it should be.

    **Found**: the log warns that the scale and zero point (older: the dynamic range) of tensors are
    missing. Or no calibrator is used, trtexec was told no calibration file (`Calibration:
    Dynamic`), and layers compute in Int8: then all tensors have the same range. Without trtexec's
    options: no calibrator is used, and convolutions or products do not compute in Int8.

    **Why it costs**: a layer that reads or writes a tensor without a scale falls back to FP16 or
    FP32, and reformats stand between it and its neighbours in INT8. With trtexec's placeholder the
    engine is as fast as another, but what it computes means nothing.

    **What to do**: up to TensorRT 10.16 calibrate with data that reaches these tensors (`--calib`
    of trtexec), set their dynamic ranges, or quantise with Q/DQ in the model. From 11 on only Q/DQ
    is left. The message names the layers that read these tensors and do not compute in Int8.

    **When to leave it**: where the tensors hold indices or shapes, which need no scale; and where
    the engine with trtexec's placeholder only serves to measure times.

    **Example**:

        [W] [TRT] Missing scale and zero-point for tensor conv3_out, expect fall back to non-int8
            implementation for any layer consuming or producing given tensor

    **Versions**: implicit quantisation, TensorRT 5 to 10.

    **Severity**: warning.

    **Sources**: NVIDIA/TensorRT issue 2462; tensorrtx issue 1182.
    """
    model = subject.frontend.model
    lines: dict[str, Evidence] = {}
    for message, match in subject.said(_MISSING, building=True):
        lines.setdefault(match[1], Evidence(message.text, message.line))
    if lines:
        layers = [
            layer
            for layer in subject.layers
            if subject.dtype(layer) not in ("Int8", None)
            and any(without_profile(tensor.name) in lines for tensor in layer.inputs)
        ]
        held = sum(message.severity == "warning" for message in subject.facts.messages)
        least = "at least " if (subject.facts.warnings or 0) > held else ""
        what = f"{least}{count(len(lines), 'tensor')} without a scale: "
        readers = (", read by ", *named(layers)) if layers else ()
        words = (what, *listed([*lines]), *readers)
        evidence = list(lines.values())[:_MOST_LINES]
        yield finding(subject, layers, words, _SCALES.format(model=model), evidence)
        return
    unused = subject.lines(_UNUSED, building=True)
    option = subject.option("Calibration", "Build")
    is_int8 = any(subject.dtype(layer) == "Int8" for layer in subject.layers)
    if unused and is_int8 and option is not None and option.value == "Dynamic":
        line = Evidence(f"{option.key}: {option.value}", option.line)
        advice = _CALIBRATE.format(model=model)
        yield finding(subject, (), _SAME_RANGE, advice, [line, *unused][:_MOST_LINES])
        return
    others = [la for la in subject.multiplying if subject.dtype(la) not in ("Int8", None)]
    if unused and others and option is None:
        verb = plural(len(others), "does", "do")
        words = ("no calibrator is used, and ", *named(others), f" {verb} not compute in Int8")
        yield finding(subject, others, words, _SCALES.format(model=model), unused[:_MOST_LINES])


# e.g. - 21 weights are affected by this issue: Detected subnormal FP16 values.
_COUNTED: Final = lazy(
    r"(\d+) weights? (?:are|is) affected by this issue: (.*?)(?: List of affected weights: (.*))?$",
    re.DOTALL,
)
_BETWEEN: Final = ", "  # names; a name may hold it, too
# e.g. Weights [name=conv1.weight] had the following issues when converted to FP16:
_NAMED: Final = lazy(r"Weights \[name=(.*)\] had the following issues when", re.DOTALL)


@rule("P11")
def weights_cast(subject: Subject) -> Iterator[Finding]:
    """Weights lost values when they were converted to a smaller type.

    **Found**: the log warns that weights are affected by their conversion to FP16 (values become
    subnormal, zero or infinite). Integers that the parser clamped are no finding: most of them are
    the end of an axis, in a Slice.

    **Why it costs**: it costs accuracy, not time: the engine computes with other weights than the
    model.

    **What to do**: run the layers of these weights in BF16 or FP32, which have the range. Up to
    TensorRT 10.16 that is `--layerPrecisions` of trtexec, with `--precisionConstraints=obey`; from
    11 on it is a type of the model. Or retrain with regularisation so that the weights stay within
    that of FP16. A VERBOSE log names them, and then the finding is about their layers.

    **When to leave it**: where the engine's results for real data were compared with those of the
    model, and are near enough.

    **Example**:

        [W] [TRT]  - 21 weights are affected by this issue: Detected subnormal FP16 values.

    **Versions**: TensorRT 8.2 and later.

    **Severity**: warning.

    **Sources**: NVIDIA/TensorRT issues 2542, 3101.
    """
    counted = list(subject.said(_COUNTED))
    weights = {match[1] for _, match in subject.said(_NAMED)}
    if not counted and not weights:
        return
    lists = [f"{_BETWEEN}{match[3]}{_BETWEEN}" for _, match in counted if match[3]]
    layers = []
    for layer in subject.layers:  # the log names weights of it, alone or in a list
        own = f"{layer.name}.weight", f"{layer.name}.bias", layer.name
        within = (f"{_BETWEEN}{name}{_BETWEEN}" for name in own)
        if not weights.isdisjoint(own) or any(name in each for name in within for each in lists):
            layers.append(layer)
    issues = {match[2].rstrip(". "): int(match[1]) for _, match in counted}
    what = "; ".join(f"{count(n, 'tensor')} of weights: {what}" for what, n in issues.items())
    what = what or f"{count(len(weights), 'tensor')} of weights with values that FP16 lacks"
    where = (" (", *named(layers), ")") if layers else ()
    words = (f"weights changed when they were converted to FP16: {what}", *where)
    what = "run the layers of these weights"
    if is_explicit(subject):
        what = "quantise these weights, too, or run their layers"
    advice = f"{what} in FP32 (trtexec: --layerPrecisions with --precisionConstraints=obey)"
    evidence = [*subject.lines(_COUNTED), *subject.lines(_NAMED)]
    yield finding(subject, layers, words, advice, evidence[:_MOST_LINES])
