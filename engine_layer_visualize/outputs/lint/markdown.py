"""Findings in; GitHub's Markdown out, such as for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.findings.selection import Selected
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.outputs.lint.page import blocks
from engine_layer_visualize.outputs.options import ReportOptions
from engine_layer_visualize.outputs.report.markdown import set_page


def render(found: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """A page for each engine; problems stand on stderr."""
    for one in found:
        if isinstance(one, Selected):
            yield set_page(blocks(one, options.full), options.full)
