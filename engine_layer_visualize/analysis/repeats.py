"""Finds repeated blocks: residual stages, transformer layers, equal heads.

Blocks are alike where types, dims, and names without their numbers are equal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.scopes import Scope, from_to, neighbours, pattern, scopes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.names import split_profile

_NUMBER: Final = re.compile(r"_?\d+")  # of equal names the first may have none: `Conv`, `Conv_1`
_FROM_TO: Final = re.compile(r"(\d{1,9})–(\d{1,9})")
_MARKED_PART: Final = 4  # two blocks without names are marked if they are this part of the engine
_STRUCTURE_LAYERS: Final = 4  # with a kernel, of a block that is found by its operators alone
_BLOCK_LAYERS: Final = 1 << 14  # layers of one block that is found without names


Block = tuple[int, int]  # the index of its first layer, and that after its last


class Repeat(NamedTuple):
    """Blocks that come again, in order and without overlap."""

    name: str
    blocks: tuple[Block, ...]
    paths: tuple[str, ...] = ()  # of the scopes that the blocks are

    @property
    def first(self) -> int:
        """Index of the first block's first layer."""
        return self.blocks[0][0]

    @property
    def stop(self) -> int:
        """Index after the last block's last layer."""
        return self.blocks[-1][1]

    @property
    def size(self) -> int:
        """Layers in the first block."""
        return self.blocks[0][1] - self.blocks[0][0]

    @property
    def label(self) -> str:
        """`layer.11–22` of scopes with all these numbers, else `26 layers × 4`."""
        words = from_to(self.paths[0], self.paths[-1]) if self.paths else ""
        ends = _FROM_TO.search(words)
        if ends is None or int(ends[2]) - int(ends[1]) + 1 != len(self.blocks):
            return f"{self.name} × {len(self.blocks)}"
        return words.rpartition("/")[2]


def repeats(layers: Sequence[Layer], known: Sequence[Scope] | None = None) -> tuple[Repeat, ...]:
    """Blocks to be marked in a drawing: scopes that differ in a number, others that are alike.

    `known` has the scopes of these layers, where they are known.
    """
    named = _named(layers, scopes(layers) if known is None else known)
    others = outside([(repeat.first, repeat.stop) for repeat in named], _tandems(layers))
    found = tuple(sorted([*named, *others], key=lambda repeat: repeat.first))
    return found if named else _with_structure(found, layers)


def outside(blocks: Iterable[Block], found: Iterable[Repeat]) -> list[Repeat]:
    """The repeats that have no layer of these blocks."""
    taken = {index for block in blocks for index in range(*block)}
    return [one for one in found if taken.isdisjoint(range(one.first, one.stop))]


def _tandems(layers: Sequence[Layer]) -> Iterator[Repeat]:
    """Blocks that are equal, whatever their names."""
    for start, period, count in tandems([_sign(layer) for layer in layers]):
        # Two that are alike by chance, among many that nearly are, tell nothing.
        if count > 2 or (period > 1 and 2 * period * _MARKED_PART >= len(layers)):
            name = headline(layers[start]) if period == 1 else f"{period} layers"
            blocks = ((start + i * period, start + (i + 1) * period) for i in range(count))
            yield Repeat(name, tuple(blocks))


def _with_structure(found: tuple[Repeat, ...], layers: Sequence[Layer]) -> tuple[Repeat, ...]:
    """These, and blocks of the same operators in order, whatever the layers between them.

    Where names are numbers, the blocks of a network differ in what the builder put in: reformats,
    NoOps, other dims. Smaller repeats inside of such blocks go.
    """
    own = [i for i, layer in enumerate(layers) if runs_kernel(layer) and not is_reformat(layer)]
    signs = [(split_profile(layers[i].name)[1], headline(layers[i])) for i in own]
    kept = list(found)
    for start, period, count in tandems(signs):
        if period < _STRUCTURE_LAYERS or count < 3:  # two may be alike by chance
            continue
        firsts = own[start : start + count * period : period]
        after = start + count * period
        stops = [*firsts[1:], own[after] if after < len(own) else len(layers)]
        inside = [repeat for repeat in kept if repeat.first < stops[-1] and firsts[0] < repeat.stop]
        if all(repeat.size < _STRUCTURE_LAYERS for repeat in inside):
            kept = [repeat for repeat in kept if repeat not in inside]
            kept.append(Repeat(f"{stops[0] - firsts[0]} layers", tuple(zip(firsts, stops))))
    return tuple(sorted(kept, key=lambda repeat: repeat.first))


