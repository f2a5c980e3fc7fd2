"""What fills the boxes of a drawing: time, type, precision or memory.

takes: a View, a Theme, what to colour by
gives: for a layer its cost, its fill; for the legend a scale or a list of colours
never: passes off an estimate for a measurement, or computes bytes of unknown dims
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.analysis.costs import HOTTEST, Costs
from engine_layer_visualize.analysis.layer_kinds import kind
from engine_layer_visualize.analysis.measures import held, moved, precision_of
from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, milliseconds, percent
from engine_layer_visualize.outputs.options import ColorBy, Options
from engine_layer_visualize.outputs.theme import Theme, heat, mix, precision, ticks

_TYPES: Final = 8  # that get a colour of their own
_TINT: Final = 0.62  # of paper in a fill that stands for a type or a precision


@dataclass(frozen=True, slots=True)
class Key:
    """A legend entry: a colour and its words."""

    color: str
    words: str


class Colouring:
    """Costs and fills of one drawing."""

    def __init__(self, view: View, theme: Theme, options: Options) -> None:
        self.theme = theme
        self.color_by: ColorBy = options.color_by
        color_by, layers = self.color_by, view.engine.layers
        self.known = Costs(view.engine, options.optimization_profile, options.time)
        self.known_bytes = color_by == "memory" and any(held(la) is not None for la in layers)
        self._types: dict[str, str] = {}
        if color_by == "type":
            common = Counter(layer.type for layer in view.layers).most_common(_TYPES)
            self._types = {
                name: mix(color, theme.paper, _TINT)
                for (name, _), color in zip(common, theme.kinds)
            }
        self._top = HOTTEST  # the share that bears the hottest colour
        self._share = 0.0  # the largest of a box
        self._ms: float | None = None  # of the box that has it
        self._most = 0.0

    def heated(self, groups: Sequence[Sequence[Layer]]) -> None:
        """Fixes the scale for boxes that stand for these layers each."""
        shares = [(self.share(group) or 0.0, self.costs(group)) for group in groups]
        self._share, self._ms = max(shares, key=lambda one: one[0], default=(0.0, None))
        self._top = max(self.known.top, self._share)
        if self.color_by == "memory":
            sums = [size for group in groups if (size := self.memory(group)) is not None]
            self._most = float(max(sums, default=0))

    # ---- costs

    def costs(self, layers: Sequence[Layer]) -> float | None:
        """The sum of what is known; None where nothing is."""
        return self.known.sum(self._together(layers))

    def share(self, layers: Sequence[Layer]) -> float | None:
        """Of the whole of their optimisation profile."""
        found = [s for la in self._together(layers) if (s := self.known.share(la)) is not None]
        return math.fsum(found) if found else None

    def _together(self, layers: Sequence[Layer]) -> Sequence[Layer]:
        """Those that run with the first: optimisation profiles are not added up."""
        of = self.known.profile_of
        return [layer for layer in layers if of(layer) == of(layers[0])]

    def memory(self, layers: Sequence[Layer]) -> int | None:
        """Bytes that the log tells of, else those of the tensors read and written."""
        of = held if self.known_bytes else moved
        known = [size for layer in layers if (size := of(layer)) is not None]
        return sum(known) if known else None

    # ---- fills

    def fill(self, layers: Sequence[Layer]) -> str:
        first = layers[0]
        plain = self.theme.marks[kind(first)].fill
        if first.raw is not None:
            return plain
        if self.color_by == "type":
            return self._types.get(first.type, plain)
        if self.color_by == "precision":
            color = precision(precision_of(first), self.theme).color
            return mix(color, self.theme.paper, _TINT)
        if self.color_by == "memory":
            size = self.memory(layers)
            return plain if size is None or not self._most else heat(size / self._most, self.theme)
        share = self.share(layers)
        return plain if share is None else heat(share / self._top, self.theme)

    # ---- legend

    @property
    def words(self) -> str:
        """What the fill stands for."""
        if self.color_by == "time":
            return "builder's estimate, not measured" if self.known.estimated else "time"
        if self.color_by == "memory":
            if self.known_bytes:
                return "scratch, persistent memory and weights"
            return "bytes of the tensors read and written"
        return "type" if self.color_by == "type" else "precision"

    def scale(self) -> tuple[Key, ...]:
        """The colours in use with the values that they stand for: the last is the largest box's
        own. Empty without values."""
        if self.color_by == "memory" and self._most:
            return tuple(
                Key(heat(size / self._most, self.theme), amount(size)) for size in ticks(self._most)
            )
        if self.color_by != "time" or not self._share or self._ms is None:
            return ()
        # A share is of the layer's own optimisation profile: with several no time is for all.
        several = len(self.known.profiles) > 1
        return tuple(
            Key(
                heat(share / self._top, self.theme),
                percent(share) if several else milliseconds(share / self._share * self._ms),
            )
            for share in ticks(self._share)
        )

    def keys(self, layers: Sequence[Layer]) -> tuple[Key, ...]:
        """The colours in use and what they stand for, where the fill is no scale."""
        if self.color_by == "type":
            keys = [Key(color, name) for name, color in self._types.items()]
            if any(layer.type not in self._types for layer in layers):
                keys.append(Key(self.theme.marks["layer"].fill, "another type"))
            return tuple(keys)
        if self.color_by != "precision":
            return ()
        found = {precision(precision_of(layer), self.theme).label for layer in layers}
        entries = (*self.theme.precisions, self.theme.other, self.theme.untold)
        return tuple(
            Key(mix(entry.color, self.theme.paper, _TINT), entry.label)
            for entry in entries
            if entry.label in found
        )
