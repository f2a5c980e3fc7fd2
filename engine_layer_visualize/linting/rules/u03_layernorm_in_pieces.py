"""A layer normalisation runs as several layers.

**Found**: the ONNX nodes ReduceMean, Sub, Sqrt and Div of one module (`/encoder/norm/…`) are in two
or more layers of the engine. Layers that also compute a product or a softmax are not counted.

**Why it costs**: a normalisation in one kernel reads its tensor once or twice. In pieces, each
layer reads and writes it.

**What to do**: export with opset 17 or later, where the module is one `LayerNormalization` node.

**When to leave it**: where the model must keep an opset below 17, or normalises over other axes
than `LayerNormalization` does.

**Example**:

    Layer(Reduce): /norm/ReduceMean, Tactic: 0x1, x[Half(1,64,256)] -> m[Half(1,64,1)]
    Layer(ElementWise): /norm/Sub, Tactic: 0x1, x[Half(1,64,256)], m[Half(1,64,1)] -> …

**Versions**: all; needs the names of the ONNX nodes.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issue 3230.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_DIVISIONS: Final = frozenset({"Div", "Reciprocal"})
_FIRST: Final = "ReduceMean"  # without one there is no normalisation
_NEEDED: Final = frozenset({_FIRST, "Sub", "Sqrt"})
_STEPS: Final = _NEEDED | _DIVISIONS | {"Pow"}
_STEP: Final = re.compile("|".join(sorted(_STEPS)))
_HEAVY: Final = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "Softmax"})
_ADVICE: Final = (
    "export the model with opset 17 or later, so that each of them is one LayerNormalization node"
)
_OTHERS: Final = "make each of them one normalisation in {model}"  # that does not come from ONNX


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all normalisations of the engine."""
    steps: dict[str, set[str]] = defaultdict(set)
    pieces: dict[str, dict[int, Layer]] = defaultdict(dict)
    if not any(_FIRST in text for layer in subject.layers for text in _texts(layer)):
        return
    for layer in subject.layers:
        if not any(map(_STEP.search, _texts(layer))) or not runs_kernel(layer):
            continue
        nodes = subject.nodes(layer)
        split = [
            (module, _operator(last)) for module, _, last in (n.rpartition("/") for n in nodes)
        ]
        if any(operator in _HEAVY for _, operator in split):
            continue
        for module, operator in split:
            if module and operator in _STEPS:
                steps[module].add(operator)
                pieces[module][layer.index] = layer
    split_up = {
        module: pieces[module]
        for module, operators in steps.items()
        if operators >= _NEEDED and operators & _DIVISIONS and len(pieces[module]) > 1
    }
    if split_up:
        merged = {i: layer for layers in split_up.values() for i, layer in layers.items()}
        layers = [merged[index] for index in sorted(merged)]
        what = count(len(split_up), "layer normalisation")
        runs = plural(len(split_up), "runs as", "run as")
        why = (f"{what} {runs} {len(layers)} layers: ", *named(layers))
        frontend = subject.frontend
        advice = _ADVICE if frontend.may_be_onnx else _OTHERS.format(model=frontend.model)
        yield finding(subject, RULE, layers, why, advice)


def _texts(layer: Layer) -> tuple[str, ...]:
    """Returns the texts with the names of its nodes: they are searched before nodes are read."""
    metadata = next((value for key, value in layer.attributes if key == "Metadata"), None)
    named = str(metadata or layer.name)
    return (named,) if layer.facts is None else (named, *layer.facts.onnx_nodes)


def _operator(last: str) -> str:
    """Returns `ReduceMean` for `ReduceMean_1`."""
    return last.partition("_")[0]
