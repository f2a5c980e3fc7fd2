"""The ONNX graph, as far as the parser's lines in a log tell it.

takes: stretches of the log before the timings, as bytes of whole lines
gives: `OnnxGraph`: nodes with their tensors, initializers, and the nodes between given tensors
never: takes a graph that was read in part for the whole, or keeps more than a bounded text of names
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from engine_layer_visualize.source import decode, line_end, line_start

_MOST_TEXT: Final = 32 << 20  # characters of different names
_MOST_EDGES: Final = 1_000_000  # a node's tensors, all nodes together
_MOST_STEPS: Final = 10_000_000  # of all walks
_DEEPEST: Final = 64  # nodes in the subgraphs of nodes
_IDLE: Final = 1_000  # lines without a word of the parser: it has stopped

_PARSING: Final = b"Parsing node: "
_SEARCHING: Final = b"Searching for input: "
_TENSOR: Final = b"Registering tensor: "
_LAYER: Final = b"Registering layer: "
_MARKS: Final = re.compile(b"|".join((_PARSING, _SEARCHING, _TENSOR, _LAYER)))
_IMPORTING: Final = b"Importing initializer: "
_INPUTS, _OUTPUTS = b" inputs: ", b" outputs: "
_COLOUR: Final = re.compile(rb"(?:\x1b\[[0-9;]{0,20}m)+\Z")
# What follows each tensor of a list: ` -> (1, 3)[FLOAT]], `.
_DESCRIPTOR: Final = re.compile(r" -> \([^()\[\]]*\)\[\w+\]\](?:, ?|\Z)")
_LONGEST_COUNT: Final = 10  # characters that make a name differ from one that was taken
_COUNT: Final = re.compile(r"_\d+\Z")
_OPERATOR: Final = re.compile(r"\w{1,200}\Z")


@dataclass(slots=True)
class Node:
    """A node of the model. `parent`: the If or Loop that it is inside of, None: of no other."""

    name: str
    operator: str
    line: int
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    parent: int | None = None


class OnnxGraph:
    """Nodes in the order in which they were parsed; by number where they are spoken of.

    `layers`: TensorRT's layers that the parser made for a node; `tensors`: TensorRT's names of
    tensors and the model's; `whole`: whether nothing was left out.
    """

    __slots__ = (
        *("nodes", "layers", "tensors", "initializers", "whole"),
        *("_open", "_roots", "_idle", "_names", "_text", "_edges", "_steps", "_ready"),
        *("_numbers", "_made", "_readers", "_children"),
    )

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.layers: dict[str, int] = {}
        self.tensors: dict[str, str] = {}
        self.initializers: set[str] = set()
        self.whole = True
        self._open: list[tuple[int, bytes]] = []  # nodes whose outputs are still to come
        self._roots: list[int] = []  # nodes that are inside of no other, up to now
        self._idle = 0
        self._names: dict[str, str] = {}
        self._text = self._edges = self._steps = 0
        self._ready = -1  # nodes that the four below were made of
        self._numbers: dict[str, int] = {}
        self._made: dict[str, int] = {}
        self._readers: dict[str, list[int]] = {}
        self._children: dict[int, list[int]] = {}

    # ---- reading -----------------------------------------------------------------------------

    def read(self, data: bytes, at: int, end: int, line: int) -> None:
        """Takes in `data[at:end]`, whole lines; `line` numbers the first."""
        self._initializers(data, at, end)
        while at < end:
            if not self._open:
                found = data.find(_PARSING, at, end)
                if found < 0:
                    return
                start = max(line_start(data, found), at)
                line += data.count(b"\n", at, start)
                at = start
            stop = min(line_end(data, at), end)
            self._line(data[at:stop], line)
            at, line = stop, line + 1

    def _initializers(self, data: bytes, at: int, end: int) -> None:
        while (found := data.find(_IMPORTING, at, end)) >= 0:
            at = line_end(data, found)
            self.initializers.add(self._name(decode(_plain(data[found + len(_IMPORTING) : at]))))

    def _line(self, text: bytes, line: int) -> None:
        mark = _MARKS.search(text)
        first = mark.start() if mark else len(text)
        if self._listed(text, first):
            self._idle = 0
            return
        if mark is None:
            self._idle += 1
            if self._idle > _IDLE:
                self._open = []
            return
        self._idle = 0
        words = _plain(text[mark.end() :])
        if mark[0] == _PARSING:
            self._begin(words, line)
        elif not self._open or not self.whole:
            return
        elif mark[0] == _SEARCHING:
            self._add(self.nodes[self._open[-1][0]].inputs, decode(words))
        elif mark[0] == _TENSOR:
            self._register(decode(words))
        else:
            self._layer(decode(words))

    def _listed(self, text: bytes, first: int) -> bool:
        """Whether it is `NAME [OP] inputs: …` or `NAME [OP] outputs: …` of a node that is open."""
        for word in (_INPUTS, _OUTPUTS):
            if text.find(b"]" + word, 0, first) < 0:
                continue
            for depth in range(len(self._open) - 1, -1, -1):
                number, key = self._open[depth]
                place = text.find(key + word, 0, first)
                if place < 0:
                    continue
                node, words = self.nodes[number], decode(_plain(text[place + len(key + word) :]))
                if word == _INPUTS:
                    self._settle(node.inputs, words)
                else:
                    self._settle(node.outputs, words)
                    del self._open[depth:]
                    self._close(number)
                return True
        return False

    def _settle(self, told: list[str], words: str) -> None:
        """A list, and what was told on lines of their own; names in a list may hold its marks.

        Lines of their own may be another thread's.
        """
        listed = list(_tensors(words))
        if told and not set(told) <= set(listed) and all(f"[{name} -> (" in words for name in told):
            return
        told.clear()
        for name in listed:
            self._add(told, name)

    def _begin(self, words: bytes, line: int) -> None:
        key = words.rstrip()
        name, _, operator = decode(key).rpartition(" [")
        operator = operator.removesuffix("]")
        if not _OPERATOR.match(operator) or not self._room():
            return
        number = len(self.nodes)
        self.nodes.append(Node(self._name(name), self._name(operator), line))
        self._roots.append(number)
        self._open = [*self._open[1 - _DEEPEST :], (number, key)]

    def _register(self, words: str) -> None:
        ours, theirs = _halves(words, " for ONNX tensor: ")
        if theirs:
            self.tensors[self._name(ours)] = self._name(theirs)
            self._add(self.nodes[self._open[-1][0]].outputs, theirs)

    def _layer(self, words: str) -> None:
        number = self._open[-1][0]
        layer, found, node = words.rpartition(" for ONNX node: ")
        if found:
            mine = node == self.nodes[number].name
        else:
            layer, mine = words.removesuffix(" required by ONNX-TRT"), True
        if mine and layer != words and layer not in self.initializers:
            self.layers.setdefault(self._name(layer), number)

    def _close(self, number: int) -> None:
        """Whatever was parsed since this node began is inside of it."""
        node = self.nodes[number]
        if not node.name and node.outputs:
            node.name = node.outputs[0]
        inside = []
        while self._roots and self._roots[-1] > number:
            inside.append(self._roots.pop())
            self.nodes[inside[-1]].parent = number
        made = {name for child in inside for name in self.nodes[child].outputs}
        for child in reversed(inside):  # it reads what they read of the world outside
            for name in self.nodes[child].inputs:
                if name not in made:
                    self._add(node.inputs, name)

    def _add(self, names: list[str], name: str) -> None:
        if name and self._room() and name not in names[-_DEEPEST:]:
            self._edges += 1
            names.append(self._name(name))

    def _name(self, name: str) -> str:
        """The same text, kept once."""
        known = self._names.get(name)
        if known is None:
            self._text += len(name)
            known = self._names[name] = name if self._room() else ""
        return known

    def _room(self) -> bool:
        self.whole = self.whole and self._text <= _MOST_TEXT and self._edges <= _MOST_EDGES
        return self.whole

    # ---- asking ------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def number(self, name: str) -> int | None:
        """Of the node of that name, else of the node that a layer of that name was made for."""
        self._prepare()
        found = self._numbers.get(name)
        return self.layers.get(name) if found is None else found

    def maker(self, tensor: str) -> int | None:
        """The node that gives a tensor."""
        self._prepare()
        return self._made.get(tensor)

    def knows(self, tensor: str) -> bool:
        self._prepare()
        return tensor in self._made or tensor in self._readers

    def is_constant(self, name: str) -> bool:
        """Whether it is a weight: an initializer, a Constant or what that gives."""
        if name in self.initializers:
            return True
        number = self.number(name)
        number = self.maker(name) if number is None else number
        return number is not None and self.nodes[number].operator == "Constant"

    def _prepare(self) -> None:
        if self._ready == len(self.nodes):
            return
        self._ready = len(self.nodes)
        self._numbers, self._made, self._readers, self._children = {}, {}, {}, {}
        for number, node in enumerate(self.nodes):
            self._numbers[node.name] = number
            if node.parent is not None:
                self._children.setdefault(node.parent, []).append(number)
                continue
            for tensor in node.outputs:
                self._made[tensor] = number
            for tensor in node.inputs:
                self._readers.setdefault(tensor, []).append(number)

    def between(
        self,
        sources: Collection[str],
        targets: Collection[str],
        bounds: Collection[str] = (),
        *,
        inputs: Collection[str] = (),
        own: Collection[int] = (),
        shut: Collection[int] = (),
        loose: bool = False,
    ) -> tuple[int, ...] | None:
        """The nodes on every path from `sources` to `targets`; None where the log does not tell.

        A path may begin at a node of `own`, too. No path goes through a tensor of `bounds` or a
        node of `shut`, unless it is of `own`. `inputs`: of the network. `loose`: `sources` are not
        all, so that all that leads to the targets counts, as far as the bounds.
        """
        if not self.whole:
            return None
        self._prepare()
        shut = frozenset(shut) - frozenset(own)
        behind = self._behind(sources, targets, bounds, inputs, shut, loose)
        found = behind if loose else self._ahead(sources, targets, bounds, own, behind)
        if self._steps > _MOST_STEPS:
            return None
        return tuple(sorted(n for n in self._opened(found) if self._runs(n))) or None

    def _behind(
        self,
        sources: Collection[str],
        targets: Iterable[str],
        bounds: Collection[str],
        inputs: Collection[str],
        shut: Collection[int],
        loose: bool,
    ) -> set[int]:
        """The nodes that the targets depend on; none where the log lacks one of them."""
        found: set[int] = set()
        seen: set[str] = set()
        todo = [number for name in targets if (number := self._made.get(name)) is not None]
        while todo and self._steps <= _MOST_STEPS:
            number = todo.pop()
            if number in found or number in shut:
                continue
            found.add(number)
            self._steps += len(self.nodes[number].inputs)
            for tensor in self.nodes[number].inputs:
                if tensor in seen or tensor in sources or tensor in bounds:
                    continue
                seen.add(tensor)
                maker = self._made.get(tensor)
                if maker is not None:
                    todo.append(maker)
                elif tensor in inputs:
                    if loose:
                        return set()  # past where the layer begins
                elif tensor not in self.initializers:
                    return set()  # its node was parsed on a line that is not here
        return found

    def _ahead(
        self,
        sources: Collection[str],
        targets: Collection[str],
        bounds: Collection[str],
        own: Collection[int],
        among: Collection[int],
    ) -> set[int]:
        """The nodes of `among` that depend on the sources."""
        found: set[int] = set()
        todo = [number for number in own if number in among]
        tensors = list(sources)
        while (todo or tensors) and self._steps <= _MOST_STEPS:
            if tensors:
                readers = self._readers.get(tensors.pop(), ())
                self._steps += len(readers)
                todo += [number for number in readers if number in among]
            elif (number := todo.pop()) not in found:
                found.add(number)
                made = self.nodes[number].outputs
                tensors += [name for name in made if name in targets or name not in bounds]
        return found

    def _opened(self, numbers: Iterable[int]) -> Iterator[int]:
        """With the nodes inside of each."""
        todo = list(numbers)
        while todo:
            number = todo.pop()
            yield number
            todo += self._children.get(number, ())

    def _runs(self, number: int) -> bool:
        return self.nodes[number].operator != "Constant"


def _plain(text: bytes) -> bytes:
    """Without the line's end, and the colour that it ends in."""
    text = text.rstrip(b"\r\n")
    return text[:-32] + _COLOUR.sub(b"", text[-32:])


def _tensors(words: str) -> Iterator[str]:
    """`[a -> (1, 3)[FLOAT]], [b -> ()[INT64]], ` -> a, b."""
    words, start = words.strip(), 0
    for match in _DESCRIPTOR.finditer(words):
        # A list may also have `[optional input, not set], `.
        yield words[start : match.start()].rpartition("not set], ")[2].removeprefix("[")
        start = match.end()


def _halves(words: str, between: str) -> tuple[str, str]:
    """The two names of `T for ONNX tensor: T` or `T_3 for ONNX tensor: T`, whatever they hold."""
    rest = len(words) - len(between)
    for more in range(_LONGEST_COUNT + 1):
        size = (rest + more) // 2
        if (rest + more) % 2 == 0 and words.startswith(between, size):
            ours, theirs = words[:size], words[size + len(between) :]
            if ours.startswith(theirs) and (not more or _COUNT.match(ours, len(theirs))):
                return ours, theirs
    ours, _, theirs = words.rpartition(between)
    return ours, theirs
