"""Tells what a ForeignNode holds, by the scopes of its ONNX nodes.

Myelin compiles it as one piece, and a listing of names shows one layer. Its nodes are known from
the record, or from the parsing of the model in the log.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.analysis.scopes import Scope, around, tree
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.operators import operators

_NUMBER: Final = re.compile(r"\d+")
_NUMBERS: Final = re.compile(r"(\d+)")


class Part(NamedTuple):
    """A scope inside a layer."""

    path: str  # "" for all of the layer
    depth: int  # 0 for all of the layer
    nodes: int  # how many ONNX nodes, those of inner scopes too
    operators: tuple[tuple[str, int], ...]  # of these, the most frequent first


class Alike(NamedTuple):
    """Parts beside each other that differ in their numbers alone: the first, the last, how many."""

    first: Part
    last: Part
    number: int


def parts(layer: Layer) -> tuple[Part, ...]:
    """The layer, then the scopes inside, an outer one before what is inside.

    There are none where the layer is no ForeignNode, or its nodes are not known.
    """
    nodes = onnx_nodes.of(layer).all if is_myelin(layer) else ()
    if len(nodes) < 2:
        return ()
    named = node_operators(layer)
    whole = Part("", 0, len(nodes), counted(named))
    return (whole, *(_part(scope, named) for scope in scopes_inside(nodes)))


def scopes_inside(nodes: Sequence[str]) -> list[Scope]:
    """The scopes of ONNX nodes, by their places."""
    return tree([(number, around(node)) for number, node in enumerate(nodes)])


def _part(scope: Scope, named: Sequence[str]) -> Part:
    kinds = counted(named[number] for number in scope.layers)
    return Part(scope.path, scope.depth + 1, len(scope.layers), kinds)


def counted(named: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """How often each name is there, the most frequent first; "" does not count."""
    return tuple(Counter(filter(None, named)).most_common())


def node_operators(layer: Layer) -> tuple[str, ...]:
    """The operator of each ONNX node of a layer; "" where it is not known.

    It is told by the log, else by the node's name.
    """
    guessed = [named[0] if (named := operators(n)) else "" for n in onnx_nodes.of(layer).all]
    parsed = layer.facts.onnx_operators if layer.facts is not None else ()
    return (
        tuple(known or guess for known, guess in zip(parsed, guessed)) if parsed else tuple(guessed)
    )


def alike(members_of_layer: Sequence[Part]) -> tuple[Alike, ...]:
    """The outermost parts, where one with most of the nodes is told by what is inside of it.

    Neighbours with equal operators, and names that differ in numbers alone, are one.
    """
    rows = []
    for _, neighbours in groupby(
        (members_of_layer[number] for number in outermost(members_of_layer)),
        key=lambda part: (_NUMBER.sub("", part.path), part.operators),
    ):
        members = list(neighbours)
        rows.append(Alike(members[0], members[-1], len(members)))
    return tuple(rows)


def written(row: Alike) -> str:
    """Parts that are alike as text, such as `12 × /encoder/layer.0 … 11`; of one its path."""
    if row.number == 1:
        return row.first.path
    first, last = _NUMBERS.split(row.first.path), _NUMBERS.split(row.last.path)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last)))
    return f"{row.number} × {row.first.path} … {''.join(last[same:])}"


def brief(layer: Layer) -> str:
    """The parts that a ForeignNode has several of, in few words: `12 × layer`; else empty."""
    known = parts(layer)
    return several_of(known) if known else ""


def several_of(members: Sequence[Part]) -> str:
    """The parts that there are several of, in few words."""
    several = [row for row in alike(members) if row.number > 1]
    return " + ".join(f"{row.number} × {_word(row.first.path)}" for row in several)


def _word(path: str) -> str:
    """The part of a path that bears its last number, without it; a path without one as it is."""
    numbers = list(_NUMBER.finditer(path))
    before = path[: numbers[-1].start()] if numbers else path
    return before.rstrip("/._-").rpartition("/")[2] or path


def outermost(members: Sequence[Part]) -> list[int]:
    """The numbers of parts beside each other.

    None of them has most of the nodes and several parts inside.
    """
    inside = defaultdict[int, list[int]](list)  # by the number of the part around them
    around_it: list[int] = []
    for number, part in enumerate(members):
        del around_it[part.depth :]
        if around_it:
            inside[around_it[-1]].append(number)
        around_it.append(number)
    level = inside[0]
    while large := next(
        (n for n in level if 2 * members[n].nodes > members[0].nodes and len(inside[n]) > 1), None
    ):
        place = level.index(large)
        level = [*level[:place], *inside[large], *level[place + 1 :]]
    return level
