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
    return any(
        min(tensor.shape, default=0) < 0
        for layer in subject.layers
        for tensor in (*layer.inputs, *layer.outputs)
    )


def _reached(subject: Subject) -> set[int]:
    """Layers that read, over others or not, something that is not known to be constant."""
    waiting = [layer.index for layer in subject.layers if _is_source(subject, layer)]
    reached = set(waiting)
    layers = subject.engine.layers
    while waiting:
        for reader in subject.readers(layers[waiting.pop()]):
            if reader.index not in reached:
                reached.add(reader.index)
                waiting.append(reader.index)
    return reached


def _is_source(subject: Subject, layer: Layer) -> bool:
    """Whether it reads an input, or a tensor that nothing writes, or may give what it likes."""
    if any(edge.source is None for edge in subject.reads(layer)) or layer.raw is not None:
        return True
    if any(word in layer.type.casefold() for word in _OTHERS) or "Random" in layer.name:
        return True
    # A kernel inside of Myelin without inputs: it clears memory, or reads what no record names.
    return not layer.inputs and (not layer.outputs or myelin_index(layer.name) is not None)
