"""A convolution or matrix product computes in 32 bits where the build allowed fewer.

**Found**: a convolution, deconvolution or matrix product computes in Float, and the build allowed
FP16, BF16 or INT8. Silent where the log says that a precision was not kept (that is P02), and where
the autotuner timed a lower precision for this layer that was not faster.

**Why it costs**: tensor cores multiply 16-bit types at a multiple of the speed of 32-bit types, and
half the bytes are moved.

**What to do**: the message says what the autotuner did. A lower precision was faster, but not
chosen: reformats at the layer's borders cost more than it gains, so let the neighbours run in that
precision, too. None was timed: a constraint on the layer, or its type, forbids it. Nothing is
known: the log has no timings of this layer, so build without a timing cache to see them.

**Example**:

    Precision: FP32+FP16
    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: weakly typed networks, TensorRT 7 to 10.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject, timed_in
from engine_layer_visualize.analysis.higher_precision import allowed_bits
from engine_layer_visualize.core.build_info import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.core.words import Words, parts
from engine_layer_visualize.trt.data_types import bits

RULE: Final = Rule(
    "P01",
    "higher-precision-compute",
    "warning",
    "A convolution or matrix product computes in 32 bits where the build allowed fewer.",
    ("NVIDIA/TensorRT issues 4070, 3737, 4020",),
)
_TIE: Final = 0.99  # times that differ by less are the timer's noise
_Tried = Literal["faster", "never", "unknown"]
_TOLD: Final[dict[_Tried, str]] = {
    "faster": "a lower precision was timed and was faster: the formats at its borders decided",
    "never": "no lower precision was timed",
    "unknown": "no message says why",
}
_ADVICE: Final[dict[_Tried, str]] = {
    "faster": "let the layers before and behind run in the lower precision, too",
    "never": "see whether a constraint on the layer or an operator without a kernel in a lower "
    "precision forbids it (trtexec: --layerPrecisions, --precisionConstraints)",
    "unknown": "build without a timing cache and with --verbose: then the log has the times of the "
    "precisions that were tried",
}


class _Slow(NamedTuple):
    layer: Layer
    lower: Candidate | None  # the fastest in a lower precision
    chosen_ms: float = 0.0


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers of one precision with which the autotuner did the same."""
    lowest = allowed_bits(subject.facts)
    if lowest is None:
        return
    found: dict[tuple[str, _Tried], list[_Slow]] = defaultdict(list)
    for layer in subject.multiplying:
        own = subject.dtype(layer)
        width = bits(own)
        noted = layer.index in subject.precision_notes
        if own is None or width is None or width < 32 or width <= lowest or noted:
            continue
        tried, slow = _tried(subject, layer, width)
        if tried is not None:
            found[own, tried].append(slow)
    allowed = ", ".join(subject.facts.precisions)
    for (own, tried), slows in found.items():
        layers = [slow.layer for slow in slows]
        verb = plural(len(layers), "computes", "compute")
        why: Words = (
            *subject.names(layers),
            f" {verb} in {own}, the build allowed {allowed}; {_TOLD[tried]}",
        )
        evidence = [*(_evidence(subject, slow) for slow in slows[:3]), *subject.precision_option]
        gain = sum((_gain(subject, slow) for slow in slows), 0.0) if tried == "faster" else None
        yield subject.finding(RULE, layers, parts(why), _ADVICE[tried], evidence, ms=gain, part=0.5)


def _tried(subject: Subject, layer: Layer, width: int) -> tuple[_Tried | None, _Slow]:
    """What the autotuner did with lower precisions; None where they were timed and slower."""
    timed = subject.tuned(layer).combinations
    chosen = subject.known(layer).build_ms
    if not timed or chosen is None:
        return "unknown", _Slow(layer, None)
    lower = next((one for one in timed if (bits(timed_in(one)) or width) < width), None)
    if lower is None:
        return "never", _Slow(layer, None)
    return "faster" if lower.ms < _TIE * chosen else None, _Slow(layer, lower, chosen)


def _gain(subject: Subject, slow: _Slow) -> float:
    """Milliseconds between the chosen tactic and the faster one, in the engine's times."""
    ms = subject.ms(slow.layer)
    if ms is None or slow.lower is None or slow.chosen_ms <= 0:
        return 0.0
    return ms * (1 - slow.lower.ms / slow.chosen_ms)


def _evidence(subject: Subject, slow: _Slow) -> Evidence:
    if slow.lower is None:
        return subject.record(slow.layer)
    times = f"{slow.layer.name}: {milliseconds(slow.chosen_ms)} as chosen, "
    times += f"{milliseconds(slow.lower.ms)} with {slow.lower.formats}"
    lines = dict(subject.known(slow.layer).lines)
    return Evidence(times, lines.get("candidates", slow.layer.place.line))
