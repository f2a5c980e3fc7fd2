"""The network is weakly typed, which TensorRT has deprecated.

**Found**: the log warns that weakly typed networks are deprecated.

**Why it costs**: no time. What is deprecated may be gone in the next major version, and the flags
`--fp16`, `--int8` and `--best` with it.

**What to do**: bring the types into the ONNX model (AutoCast or the quantisation of NVIDIA's Model
Optimizer) and build with `--stronglyTyped`: then each layer has the type that the model says.

**Example**:

    [W] Weakly-typed networks have been deprecated in TensorRT.

**Versions**: TensorRT 10.12 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.run_conditions import told
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "P12",
    "weak-typing-deprecated",
    "hint",
    "The network is weakly typed, which TensorRT has deprecated.",
    ("messages of TensorRT",),
)
_WORDS: Final = re.compile("Weakly[- ]typed networks (?:have been|are) deprecated")
_ADVICE: Final = (
    "bring the types into the ONNX model (AutoCast of NVIDIA's Model Optimizer), then build with "
    "--stronglyTyped"
)
_OTHERS: Final = "bring the types into {model}, and build a strongly typed network"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    why = "the network is weakly typed, which is deprecated: a later TensorRT may not build it"
    frontend = subject.frontend
    advice = _ADVICE if frontend.may_be_onnx else _OTHERS.format(model=frontend.model)
    return told(subject, RULE, _WORDS, why, advice, building=True)
