"""Writes the summary of every engine as one JSON document, an engine at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.summary import sources
from engine_layer_visualize.reports.summary.sections import summarize


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...], "unassigned": [...]}` in pieces."""
    before, left = '{"schema": 1, "engines": [', []
    for engine in found:
        if isinstance(engine, Unassigned):
            left.append(engine)
            continue
        profile, peak = options.optimization_profile, options.peak
        data = summarize(engine, options.top, profile, options.time, peak=peak)
        yield before + json.dumps(data)
        before = ","
    lines = json.dumps(sources.unassigned(left))
    yield f'{"" if before == "," else before}], "unassigned": {lines}}}'
