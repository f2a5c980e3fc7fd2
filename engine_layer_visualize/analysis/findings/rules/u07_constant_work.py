"""A layer computes the same result in every inference.

**Found**: no way leads from an input of the engine to a layer that runs a kernel and has a time.
Engines with dynamic dimensions are left out: there a layer may depend on a size. So are layers that
make random numbers.

**Why it costs**: the result is known at build time.

**What to do**: fold it before the build, with
`polygraphy surgeon sanitize --fold-constants model.onnx -o folded.onnx`.

**Example**:

    Layer(Constant): grid, Tactic: 0x0,  -> g[Float(1,64)]
    Layer(Shuffle): /Transpose, Tactic: 0x0, g[Float(1,64)] -> t[Float(64,1)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.trt.layer_names import myelin_index

RULE: Final = Rule(
    "U07",
    "constant-work",
    "hint",
    "A layer computes the same result in every inference.",
    ("NVIDIA trt-samples-for-hackathon-cn cookbook",),
)
_ADVICE: Final = (
    "fold it before the build: polygraphy surgeon sanitize --fold-constants model.onnx "
    "-o folded.onnx"
)
_OTHERS: Final = ("random", "fill", "trainstation", "plugin")  # types that may give other results


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all such layers."""
    if subject.total is None or subject.engine.graph.jumps:
        return
    if all(layer.inputs for layer in subject.layers) or _is_dynamic(subject):
        return
    reached = _reached(subject)
    layers = [
        layer
        for layer in subject.layers
        if layer.index not in reached and runs_kernel(layer) and subject.ms(layer)
    ]
    if layers:
        depend = plural(len(layers), "depends", "depend")
        why = (*subject.names(layers), f" {depend} on no input of the engine")
        yield subject.finding(RULE, layers, why, _ADVICE)


def _is_dynamic(subject: Subject) -> bool:
    shapes = {one.shape for la in subject.layers for one in chain(la.inputs, la.outputs)}
    return min(map(min, filter(None, shapes)), default=0) < 0


def _reached(subject: Subject) -> set[int]:
    """Layers that read, over others or not, something that is not known to be constant: an input,
    a tensor that nothing writes, or what a layer gives that may give what it likes."""
    fed = {edge.target for edge in subject.edges if edge.source is None}
    waiting = [la.index for la in subject.layers if la.index in fed or _may_vary(la)]
    reached = set(waiting)
    layers = subject.engine.layers
    while waiting:
        for edge in subject.writes(layers[waiting.pop()]):
            if edge.target is not None and edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    return reached


def _may_vary(layer: Layer) -> bool:
    """Whether it may give what it likes, whatever it reads."""
    if layer.raw is not None or _is_other(layer.type) or "Random" in layer.name:
        return True
    # A kernel inside of Myelin without inputs: it clears memory, or reads what no record names.
    return not layer.inputs and (not layer.outputs or myelin_index(layer.name) is not None)


@lru_cache(maxsize=1 << 10)
def _is_other(type: str) -> bool:
    return any(word in type.casefold() for word in _OTHERS)
