"""The page's rooflines of an engine, one for each optimisation profile.

A `Plot` in; roofs, words and the layers that bear a number out. What a layer computes and moves
stands in the columns of layers.
"""

from __future__ import annotations

from collections.abc import Callable

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.outputs.roofline import Plot


def roofline(plot: Plot, precision: Callable[[str | None], int]) -> dict[str, JsonValue]:
    """`roofs`: FLOP/s, words, precision; `bandwidth`: bytes per second, words; `worst`: a layer,
    how many are equal with it, words of all of them. `precision`: a data type -> its place among
    those of the theme."""
    return {
        "device": plot.device(),
        "shown": plot.shown(),
        "bandwidth": plot.bandwidth and [plot.bandwidth, plot.bandwidth_words()],
        "roofs": [[roof.value, roof.words, precision(roof.dtype)] for roof in plot.roofs],
        "worst": [[one.dot.layer.index, len(one.dots), one.told()] for one in plot.worst],
    }
