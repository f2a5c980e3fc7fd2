"""Names groups of layers in a reason, each with its times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.comparison.gate.layers import JudgedGroup
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words, joined

_MOST: Final = 3  # groups that a reason names


def judged(groups: Sequence[JudgedGroup]) -> tuple[str | Name, ...]:
    """The first of them."""
    return listed(
        [
            (one.layers, f"{milliseconds(one.baseline_ms)} → {milliseconds(one.new_ms)}")
            for one in groups
        ]
    )


def listed(groups: Sequence[tuple[Sequence[str], str]]) -> tuple[str | Name, ...]:
    """The first of them, each with its times."""
    each: list[Words] = []
    for layers, times in groups[:_MOST]:
        more = f" and {len(layers) - 1:,} more" if len(layers) > 1 else ""
        name = Name(layers[0]) if layers else "layers without a name"
        each.append(("`", name, f"`{more} ({times})"))
    rest = len(groups) - len(each)
    return (*joined(", ", each), *([f", and {rest:,} more"] if rest else []))
