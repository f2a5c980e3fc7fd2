"""Reads what the parser says of the network: inputs, outputs, the ONNX node of each layer."""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.build_info import IO
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.build_context import INPUT
from engine_layer_visualize.inputs.buildlog.messages.onnx_graph import OnnxGraph
from engine_layer_visualize.inputs.buildlog.messages.onnx_parsing import OnnxParsing
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import decode

_MOST_NAMES: Final = 100_000  # of one kind; a network has some thousands

# e.g. (all) Adding network input: x with dtype: float32, dimensions: (1, 4)
_INPUT_WORDS: Final = lazy(r"(.*) with dtype: (\w+), dimensions: \(([^()]*)\)\s*", re.DOTALL)
# e.g. (-8) Created output binding for y with dimensions 1x4
# e.g. (10) Output binding for y with dimensions 1x4 and type fp32 is created.
_BINDING: Final = lazy(
    r"(.*) with dimensions ([-0-9x]*)(?: and type \w{1,16} is created\.)?\s*", re.DOTALL
)
# e.g. (8-) Detected 1 inputs and 3 output network tensors.
_COUNTED: Final = lazy(rb"Detected (\d{1,6}) inputs and (\d{1,6}) output network tensors")
_COUNTED_MARK: Final = b" output network tensors"
# As scripts of NVIDIA's samples print an engine's ends behind its build.
# e.g. (all) Bind[ 1]:o[ 0]-> DataType.INT32 (-1, 1) (1, 1) y
_BOUND: Final = lazy(r"\w+ (?:\([-0-9, ]*\) )+(.*)", re.DOTALL)
_BOUND_MARK: Final = b"]-> DataType."
_COMPILE_TIME: Final = b"used only at compile-time"
# e.g. (8-) Input Tensor mask is unused or used only at compile-time, but is not being removed.
_UNUSED: Final = lazy(
    r"Input [Tt]ensor (.*) is (?:unused or )?used only at compile-time", re.DOTALL
)


class Definition:
    """What the log says of one network before it is built. Names as they are printed.

    `graph`: the model, where the log has its parsing.
    """

    def __init__(self) -> None:
        self.graph = OnnxGraph()
        self.parsing = OnnxParsing(self.graph)
        self.onnx: dict[str, tuple[str, int]] = {}  # layer -> ONNX node, line
        self.inputs: dict[str, IO] = {}
        self.outputs: dict[str, IO] = {}
        self.shape_inputs: dict[str, None] = {}
        self.counted: set[int] = set()  # outputs, as the builder counts them
        self.bound_inputs: dict[str, None] = {}  # in the order in which trtexec binds them
        self.bound_outputs: dict[str, None] = {}  # outputs in that order

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        self.parsing.read(stretch)
        for words, _, line in stretch.marked(b"Registering layer: "):
            layer, is_of_node, node = decode(words).rpartition(" for ONNX node: ")
            if is_of_node and len(self.onnx) < _MOST_NAMES:
                self.onnx.setdefault(layer, (node, line))
        for words, _, line in stretch.marked(INPUT):
            if (match := _INPUT_WORDS.fullmatch(decode(words))) and len(self.inputs) < _MOST_NAMES:
                self.inputs[match[1]] = IO(match[1], match[2], match[3].replace(" ", ""), line)
        for words, before, line in stretch.marked(b" as output: "):
            if b"Marking " in before and len(self.outputs) < _MOST_NAMES:
                name = decode(words)
                self.outputs[name] = IO(name, None, None, line)
        for _, before, _ in stretch.marked(_COUNTED_MARK):
            if counted := _COUNTED.search(before + _COUNTED_MARK):
                self.counted.add(int(counted[2]))
        for _, before, _ in stretch.marked(_COMPILE_TIME):
            match = _UNUSED.search(decode(before + _COMPILE_TIME))
            if match is not None and len(self.shape_inputs) < _MOST_NAMES:
                self.shape_inputs[match[1]] = None

    def read_bindings(self, stretch: Stretch) -> None:
        """Reads the ends' order and the outputs' extents, which are printed for a run."""
        for words, before, _ in stretch.marked(_BOUND_MARK):
            match = _BOUND.fullmatch(decode(words))
            if match is not None and b"]:o[" in before and len(self.bound_outputs) < _MOST_NAMES:
                self.bound_outputs.setdefault(match[1])
        for words, before, _ in stretch.marked(b"put binding for "):
            match = _BINDING.fullmatch(decode(words))
            if match is None or len(self.bound_inputs) >= _MOST_NAMES:
                continue
            if before[-2:].lower() == b"in":
                self.bound_inputs.setdefault(match[1])
            if before[-3:].lower() != b"out":
                continue
            if len(self.bound_outputs) < _MOST_NAMES:
                self.bound_outputs.setdefault(match[1])
            known = self.outputs.get(match[1])
            if known is not None and known.dims is None:
                dims = match[2].replace("x", ",")
                self.outputs[match[1]] = IO(known.name, known.dtype, dims, known.line)
