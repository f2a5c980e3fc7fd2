"""Finds the groups of layers that a drawing frames and folds, and the parts that blocks share.

A group is a scope whose layers are neighbours; where names tell of none, a repeated block. Where
there are several optimisation profiles, each is a group around the others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple, TypeVar

from engine_layer_visualize.analysis.repeats import Repeat, repeats
from engine_layer_visualize.analysis.scopes import (
    Path,
    Scope,
    neighbours,
    paths,
    pattern,
    scopes,
    written,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.names import profile_in

T = TypeVar("T", bound=Hashable)

_SCOPE_LAYERS: Final = 3  # layers of a scope that gets a frame
_SCOPE_PART: Final = 0.9  # of all layers: a frame around more says nothing
_BLOCK_LAYERS: Final = 3  # layers of a repeated block that gets a frame


def connected(things: Iterable[T], pairs: Iterable[tuple[T | None, T | None]]) -> list[list[T]]:
    """Each part in the order of `things`, the parts in that of their first things.

    Pairs with anything else do not count.
    """
    above = {thing: thing for thing in things}

    def top(thing: T) -> T:
        while above[thing] != thing:
            above[thing] = thing = above[above[thing]]
        return thing

    for thing_a, other in pairs:
        if thing_a in above and other in above:
            above[top(other)] = top(thing_a)
    members: dict[T, list[T]] = {}
    for thing in above:
        members.setdefault(top(thing), []).append(thing)
    return list(members.values())


class Group(NamedTuple):
    """Layers that a drawing frames."""

    path: str  # the scope's, or the block's name
    label: str  # what of the path the group around does not say
    layers: Sequence[int]  # indices, ascending
    parent: int | None  # the number of the group around it
    depth: int  # how many groups are around it
    profile: int | None = None  # of a group that is a whole optimisation profile, its number


class Shared(NamedTuple):
    """Scopes that differ in their numbers alone."""

    pattern: str  # `/encoder/layer.*/attention`
    number: int  # how many scopes
    layers: tuple[int, ...]  # of all of them, ascending


def groups(
    layers: Sequence[Layer], profiles: Sequence[int], known: Sequence[Scope] | None = None
) -> tuple[Group, ...]:
    """All groups of an engine, an outer one before what is inside.

    Args:
        layers: The layers of the engine.
        profiles: The number of the optimisation profile of each layer.
        known: The scopes of these layers, where they are known.
    """
    several = sorted(set(profiles)) if len(set(profiles)) > 1 else []
    made: list[Group] = []
    for number in several:
        words = f"optimisation profile {number}"
        inside = [index for index, each in enumerate(profiles) if each == number]
        made.append(Group(words, words, inside, None, 0, number))
    around = {number: place for place, number in enumerate(several)}
    for group in _inside(layers, scopes(layers) if known is None else known):
        outer = group.parent
        parent = around.get(profiles[group.layers[0]]) if outer is None else outer + len(several)
        made.append(group._replace(parent=parent, depth=group.depth + bool(several)))
    return tuple(made)


def nested(
    layers: Sequence[Layer], profiles: Sequence[int], known: Sequence[Scope] | None = None
) -> tuple[Group, ...]:
    """All scopes, with gaps among their layers too and however small.

    Where names tell of none it is the repeated blocks. An outer one stands before what is inside.
    """
    known = scopes(layers) if known is None else known
    made: list[Group] = []
    for scope in known:
        made.append(_of_scope(scope, scope.parent, made))
    if made:
        return tuple(made)
    blocks = [group for group in groups(layers, profiles, known) if group.profile is None]
    return tuple(group._replace(parent=None, depth=0) for group in blocks)


def _inside(layers: Sequence[Layer], all_scopes: Sequence[Scope]) -> list[Group]:
    """Scopes, then the repeated blocks where there are none."""
    made: list[Group] = []
    number: dict[int | None, int | None] = {None: None}  # of the group of a scope
    taken = bytearray(len(layers))
    for place in _kept(all_scopes, Counter(profile_in(layer.name) for layer in layers)):
        scope = all_scopes[place]
        outer = scope.parent
        while outer not in number:
            outer = all_scopes[outer or 0].parent
        number[place] = len(made)
        made.append(_of_scope(scope, number[outer], made))
        first, stop = scope.layers[0], scope.layers[-1] + 1
        taken[first:stop] = b"\x01" * (stop - first)
    found = repeats(layers, all_scopes)
    return made + _blocks([r for r in found if taken.find(1, r.first, r.stop) < 0], layers)


def _of_scope(scope: Scope, parent: int | None, made: Sequence[Group]) -> Group:
    outer = None if parent is None else made[parent]
    label = relative(scope.path, outer.path if outer else "")
    return Group(scope.path, label, scope.layers, parent, outer.depth + 1 if outer else 0)


def _kept(all_scopes: Sequence[Scope], whole: Mapping[int, int]) -> list[int]:
    """The scopes whose layers are neighbours, but those with nearly all layers.

    `whole` is how many layers each optimisation profile has. Of those beside each other that differ
    in numbers alone all or none are kept: the small ones do not look as if they were missing.
    """
    alike: dict[tuple[int | None, int, str], list[int]] = defaultdict(list)
    for place, scope in enumerate(all_scopes):
        alike[scope.parent, scope.profile, pattern(scope.path)].append(place)
    kept: list[int] = []
    for members in alike.values():
        if median(len(all_scopes[place].layers) for place in members) >= _SCOPE_LAYERS:
            kept += members
    return sorted(
        place
        for place in kept
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
    named: list[tuple[str, range]] = []
    for repeat in found:
        if repeat.size >= _BLOCK_LAYERS:
            named += ((repeat.name, range(*block)) for block in repeat.blocks)
    keys = [(name, profile_in(layers[inside[0]].name)) for name, inside in named]
    count = Counter(keys)
    number: Counter[tuple[str, int]] = Counter()
    made: list[Group] = []
    for key, (name, inside) in zip(keys, named):
        number[key] += 1
        label = f"{name} {number[key]}/{count[key]}" if count[key] > 1 else name
        made.append(Group(label, label, inside, None, 0))
    return made


def shared(layers: Sequence[Layer], known: Sequence[Path] | None = None) -> tuple[Shared, ...]:
    """The parts that several scopes of one optimisation profile have.

    Their paths differ in numbers alone. Of two parts of the same layers the inner one counts.
    `known` is the path of the scope of each layer.
    """
    of_path: dict[Path, list[int]] = defaultdict(list)
    for layer, path in zip(layers, paths(layers) if known is None else known):
        of_path[path].append(layer.index)
    by_pattern: dict[str, tuple[set[str], list[int]]] = {}
    for path, indices in of_path.items():
        for depth in range(len(path), 0, -1):
            full = written(path[:depth])
            named, inside = by_pattern.setdefault(pattern(full), (set(), []))
            named.add(full)
            inside += indices
    by_layers: dict[tuple[int, ...], Shared] = {}
    for key, (named, inside) in by_pattern.items():
        if len(named) > 1:
            members = tuple(sorted(inside))
            by_layers.setdefault(members, Shared(key, len(named), members))
    return tuple(sorted(by_layers.values(), key=lambda part: (part.layers[0], -len(part.layers))))
