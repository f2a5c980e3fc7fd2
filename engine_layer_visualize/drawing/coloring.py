"""Chooses the fills of boxes: by time, type, precision or memory.

It also makes the scale and the keys of the legend, for DOT, SVG and the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import HOTTEST, Costs
from engine_layer_visualize.analysis.kinds import QUIET, kind_of
from engine_layer_visualize.analysis.precisions import HELD, held_parts, moved, precision_of
from engine_layer_visualize.core.limits import sum_of_known
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import ColorBy, Options
from engine_layer_visualize.core.text import amount, milliseconds, percent
from engine_layer_visualize.drawing.theme import Theme, heat, in_use, mix, precision, ticks
from engine_layer_visualize.facts.subgraph import View

_TINT: Final = 0.55  # of paper in a fill that stands for a type or a precision


class LegendKey(NamedTuple):
    """An entry of the legend."""

    color: str
    words: str


class Coloring:
    """Costs and fills of one drawing."""

    def __init__(self, view: View, theme: Theme, options: Options) -> None:
        self.view, self.theme = view, theme
        self.color_by: ColorBy = options.color_by
        profile = options.optimization_profile
        self.known = Costs(view.engine, profile, options.time, options.peak)
        self.untimed = self.color_by == "time" and self.known.kind is None
        self._types: tuple[str, ...] = ()
        if self.color_by == "type":
            self._types = ranked_types(view.layers, self.known)
        fills, last = type_fills(theme), len(theme.kinds) - 1
        self._fill_of = {name: fills[min(n, last)] for n, name in enumerate(self._types)}
        self._most = 0.0  # the largest value of a box
        self._top = HOTTEST  # the value that has the hottest colour
        self._ms: float | None = None  # of the box with the largest value

    def heated(self, groups: Sequence[Sequence[Layer]]) -> None:
        """Fixes the scale for boxes that stand for these layers each."""
        values = [self._value(group) or 0.0 for group in groups]
        self._most = max(values, default=0.0)
        self._top = max(self._most, self.known.top if self.color_by == "time" else 0.0)
        self._ms = self.costs(groups[values.index(self._most)]) if self._most else None

    def _value(self, layers: Sequence[Layer]) -> float | None:
        """Returns what the scale shows of a box: its share, or its bytes; None where unknown."""
        if self.color_by == "memory":
            return self.memory(layers)
        return self.share(layers) if self.color_by == "time" else None

    def costs(self, layers: Sequence[Layer]) -> float | None:
        """Returns the sum of the known times in ms; None where none is known."""
        return self.known.sum(self._together(layers))

    def share(self, layers: Sequence[Layer]) -> float | None:
        """Returns their share of their optimisation profile's time, 0 to 1; None where unknown."""
        return sum_of_known(map(self.known.share, self._together(layers)))

    def _together(self, layers: Sequence[Layer]) -> Sequence[Layer]:
        """Returns the layers of one optimisation profile: those of several are not added up."""
        if len(layers) == 1:
            return layers
        profile_of = self.known.profile_of
        return [layer for layer in layers if profile_of(layer) == profile_of(layers[0])]

    def memory(self, layers: Sequence[Layer]) -> float | None:
        """Returns bytes of the tensors read and written; None where unknown. A NoOp moves none."""
        moving = [layer for layer in layers if layer.type != "NoOp"]
        return sum_of_known(map(moved, moving))

    def cost_words(self, layers: Sequence[Layer]) -> tuple[str, str]:
        """Returns share and time as texts, or memory and time; both are empty if unknown."""
        time, share = self.costs(layers), self.share(layers)
        took = "" if time is None else self.about(time)
        if self.color_by == "memory":
            size = self.memory(layers)
            unknown = "" if all(layer.type == "NoOp" for layer in layers) else "? B"
            return unknown if size is None else amount(size), took
        if time is None and share is None:
            runs = kind_of(layers[0]) in ("layer", "reformat")
            return "", "not timed" if runs and all(map(self.known.missing, layers)) else ""
        return "" if share is None else percent(share), took

    def about(self, ms: float) -> str:
        """Returns a time in words, marked where it is an estimate."""
        return f"≈ {milliseconds(ms)}" if self.known.estimated else milliseconds(ms)

    def fill(self, layers: Sequence[Layer]) -> str:
        """Returns the fill of a box that stands for these layers."""
        kind, value = kind_of(layers[0]), self._value(layers)
        if layers[0].raw is None:
            if value is not None and self._top:
                return heat(value / self._top, self.theme)
            if self.color_by == "type" and kind not in QUIET:
                return self._fill_of[layers[0].type]
            if self.color_by == "precision":
                return tint(precision(precision_of(layers[0]), self.theme).color, self.theme)
        return self.theme.marks[kind].fill

    def hottest(self, layers: Sequence[Layer]) -> str:
        """Returns the fill of the one of these layers that takes the largest share."""
        return self.fill((max(layers, key=lambda layer: self.share((layer,)) or 0.0),))

    @property
    def words(self) -> str:
        """Says what the fill stands for."""
        if self.color_by == "memory":
            return "bytes moved"
        estimated = self.color_by == "time" and self.known.estimated
        return "builder's estimate, not measured" if estimated else self.color_by

    def scale(self) -> tuple[LegendKey, ...]:
        """Returns the colours in use with the values that they stand for.

        The last is the largest box's own. Without values there are none.
        """
        if not self._most or (self.color_by == "time" and self._ms is None):
            return ()
        values = ticks(self._most)
        if self.color_by == "memory":
            words = list(map(amount, values))
        elif len(self.known.profiles) > 1:  # a share is of the layer's own: no time is for all
            words = list(map(percent, values))
        else:
            words = [milliseconds(value / self._most * (self._ms or 0.0)) for value in values]
        fills = [heat(value / self._top, self.theme) for value in values]
        return tuple(map(LegendKey, fills, words))

    def keys(self, layers: Sequence[Layer]) -> tuple[LegendKey, ...]:
        """Returns the colours in use and what they stand for, where the fill is no scale."""
        if self.color_by == "type":
            names, fills = self._types, type_fills(self.theme)
            if len(names) > len(fills):
                names = (*names[: len(fills) - 1], "other types")
            return tuple(map(LegendKey, fills, names))
        if self.color_by != "precision":
            return ()
        entries = in_use(map(precision_of, layers), self.theme)
        return tuple(LegendKey(tint(entry.color, self.theme), entry.label) for entry in entries)


