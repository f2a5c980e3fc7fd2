"""Decides what the roofline of a page shows: dots, roofs and words.

Where they lie is up to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.work import (
    EngineWork,
    EqualLayers,
    LayerWork,
    peaks_of,
    ranked_equal_layers,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, large, milliseconds, percent, visible
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.trt.types import canonical

_MOST_NAMED: Final = 3  # groups of equal layers


class Dot(NamedTuple):
    """A layer that is drawn."""

    layer: Layer
    done: LayerWork
    ms: float

    @property
    def rate(self) -> float:
        """FLOP per second."""
        return (self.done.flop or 0) / self.ms * 1e3


class Worst(NamedTuple):
    """Equal layers that are named together, at the first of their dots."""

    dots: tuple[Dot, ...]
    group: EqualLayers

    @property
    def dot(self) -> Dot:
        """The dot that bears the name."""
        return self.dots[0]

    def told(self) -> str:
        """Returns `1.20 ms above their bounds`, or their time and rate."""
        group, number = self.group, len(self.dots)
        if group.above_ms is None:
            return f"{milliseconds(group.ms or 0.0)}, {large(self.dot.rate)}FLOP/s"
        its = "its bound" if number == 1 else "their bounds"
        return f"{milliseconds(group.above_ms)} above {its}"

    def named(self) -> str:
        """Returns `#18 Conv`, or `#18 Conv and 21 more`."""
        layer, others = self.dot.layer, len(self.dots) - 1
        more = f" and {others:,} more" if others else ""
        return f"#{layer.index} {headline(layer)}{more}"


class Roof(NamedTuple):
    """What no layer of a data type exceeds."""

    value: float  # FLOP per second
    words: str
    dtype: str


class Plot:
    """The roofline of the layers that multiply and have a time."""

    def __init__(self, costs: Costs, work: EngineWork) -> None:
        self.costs = costs
        self.work = work
        self.dots = sorted(self._dots(), key=lambda dot: -dot.ms)  # the slowest first
        known = None if work.peak is None else work.peak.bandwidth
        self.bandwidth = None if known is None else known * 1e9  # bytes per second
        self.worst = self._worst()  # those that are named, equal ones together
        self.roofs = list(self._roofs())  # that a dot may reach, the highest first

    def _dots(self) -> Iterator[Dot]:
        for layer in self.costs.layers:
            done, ms = self.work.timed(layer), self.costs.of(layer)
            if done.flop and done.intensity and ms:
                yield Dot(layer, done, ms)

    def _worst(self) -> list[Worst]:
        """Returns those the farthest above their bounds, and the slowest."""
        dots = {dot.layer.index: dot for dot in self.dots}
        groups = ranked_equal_layers((dot.layer for dot in self.dots), self.work, self.costs)
        if self.bandwidth is None:
            groups.sort(key=lambda group: -(group.ms or 0.0))
        slowest = {dot.layer.index for dot in self.dots[:1]}
        return [
            Worst(tuple(dots[layer.index] for layer in group.layers), group)
            for place, group in enumerate(groups)
            if place < _MOST_NAMED or slowest & {layer.index for layer in group.layers}
        ]

    def _roofs(self) -> Iterator[Roof]:
        if (peak := self.work.peak) is None:
            return
        figures: dict[float, tuple[list[str], str]] = {}
        drawn: set[str] = set()
        dtypes = (precisions.of(dot.layer).dtype for dot in self.dots)
        for dtype in dict.fromkeys(canonical(dtype) or "" for dtype in dtypes):
            for key in peaks_of(dtype, peak):
                if key not in drawn:
                    figures.setdefault(peak.of(key) or 0.0, ([], dtype))[0].append(key)
                    drawn.add(key)
        for value, (names, dtype) in sorted(figures.items(), reverse=True):
            words = ", ".join(map(engine_words.peak_name, names))
            yield Roof(value, f"{words}: {large(value)}{engine_words.unit_of(names)}/s", dtype)

    def device(self) -> str:
        """Says where the roofs are known from; it is empty without dots."""
        if not self.dots:
            return ""
        if self.work.peak is None or not (self.roofs or self.bandwidth):
            return "There are no roofs: what the device can do is not known; --peak gives it"
        return visible(engine_words.device(self.work.peak)).replace("`", "")

    def shown(self) -> str:
        """Says how many layers of the engine have dots, and what the others take."""
        drawn = {dot.layer.index for dot in self.dots}
        others = [layer for layer in self.costs.layers if layer.index not in drawn]
        words = f"{len(drawn):,} of {count(len(self.costs.layers), 'layer')} "
        words += "is drawn" if len(drawn) == 1 else "are drawn"
        if self.costs.total is None:
            times = "of a run: an unknown number of runs is summed" if self.costs.is_sum else ""
            return f"No layer is drawn: there are no times {times}".rstrip()
        unknown = sum(self.work.timed(layer).macs is None for layer in others)
        if unknown:
            words += f"; the MACs of {unknown:,} are unknown"
        if (took := self.costs.sum(others)) and (part := self.costs.part(others)):
            words += f"; the others take {milliseconds(took)}, {percent(part)}"
        return words

    def bandwidth_words(self) -> str:
        """Returns `1,555 GB/s`."""
        return "" if self.bandwidth is None else f"{self.bandwidth / 1e9:,.0f} GB/s"
