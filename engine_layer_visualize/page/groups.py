"""Makes the page's groups, the parts that they share, and what each ForeignNode holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from engine_layer_visualize.analysis import labels
from engine_layer_visualize.analysis.groups import Folds, nested, shared
from engine_layer_visualize.analysis.scopes import Path, Scope
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import visible

Text = Callable[[str], int]


def grouped(folds: Folds) -> list[dict[str, Any]]:
    """Returns groups that can be folded, an outer one before what is inside."""
    return [
        {
            "path": visible(group.path),
            "label": visible(group.label),
            "depth": group.depth,
            "profile": group.profile is not None,
            "opened": number in folds.open,
            "nodes": spans(group.layers),
        }
        for number, group in enumerate(folds.groups)
    ]


def scoped(
    layers: Sequence[Layer], profiles: Sequence[int], text: Text, known: Sequence[Scope]
) -> dict[str, JsonValue]:
    """Returns all scopes, however small, an outer one before what is inside.

    `parent` is -1 of none; `of` is the innermost scope of the layers, -1 for none, as scope, number
    of layers, scope, number …
    """
    scopes = nested(layers, profiles, known)
    scope_of = [-1] * len(layers)
    for number, scope in enumerate(scopes):
        for layer in scope.layers:
            scope_of[layer] = number
    return {
        "path": [text(scope.path) for scope in scopes],
        "label": [text(scope.label) for scope in scopes],
        "parent": [-1 if scope.parent is None else scope.parent for scope in scopes],
        "of": [each for number, run in groupby(scope_of) for each in (number, len(list(run)))],
    }


def alike(layers: Sequence[Layer], known: Sequence[Path]) -> list[JsonValue]:
    """Returns [pattern, how many, layers] of the parts that several groups have."""
    parts = shared(layers, known)
    return [[visible(part.pattern), part.number, spans(part.layers)] for part in parts]


def inside(layer: Layer, text: Text) -> JsonValue:
    """Returns what a ForeignNode holds; None where that is not known.

    These are [words, nodes, operators] of parts that are alike, then how many nodes there are.
    """
    parts = labels.contents(layer)
    if not parts:
        return None
    return [
        [
            [text(_words(alike)), alike.first.nodes, _kinds(alike.first, text)]
            for alike in labels.alike_parts(parts)
        ],
        parts[0].nodes,
    ]


def _words(alike: labels.Alike) -> str:
    """Returns `12 × /encoder/layer.0–11`, of one its path."""
    return f"{alike.number} × " * (alike.number > 1) + labels.alike_path(alike)


def _kinds(part: labels.Part, text: Text) -> int:
    """Returns the text `8 MatMul, 5 Add`."""
    return text(", ".join(f"{number} {name}" for name, number in part.operators))


def spans(numbers: Iterable[int]) -> list[JsonValue]:
    """Returns ascending numbers as start, length, start, length …."""
    flat: list[int] = []
    for number in numbers:
        if flat and number == flat[-2] + flat[-1]:
            flat[-1] += 1
        else:
            flat += (number, 1)
    return list(flat)
