"""Findings in; commands out that make annotations of them in a workflow of GitHub Actions.

One line each: `::warning file=build.log,line=1042,title=F02 reformat-at-input::why, what to try`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings.finding import Finding
from engine_layer_visualize.analysis.findings.selection import Selected
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.outputs.lint import page
from engine_layer_visualize.outputs.options import ReportOptions

_LEVELS: Final = {"hint": "notice", "warning": "warning", "error": "error"}
# As `@actions/core` escapes: data first, then what would end a property.
_DATA: Final[dict[str | int, str | int | None]] = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY: Final[dict[str | int, str | int | None]] = {**_DATA, ":": "%3A", ",": "%2C"}


def render(found: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """A line for each finding, the worst first; problems stand on stderr."""
    for one in found:
        if isinstance(one, Selected):
            yield "".join(f"{_annotation(finding, one.costs)}\n" for finding in one.findings)


def _annotation(finding: Finding, costs: Costs) -> str:
    rule, engine = finding.rule, costs.engine
    properties = {
        "file": engine.source.file,
        "line": str(page.line(finding, engine)),
        "title": f"{rule.code} {rule.name}",
    }
    told = ",".join(f"{key}={_escaped(value, _PROPERTY)}" for key, value in properties.items())
    text = page.sentences(finding, costs)
    return f"::{_LEVELS[rule.severity]} {told}::{_escaped(text, _DATA)}"


def _escaped(text: str, signs: dict[str | int, str | int | None]) -> str:
    """`text` as a value: what the runner decodes is the text, control characters spelled out."""
    lines = "\n".join(map(visible, text.split("\n"))) if signs is _DATA else visible(text)
    return lines.translate(str.maketrans(signs))
