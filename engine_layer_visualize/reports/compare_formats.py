"""Writes comparisons as text, Markdown, JSON, CSV and a short JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.comparison import advice, causes, sentences
from engine_layer_visualize.comparison.result import Comparison, Group
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents import markup, terminal
from engine_layer_visualize.documents.markup import table
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import problem_json
from engine_layer_visualize.reports import brief, compare

Found = Sequence[Comparison]
Problems = Sequence[Problem]

MAX_NAME: Final = 60  # characters, where several names stand in a row
COLUMNS: Final = (
    "a_file", "a_engine", "b_file", "b_engine", "place", "a", "b", "a_reformats", "b_reformats",
    "a_names", "b_names", "ms_a", "ms_b", "delta_ms", "fusion", "confidence", "why", "changes",
    "a_precision", "b_precision", "a_kernel", "b_kernel",
)  # fmt: skip
_GROUP: Final = (
    *("a", "b", "a_reformats", "b_reformats", "ms_a", "ms_b", "delta_ms", "fusion", "confidence"),
    *("why", "changes"),
)


def as_text(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """The report for a terminal."""
    looks = options.width, options.color, options.full, MAX_NAME
    yield terminal.set_page(compare.blocks(found, options), *looks)


def as_markdown(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """The report as GitHub's Markdown, such as for a comment on a pull request."""
    yield markup.set_page(compare.blocks(found, options), options.full)


def as_brief(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """How much faster other engines are than the first, and why: a short JSON."""
    yield brief.of_comparisons(found, problems)


def as_csv(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """A row for each group, and for each layer without a counterpart.

    The columns are COLUMNS; indices of layers with blanks, times in ms, empty: not known.
    """
    yield table(COLUMNS, (row for comparison in found for row in _rows(comparison)))


def _rows(comparison: Comparison) -> Iterator[Iterable[object]]:
    a, b = comparison.sides
    start = (a.engine.source.file, a.engine.index, b.engine.source.file, b.engine.index)
    for group in comparison.groups:
        yield (*start, "group", *_group(comparison, group))
    for place, rest in (("overhead", comparison.overhead), ("unmatched", comparison.unmatched)):
        for side, (costs, indices) in enumerate(((a, rest.a), (b, rest.b))):
            yield from ((*start, place, *_alone(costs, i, side)) for i in indices)


def _group(comparison: Comparison, group: Group) -> Iterator[object]:
    for indices in (group.a, group.b, group.a_reformats, group.b_reformats):
        yield " ".join(map(str, indices))
    yield from (_names(comparison.a, group.a), _names(comparison.b, group.b))
    yield from (group.ms_a, group.ms_b, group.delta_ms, group.fusion, group.confidence, group.why)
    yield " ".join(group.changes)
    yield from causes.precisions(comparison, group)
    yield from (_kernels(comparison.a, group.a), _kernels(comparison.b, group.b))


def _alone(costs: Costs, index: int, side: int) -> list[object]:
    """A layer in no group; the cells of the other side are empty."""
    layer = costs.engine.layers[index]
    cells: list[object] = [None] * (len(COLUMNS) - 5)
    cells[side:8:2] = [str(index), "", layer.name, costs.of(layer)]
    return cells


def _names(costs: Costs, indices: Sequence[int]) -> str:
    return " | ".join(costs.engine.layers[i].name for i in indices)


def _kernels(costs: Costs, indices: Sequence[int]) -> str:
    return " | ".join(costs.engine.layers[i].kernel or "" for i in indices).strip(" |")


def as_json(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """`{"schema": 1, "comparisons": [...], "problems": [...]}` (docs/compare.md) in pieces."""
    before = '{"schema": 1, "comparisons": ['
    for comparison in found:
        yield before + json.dumps(of_comparison(comparison))
        before = ","
    left = json.dumps([problem_json(problem) for problem in problems])
    yield f'{"" if found else before}], "problems": {left}}}'


def of_comparison(comparison: Comparison) -> dict[str, JsonValue]:
    """Every key is always there."""
    return {
        "a": _engine(comparison.a),
        "b": _engine(comparison.b),
        **picked(comparison, "same_network", "delta_ms", "speedup", "per_sample", "builds"),
        "outputs": dict(zip("ab", comparison.outputs)),
        "uniform": plain(causes.uniform(comparison)),
        "noise": sentences.is_noise(comparison),
        "advice": plain(advice.of(comparison)),
        "waterfall": plain(comparison.waterfall),
        "groups": [{**picked(group, *_GROUP)} for group in comparison.groups],
        **picked(comparison, "overhead", "unmatched"),
    }


def _engine(costs: Costs) -> dict[str, JsonValue]:
    """`macs` is null where the work of a layer is unknown."""
    engine = costs.engine
    return {
        "file": engine.source.file,
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "device": engine.facts.device.name if engine.facts and engine.facts.device else None,
        "layers": len(engine.layers),
        "ms": costs.shown_total,
        "time_kind": costs.kind,
        "macs": work(costs).macs,
    }
