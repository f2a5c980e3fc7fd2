"""Finds the groups of layers that a drawing frames and folds.

A group is a scope whose layers are neighbours; where names tell of none, a repeated block. Where
there are several optimisation profiles, each is a group around the others.

When a drawing opens, some groups are one box each. Where scopes and repeated blocks leave too many
boxes, blocks that are alike are one box with those beside them, and then whatever stands side by
side.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.repeats import Repeat, outside, repeats
from engine_layer_visualize.analysis.scopes import Scope, from_to, neighbours, pattern, scopes
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.names import profile_in

_SCOPE_LAYERS: Final = 3  # layers of a scope that gets a frame
_SCOPE_PART: Final = 0.9  # of all layers: a frame around more says nothing
_BLOCK_LAYERS: Final = 3  # layers of a repeated block that gets a frame
_PLACE: Final = re.compile(r" \d+(?=/\d+$)")  # of `26 layers 3/8`


class Group(NamedTuple):
    """Layers that a drawing frames."""

    path: str  # the scope's, or the block's name
    label: str  # what of the path the group around does not say
    layers: Sequence[int]  # indices, ascending
    parent: int | None = None  # the number of the group around it, once `folds` has found that
    depth: int = 0  # how many groups are around it, by then
    profile: int | None = None  # of a group that is a whole optimisation profile, its number


def groups(
    layers: Sequence[Layer], profiles: Sequence[int], known: Sequence[Scope] | None = None
) -> tuple[Group, ...]:
    """All groups of an engine, an outer one before what is inside.

    Args:
        layers: The layers of the engine.
        profiles: The number of the optimisation profile of each layer.
        known: The scopes of these layers, where they are known.
    """
    made: list[Group] = []
    for number in sorted(set(profiles)) if len(set(profiles)) > 1 else ():
        words = f"optimisation profile {number}"
        inside = [index for index, each in enumerate(profiles) if each == number]
        made.append(Group(words, words, inside, profile=number))
    return (*made, *_inside(layers, scopes(layers) if known is None else known))


def nested(layers: Sequence[Layer], known: Sequence[Scope]) -> tuple[Group, ...]:
    """All scopes, with gaps among their layers too and however small.

    Where names tell of none it is the repeated blocks. An outer one stands before what is inside.
    """
    made = [_of_scope(one, one.parent, known)._replace(parent=one.parent) for one in known]
    return tuple(made or _inside(layers, known))


def _inside(layers: Sequence[Layer], all_scopes: Sequence[Scope]) -> list[Group]:
    """Scopes, then the repeated blocks where there are none."""
    made: list[Group] = []
    kept = _kept(all_scopes, Counter(profile_in(layer.name) for layer in layers))
    for scope in (all_scopes[place] for place in kept):
        outer = scope.parent
        while outer is not None and outer not in kept:
            outer = all_scopes[outer].parent
        made.append(_of_scope(scope, outer, all_scopes))
    taken = [(group.layers[0], group.layers[-1] + 1) for group in made]
    return made + _blocks(outside(taken, repeats(layers, all_scopes)), layers)


def _of_scope(scope: Scope, outer: int | None, all_scopes: Sequence[Scope]) -> Group:
    """The group of a scope; `outer` is the number of the scope around it."""
    around = "" if outer is None else all_scopes[outer].path
    return Group(scope.path, relative(scope.path, around), scope.layers)


def _kept(all_scopes: Sequence[Scope], whole: Mapping[int, int]) -> dict[int, None]:
    """The scopes whose layers are neighbours, but those with nearly all layers.

    `whole` is how many layers each optimisation profile has. Of those beside each other that differ
    in numbers alone all or none are kept: the small ones do not look as if they were missing.
    """
    from statistics import median  # slow to import

    alike: dict[tuple[int | None, int, str], list[int]] = defaultdict(list)
    for place, scope in enumerate(all_scopes):
        alike[scope.parent, scope.profile, pattern(scope.path)].append(place)
    kept: list[int] = []
    for members in alike.values():
        if median(len(all_scopes[place].layers) for place in members) >= _SCOPE_LAYERS:
            kept += members
    return dict.fromkeys(
        place
        for place in sorted(kept)
        if neighbours(all_scopes[place].layers)
        and len(all_scopes[place].layers) <= _SCOPE_PART * whole[all_scopes[place].profile]
    )


def relative(path: str, outer: str) -> str:
    """Removes the outer path from a path; before a number, its last name stays."""
    inner = path[len(outer) :]
    if not outer or not inner.startswith(("/", ".")):
        return path
    if not inner[1:2].isdecimal():
        return inner[1:]
    return re.split(r"[/.]", outer)[-1] + inner


def _blocks(found: Iterable[Repeat], layers: Sequence[Layer]) -> list[Group]:
    """A group of each block, numbered among those of the same name and optimisation profile.

    Blocks of few layers make none.
    """
    named = by_key(
        ((repeat.name, profile_in(layers[first].name)), range(first, stop))
        for repeat in found
        if repeat.size >= _BLOCK_LAYERS
        for first, stop in repeat.blocks
    )
    made: list[Group] = []
    for (name, _), blocks in named.items():
        for number, inside in enumerate(blocks, 1):
            label = f"{name} {number}/{len(blocks)}" if len(blocks) > 1 else name
            made.append(Group(label, label, inside))
    return sorted(made, key=lambda group: group.layers[0])


# ---- which groups are folded ---------------------------------------------------------------------


class Folds(NamedTuple):
    """Groups, an outer one before what is inside, and the numbers of those that are open."""

    groups: tuple[Group, ...]
    open: frozenset[int]

    def closed(self) -> Iterator[Group]:
        """Yields the groups that are one box each."""
        for number, group in enumerate(self.groups):
            if number not in self.open and (group.parent is None or group.parent in self.open):
                yield group


def folds(
    groups: Sequence[Group], boxes: Sequence[int], ends: int, shown: int, most: int | None = None
) -> Folds:
    """Returns the groups of a drawing with few boxes.

    Args:
        groups: of the engine, an outer one before what is inside.
        boxes: the layers that are boxes where no group is folded, ascending.
        ends: how many inputs and outputs stand beside them.
        shown: the number of the optimisation profile whose blocks are shown.
        most: boxes of the drawing; None: 60 of an engine that has blocks, 150 of one that has none.
    """
    if most is None:
        most = 60 if any(group.profile is None for group in groups) else 150
    ends = min(ends, most // 2)  # those of a decoder with its caches would leave no room
    whole = _Tree(groups, boxes, ends, shown)
    tree = next((tree for tree in _coarser(whole, most) if tree.boxes() <= most), whole)
    return Folds(tree.groups, tree.opened(most if tree is whole else 0))


def family(path: str) -> str:
    """Equal for the paths of groups that differ in their numbers alone."""
    return pattern(_PLACE.sub(" *", path))


class _Tree:
    """Groups, and which layers are boxes where none is folded."""

    def __init__(
        self, groups: Iterable[Group], boxes: Sequence[int], ends: int, shown: int
    ) -> None:
        self._boxes, self._ends, self._shown = boxes, ends, shown
        self._inside: dict[int | None, list[int]] = defaultdict(list)
        self.profile: dict[int, int] = {}  # of each layer, where there are several
        around: dict[int, int] = {}
        placed: list[Group] = []
        for number, group in enumerate(groups):
            parent = around.get(group.layers[0])
            depth = 0 if parent is None else placed[parent].depth + 1
            placed.append(group._replace(parent=parent, depth=depth))
            self._inside[parent].append(number)
            around.update(dict.fromkeys(group.layers, number))
            if group.profile is not None:
                self.profile.update(dict.fromkeys(group.layers, group.profile))
        self.groups = tuple(placed)
        self.count = max([*boxes[-1:], *around], default=-1) + 1  # of layers
        self.is_box = frozenset(boxes)
        # The optimisation profile that is open.
        self._first = {n for n, group in enumerate(placed) if group.profile == shown}
        # How many boxes more there are where a group is folded, a negative number.
        self._more = [1 - len(self.is_box.intersection(group.layers)) for group in placed]

    def outermost(self) -> list[Group]:
        """Returns the outermost groups that are no optimisation profile."""
        around = {n for n, group in enumerate(self.groups) if group.profile is not None}
        found = [self.groups[n] for outer in (None, *around) for n in self._inside[outer]]
        own = (group for group in found if group.profile is None)
        return sorted(own, key=lambda group: group.layers[0])

    def with_groups(self, made: Iterable[tuple[str, range]]) -> _Tree:
        """Returns the tree with these around the outermost groups."""
        profiles = [group for group in self.groups if group.profile is not None]
        own = [group for group in self.groups if group.profile is None]
        new = [Group(name, name, layers) for name, layers in made]
        return _Tree((*profiles, *new, *own), self._boxes, self._ends, self._shown)

    def boxes(self) -> int:
        """Returns how many boxes there are where all but the optimisation profile is folded."""
        return self._total(self._first)

    def opened(self, most: int) -> frozenset[int]:
        """Returns the groups that are open: as many as fit, those that are alike together."""
        opened = set(self._first)
        tried: set[str] = set()
        while True:
            alike: dict[str, list[int]] = defaultdict(list)
            for number in self._visible(opened):
                alike[family(self.groups[number].path)].append(number)
            untried = [key for key in alike if key not in tried]
            if not untried:
                return frozenset(opened)
            largest = max(untried, key=lambda key: max(self._size(n) for n in alike[key]))
            tried.add(largest)
            more = opened.union(alike[largest])
            if self._total(more) <= most:
                opened = more

    def _total(self, opened: set[int]) -> int:
        return len(self._boxes) + self._ends + sum(self._more[n] for n in self._visible(opened))

    def _visible(self, opened: set[int], outer: int | None = None) -> Iterator[int]:
        """Yields the groups that are one box each."""
        for number in self._inside[outer]:
            if number in opened:
                yield from self._visible(opened, number)
            else:
                yield number

    def _size(self, number: int) -> int:
        """Returns a group's layers; another optimisation profile is opened last."""
        group = self.groups[number]
        return len(group.layers) if group.profile is None else 0


