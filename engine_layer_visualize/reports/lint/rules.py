"""Lists all rules as text, Markdown or JSON."""

from __future__ import annotations

import json

from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents import markdown, terminal
from engine_layer_visualize.documents.blocks import Grid
from engine_layer_visualize.linting.rules import all_rules, url


def listed(format: str, options: ReportOptions) -> str:
    """Returns the list in a format: text, markdown or json."""
    rules = [module.RULE for module in all_rules().values()]
    if format == "json":
        keys = ("code", "name", "severity", "summary")
        entries = [{**{k: getattr(rule, k) for k in keys}, "url": url(rule.code)} for rule in rules]
        return json.dumps(entries, indent=1)
    rows = tuple((rule.code, rule.name, rule.severity, rule.summary) for rule in rules)
    grid = Grid(("rule", "name", "severity", "found"), rows)
    if format == "markdown":
        return markdown.set_page([grid])
    return terminal.set_page([grid], options.width, options.color)
