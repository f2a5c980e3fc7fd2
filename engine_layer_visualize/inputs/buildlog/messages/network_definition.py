"""Reads what the parser says of the network: its inputs and outputs, the ONNX node of each layer.

Parts of the log without timings go in; a `Definition` comes out.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.build_info import IO
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.messages.marked_lines import each
from engine_layer_visualize.inputs.buildlog.messages.onnx_graph import OnnxGraph
from engine_layer_visualize.inputs.buildlog.messages.onnx_parsing import OnnxParsing
from engine_layer_visualize.io.source import decode

_MOST: Final = 100_000  # names of one kind; a network has some thousands

# e.g. (all) Adding network input: x with dtype: float32, dimensions: (1, 4)
_INPUT: Final = lazy(r"(.*) with dtype: (\w+), dimensions: \(([^()]*)\)\s*", re.DOTALL)
# e.g. (8-) Output binding for y with dimensions 1x4
_BINDING: Final = lazy(r"(.*) with dimensions ([-0-9x]*)\s*", re.DOTALL)
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
        self.bound: dict[str, None] = {}  # outputs in the order in which trtexec binds them

    def read(self, data: bytes, at: int, end: int, line: int) -> None:
        """Takes in `data[at:end]`, whole lines; `line` numbers the first."""
        self.parsing.read(data, at, end, line)
        for mark, take in (
            (b"Registering layer: ", self._layer),
            (b"Adding network input: ", self._input),
            (b" as output: ", self._output),
            (_COMPILE_TIME, self._shape_input),
        ):
            each(data, at, end, line, mark, take)

    def read_bindings(self, data: bytes, at: int, end: int, line: int) -> None:
        """Reads the outputs' order and extents, which stand behind the listing."""
        each(data, at, end, line, b"put binding for ", self._binding)

    def _layer(self, words: bytes, before: bytes, line: int) -> None:
        layer, found, node = decode(words).rpartition(" for ONNX node: ")
        if found and len(self.onnx) < _MOST:
            self.onnx.setdefault(layer, (node, line))

    def _input(self, words: bytes, before: bytes, line: int) -> None:
        if (match := _INPUT.fullmatch(decode(words))) and len(self.inputs) < _MOST:
            self.inputs[match[1]] = IO(match[1], match[2], match[3].replace(" ", ""), line)

    def _shape_input(self, words: bytes, before: bytes, line: int) -> None:
        if (match := _UNUSED.search(decode(before + _COMPILE_TIME))) and len(
            self.shape_inputs
        ) < _MOST:
            self.shape_inputs[match[1]] = None

    def _output(self, words: bytes, before: bytes, line: int) -> None:
        if b"Marking " in before and len(self.outputs) < _MOST:
            name = decode(words)
            self.outputs[name] = IO(name, None, None, line)

    def _binding(self, words: bytes, before: bytes, line: int) -> None:
        """trtexec prints the extents of an output when it makes its buffer."""
        match = _BINDING.fullmatch(decode(words))
        if match is None or not before.endswith(b"out"):
            return
        if len(self.bound) < _MOST:
            self.bound.setdefault(match[1])
        known = self.outputs.get(match[1])
        if known is not None and known.dims is None:
            dims = match[2].replace("x", ",")
            self.outputs[match[1]] = IO(known.name, known.dtype, dims, known.line)