def _coarser(tree: _Tree, most: int) -> Iterator[_Tree]:
    """Yields the tree, then trees with fewer and fewer outermost groups."""
    yield tree
    rows = _rows(tree)
    for together in _steps(tree.boxes() // most, max(map(len, rows), default=0)):
        yield tree.with_groups(_stacks(rows, together))
    for length in _steps(tree.boxes() // most, tree.count):
        yield tree.with_groups(_runs(tree, length))


def _steps(first: int, last: int) -> Iterator[int]:
    """Yields rising numbers from 2, the larger the farther apart."""
    number = max(2, first)
    while number <= last:
        yield number
        number += 1 + number // 4


def _rows(tree: _Tree) -> list[list[Group]]:
    """Returns the outermost groups that are alike and follow each other."""
    rows: list[list[Group]] = []
    last: tuple[str, int | None] | None = None
    for group in tree.outermost():
        key = family(group.path), tree.profile.get(group.layers[0])
        if key != last or group.layers[0] - rows[-1][-1].layers[-1] > len(group.layers) // 2 + 1:
            rows.append([])
        rows[-1].append(group)
        last = key
    return [row for row in rows if len(row) > 1]


def _stacks(rows: Iterable[Sequence[Group]], together: int) -> Iterator[tuple[str, range]]:
    """Yields groups around so many that are alike."""
    for row in rows:
        for at in range(0, len(row) - 1, together):
            first, last = row[at], row[min(at + together, len(row)) - 1]
            yield from_to(first.path, last.path), range(first.layers[0], last.layers[-1] + 1)


def _runs(tree: _Tree, length: int) -> Iterator[tuple[str, range]]:
    """Yields groups of so many boxes or more; a group of as many layers stands alone.

    One ends where no group is open, where another optimisation profile begins, and before what
    stands alone.
    """
    outer = tree.outermost()
    alone = [group for group in outer if len(group.layers) >= length]
    kept = {index for group in alone for index in range(group.layers[0], group.layers[-1] + 1)}
    open_until = {group.layers[0]: group.layers[-1] for group in outer}
    runs: list[list[int]] = [[]]
    last = -1
    boxes = 0
    for index in range(tree.count):
        now = runs[-1]
        other = bool(now) and tree.profile.get(index) != tree.profile.get(now[-1])
        if now and ((index > last and boxes >= length) or index in kept or other):
            runs.append([])
            boxes = 0
        if index not in kept:
            runs[-1].append(index)
            boxes += index in tree.is_box
            last = max(last, open_until.get(index, -1))
    for run in runs:
        if len(run) > 1:
            yield f"#{run[0]}–{run[-1]}", range(run[0], run[-1] + 1)
