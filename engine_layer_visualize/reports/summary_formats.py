"""Writes the summary of a log as text, Markdown, JSON and a short JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.markdown import set_page as markdown_set_page
from engine_layer_visualize.documents.terminal import LONGEST_NAME, set_page
from engine_layer_visualize.linting.selection import Selection, selected
from engine_layer_visualize.reports import autotuning, brief
from engine_layer_visualize.reports.summary import collected, log_pages

# ---- writes the summary of a log for a terminal -------------------------------------------------

_LONGEST_BRIEF_NAME: Final = 40  # characters with --brief, where a row of a table is a line


def as_text(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Yields a page for each engine; with `brief` one page for all."""
    longest = _LONGEST_BRIEF_NAME if options.brief else LONGEST_NAME
    for blocks in log_pages(found, options):
        yield set_page(blocks, options.width, options.color, options.full, longest)


# ---- writes the summary of a log as GitHub's Markdown -------------------------------------------


_COMMENT: Final = 65_536  # characters that a comment on GitHub may have, which --brief keeps to


def as_markdown(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Yields a page for each engine; with `brief` one page for all."""
    for blocks in log_pages(found, options):
        yield markdown_set_page(blocks, options.full, _COMMENT if options.brief else None)


# ---- writes the summary of every engine as one JSON document, an engine at a time ---------------


def as_json(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...], "unassigned": [...]}` in pieces."""
    before, left = '{"schema": 1, "engines": [', []
    for engine in found:
        if isinstance(engine, Unassigned):
            left.append(engine)
            continue
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        yield before + json.dumps(collected(costs, options.top))
        before = ","
    lines = json.dumps(autotuning.sources_unassigned(left))
    yield f'{"" if before == "," else before}], "unassigned": {lines}}}'


# ---- writes a short JSON of what an engine is and what makes it slow, of all findings -----------


def as_brief(
    found: Iterable[Engine | Unassigned | Problem], options: ReportOptions
) -> Iterator[str]:
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
