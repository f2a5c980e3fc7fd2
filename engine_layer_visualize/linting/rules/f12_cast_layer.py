"""A layer does nothing but the Casts of the model.

**Found**: all nodes of a layer are Cast, and the layer runs a kernel.

**Why it costs**: the tensor is read and written once more, only for another type.

**What to do**: remove the Casts when the model is exported. In a strongly typed network, place them
where they fuse with a neighbour, or let both neighbours run in one type.

**When to leave it**: where the accuracy needs the type behind the Cast, or an operator takes this
type alone.

**Example**:

    Layer(Reformat): /Cast_1, Tactic: 0x3e8, a[Float(1,8)] -> b[Half(1,8)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issue 2542.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import runs_alone
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_ADVICE: Final = (
    "remove these Casts from {model}, or let the layers on both sides compute in one type"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all such layers."""
    layers = [layer for layer in subject.layers if runs_alone(subject, layer, "Cast")]
    if layers:
        why = (*named(layers), f" {plural(len(layers), 'does', 'do')} only Cast")
        advice = _ADVICE.format(model=subject.frontend.model)
        yield finding(subject, RULE, layers, why, advice, part=1.0)
