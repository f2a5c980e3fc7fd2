"""Writes what Model Explorer needs to go from a layer of A to its layers of B.

Its two panes show the graphs of A and of B; a click on a node of one selects those of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.exchange.explorer_graph import id_of
from engine_layer_visualize.fields.json import dump


def render(
    found: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """The groups of the first comparison: the panes are two. Nothing where there is none."""
    for comparison in found[:1]:
        names: list[JsonValue] = [id_of(comparison.a.engine), id_of(comparison.b.engine)]
        entries: list[JsonValue] = [
            {"leftNodeIds": list(map(str, group.a)), "rightNodeIds": list(map(str, group.b))}
            for group in comparison.groups
            if group.a and group.b
        ]
        told: JsonValue = {
            **{"type": "sync_navigation", "graphs": names, "mappingEntries": entries},
            **{"disableMappingFallback": True, "showDiffHighlights": True},
        }
        yield dump(told) + "\n"
