"""The device has no fast arithmetic for a precision that was asked for.

**Found**: the log warns that the hardware has no native support for a precision, or does not
accelerate the type of the network's Q/DQ layers. Also where FP16 is allowed on a device of compute
capability 5.0, 5.2 or 6.1, which computes it far slower than FP32; but not where no layer computes
in FP16.

**Why it costs**: such a precision is computed with slower instructions, or converted before each
operation. The engine can be slower than in FP32.

**What to do**: build in a precision that the device accelerates, or run on a device that
accelerates this one.

**When to leave it**: where the precision was chosen to make the engine smaller, not faster.

**Example**:

    [W] [TRT] Half2 support requested on hardware without native FP16 support, performance will be
        negatively affected.

**Versions**: all.

**Severity**: warning.

**Sources**: messages of TensorRT; CUDA C++ Programming Guide: throughput of arithmetic
instructions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.data_types import canonical

RULE: Final = described(__name__, __doc__)
_WORDS: Final = re.compile(
    r"support requested on hardware without native (\w+)"
    r"|network has (\w+) Q/DQ layers but the hardware does not accelerate"
)
_MOST_LINES: Final = 3  # of the log, as evidence
_SLOW_FP16: Final = ((5, 0), (5, 2), (6, 1))  # FP16 at 1/64 of the speed of FP32, or not at all


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for each precision."""
    by_precision: dict[str, list[Evidence]] = defaultdict(list)
    for message, match in subject.said(_WORDS, building=True):
        by_precision[match[1] or match[2]].append(Evidence(message.text, message.line))
    device, option = subject.compute_capability, subject.option("Precision")
    if device in _SLOW_FP16 and "FP16" in subject.facts.precisions and "FP16" not in by_precision:
        words = f"compute capability {device[0]}.{device[1]}" if device else ""
        line = None if option is None else option.line
        by_precision["FP16"].append(Evidence(f"{words}; the build allowed FP16", line))
    computing = {subject.dtype(la) for la in subject.layers if runs_kernel(la)}
    if None not in computing and canonical("FP16") not in computing:
        by_precision.pop("FP16", None)  # it was given up
    for precision, lines in by_precision.items():
        words = f"the hardware does not accelerate {precision}, which the build asks for"
        advice = f"build in another precision than {precision}, or for a device that accelerates it"
        yield subject.finding(RULE, (), words, advice, lines[:_MOST_LINES])
