"""Writes findings as JSON of schema 1, with a line for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.fields.json import dump, finding_json, head, problem_json, rows
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.linting.selection import Selected


def render(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields `{"schema": 1, "engines": [...], "problems": [...]}` in pieces."""
    before, problems = '{"schema": 1, "engines": [', list[Problem]()
    for result in results:
        if isinstance(result, Problem):
            problems.append(result)
            continue
        first = result.costs.of_profile(result.costs.profiles[0])  # as in every JSON of an engine
        yield f'{before}\n{{"engine": {dump(head(Subject(first)))},\n"findings": '
        yield "".join(rows(map(finding_json, result.findings)))
        in_order = dump([*result.in_order, *result.costly])
        yield f',\n"header": {dump(list(result.header))},\n"in_order": {in_order}'
        yield f',\n"layer_names": {dump(_names(result))}}}'
        before = ","
    yield f'{before if before != "," else ""}],\n"problems": '
    yield "".join(rows(map(problem_json, problems))) + "}"


def _names(result: Selected) -> JsonValue:
    """Returns the names of the layers that findings have: by them a baseline is compared."""
    layers = result.costs.engine.layers
    named = sorted({index for finding in result.findings for index in finding.layers})
    return {str(index): layers[index].name for index in named}
