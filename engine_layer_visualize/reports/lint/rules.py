"""Lists all rules as text, Markdown or JSON."""

from __future__ import annotations

import json

from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents import markdown, terminal
from engine_layer_visualize.documents.blocks import Grid
from engine_layer_visualize.linting.rules import all_rules, package, url


def listed(format: str, options: ReportOptions) -> str:
    """Returns the list in a format: text, markdown or json."""
    origins = [(module.RULE, package(module)) for module in all_rules().values()]
    if format == "json":
        keys = ("code", "name", "severity", "summary")
        entries = [
            {**{k: getattr(rule, k) for k in keys}, "url": url(rule.code), "package": origin}
            for rule, origin in origins
        ]
        return json.dumps(entries, indent=1)
    columns, several = ("rule", "name", "severity", "found"), any(origin for _, origin in origins)
    rows = tuple(
        (rule.code, rule.name, rule.severity, rule.summary, *[origin] * several)
        for rule, origin in origins
    )
    grid = Grid((*columns, *["package"] * several), rows)
    if format == "markdown":
        return markdown.set_page([grid])
    return terminal.set_page([grid], options.width, options.color)
