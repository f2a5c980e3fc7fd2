"""Writes a short JSON of what an engine is and what makes it slow, of the chosen findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.reports import brief


def render(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    problems: list[Problem] = []

    def timed() -> Iterator[tuple[Costs, Selected]]:
        for result in results:
            if isinstance(result, Problem):
                problems.append(result)
            else:
                yield result.costs, result

    kept, left = brief.longest(timed())
    yield brief.of_engines(kept, left, problems)
