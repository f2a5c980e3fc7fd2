"""Tensors without a scale, or with a placeholder: INT8 is not what it should be.

**Found**: the log warns that the scale and zero point (older: the dynamic range) of tensors are
missing. Or it warns that no calibrator is used, and trtexec was told neither a calibration file
(`Calibration: Dynamic`): then it gives all tensors the same range. Without trtexec's options: no
calibrator is used, and convolutions or products do not compute in Int8.

**Why it costs**: a layer that reads or writes a tensor without a scale falls back to FP16 or FP32,
and reformats stand between it and its neighbours in INT8. With trtexec's placeholder the engine is
as fast as another, but what it computes means nothing.

**What to do**: up to TensorRT 10.16 calibrate with data that reaches these tensors (`--calib` of
trtexec), set their dynamic ranges, or quantise explicitly with Q/DQ in the model. From 11 on only
Q/DQ in the model is left. The message names the layers that read these tensors and do not compute
in Int8.

**When to leave it**: where the tensors hold indices or shapes, which need no scale; and where the
engine with trtexec's placeholder only serves to measure times.

**Example**:

    [W] [TRT] Missing scale and zero-point for tensor conv3_out, expect fall back to non-int8
        implementation for any layer consuming or producing given tensor

**Versions**: implicit quantisation, TensorRT 5 to 10.

**Severity**: warning.

**Sources**: NVIDIA/TensorRT issue 2462; tensorrtx issue 1182.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.roles import MOST_LINES
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import without_profile

RULE: Final = described(__name__, __doc__)
_MISSING: Final = re.compile(
    r"Missing (?:scale and zero-point|dynamic range) for tensor (.*), expect fall back", re.DOTALL
)
_UNUSED: Final = re.compile("Calibrator is not being used")
_ADVICE: Final = (
    "calibrate (trtexec: --calib), set the dynamic ranges of these tensors, or quantise explicitly "
    "with Q/DQ in {model}"
)
_SAME_RANGE: Final = (
    "trtexec had no calibration file and gave all tensors the same range: the times hold, but what "
    "the engine computes means nothing"
)
_CALIBRATE: Final = (
    "before the engine is used, calibrate (trtexec: --calib), or quantise explicitly with Q/DQ in "
    "{model}"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all tensors."""
    advice = _ADVICE.format(model=subject.frontend.model)
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
        first: list[Words] = [("`", Name(name), "`") for name in list(lines)[:MOST_LINES]]
        more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
        behind = (", read by ", *named(layers)) if layers else ()
        held = sum(message.severity == "warning" for message in subject.facts.messages)
        least = "at least " if (subject.facts.warnings or 0) > held else ""
        what = f"{least}{count(len(lines), 'tensor')} without a scale: "
        words = (what, *joined(", ", first), more, *behind)
        evidence = list(lines.values())[:MOST_LINES]
        yield finding(subject, RULE, layers, words, advice, evidence)
        return
    unused = subject.lines(_UNUSED, building=True)
    if not unused:
        return
    option = subject.option("Calibration", "Build")
    if option is not None and option.value == "Dynamic":
        line = Evidence(f"{option.key}: {option.value}", option.line)
        calibrate = _CALIBRATE.format(model=subject.frontend.model)
        yield finding(subject, RULE, (), _SAME_RANGE, calibrate, [line, *unused][:MOST_LINES])
        return
    others = [la for la in subject.multiplying if subject.dtype(la) not in ("Int8", None)]
    if others and option is None:
        verb = plural(len(others), "does", "do")
        names = named(others)
        words = ("no calibrator is used, and ", *names, f" {verb} not compute in Int8")
        yield finding(subject, RULE, others, words, advice, unused[:MOST_LINES], part=None)
