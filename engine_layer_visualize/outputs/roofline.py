"""What a roofline shows, in the picture and on the page.

The `Costs` and the work of an engine in; dots, roofs and the words about them out. Where they lie
is up to each output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_labels import headline, several
from engine_layer_visualize.analysis.work import PEAKS_OF, EngineWork, LayerWork
from engine_layer_visualize.analysis.work.equal_layers import EqualLayers, ranked
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, large, milliseconds, percent, visible
from engine_layer_visualize.outputs import work_words
from engine_layer_visualize.trt.data_types import canonical

_NAMED: Final = 3


class Dot(NamedTuple):
    """A layer that is drawn."""

    layer: Layer
    done: LayerWork
    ms: float

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.done.intensity or 0.0

    @property
    def rate(self) -> float:
        """FLOP per second."""
        return (self.done.flop or 0) / self.ms * 1e3

    @property
    def dtype(self) -> str | None:
        """What it computes in."""
        return precisions.of(self.layer).dtype


class Worst(NamedTuple):
    """Equal layers that bear a number together, at the first of their dots."""

    dots: tuple[Dot, ...]
    group: EqualLayers

    @property
    def dot(self) -> Dot:
        """The one that bears the number."""
        return self.dots[0]

    def told(self) -> str:
        """`1.20 ms above their bounds, 22.4 % of peak`; without bounds their time and rate."""
        group, number = self.group, len(self.dots)
        if group.above_ms is None or group.efficiency is None:
            return f"{milliseconds(group.ms or 0.0)}, {large(self.dot.rate)}FLOP/s"
        its = "its bound" if number == 1 else "their bounds"
        part = work_words.of_peak(group.efficiency)
        words = f"{milliseconds(group.above_ms)} above {its}, {part}"
        if "winograd" in (self.dot.layer.kernel or "").casefold():
            words += " (Winograd needs fewer multiplications)"
        return words

    def named(self) -> str:
        """`18 Conv: Conv_64`; `22 × Conv: 18 Conv_64 and 21 more`."""
        layer, number = self.dot.layer, len(self.dots)
        head, name = several(headline(layer), number), visible(layer.name)
        if number == 1:
            return f"{layer.index} {head}: {name}"
        return f"{head}: {layer.index} {name} and {number - 1:,} more"


class Roof(NamedTuple):
    """What no layer of a data type exceeds: FLOP per second."""

    value: float
    words: str
    dtype: str


class Plot:
    """Of the layers that multiply and have a time: `dots`, the slowest first; `worst`, those
    of them that bear a number, equal ones together; `roofs` that a dot may reach, the
    highest first; `bandwidth` in bytes per second."""

    def __init__(self, costs: Costs, work: EngineWork, layers: Sequence[Layer]) -> None:
        self.costs = costs
        self.work = work
        self.layers = [one for one in layers if costs.profile_of(one) == costs.profile]
        self.dots = sorted(self._dots(), key=lambda dot: -dot.ms)
        peak = work.peak
        known = peak.bandwidth if peak is not None else None
        self.bandwidth = None if known is None else known * 1e9
        self.worst = self._worst()
        self.roofs = list(self._roofs())

    def _dots(self) -> Iterator[Dot]:
        for layer in self.layers:
            done, ms = self.work.of(layer), self.costs.of(layer)
            if done.flop and done.intensity and ms:
                yield Dot(layer, done, ms)

    def _worst(self) -> list[Worst]:
        """The farthest above their bounds; without bounds the slowest."""
        dots = {dot.layer.index: dot for dot in self.dots}
        groups = ranked((dot.layer for dot in self.dots), self.work, self.costs)
        if self.bandwidth is None:
            groups.sort(key=lambda one: -(one.ms or 0.0))
        return [
            Worst(tuple(dots[layer.index] for layer in one.layers), one) for one in groups[:_NAMED]
        ]

    def _roofs(self) -> Iterator[Roof]:
        if (peak := self.work.peak) is None:
            return
        found: dict[float, tuple[list[str], str]] = {}
        for dtype in dict.fromkeys(canonical(dot.dtype) or "" for dot in self.dots):
            for key in PEAKS_OF.get(dtype, ()):
                if (value := peak.of(key)) is not None:
                    found.setdefault(value, ([], dtype))[0].append(work_words.named(key))
        for value, (names, dtype) in sorted(found.items(), reverse=True):
            yield Roof(value, f"{', '.join(names)}: {large(value)}{_unit(names)}", dtype)

    # ---- words ---------------------------------------------------------------------------------

    def device(self) -> str:
        """What the device can do, or that it is not known."""
        peak = self.work.peak
        if peak is None:
            return "There are no roofs: what the device can do is not known; --peak gives it"
        name = f"{visible(peak.device)} " if peak.device else ""
        gap = "" if peak.bandwidth else ". Its memory bandwidth is not known: --peak bw=… gives it"
        return f"The roofs are what the {name or 'device '}can do at its maximum clock{gap}"

    def shown(self) -> str:
        """How many layers there are dots of, and why not of the others."""
        drawn = {dot.layer.index for dot in self.dots}
        others = [layer for layer in self.layers if layer.index not in drawn]
        words = f"{len(drawn):,} of {count(len(self.layers), 'layer')} are drawn"
        if self.costs.total is None:
            return f"{words}: there are no times"
        unknown = sum(self.work.of(layer).macs is None for layer in others)
        none = sum(self.work.of(layer).macs == 0 for layer in others)
        parts = [f"{unknown:,} with unknown MACs"] if unknown else []
        parts += [f"{none:,} without MACs"] if none else []
        took = self.costs.sum(others)
        share = ""
        if took and self.costs.whole:
            share = f" ({milliseconds(took)}, {percent(took / self.costs.whole)})"
        return f"{words}{'; not ' if parts else ''}{', '.join(parts)}{share}"

    def bandwidth_words(self) -> str:
        """`1,555 GB/s`."""
        return "" if self.bandwidth is None else f"{self.bandwidth / 1e9:,.0f} GB/s"


def _unit(names: Sequence[str]) -> str:
    """Of a peak: integers are no floating-point numbers."""
    return "OP/s" if all(name.startswith("INT") for name in names) else "FLOP/s"
