"""Finds repeated blocks: residual stages, transformer layers, equal heads.

Layers in execution order in; `Repeat`s out: a name, and for every block its range of layers. Blocks
are alike where types, dims, and names without their numbers are equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.layer_labels import headline
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import split_profile

MANY: Final = 1500  # layers; a larger drawing shows the blocks of a repeat as one
_PATH: Final = re.compile(r"[\w./-]+")
_DIGITS: Final = re.compile(r"\d+")
_NUMBERED: Final = re.compile(r"([^\W\d]+)_(\d{1,4})")
_NAME: Final = 400  # characters of a name that are looked at
_LONGEST: Final = 1 << 14  # layers of one block that is found without names


class Repeat(NamedTuple):
    """`blocks`: (first, after the last) index of each block's layers, in order, without overlap.

    `alike`: the blocks are equal layer by layer, and stand without a gap.
    """

    name: str
    blocks: tuple[tuple[int, int], ...]
    alike: bool

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


def repeats(layers: Sequence[Layer]) -> tuple[Repeat, ...]:
    """Blocks to be marked in a drawing: those with numbered names, and others that are alike."""
    named = _without_overlap(_named(layers))
    taken = [False] * len(layers)
    for repeat in named:
        taken[repeat.first : repeat.stop] = [True] * (repeat.stop - repeat.first)
    more = [r for r in alike(layers) if not any(taken[r.first : r.stop])]
    return tuple(sorted([*named, *more], key=lambda repeat: repeat.first))


def alike(layers: Sequence[Layer]) -> tuple[Repeat, ...]:
    """Blocks that are equal but for the numbers in their names, one directly after the other."""
    signs = [_sign(layer) for layer in layers]
    return tuple(
        Repeat(
            _called(layers, start, period, count),
            tuple((start + i * period, start + (i + 1) * period) for i in range(count)),
            True,
        )
        for start, period, count in tandems(signs)
        if period > 1 or count > 2
    )


def _sign(layer: Layer) -> Hashable:
    """Equal for layers that are alike."""
    name, profile = split_profile(layer.name)
    outputs = tuple((tensor.dtype, tensor.dims) for tensor in layer.outputs)
    return layer.type, _DIGITS.sub("", name), profile, len(layer.inputs), outputs


# ---------------------------------------------------------------- by what they are


def tandems(signs: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    """(start, period, count) of stretches that are repeated without a gap; none overlap.

    For windows of 1, 2, 4 … elements: where many windows in a row come again after the same
    distance, that distance is a period. Of two that overlap the one that covers more stays, then
    the one of the shorter period. n log n.
    """
    number: dict[Hashable, int] = {}
    ranks = [number.setdefault(sign, len(number)) for sign in signs]
    found: set[tuple[int, int, int]] = set()
    width = 1
    while width <= min(len(signs) // 2, _LONGEST) and ranks:
        found.update(_runs(ranks, width, len(signs)))
        pairs: dict[tuple[int, int], int] = {}
        ranks = [
            pairs.setdefault((ranks[i], ranks[i + width]), len(pairs))
            for i in range(len(ranks) - width)
        ]
        width *= 2
    out: list[tuple[int, int, int]] = []
    taken = bytearray(len(signs))
    for start, period, count in sorted(found, key=lambda run: (-run[1] * run[2], run[1], run[0])):
        stop = start + period * count
        if not taken.find(1, start, stop) >= 0:
            taken[start:stop] = b"\x01" * (stop - start)
            out.append((start, period, count))
    return sorted(out)


def _runs(ranks: Sequence[int], width: int, total: int) -> Iterator[tuple[int, int, int]]:
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


def _called(layers: Sequence[Layer], start: int, period: int, count: int) -> str:
    """A name for blocks that are alike: the numbered part of the names, else what they do."""
    inside = Counter(
        key.rpartition(".")[2]
        for layer in layers[start : start + period * min(count, 2)]
        for key, _ in _levels(layer.name)[:1]
    )
    if inside and inside.most_common(1)[0][1] * 2 >= period:
        return inside.most_common(1)[0][0]
    return headline(layers[start]) if period == 1 else f"{period} layers"


# ---------------------------------------------------------------- by what they are called


def _named(layers: Sequence[Layer]) -> list[Repeat]:
    """Blocks such as `layer1.0`, `/blocks.3/`, `h.12.`: numbered parts of the names' paths."""
    blocks: dict[str, dict[int, list[int]]] = {}
    for layer in layers:
        profile = split_profile(layer.name)[1] or ""
        for key, number in _levels(layer.name):
            blocks.setdefault(f"{profile}\0{key}", {}).setdefault(number, []).append(layer.index)
    at = {layer.index: position for position, layer in enumerate(layers)}
    out: list[Repeat] = []
    for key, members in blocks.items():
        ranges = sorted((at[found[0]], at[found[-1]] + 1) for found in members.values())
        inside = sum(map(len, members.values()))
        if len(ranges) < 2 or inside < 2 * len(ranges):
            continue
        if any(a[1] > b[0] for a, b in pairwise(ranges)):
            continue
        if ranges[-1][1] - ranges[0][0] > 2 * inside:
            continue
        kinds = Counter(tuple(layers[i].type for i in range(a, b)) for a, b in ranges)
        if kinds.most_common(1)[0][1] * 2 < len(ranges):
            continue  # a list of stages, not of blocks
        out.append(Repeat(key.partition("\0")[2].rpartition(".")[2], tuple(ranges), False))
    return out


def _levels(name: str) -> list[tuple[str, int]]:
    """(path up to a number, the number), from the outside in, of the first path that has one."""
    for path in _PATH.findall(name[:_NAME]):
        if "." not in path and "/" not in path:
            continue
        parts = [part for part in path.replace("/", ".").split(".") if part]
        levels: list[tuple[str, int]] = []
        for i, part in enumerate(parts):
            if i and part.isdecimal() and len(part) <= 4:
                levels.append((".".join(parts[:i]), int(part)))
            elif i + 1 < len(parts) and (match := _NUMBERED.fullmatch(part)):
                levels.append((".".join([*parts[:i], match[1]]), int(match[2])))
        if levels:
            return levels
    return []


def _without_overlap(found: list[Repeat]) -> list[Repeat]:
    """Of repeats that overlap, the one with more layers."""
    out: list[Repeat] = []
    taken: set[int] = set()
    for repeat in sorted(found, key=lambda r: (r.first - r.stop, -len(r.blocks))):
        inside = range(repeat.first, repeat.stop)
        if taken.isdisjoint(inside):
            taken.update(inside)
            out.append(repeat)
    return out
