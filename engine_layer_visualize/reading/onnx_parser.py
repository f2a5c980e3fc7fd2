"""Reads what the ONNX parser says of the network: nodes, tensors, inputs, outputs."""

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.build_info import IO
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.io.source import decode, line_start, line_words
from engine_layer_visualize.reading.markers import BOUND, INPUT, Line, Stretch, Told, line
from engine_layer_visualize.reading.onnx_graph import Node, OnnxGraph
from engine_layer_visualize.trt.operators import PRODUCTS

# They fill an `OnnxGraph` with the model's nodes, tensors and initializers.

_IDLE: Final = 1_000  # lines of others in a row, after which the parser has stopped

_PARSING: Final = b"Parsing node: "
_SEARCHING: Final = b"Searching for input: "
_TENSOR: Final = b"Registering tensor: "
_LAYER: Final = b"Registering layer: "
# e.g. (7-) Parsing node: a [Conv]
# e.g. (7-) Searching for input: x
# e.g. (7-) Registering tensor: y for ONNX tensor: y
# e.g. (7-) Registering layer: a for ONNX node: a
_MARKS: Final = lazy(b"|".join((_PARSING, _SEARCHING, _TENSOR, _LAYER)))
_INPUTS, _OUTPUTS = b" inputs: ", b" outputs: "
# What follows each tensor of a list: ` -> (1, 3)[FLOAT]], `.
# e.g. (7-) a [Conv] inputs: [x -> (1, 4)[FLOAT]], [w -> (4)[FLOAT]],
_DESCRIPTOR: Final = lazy(r" -> \(([^()\[\]]*)\)(?:\[(\w+)\])?\](?:, ?|\Z)")
# e.g. (7-) Conv
_OPERATOR: Final = lazy(r"\w{1,200}\Z")


class OnnxParsing:
    """Reads one model."""

    def __init__(self, graph: OnnxGraph) -> None:
        self._graph = graph
        self._open: list[tuple[int, bytes]] = []  # nodes whose outputs are still to come
        self._roots: list[int] = []  # nodes that are inside of no other, up to now
        self._idle = 0
        self._names: dict[str, str] = {}
        self._text = self._edges = 0

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        for imported in stretch.marked(b"Importing initializer: "):
            self._graph.initializers.add(self._name(decode(imported.words)))
        data, start, stop, line = stretch.data, stretch.begin, stretch.end, stretch.line
        while start < stop:
            if not self._open:
                place = data.find(_PARSING, start, stop)
                if place < 0:
                    return
                start = max(line_start(data, place), start)
                line = stretch.number(start)
            end = data.find(b"\n", start, stop) + 1 or stop
            self._line(data[start:end], line)
            start, line = end, line + 1

    def _line(self, text: bytes, line: int) -> None:
        """Takes in one line of the log."""
        mark = _MARKS.search(text)
        first = mark.start() if mark else len(text)
        is_listed = self._listed(text, first)
        self._idle = 0 if is_listed or mark else self._idle + 1
        if self._idle > _IDLE:
            self._open = []
        if is_listed or mark is None:
            return
        words = line_words(text[mark.end() :])
        if mark[0] == _PARSING:
            if b"Static check for parsing node: " not in text[:first]:  # then it is in a name
                self._begin(words, line)
        elif not self._open or not self._graph.whole:
            return
        elif mark[0] == _TENSOR:
            ours, told, theirs = decode(words).rpartition(" for ONNX tensor: ")
            if told:
                self._graph.tensors[self._name(ours)] = self._name(theirs)
        elif mark[0] == _LAYER:
            self._layer(decode(words))

    def _listed(self, text: bytes, first: int) -> bool:
        """Whether it is `NAME [OP] inputs: …` or `NAME [OP] outputs: …` of a node that is open."""
        if text.find(b"puts: ") < 0:  # it is in both
            return False
        for word in (_INPUTS, _OUTPUTS):
            if b"]" + word not in text:
                continue
            for depth, (number, key) in reversed([*enumerate(self._open)]):
                place = text.find(key + word)
                if not 0 <= place <= first:  # a name may hold a mark, but not before itself
                    continue
                node = self._graph.nodes[number]
                words = decode(line_words(text[place + len(key + word) :]))
                if word == _INPUTS:
                    node.dims = self._take(node, node.inputs, words, 2, not depth)
                else:
                    node.dims += self._take(node, node.outputs, words, 1, not depth)
                    del self._open[depth:]
                    self._close(number)
                return True
        return False

    def _take(
        self, node: Node, names: list[str], words: str, most: int, outermost: bool
    ) -> tuple[str, ...]:
        """Takes in a list of a node's tensors. `outermost`: no other node holds it.

        Given back: of a product the extents of its first tensors, `most` of them.
        """
        listed = list(_tensors(words))
        for name, dims, kind in listed:
            self._add(names, name)
            fits = kind and outermost and len(dims) <= limits.DIMS
            if fits and name not in self._graph.types and self._room():
                self._graph.types[self._name(name)] = self._name(f"({dims})[{kind}]")
        if node.operator not in PRODUCTS:
            return ()
        return tuple(self._name(dims[: limits.DIMS]) for _, dims, _ in listed[:most])

    def _begin(self, words: bytes, line: int) -> None:
        key = words.rstrip()
        name, _, operator = decode(key).rpartition(" [")
        operator = operator.removesuffix("]")
        if not _OPERATOR.match(operator) or not self._room():
            return
        number = len(self._graph.nodes)
        self._graph.nodes.append(Node(self._name(name), self._name(operator), line))
        self._roots.append(number)
        self._open = [*self._open[1 - limits.NESTED :], (number, key)]

    def _layer(self, words: str) -> None:
        number = self._open[-1][0]
        layer, is_of_node, node = words.rpartition(" for ONNX node: ")
        if is_of_node:
            mine = node == self._graph.nodes[number].name
        else:
            layer, mine = words.removesuffix(" required by ONNX-TRT"), True
        if mine and layer != words and layer not in self._graph.initializers:
            self._graph.layers.setdefault(self._name(layer), number)

    def _close(self, number: int) -> None:
        """Whatever was parsed since this node began is inside of it."""
        node = self._graph.nodes[number]
        if not node.name and node.outputs:
            node.name = node.outputs[0]
        inside = []
        while self._roots and self._roots[-1] > number:
            inside.append(self._roots.pop())
            self._graph.nodes[inside[-1]].parent = number
        made = {name for child in inside for name in self._graph.nodes[child].outputs}
        for child in reversed(inside):
            for name in (*self._graph.nodes[child].inputs, *self._graph.nodes[child].outer):
                if name not in made:
                    self._add(node.outer, name)

    def _add(self, names: list[str], name: str) -> None:
        if name and self._room() and name not in names[-limits.NESTED :]:
            self._edges += 1
            names.append(self._name(name))

    def _name(self, name: str) -> str:
        """Keeps a text once, however often it is read."""
        if name not in self._names:
            self._text += len(name)
            self._names[name] = name if self._room() else ""
        return self._names[name]

    def _room(self) -> bool:
        fits = self._text <= limits.MODEL_TEXT and self._edges <= limits.MODEL_EDGES
        self._graph.whole = self._graph.whole and fits
        return self._graph.whole