def _sign(layer: Layer) -> Hashable:
    """Equal for layers that are alike."""
    name, profile = split_profile(layer.name)
    outputs = tuple((tensor.dtype, tensor.dims) for tensor in layer.outputs)
    return layer.type, _NUMBER.sub("", name), profile, len(layer.inputs), outputs


def tandems(signs: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    """(start, period, count) of stretches that are repeated without a gap; none overlap.

    For windows of 1, 2, 4 … elements: where many windows in a row come again after the same
    distance, that distance is a period. Of two that overlap the one that covers more stays, then
    the one of the shorter period. n log n.
    """
    number: dict[Hashable, int] = {}
    ranks = [number.setdefault(sign, len(number)) for sign in signs]
    runs: set[tuple[int, int, int]] = set()
    width = 1
    while width <= min(len(signs) // 2, _BLOCK_LAYERS) and ranks:
        runs.update(_runs(ranks, width))
        pairs: dict[tuple[int, int], int] = {}
        ranks = [
            pairs.setdefault((ranks[i], ranks[i + width]), len(pairs))
            for i in range(len(ranks) - width)
        ]
        width *= 2
    out: list[tuple[int, int, int]] = []
    taken = bytearray(len(signs))
    for start, period, count in sorted(runs, key=lambda run: (-run[1] * run[2], run[1], run[0])):
        stop = start + period * count
        if taken.find(1, start, stop) < 0:
            taken[start:stop] = b"\x01" * (stop - start)
            out.append((start, period, count))
    return sorted(out)


def _runs(ranks: Sequence[int], width: int) -> Iterator[tuple[int, int, int]]:
    """Repeated stretches that windows of `width` elements show."""
    later: dict[int, int] = {}
    distance = [0] * len(ranks)
    for i in range(len(ranks) - 1, -1, -1):
        distance[i] = later.get(ranks[i], i) - i
        later[ranks[i]] = i
    begin = 0
    while begin < len(ranks):
        period, stop = distance[begin], begin + 1
        while stop < len(ranks) and distance[stop] == period:
            stop += 1
        length = stop - begin + width - 1 + period  # elements that fit the period
        if period and length >= 2 * period:
            yield begin, period, length // period
        begin = stop


def _named(layers: Sequence[Layer], known: Sequence[Scope]) -> list[Repeat]:
    """Scopes of neighbours beside each other whose paths differ in a number: `/encoder/layer.3`.

    If such scopes lie inside each other, the outer ones are taken.
    """
    place = {layer.index: position for position, layer in enumerate(layers)}
    beside: dict[tuple[int | None, int, str], list[Scope]] = defaultdict(list)
    for scope in known:
        if neighbours([place[index] for index in scope.layers]):
            beside[scope.parent, scope.profile, pattern(scope.path)].append(scope)
    out: list[Repeat] = []
    for several in beside.values():
        blocks = [(place[one.layers[0]], place[one.layers[-1]] + 1) for one in several]
        if _repeat(blocks, layers):
            names = tuple(one.path for one in several)
            out.append(Repeat(_common(names), tuple(blocks), names))
    return without_overlap(out)


def _repeat(blocks: Sequence[Block], layers: Sequence[Layer]) -> bool:
    """Whether these are blocks of one kind, near each other."""
    inside = sum(stop - first for first, stop in blocks)
    if len(blocks) < 2 or blocks[-1][1] - blocks[0][0] > 2 * inside:
        return False
    kinds = Counter(tuple(layers[i].type for i in range(*block)) for block in blocks)
    return kinds.most_common(1)[0][1] * 2 >= len(blocks)  # else a list of stages


def _common(paths: Sequence[str]) -> str:
    """The part of the paths that has the number, without it: `layer` of `/encoder/layer.3`."""
    start = re.sub(r"[./_-]\d*$", "", commonprefix(paths))  # noqa: RUF071 - by characters
    return start.rpartition("/")[2] or start


def without_overlap(overlapping: Iterable[Repeat]) -> list[Repeat]:
    """The repeats without those that overlap one with more layers."""
    out: list[Repeat] = []
    taken: set[int] = set()
    for repeat in sorted(overlapping, key=lambda r: (r.first - r.stop, -len(r.blocks))):
        inside = range(repeat.first, repeat.stop)
        if taken.isdisjoint(inside):
            taken.update(inside)
            out.append(repeat)
    return out
