"""Holds the engine of a poster: its times, its boxes and their fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.analysis import frontends
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.scopes import Scope
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.drawings.coloring import Coloring
from engine_layer_visualize.drawings.poster.parts import parts
from engine_layer_visualize.drawings.poster.steps import Node, added, steps
from engine_layer_visualize.drawings.theme import DARK, LIGHT, Theme, heat
from engine_layer_visualize.views.subgraph import View

_WARM: Final = 0.2  # of an engine whose boxes take about the same none is the hottest


class Shown:
    """An engine with its times."""

    def __init__(
        self,
        view: View,
        options: Options,
        known: Sequence[Scope] | None = None,
        costs: Costs | None = None,
    ) -> None:
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        self.costs = costs or Costs(
            view.engine, options.optimization_profile, options.time, options.peak
        )
        self.coloring = Coloring(view, self.theme, options)
        if self.coloring.untimed:
            self.coloring = Coloring(view, self.theme, options._replace(color_by="type"))
        self.coloring.heated([(layer,) for layer in view.layers])
        self.steps = steps(self.costs, frontends.of(self.costs).node, known)
        self.parts = parts(self.steps) if self.steps.all else []
        shares = [step.share or 0.0 for step in self.steps.all]
        self.top = max(shares, default=0.0)  # the share of the hottest step
        each = [self.share(node) or 0.0 for node in self.parts]
        self.most = max(_WARM, *each)  # the share of a box that has the hottest colour

    def fill(self, first: int, stop: int) -> str:
        """Returns the fill of steps that follow each other: that of their mean share."""
        if self.coloring.color_by != "time":
            return self.coloring.fill((self.steps.all[first].layer,))
        share = added(step.share for step in self.steps.all[first:stop])
        return self.by_heat(None if share is None else share / (stop - first), self.top)

    def by_heat(self, share: float | None, most: float) -> str:
        """Returns the colour of a share, the paper's where it is not known."""
        return self.theme.group if share is None else heat(share / (most or 1.0), self.theme)

    def share(self, node: Node) -> float | None:
        """Returns the part of the time that a box takes; None: unknown."""
        return added(step.share for step in self.steps.of(node))
