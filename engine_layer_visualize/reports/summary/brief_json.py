"""Writes a short JSON of what an engine is and what makes it slow, of all findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.linting.selection import Selection, selected
from engine_layer_visualize.reports import brief


def render(found: Iterable[Engine | Unassigned | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    problems: dict[Problem, None] = {}

    def timed() -> Iterator[tuple[Costs, Costs]]:
        for engine in found:
            if isinstance(engine, Problem):
                problems[engine] = None
            elif isinstance(engine, Engine):
                problems.update(dict.fromkeys(engine.problems))
                costs = Costs(engine, options.optimization_profile, options.time, options.peak)
                yield costs, costs

    kept, left = brief.longest(timed())
    yield brief.of_engines([selected(costs, Selection()) for costs in kept], left, problems)
