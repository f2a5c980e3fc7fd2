"""Builds the edges of an engine: which layer's output each input reads."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Final

from engine_layer_visualize.core.limits import lazy, product
from engine_layer_visualize.core.model import Edge, Graph, Layer, Tensor
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.trt.names import myelin_index, without_profile

_FEW: Final = 64  # shapes of one tensor; of more, those with an unknown extent are left out
MOST_EDGES: Final = 1 << 16  # of one tensor: n writers and n readers would have n² of them
# Weights inside Myelin, which no record writes.
_MYELIN_CONSTANT: Final = lazy(r"(?:proxy_)?__my(?:e|ln)|.*const(?:ant)?\w*$", re.DOTALL)


def build(
    layers: Sequence[Layer],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Graph:
    """The graph of `layers`. `inputs`, `outputs`: as the log names them; None: by the walk.

    Goes through the layers in order, and keeps the live writers of every tensor name. A read
    connects each of them to the reader. A write adds to them while nothing has read the tensor
    since the last write, or when it is partial (a later read takes more elements); otherwise it
    replaces them. Inside one layer reads come before writes.

    A read of a tensor that nothing writes is an edge from None, a write that nothing reads one to
    None. Both are the engine's own, unless the log names others.
    """
    later = _Reads(layers)
    writers: dict[str, list[int]] = {}
    fresh: dict[str, bool] = {}  # nothing has read the tensor since its last write
    read: set[str] = set()
    edges: list[Edge] = []
    room: defaultdict[str, int] = defaultdict(lambda: MOST_EDGES)
    omitted = 0
    from_nowhere: dict[str, Layer] = {}  # by what nothing wrote before: its first reader
    for index, layer in enumerate(layers):
        # The same tensor twice in one record is one edge.
        for name in dict.fromkeys([tensor.name for tensor in layer.inputs]):
            read.add(name)
            fresh[name] = False
            if name in writers:
                kept = writers[name][: room[name]]
                edges += [Edge(writer, index, name) for writer in kept]
                room[name] -= len(kept)
                omitted += len(writers[name]) - len(kept)
            else:
                edges.append(Edge(None, index, name))
                from_nowhere.setdefault(name, layer)
        for tensor in layer.outputs:
            name = tensor.name
            live = writers.setdefault(name, [])
            if not fresh.get(name, True) and not later.take_more(tensor, index):
                live.clear()
            if live[-1:] != [index]:
                live.append(index)
            fresh[name] = True
    constants = tuple(name for name, reader in from_nowhere.items() if _is_constant(name, reader))
    for name in constants:
        del from_nowhere[name]
    shown_in, unresolved = _named(inputs, from_nowhere)
    shown_out, unused = _named(outputs, [name for name in writers if name not in read])
    for name in writers:
        if name not in read or (outputs is not None and without_profile(name) in shown_out):
            edges += [Edge(writer, None, name) for writer in writers[name]]
    jumps = tuple(_jumps(layers))
    return Graph(shown_in, shown_out, tuple(edges), unresolved, unused, constants, jumps, omitted)


def warnings(layers: Sequence[Layer], graph: Graph) -> list[Problem]:
    """A warning (ELV301) for each tensor that is read and that no listed layer writes.

    And one (ELV302) where tensors have more edges than are kept.
    """
    problems = []
    if graph.omitted:
        why = f"{graph.omitted:,} edges are left out: of one tensor at most {MOST_EDGES:,} are kept"
        problems.append(Problem(layers[0].place, "ELV302", why))
    wanted = set(graph.unresolved)
    for layer in layers if wanted else ():
        for tensor in layer.inputs:
            if tensor.name in wanted:
                wanted.discard(tensor.name)
                why = f"no listed layer writes `{tensor.name:.80}`, which `{layer.name:.80}` reads"
                problems.append(Problem(layer.place, "ELV301", why))
    return problems


class _Reads:
    """Knows with which dims every tensor is read, and where for the last time.

    It is found out when it is first asked for: most engines write no tensor a second time.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = layers
        self._largest: dict[str, tuple[list[int], list[float]]] = {}

    def take_more(self, written: Tensor, index: int) -> bool:
        """Whether a layer after `index` reads more elements than `written` has."""
        reads = self._last.get(written.name, {})
        if len(reads) <= _FEW:
            return any(
                last > index and _is_smaller(written.shape, shape) for shape, last in reads.items()
            )
        if written.name not in self._largest:
            self._largest[written.name] = _largest_from(reads)
        indices, largest = self._largest[written.name]
        after = bisect_right(indices, index)
        few = written.elements
        return few is not None and after < len(largest) and few < largest[after]

    @cached_property
    def _last(self) -> dict[str, dict[tuple[int, ...], int]]:
        last: dict[str, dict[tuple[int, ...], int]] = {}
        for index, layer in enumerate(self._layers):
            for tensor in layer.inputs:
                shapes = last.setdefault(tensor.name, {})
                shapes.pop(tensor.shape, None)
                shapes[tensor.shape] = index
        return last


def _largest_from(reads: Mapping[tuple[int, ...], int]) -> tuple[list[int], list[float]]:
    """Where known shapes are read for the last time, and the most elements from there on."""
    largest: list[float] = []
    known = [(last, shape) for shape, last in reads.items() if min(shape, default=0) >= 0]
    for _, shape in reversed(known):
        many = product(shape)
        largest.append(max(inf if many is None else many, largest[-1] if largest else 0))
    return [last for last, _ in known], largest[::-1]


def _is_smaller(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether `shape` holds fewer elements than `other`.

    With a symbolic or unknown extent: same rank, and one axis alone printed differently (where
    both print a number there, the smaller one).
    """
    if min(shape, default=0) >= 0 and min(other, default=0) >= 0:
        few, many = product(shape), product(other)
        return few is not None and (many is None or few < many)
    differing = [(a, b) for a, b in zip(shape, other) if a != b]
    if len(shape) != len(other) or len(differing) != 1:
        return False
    a, b = differing[0]
    return a < b or min(a, b) < 0


def _named(
    names: Sequence[str] | None, walked: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The engine's inputs (or outputs), and which of the `walked` names are none.

    Args:
        names: as the log names them; None: the walked ones are taken.
        walked: what nothing writes (or reads).
    """
    if names is None:
        return tuple(walked), ()
    named = dict.fromkeys(names)
    return tuple(named), tuple(name for name in walked if without_profile(name) not in named)


def _jumps(layers: Sequence[Layer]) -> Iterable[Edge]:
    """Control flow: an edge for each attribute that names a layer to go on with."""
    targets: dict[str, int] = {}
    for layer in layers:
        targets.setdefault(layer.name, layer.index)
    for layer in layers:
        for key, value in layer.attributes:
            if key.startswith("JumpTarget") and str(value) in targets:
                yield Edge(layer.index, targets[str(value)], key)


def _is_constant(name: str, reader: Layer) -> bool:
    return myelin_index(reader.name) is not None and _MYELIN_CONSTANT.match(name) is not None