def _tensors(words: str) -> Iterator[tuple[str, str, str]]:
    """`[a -> (1, 3)[FLOAT]], [b -> ()[INT64]], ` -> (a, `1, 3`, FLOAT), (b, ``, INT64)."""
    words, start = words.strip(), 0
    for match in _DESCRIPTOR.finditer(words):
        # A list may also have `[optional input, not set], `.
        name = words[start : match.start()].rpartition("not set], ")[2].removeprefix("[")
        yield name, match[1], match[2]
        start = match.end()


# e.g. (all) Adding network input: x with dtype: float32, dimensions: (1, 4)
_INPUT_WORDS: Final = lazy(r"(.*) with dtype: (\w+), dimensions: \(([^()]*)\)\s*", re.DOTALL)
# e.g. (8-) Detected 1 inputs and 3 output network tensors.
_COUNTED: Final = lazy(rb"Detected (\d{1,6}) inputs and (\d{1,6}) output network tensors")
# As scripts of NVIDIA's samples print an engine's ends behind its build.
# e.g. (all) Bind[ 1]:o[ 0]-> DataType.INT32 (-1, 1) (1, 1) y
_SAMPLE: Final = lazy(r"\w+ (?:\([-0-9, ]*\) )+(.*)", re.DOTALL)
# e.g. (8-) Input Tensor mask is unused or used only at compile-time, but is not being removed.
_UNUSED: Final = lazy(
    r"Input [Tt]ensor (.*) is (?:unused or )?used only at compile-time", re.DOTALL
)


class Definition(Told):
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

    def read(self, stretch: Stretch, late: bool = False) -> None:
        """Takes in the next lines, in their order. `late`: they stand behind a listing."""
        if not late:
            self.parsing.read(stretch)
        super().read(stretch, late)

    @line(_LAYER)
    def _registered(self, line: Line) -> None:
        layer, is_of_node, node = decode(line.words).rpartition(" for ONNX node: ")
        if is_of_node and len(self.onnx) < limits.NAMES:
            self.onnx.setdefault(layer, (node, line.number))

    @line(INPUT)
    def _input(self, line: Line) -> None:
        match = _INPUT_WORDS.fullmatch(decode(line.words))
        if match and len(self.inputs) < limits.NAMES:
            name, dtype, dims = match.groups()
            self.inputs[name] = IO(name, dtype, dims.replace(" ", ""), line.number)

    @line(b" as output: ")
    def _output(self, line: Line) -> None:
        if b"Marking " in line.before and len(self.outputs) < limits.NAMES:
            name = decode(line.words)
            self.outputs[name] = IO(name, None, None, line.number)

    @line(b" output network tensors")
    def _detected(self, line: Line) -> None:
        if counted := _COUNTED.search(line.text):
            self.counted.add(int(counted[2]))

    @line(b"used only at compile-time")
    def _unused(self, line: Line) -> None:
        match = _UNUSED.search(decode(line.before + line.mark))
        if match is not None and len(self.shape_inputs) < limits.NAMES:
            self.shape_inputs[match[1]] = None

    # The order of inputs and outputs, and the extents of outputs, are printed for a run.
    @line(b"]-> DataType.", late=True)
    def _bound(self, line: Line) -> None:
        match = _SAMPLE.fullmatch(decode(line.words))
        if match and b"]:o[" in line.before and len(self.bound_outputs) < limits.NAMES:
            self.bound_outputs.setdefault(match[1])

    @line(b"put binding for ", late=True)
    def _buffer(self, line: Line) -> None:
        match = BOUND.search(line.text)
        if match and match[2] is not None:
            is_output, name = match[1].lower() == b"out", decode(match[2])
            bound = self.bound_outputs if is_output else self.bound_inputs
            if len(bound) < limits.NAMES:
                bound.setdefault(name)
            known = self.outputs.get(name) if is_output else None
            if known and known.dims is None:
                self.outputs[name] = known._replace(dims=decode(match[3]).replace("x", ","))
