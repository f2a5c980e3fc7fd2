"""Names the first layers of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.words import Name, Words, joined

_MAX_NAMED: Final = 3


def named(costs: Costs, indices: Sequence[int]) -> Words:
    """`3 conv1, 4 relu1 and 2 more`."""
    layers = [costs.engine.layers[i] for i in indices]
    words = joined(", ", [(f"{layer.index} ", Name(layer.name)) for layer in layers[:_MAX_NAMED]])
    more = len(layers) - _MAX_NAMED
    return (*words, f" and {more:,} more") if more > 0 else words
