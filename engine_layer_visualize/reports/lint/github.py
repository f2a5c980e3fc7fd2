"""Writes findings as commands that annotate files in a workflow of GitHub Actions.

One line each: `::warning file=build.log,line=1042,title=F02 reformat-at-input::why, what to try`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.ci_syntax import Level, annotation
from engine_layer_visualize.linting.finding import Finding, Severity
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.reports.lint import page

_LEVELS: Final[dict[Severity, Level]] = {"hint": "notice", "warning": "warning", "error": "error"}


def render(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a line for each finding, the worst first; problems stand on stderr."""
    for result in results:
        if isinstance(result, Selected):
            yield "".join(f"{_annotation(finding, result.costs)}\n" for finding in result.findings)


def _annotation(finding: Finding, costs: Costs) -> str:
    rule, engine = finding.rule, costs.engine
    return annotation(
        _LEVELS[rule.severity],
        page.sentences(finding, costs),
        file=engine.source.file,
        line=str(page.line(finding, engine)),
        title=f"{rule.code} {rule.name}",
    )
