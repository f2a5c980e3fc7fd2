"""Sums an engine's time by layer type, by precision and in reformats.

A layer without a time is not counted as 0 ms, a `NoOp` not as a reformat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.reformat_reasons import cause
from engine_layer_visualize.core.model import Layer


class Row(NamedTuple):
    """Layers of one type or precision, of one optimisation profile."""

    name: str | None  # the type or the precision; None: unknown
    layers: int
    timed: int  # how many of the layers have a time
    ms: float | None  # the sum of these; None where none is
    share: float | None  # of the profile's `whole`, from 0 to 1
    idle: int  # how many of the layers run no kernel


def by_type(costs: Costs) -> tuple[Row, ...]:
    """A row for each type, the costliest first; together all layers of the optimisation profile."""
    return _rows(costs, lambda layer: layer.type or None)


def by_precision(costs: Costs) -> tuple[Row, ...]:
    """A row for each precision that layers compute in, the costliest first.

    It is `unknown` where nothing gives the precision.
    """
    return _rows(costs, measures.precision_of)


def reformats(costs: Costs) -> Row:
    """All reformats of the optimisation profile."""
    return _row("reformat", [layer for layer in costs.layers if is_reformat(layer)], costs)


def of_network(costs: Costs) -> tuple[int, int]:
    """How many of the reformats come from a Q or a DQ, and how many copy for a Concat."""
    causes = [cause(layer) for layer in costs.layers if is_reformat(layer)]
    return causes.count("quantiser"), causes.count("concat")


def half(costs: Costs) -> int:
    """How many of the slowest layers take half of the time together."""
    spent = 0.0
    for number, layer in enumerate(costs.ranking, 1):
        spent += costs.share(layer) or 0.0
        if spent >= 0.5:
            return number
    return len(costs.timed)


def _rows(costs: Costs, of: Callable[[Layer], str | None]) -> tuple[Row, ...]:
    """Groups of the profile's layers as rows, the costliest first."""
    groups: dict[str | None, list[Layer]] = defaultdict(list)
    for layer in costs.layers:
        groups[of(layer)].append(layer)
    rows = (_row(name, layers, costs) for name, layers in groups.items())
    return tuple(sorted(rows, key=lambda row: (-(row.share or 0.0), -row.layers, str(row.name))))


def _row(name: str | None, layers: Sequence[Layer], costs: Costs) -> Row:
    took = costs.sum(layers)
    timed = sum(costs.share(layer) is not None for layer in layers)
    idle = sum(not runs_kernel(layer) for layer in layers)
    return Row(name, len(layers), timed, took, costs.part(layers), idle)
