"""A convolution computes in FP16 and holds its weights in FP32.

**Found**: a convolution or deconvolution reads Half, its record says that its weights are Float,
and they are more than 1 MB.

**Why it costs**: each inference reads the weights at four bytes in place of two.

**What to do**: store these weights as FP16 in the ONNX model.

**Example**:

    Name: conv5, LayerType: CaskConvolution, Inputs: [ { Name: a, …, Format/Datatype: Half } ], …,
        Weights: {"Type": "Float", "Count": 2359296}

**Versions**: all with a detailed listing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.work.records import stored
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.trt.data_types import canonical

RULE: Final = Rule(
    "P14",
    "fp32-weights",
    "hint",
    "A convolution computes in FP16 and holds its weights in FP32.",
    ("recorded logs",),
)
_LEAST: Final = 1_000_000  # bytes
_WIDTH: Final = 4  # bytes of one in Float


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all such layers."""
    counts = {
        layer.index: floats
        for layer in subject.convolving
        if (floats := _floats(layer)) * _WIDTH > _LEAST and _reads_half(layer)
    }
    layers = [subject.engine.layers[index] for index in counts]
    if layers:
        whole = sum(counts[layer.index] for layer in layers)
        verb = plural(len(layers), "reads", "read")
        words = f" {verb} Half and {plural(len(layers), 'holds', 'hold')} Float weights, "
        words += f"{count(whole, 'value')}"
        evidence = [
            Evidence(f"{layer.name}: weights Float, {counts[layer.index]:,}", layer.place.line)
            for layer in layers[:3]
        ]
        advice = "store these weights as FP16 in the ONNX model"
        why = (*subject.names(layers), words)
        yield subject.finding(RULE, layers, why, advice, evidence, part=0.5)


def _floats(layer: Layer) -> int:
    """How many weights a layer holds in Float."""
    known = stored(Subject.attribute(layer, "Weights"))
    return known[1] if known is not None and canonical(known[0]) == "Float" else 0


def _reads_half(layer: Layer) -> bool:
    read = Subject.data_input(layer)
    return read is not None and canonical(read.dtype) == "Half"
