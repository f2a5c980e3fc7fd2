"""Chooses for each module of the network the engine in which it is to be built as.

What a module takes is measured in both engines. Where neighbours are taken from different engines,
a reformat may stand between them: what it takes is measured, too, of such a reformat in either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, inf
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import onnx_nodes, scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import min_cut, samples
from engine_layer_visualize.comparison.accounting import counted, vector
from engine_layer_visualize.comparison.result import (
    Border,
    Comparison,
    Plan,
    PlannedModule,
    TakenFrom,
)
from engine_layer_visualize.comparison.side import EngineSide
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.trt.data_types import bits
from engine_layer_visualize.trt.layer_names import parts

# What one build has only once, as `builds` calls it.
_ONE_BUILD: Final = {
    "TensorRT": "versions of TensorRT",
    "device": "GPUs",
    "compute clock in GHz": "compute clocks",
    "memory clock in GHz": "memory clocks",
}
_TIE: Final = 1e-6  # ms: below what any profile prints
_MAX_WALKED: Final = 32  # layers that are looked at around one


def of(comparison: Comparison, sides: tuple[EngineSide, EngineSide]) -> Plan | str:
    """The plan of least time; a text says why there is none."""
    if why := _impossible(comparison):
        return why
    modules = _modules(comparison, sides)
    if not modules:
        return "no module of the network has layers in both engines"
    borders = _Borders(sides, modules)
    a_first = (comparison.a.total or 0.0) <= (comparison.b.total or 0.0)
    times = [(module.a_ms, module.b_ms) for module in modules]
    picked = min_cut.least(times, borders.between(), ties=not a_first)
    takes: list[TakenFrom] = ["b" if second else "a" for second in picked]
    chosen = tuple(module._replace(take=take) for module, take in zip(modules, takes))
    crossed = tuple(borders.crossed(takes))
    borders_ms = fsum(border.ms for border in crossed)
    taken = fsum(module.ms for module in chosen)
    return Plan(taken + borders_ms, borders_ms, chosen, crossed, borders.unknown)


def _impossible(comparison: Comparison) -> str:
    """Why no engine can be put together of these two; empty where one can."""
    if not comparison.same_network:
        return "they are of two networks"
    if comparison.delta_ms is None:
        return comparison.unknown
    if comparison.a.estimated:
        return "the times are the builder's estimates, and a plan is a sum of measured rows"
    differ = {difference.what for difference in comparison.builds}
    if other := [called for what, called in _ONE_BUILD.items() if what in differ]:
        return f"they are of two {other[0]}, and a plan is one build"
    if samples.differ(comparison.inputs):
        return "they ran on inputs of other shapes"
    return ""


# ---- modules -----------------------------------------------------------------------------------


def _modules(comparison: Comparison, sides: tuple[EngineSide, EngineSide]) -> list[PlannedModule]:
    """The modules in order; each layer of the profile that totals are of is in one of them."""
    names: dict[str, int] = {}
    home: tuple[dict[int, int], dict[int, int]] = ({}, {})
    groups = [group for group in comparison.groups if counted(comparison.a, group.a[:1])]
    for group in sorted(groups, key=lambda group: group.a):
        name = _name(sides, group.a, group.b)
        number = names.setdefault(name, len(names))
        for own, indices in zip(home, group.all):
            own.update(dict.fromkeys(indices, number))
    if not names:
        return []
    for side, own in zip(sides, home):
        _give_homes(side, own)
    layers: list[tuple[list[int], list[int]]] = [([], []) for _ in names]
    for which, own in enumerate(home):
        for index in sorted(own):
            layers[own[index]][which].append(index)
    costs = (comparison.a, comparison.b)
    made = []
    for name, (a, b) in zip(names, layers):
        a_ms, b_ms = (_ms(timed, indices) for timed, indices in zip(costs, (a, b)))
        made.append(PlannedModule(name, tuple(a), tuple(b), a_ms, b_ms, "a"))
    return made


def _ms(costs: Costs, indices: Sequence[int]) -> float:
    return fsum(costs.of(costs.engine.layers[i]) or 0.0 for i in indices)


def _name(sides: tuple[EngineSide, EngineSide], a: Sequence[int], b: Sequence[int]) -> str:
    """The path of the module, else the name of the first layer that computes."""
    for side, indices in zip(sides, (a, b)):
        first = side.main(indices)
        layer = side.layers[first]
        nodes = onnx_nodes.of(layer)
        paths = list(
            dict.fromkeys(
                path
                for name in nodes.all or nodes.ends or parts(layer.name)
                if (path := scopes.around(name))
            )
        )
        if paths and side.work[first].operator == "myelin" and len(paths) > 1:
            return f"{scopes.written(paths[0])} … {scopes.written(paths[-1])}"
        if paths:
            return scopes.written(paths[0])
    return sides[0].layers[a[0]].name


def _give_homes(side: EngineSide, home: dict[int, int]) -> None:
    """Puts layers in no group to those that read them, else that write for them, else before them.

    They have to run, whoever does their work.
    """
    rest = [i for i in counted(side.costs, range(len(side.layers))) if i not in home]
    for near in (side.readers, side.writers):
        for i in reversed(rest) if near is side.readers else rest:
            if i not in home:
                places = [home[j] for j in near.get(i, ())[:_MAX_WALKED] if j in home]
                if places:
                    home[i] = min(places)
    last = min(home.values())
    for i in counted(side.costs, range(len(side.layers))):
        last = home.setdefault(i, last)


# ---- borders -----------------------------------------------------------------------------------


class _Form(NamedTuple):
    """How a tensor is stored."""

    dtype: str | None
    format: str  # the words of the format, else the vector part of the dims


_Key = tuple["_Form | str | None", "_Form | str | None"]


class _Crossing(NamedTuple):
    """What one module writes and another reads, in one engine."""

    written: set[_Form]
    read: set[_Form]
    tensors: set[str]
    sizes: list[int | None]  # their elements; None: unknown

    @property
    def elements(self) -> int | None:
        """The number of elements of the largest tensor; None: unknown."""
        known = [size for size in self.sizes if size is not None]
        return max(known) if len(known) == len(self.sizes) else None


class _Reformat(NamedTuple):
    """A reformat that was measured."""

    taken_from: TakenFrom
    layer: int
    ms: float
    written: tuple[_Form, _Form]  # from, to
    elements: int
    bytes: int


class _Price(NamedTuple):
    """What a border takes; infinite where no measured row tells it."""

    ms: float = inf
    reformat: _Reformat | None = None


class _Borders:
    """What stands between modules that are taken from different engines."""

    def __init__(
        self, sides: tuple[EngineSide, EngineSide], modules: Sequence[PlannedModule]
    ) -> None:
        self.modules = modules
        self.alike_told = sides[0].costs.engine.dialect == sides[1].costs.engine.dialect
        self._measured(_reformats(sides))
        homes: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, module in enumerate(modules):
            for home, indices in zip(homes, (module.a, module.b)):
                home.update(dict.fromkeys(indices, number))
        a, b = map(_crossings, sides, homes)
        # Of each two neighbours, by the engine that the one which writes is taken from.
        self.prices: dict[tuple[int, int], dict[TakenFrom, _Price]] = {
            pair: {"a": self._price(a.get(pair), b.get(pair)),
                   "b": self._price(b.get(pair), a.get(pair))}
            for pair in sorted({*a, *b})
        }  # fmt: skip

    def between(self) -> dict[tuple[int, int], float]:
        """What it takes that the first of two modules is taken from A and the second from B.

        If choices take the same time, the one with the fewest borders counts as the least.
        """
        ms: dict[tuple[int, int], float] = defaultdict(float)
        for (first, second), price in self.prices.items():
            ms[first, second] += price["a"].ms + _TIE
            ms[second, first] += price["b"].ms + _TIE
        return ms

    def crossed(self, takes: Sequence[TakenFrom]) -> Iterator[Border]:
        """The borders of neighbours that are taken from different engines."""
        for (first, second), price in self.prices.items():
            if takes[first] != takes[second]:
                ms, reformat = price[takes[first]]
                names = self.modules[first].module, self.modules[second].module
                row = None if reformat is None else (reformat.taken_from, reformat.layer)
                yield Border(*names, ms, row)

    @property
    def unknown(self) -> int:
        """How many borders have no price."""
        return sum(inf in (price["a"].ms, price["b"].ms) for price in self.prices.values())

    def _price(self, writes: _Crossing | None, reads: _Crossing | None) -> _Price:
        """What stands between the writer in one engine and the reader in the other."""
        if (
            writes is None
            or reads is None
            or any(form.dtype is None for form in writes.written | reads.read)
        ):
            return _Price()
        if self.alike_told and len(writes.written) == 1 and writes.written == reads.read:
            return _Price(0.0)
        elements = max((one.elements or 0) for one in (writes, reads))
        if None in (writes.elements, reads.elements) or not elements:
            return _Price()
        worst = _Price(0.0)
        for start in writes.written:
            for end in reads.read:
                found = self._like(start, end, elements)
                if found is None:
                    return _Price()
                if found.ms > worst.ms:
                    worst = _Price(found.ms, found)
        return worst._replace(ms=worst.ms * max(len(writes.tensors), len(reads.tensors)))

    def _measured(self, reformats: Iterable[_Reformat]) -> None:
        """Keeps reformats by their forms, by their data types, and all; the smallest first."""
        known = sorted(reformats, key=lambda one: (one.elements, -one.ms))
        self.like: dict[_Key, list[_Reformat]] = defaultdict(list)
        for one in known:
            start, end = one.written
            self.like[start, end].append(one)
            self.like[start.dtype, end.dtype].append(one)
        self.by_bytes = sorted(known, key=lambda one: (one.bytes, -one.ms))

    def _like(self, start: _Form, end: _Form, elements: int) -> _Reformat | None:
        """A measured reformat of as many elements between these forms, else of as many bytes."""
        keys: tuple[_Key, ...] = (start, end), (start.dtype, end.dtype)
        for key in keys:
            known = self.like.get(key, ())
            at = bisect_left(known, elements, key=lambda one: one.elements)
            if at < len(known):
                return known[at]
        needed = _moved(start.dtype, end.dtype, elements)
        if needed is None:
            return None
        at = bisect_left(self.by_bytes, needed, key=lambda one: one.bytes)
        return self.by_bytes[at] if at < len(self.by_bytes) else None


def _form(tensor: Tensor) -> _Form:
    return _Form(tensor.dtype, tensor.format or vector(tensor.dims))


def _reformats(sides: tuple[EngineSide, EngineSide]) -> Iterator[_Reformat]:
    names: tuple[TakenFrom, ...] = ("a", "b")
    for name, side in zip(names, sides):
        for i in counted(side.costs, range(len(side.layers))):
            layer = side.layers[i]
            ms = side.costs.of(layer)
            if not ms or side.role[i] != "serves" or not (layer.inputs and layer.outputs):
                continue
            start, end = layer.inputs[0], layer.outputs[0]
            elements = start.elements
            if elements and (moved := _moved(start.dtype, end.dtype, elements)) is not None:
                yield _Reformat(name, i, ms, (_form(start), _form(end)), elements, moved)


def _moved(start: str | None, end: str | None, elements: int) -> int | None:
    """How many bytes a reformat of these data types reads and writes; None: unknown."""
    widths = bits(start), bits(end)
    if widths[0] is None or widths[1] is None:
        return None
    return elements * (widths[0] + widths[1]) // 8


def _crossings(side: EngineSide, home: Mapping[int, int]) -> dict[tuple[int, int], _Crossing]:
    """What modules write for others, through reformats and no-ops."""
    leaving: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for edge in side.costs.engine.graph.edges:
        source, target = edge.source, edge.target
        if source is not None and target is not None and source in home and target in home:
            leaving[source].append((target, edge.tensor))
    found: dict[tuple[int, int], _Crossing] = {}
    for writer, readers in leaving.items():
        if side.role[writer] == "serves":
            continue
        for target, name in readers:
            written = _named(side.layers[writer].outputs, name)
            for reader, last in _through(side, leaving, target, name):
                pair = home[writer], home[reader]
                read = _named(side.layers[reader].inputs, last)
                if pair[0] == pair[1] or written is None or read is None:
                    continue
                crossing = found.setdefault(pair, _Crossing(set(), set(), set(), []))
                crossing.written.add(_form(written))
                crossing.read.add(_form(read))
                crossing.tensors.add(name)
                crossing.sizes.append(written.elements)
    return found


def _named(tensors: Sequence[Tensor], name: str) -> Tensor | None:
    return next((tensor for tensor in tensors if tensor.name == name), None)


def _through(
    side: EngineSide, leaving: Mapping[int, Sequence[tuple[int, str]]], start: int, name: str
) -> Iterator[tuple[int, str]]:
    """The layers that read a tensor, each with the tensor that it reads in its place."""
    waiting, seen = [(start, name)], set[int]()
    while waiting and len(seen) < _MAX_WALKED:
        index, tensor = waiting.pop()
        if side.role[index] != "serves":
            yield index, tensor
        elif index not in seen:
            seen.add(index)
            waiting += leaving.get(index, ())
