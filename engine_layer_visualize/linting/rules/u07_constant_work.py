"""A layer computes the same result in every inference.

**Found**: no way leads from an input of the engine to a layer that runs a kernel and has a time, or
to a ForeignNode, where nothing has one.
Nothing is said of an engine whose shapes vary, or where the log says that an input is used only at
compile-time: there a layer may depend on a size, which is no constant. Nor of layers that compute
with sizes (Shape, ShapeHostToDevice, …) or make random numbers, and what depends on these.

**Why it costs**: the result is known at build time.

**What to do**: fold it before the build; an ONNX model with
`polygraphy surgeon sanitize --fold-constants model.onnx -o folded.onnx`.

**When to leave it**: where the result is much larger than what it is computed from: the engine
would hold all of it.

**Example**:

    Layer(Constant): grid, Tactic: 0x0,  -> g[Float(1,64)]
    Layer(Shuffle): /Transpose, Tactic: 0x0, g[Float(1,64)] -> t[Float(64,1)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA trt-samples-for-hackathon-cn cookbook.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.origin import ONNX
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import is_foreign, myelin_index

RULE: Final = described(__name__, __doc__)
_ADVICE: Final = (
    "fold constants before the build: polygraphy surgeon sanitize --fold-constants model.onnx "
    "-o folded.onnx"
)
_IN_MODEL: Final = "compute it once, and make the result a constant of {model}"  # that is not ONNX
# Types that may give other results; those with sizes are named as a whole, a Reshape is none.
_OTHERS: Final = ("random", "fill", "trainstation", "plugin", "shapehost", "shape_call")
_SIZES: Final = frozenset({"Shape", "Size", "ConstantOfShape", "Range", "NonZero"})


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all such layers."""
    if subject.engine.graph.jumps or subject.facts.shape_inputs:
        return
    if all(layer.inputs for layer in subject.layers) or trtexec.inputs_vary(subject.engine):
        return
    reached = _reached(subject)
    layers = [
        layer
        for layer in subject.layers
        if layer.index not in reached and runs_kernel(layer) and _costs(subject, layer)
    ]
    if layers:
        depend = plural(len(layers), "depends", "depend")
        why = (*named(layers), f" {depend} on no input of the engine")
        frontend = subject.frontend
        advice = _ADVICE if frontend is ONNX else _IN_MODEL.format(model=frontend.model)
        yield finding(subject, RULE, layers, why, advice, part=1.0)


def _costs(subject: Subject, layer: Layer) -> bool:
    """Whether a layer has a time; where none has, whether it is several layers of the network."""
    if subject.costs.total is None:
        return is_foreign(layer.name)
    return bool(subject.ms(layer))


def _reached(subject: Subject) -> set[int]:
    """Returns the layers that read something that is not known to be constant.

    That is an input, a tensor that nothing writes, or the result of a layer that may vary. They
    may read it over other layers.
    """
    fed = {edge.target for edge in subject.edges if edge.source is None}
    waiting = [la.index for la in subject.layers if la.index in fed or _may_vary(subject, la)]
    reached = set(waiting)
    layers = subject.engine.layers
    while waiting:
        for edge in subject.writes(layers[waiting.pop()]):
            if edge.target is not None and edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    return reached


def _may_vary(subject: Subject, layer: Layer) -> bool:
    """Whether a layer may give different results for the same inputs."""
    if layer.raw is not None or _is_other(layer.type) or "Random" in layer.name:
        return True
    if layer.type in _SIZES or not _SIZES.isdisjoint(subject.operators(layer)):
        return True
    # A kernel inside of Myelin without inputs: it clears memory, or reads what no record names.
    return not layer.inputs and (not layer.outputs or myelin_index(layer.name) is not None)


@lru_cache(maxsize=1 << 10)
def _is_other(type: str) -> bool:
    return any(word in type.casefold() for word in _OTHERS)
