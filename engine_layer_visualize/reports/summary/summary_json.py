"""Writes the summary of every engine as one JSON document, an engine at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.summary import sources
from engine_layer_visualize.reports.summary.model_parts import Models
from engine_layer_visualize.reports.summary.sections import collected


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...], "models": [...], "unassigned": [...]}` in pieces."""
    before, left, models = '{"schema": 1, "engines": [', [], Models()
    for engine in found:
        if isinstance(engine, Unassigned):
            left.append(engine)
            continue
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        models.add(costs)
        yield before + json.dumps(collected(costs, options.top))
        before = ","
    lines, of_models = json.dumps(sources.unassigned(left)), json.dumps(models.found)
    yield f'{"" if before == "," else before}], "models": {of_models}, "unassigned": {lines}}}'
