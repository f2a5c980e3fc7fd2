"""Writes comparisons as CSV: a row for each group, and for each layer without a counterpart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import cause_words
from engine_layer_visualize.comparison.result import Comparison, Group
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.csv_text import table

COLUMNS: Final = (
    "a_file", "a_engine", "b_file", "b_engine", "place", "a", "b", "a_reformats", "b_reformats",
    "a_names", "b_names", "ms_a", "ms_b", "delta_ms", "fusion", "confidence", "why", "changes",
    "a_precision", "b_precision", "a_kernel", "b_kernel",
)  # fmt: skip


def render(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """Columns: COLUMNS; indices of layers with blanks, times in ms, empty: not known."""
    yield table(COLUMNS, (row for comparison in comparisons for row in _rows(comparison)))


def _rows(comparison: Comparison) -> Iterator[Iterable[object]]:
    a, b = comparison.a, comparison.b
    start = (a.engine.source.file, a.engine.index, b.engine.source.file, b.engine.index)
    for group in comparison.groups:
        yield (*start, "group", *_group(comparison, group))
    for place, rest in (("overhead", comparison.overhead), ("unmatched", comparison.unmatched)):
        for i in rest.a:
            yield (*start, place, *_alone(a, i, first=True))
        for i in rest.b:
            yield (*start, place, *_alone(b, i, first=False))


def _group(comparison: Comparison, group: Group) -> Iterator[object]:
    for indices in (group.a, group.b, group.a_reformats, group.b_reformats):
        yield " ".join(map(str, indices))
    yield from (_names(comparison.a, group.a), _names(comparison.b, group.b))
    yield from (group.ms_a, group.ms_b, group.delta_ms, group.fusion, group.confidence, group.why)
    yield " ".join(group.changes)
    yield from cause_words.precisions(comparison, group)
    yield from (_kernels(comparison.a, group.a), _kernels(comparison.b, group.b))


def _alone(costs: Costs, index: int, first: bool) -> list[object]:
    """A layer in no group; the cells of the other side are empty."""
    ms = costs.of(costs.engine.layers[index])
    here: list[object] = [str(index), "", _names(costs, [index]), ms]
    cells: list[object] = []
    for cell in here:
        cells += [cell, None] if first else [None, cell]
    return cells + [None] * (len(COLUMNS) - 5 - len(cells))


def _names(costs: Costs, indices: Sequence[int]) -> str:
    return " | ".join(costs.engine.layers[i].name for i in indices)


def _kernels(costs: Costs, indices: Sequence[int]) -> str:
    return " | ".join(costs.engine.layers[i].kernel or "" for i in indices).strip(" |")
