"""Rules about values that a type cannot hold: weights that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.text import count
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.roles import is_explicit
from engine_layer_visualize.linting.rules import finding, named, rule
from engine_layer_visualize.linting.subject import Subject

_MOST_LINES: Final = 3  # of the log, as evidence
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
