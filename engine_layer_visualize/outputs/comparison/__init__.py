"""Comparisons of engines in; text, Markdown, JSON or CSV out.

`sentences` says what a comparison found, `blocks` makes a page of it; `terminal`, `markdown`,
`comparison_json` and `comparison_csv` write it. What the numbers are is decided in
`analysis/comparison`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Final, Protocol

from engine_layer_visualize.analysis.comparison.result import Comparison
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.outputs.comparison import sentences
from engine_layer_visualize.outputs.options import ReportOptions

# The name of a format -> its module here, and the ending of its files.
FORMATS: Final = {
    "text": ("terminal", "txt"),
    "markdown": ("markdown", "md"),
    "json": ("comparison_json", "json"),
    "csv": ("comparison_csv", "csv"),
}


class Format(Protocol):
    """A module of FORMATS."""

    def render(
        self, found: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
    ) -> Iterator[str]:
        """The comparisons, all against one engine, in pieces. `problems`: of reading the logs."""


def render(
    found: Sequence[Comparison], problems: Sequence[Problem], format: str, options: ReportOptions
) -> Iterator[str]:
    """The comparisons as text. Raises ValueError for an unknown format."""
    if format not in FORMATS:
        raise ValueError(not_among("format", format, list(FORMATS)))
    module: Format = import_module(f"{__name__}.{FORMATS[format][0]}")
    return module.render(found, problems, options)


def remarks(found: Comparison) -> Iterator[Problem]:
    """Warnings about two engines that cannot be compared in everything."""
    place = Place(found.b.engine.source.file, found.b.engine.source.first_line)
    if not found.same_network:
        yield Problem(
            place, "ELV701", f"it seems to be another network than A: {sentences.how_alike(found)}"
        )
    if found.delta_ms is None:
        yield Problem(place, "ELV702", f"no difference of times: {found.unknown}")
