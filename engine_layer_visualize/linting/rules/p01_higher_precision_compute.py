"""A convolution or matrix product computes in 32 bits where the build allowed fewer.

**Found**: a convolution, deconvolution or matrix product computes in Float, and the build allowed
FP16, BF16 or INT8. Silent where the log says that a precision was not kept, and where the
autotuner timed a lower precision for this layer that was not faster.

**Why it costs**: tensor cores multiply 16-bit types at a multiple of the speed of 32-bit types, and
half the bytes are moved. At stake is what the autotuner's times differ by; where no lower precision
was timed, the layers' time without what they would take in the allowed ones, as P15 finds it.

**What to do**: the message says what the autotuner did. A lower precision was faster, but not
chosen: reformats at the layer's borders cost more than it gains, so let the neighbours run in that
precision, too. None was timed: a constraint on the layer (up to TensorRT 10.16: `--layerPrecisions`
and `--precisionConstraints` of trtexec), or its type, forbids it. Nothing is known: the log has no
timings of this layer, so build without a timing cache to see them. From 11 on the types are the
model's, and this rule finds nothing.

**When to leave it**: where the accuracy needs 32 bits in these layers.

**Example**:

    Precision: FP32+FP16
    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: weakly typed networks, TensorRT 7 to 10.

**Severity**: warning.

**Sources**: NVIDIA/TensorRT issues 4070, 3737, 4020.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis.precisions import (
    Reason,
    Why,
    allowed_bits,
    why_higher,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.core.words import Words, parts
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.rule import (
    finding,
    named,
    precision_option,
    record,
    saved_together,
)
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import without_profile
from engine_layer_visualize.trt.types import bits, canonical

RULE: Final = described(__name__, __doc__)
_WIDE_BITS: Final = 32
# e.g. No implementation of layer a obeys the requested constraints in strict mode.
_NO_IMPLEMENTATION: Final = re.compile(
    r"No implementation of layer (.*) (obeys the requested constraints.*)", re.DOTALL
)
_TOLD: Final[Mapping[Reason, str]] = {
    "faster": "a lower precision was timed and was faster: the formats at its borders decided",
    "never": "no lower precision was timed",
    "unknown": "no message says why",
}
_ADVICE: Final[Mapping[Reason, str]] = {
    "faster": "let the layers before and behind run in the lower precision, too",
    "never": "see whether a constraint on the layer or an operator without a kernel in a lower "
    "precision forbids it (trtexec: --layerPrecisions, --precisionConstraints)",
    "unknown": "build without a timing cache and with --verbose: then the log has the times of the "
    "precisions that were tried",
}


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all layers of one precision with which the autotuner did the same."""
    lowest = allowed_bits(subject.facts)
    if lowest is None:
        return
    by_reason: dict[tuple[str, Reason], list[tuple[Layer, Why]]] = defaultdict(list)
    noted = _noted(subject)
    for layer in subject.multiplying:
        if layer.index in noted:
            continue
        dtype = subject.dtype(layer)
        width = bits(dtype)
        if dtype is None or width is None or width < _WIDE_BITS or width <= lowest:
            continue
        reason = why_higher(layer, subject.tuned(layer))
        if reason.reason in _TOLD:
            by_reason[dtype, reason.reason].append((layer, reason))
    allowed = ", ".join(subject.facts.precisions)
    for (dtype, tried), slows in by_reason.items():
        layers = [layer for layer, _ in slows]
        verb = plural(len(layers), "computes", "compute")
        words: Words = (
            *named(layers),
            f" {verb} in {dtype}, the build allowed {allowed}; {_TOLD[tried]}",
        )
        evidence = [*(_evidence(subject, *slow) for slow in slows[:3]), *precision_option(subject)]
        lower = [dtype for dtype in map(canonical, subject.facts.precisions) if _is_lower(dtype)]
        most = saved_together(subject, layers, filter(None, lower))
        gain = sum(_gain(subject, *slow) for slow in slows) if tried == "faster" else most
        todo = _ADVICE[tried]
        yield finding(subject, RULE, layers, parts(words), todo, evidence, ms=gain, part=None)


def _noted(subject: Subject) -> set[int]:
    """Returns the layers of which the log says that they run in another precision than asked."""
    noted = {layer.index for layer in subject.layers if subject.known(layer).precision_note}
    for _, match in subject.said(_NO_IMPLEMENTATION):
        if (named := subject.by_name.get(without_profile(match[1]))) is not None:
            noted.add(named.index)
    return noted


def _is_lower(dtype: str | None) -> bool:
    return (bits(dtype) or _WIDE_BITS) < _WIDE_BITS


def _gain(subject: Subject, layer: Layer, reason: Why) -> float:
    """Returns the ms between the chosen tactic and the faster one, in the engine's times."""
    ms = subject.ms(layer)
    if ms is None or reason.lower is None or reason.chosen_ms <= 0:
        return 0.0
    return ms * (1 - reason.lower.ms / reason.chosen_ms)


def _evidence(subject: Subject, layer: Layer, reason: Why) -> Evidence:
    if reason.lower is None:
        return record(layer)
    times = f"{layer.name}: {milliseconds(reason.chosen_ms)} as chosen, "
    times += f"{milliseconds(reason.lower.ms)} with {reason.lower.formats}"
    return Evidence(times, reason.line or layer.place.line)
