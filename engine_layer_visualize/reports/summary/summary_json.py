"""Writes the summary of every engine as one JSON document, an engine at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.summary import sources
from engine_layer_visualize.reports.summary.sections import collected


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...], "unassigned": [...]}` in pieces."""
    before, left = '{"schema": 1, "engines": [', []
    for engine in found:
        if isinstance(engine, Unassigned):
            left.append(engine)
            continue
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        yield before + json.dumps(collected(costs, options.top))
        before = ","
    lines = json.dumps(sources.unassigned(left))
    yield f'{"" if before == "," else before}], "unassigned": {lines}}}'