def memory_words(layers: Iterable[Layer]) -> str:
    """Says what a layer's bytes are: those that the log tells of any, else those of its tensors."""
    sizes = [item for layer in layers for item in held_parts(layer).items()]
    parts = {part for part, size in sizes if size} or {part for part, _ in sizes}
    names = [name.replace("_persistent", " persistent memory") for name in HELD if name in parts]
    *before, last = names or ["bytes of the tensors read and written"]
    return f"{', '.join(before)} and {last}" if before else last


def ranked_types(layers: Iterable[Layer], costs: Costs) -> tuple[str, ...]:
    """Returns the types that get a fill, the costliest or else the most frequent first.

    Reformats, no-ops, constants and unreadable records have a look of their own.
    """
    weights: dict[str, float] = defaultdict(float)
    for layer in layers:
        if kind_of(layer) == "layer":
            weights[layer.type] += 1.0 if costs.kind is None else costs.share(layer) or 0.0
    return tuple(sorted(weights, key=lambda name: (-weights[name], name)))


def type_fills(theme: Theme) -> tuple[str, ...]:
    """Returns a fill for each of the first types; the last one is for all others."""
    return tuple(tint(color, theme) for color in theme.kinds)


def tint(color: str, theme: Theme) -> str:
    """Returns the fill of a box for a colour that stands for a type or a precision."""
    return mix(color, theme.paper, _TINT)
