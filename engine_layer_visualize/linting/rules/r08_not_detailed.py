"""The listing has the layers' names alone.

**Found**: no layer of the listing has a tensor's type or a tactic.

**Why it costs**: nothing can be said of precision, formats, reformats and kernels, nor drawn as a
graph.

**What to do**: build with `--profilingVerbosity=detailed` (in the API
`ProfilingVerbosity.DETAILED`), and keep the log, or `--exportLayerInfo`.

**Example**:

    {"Layers": ["conv1 + relu1", "fc1"], "Bindings": ["x", "y"]}

**Versions**: TensorRT 8.2 and later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import count
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R08",
    "not-detailed",
    "warning",
    "The listing has the layers' names alone.",
    ("TensorRT documentation: engine inspector",),
)
_ADVICE: Final = "build with --profilingVerbosity=detailed"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    layers = subject.layers
    known = any(
        layer.tactic is not None
        or layer.raw is not None
        or any(tensor.dtype is not None for tensor in (*layer.inputs, *layer.outputs))
        for layer in layers
    )
    if layers and not known:
        why = f"the listing has {count(len(layers), 'name')} of layers, no types and no tactics"
        line = Evidence("the listing", subject.engine.source.first_line)
        yield subject.finding(RULE, (), why, _ADVICE, [line])
