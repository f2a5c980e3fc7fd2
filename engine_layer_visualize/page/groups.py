"""The page's groups of an engine, the parts that they share, and what each ForeignNode holds.

Decisions are those of `analysis.groups` and `analysis.contents`; layers are written as spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from engine_layer_visualize.analysis import contents
from engine_layer_visualize.analysis.groups import Group, nested, shared
from engine_layer_visualize.analysis.scopes import Path, Scope
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import visible

Text = Callable[[str], int]


def grouped(found: Sequence[Group]) -> list[dict[str, Any]]:
    """Groups that can be folded, an outer one before what is inside."""
    return [
        {
            "path": visible(one.path),
            "label": visible(one.label),
            "depth": one.depth,
            "profile": one.profile is not None,
            "nodes": spans(one.layers),
        }
        for one in found
    ]


def scoped(
    layers: Sequence[Layer], profiles: Sequence[int], text: Text, known: Sequence[Scope]
) -> dict[str, JsonValue]:
    """All scopes, however small, an outer one before what is inside. `parent`: -1 of none; `of`:
    the innermost scope of the layers, -1 of none, as scope, number of layers, scope, number …"""
    found = nested(layers, profiles, known)
    of = [-1] * len(layers)
    for number, one in enumerate(found):
        for layer in one.layers:
            of[layer] = number
    return {
        "path": [text(one.path) for one in found],
        "label": [text(one.label) for one in found],
        "parent": [-1 if one.parent is None else one.parent for one in found],
        "of": [each for scope, run in groupby(of) for each in (scope, len(list(run)))],
    }


def alike(layers: Sequence[Layer], known: Sequence[Path]) -> list[JsonValue]:
    """[pattern, how many, layers] of the parts that several groups have."""
    found = shared(layers, known)
    return [[visible(one.pattern), one.number, spans(one.layers)] for one in found]


def inside(layer: Layer, text: Text) -> JsonValue:
    """What a ForeignNode holds: [words, nodes, operators] of parts that are alike, then
    [path, depth, nodes, operators] of each; None where that is not known."""
    parts = contents.parts(layer)
    if not parts:
        return None
    return [
        [
            [text(contents.written(one)), one.first.nodes, _kinds(one.first, text)]
            for one in contents.alike(parts)
        ],
        [[text(one.path), one.depth, one.nodes, _kinds(one, text)] for one in parts],
    ]


def _kinds(part: contents.Part, text: Text) -> int:
    """`8 MatMul, 5 Add`"""
    return text(", ".join(f"{number} {name}" for name, number in part.operators))


def spans(numbers: Iterable[int]) -> list[JsonValue]:
    """Ascending numbers as start, length, start, length …"""
    flat: list[int] = []
    for number in numbers:
        if flat and number == flat[-2] + flat[-1]:
            flat[-1] += 1
        else:
            flat += (number, 1)
    return list(flat)
