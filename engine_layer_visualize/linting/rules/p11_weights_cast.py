"""Weights lost values when they were converted to a smaller type.

**Found**: the log warns that weights are affected by their conversion to FP16 (values become
subnormal, zero or infinite), or that weights outside the range of INT32 were clamped. That INT64
weights were cast to INT32, without a value outside of its range, is no loss. Silent, too, where a
VERBOSE log shows that each clamped value is an end of INT64: that stands for the end of an axis.

**Why it costs**: it costs accuracy, not time: the engine computes with other weights than the
model.

**What to do**: run the layers of these weights in BF16 or FP32, which have the range: up to
TensorRT 10.16 with `--layerPrecisions` of trtexec, from 11 on by the types of the model. Or retrain
with regularisation so that the weights stay within that of FP16. A VERBOSE log names them, and then
the finding is about their layers: `List of affected weights` or `Weights [name=`. Clamped integers:
see which constant of the model is that large.

**When to leave it**: where the engine's results for real data were compared with those of the
model, and are near enough; and where the clamped integer is the end of a Slice.

**Example**:

    [W] [TRT]  - 21 weights are affected by this issue: Detected subnormal FP16 values.

**Versions**: TensorRT 8.2 and later.

**Severity**: warning.

**Sources**: NVIDIA/TensorRT issues 2542, 3101.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import Final

from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, joined
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
# e.g. - 21 weights are affected by this issue: Detected subnormal FP16 values.
_COUNTED: Final = re.compile(
    r"(\d+) weights? (?:are|is) affected by this issue: (.*?)(?: List of affected weights: (.*))?$",
    re.DOTALL,
)
_BETWEEN: Final = ", "  # names; a name may hold it, too
# e.g. Weights [name=conv1.weight] had the following issues when converted to FP16:
_NAMED: Final = re.compile(r"Weights \[name=(.*)\] had the following issues when", re.DOTALL)
_CLAMPED: Final = re.compile("weights outside the range of (INT32|FP16|FLOAT) (?:was|were) clamped")
_VALUE: Final = re.compile(r"Weight at index \d+: (\S+) is out of range")
_WHOSE: Final = re.compile(
    r"(?:Importing initializer: (.+?)|clamped (.+?) \[Constant\] inputs:) Weight at", re.DOTALL
)
_ENDS: Final = frozenset(map(str, (2**63 - 1, 1 - 2**63, -(2**63))))  # of an axis, in a Slice
_MOST_LINES: Final = 3  # of the log, as evidence
_FP16: Final = "run the layers of these weights in FP32 (trtexec: --layerPrecisions)"
_NAMES: Final = "; a VERBOSE log names them"
_INTEGER: Final = (
    "see which constant of {model} is that large: an end of a Slice may be clamped, an index or a "
    "sum may not"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for weights with values that FP16 does not hold, one for clamped ones."""
    counted = list(subject.said(_COUNTED))
    listed = list(subject.said(_NAMED))
    if counted or listed:
        issues = {match[2].rstrip(". "): int(match[1]) for _, match in counted}
        counts = [f"{count(n, 'tensor')} of weights: {what}" for what, n in issues.items()]
        weights = {match[1] for _, match in listed}
        lists = [f"{_BETWEEN}{match[3]}{_BETWEEN}" for _, match in counted if match[3]]
        layers = [la for la in subject.layers if _is_affected(la.name, weights, lists)]
        what = "; ".join(counts)
        what = what or f"{count(len(weights), 'tensor')} of weights with values that FP16 lacks"
        where = (" (", *named(layers), ")") if layers else ()
        evidence = [*subject.lines(_COUNTED), *subject.lines(_NAMED)]
        words = (f"weights changed when they were converted to FP16: {what}", *where)
        advice = _FP16 if layers else _FP16 + _NAMES
        yield finding(subject, RULE, layers, words, advice, evidence[:_MOST_LINES], part=None)
    clamped: dict[str, list[Evidence]] = defaultdict(list)
    whose: dict[str, dict[str, None]] = defaultdict(dict)
    for message, match in subject.said(_CLAMPED):
        values = _VALUE.findall(message.text)
        if values and _ENDS.issuperset(values):
            continue
        clamped[match[1]].append(Evidence(message.text, message.line))
        if name := _WHOSE.search(message.text):
            whose[match[1]][name[1] or name[2]] = None
    for dtype, lines in clamped.items():
        words = (f"weights outside the range of {dtype} were clamped", *_listed([*whose[dtype]]))
        advice = _INTEGER.format(model=subject.frontend.model)
        yield finding(subject, RULE, (), words, advice, lines[:_MOST_LINES])


def _listed(names: list[str]) -> tuple[str | Name, ...]:
    """Returns such as `: a, b and 3 more`, with the names apart."""
    if not names:
        return ()
    words = joined(", ", [("`", Name(name), "`") for name in names[:_MOST_LINES]])
    more = len(names) - _MOST_LINES
    return (": ", *words, f" and {more:,} more" if more > 0 else "")


def _is_affected(layer: str, weights: Set[str], lists: list[str]) -> bool:
    """Whether the log names weights of a layer, alone or in a list."""
    own = _weights(layer)
    if not weights.isdisjoint(own):
        return True
    return any(f"{_BETWEEN}{name}{_BETWEEN}" in every for every in lists for name in own)


def _weights(layer: str) -> tuple[str, ...]:
    """Returns what the log calls the weights of a layer."""
    return f"{layer}.weight", f"{layer}.bias", layer
