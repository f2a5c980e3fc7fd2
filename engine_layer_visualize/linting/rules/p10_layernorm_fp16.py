"""A layer normalisation, in pieces, computes in FP16: it may overflow.

**Found**: the log warns that layer normalisation after self-attention runs in FP16.

**Why it costs**: it costs accuracy, not time: the sum of squares exceeds what FP16 holds, and the
result is inf or NaN. In pieces (ReduceMean, Sub, Pow, Sqrt, Div) it takes more kernels, too.

**What to do**: export the model with opset 17 or later, where it is one operator,
`LayerNormalization`; or run the operators that the message names in FP32: up to TensorRT 10.16 with
`--layerPrecisions` of trtexec, from 11 on by the types of the model.

**When to leave it**: where the engine's results for real data were compared with those of the model
in FP32, and are near enough.

**Example**:

    [W] [TRT] Running layernorm after self-attention in FP16 may cause overflow.

**Versions**: TensorRT 8.6 and later.

**Severity**: error.

**Sources**: NVIDIA/TensorRT issues 2781, 2564, 4493; pytorch/TensorRT issue 4061.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_OVERFLOW: Final = re.compile(
    r"Running layernorm after self-attention (?:in|with) FP16.*may cause overflow", re.DOTALL
)
_NODES: Final = re.compile(r"Detected layernorm nodes in FP16: (.*)", re.DOTALL)
_ADVICE: Final = (
    "export with opset 17 or later, so that it is one LayerNormalization, or run its operators in "
    "FP32 (trtexec: --layerPrecisions)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding, with the layers of the nodes that the log names."""
    overflow = subject.lines(_OVERFLOW, building=True)
    if not overflow:
        return
    named = subject.said(_NODES, building=True)
    nodes = {name for _, match in named for name in match[1].split(", ")}
    layers = [la for la in subject.layers if nodes and not nodes.isdisjoint(subject.nodes(la))]
    where = (": ", *subject.names(layers)) if layers else ()
    words = ("layer normalisation computes in FP16 and may overflow", *where)
    evidence = [*overflow[:1], *subject.lines(_NODES, building=True)[:2]]
    yield subject.finding(RULE, layers, words, _ADVICE, evidence, part=None)
