"""Writes the summary of a log as text, Markdown, JSON, CSV and a short JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.blocks import Block
from engine_layer_visualize.linting.subject import Subject

# Engines, then lines that belong to none, and why nothing came of a log.
Found: TypeAlias = "Iterable[Engine | Unassigned | Problem]"
_LONGEST_BRIEF_NAME: Final = 40  # characters with --brief, where a row of a table is a line
_COMMENT: Final = 65_536  # characters that a comment on GitHub may have, which --brief keeps to
_FIELDS: Final = (  # of the CSV
    *("index", "line", "name", "type", "report.precision", "kernel", "tactic", "report.inputs"),
    *("report.outputs", "ms", "share", "facts.build_ms", "facts.runner"),
    *("facts.candidates.tried", "facts.memory.host_persistent", "facts.memory.device_persistent"),
    *("facts.memory.scratch", "facts.memory.weights", "facts.onnx_nodes", "work.macs"),
    *("work.bytes", "work.intensity", "work.bound_ms", "work.bound_by", "work.efficiency"),
)
_RENAMED: Final = {"facts.candidates.tried": "tactics_tried"}
COLUMNS: Final = (
    "engine",
    *(_RENAMED.get(key, key.rpartition(".")[2]) for key in _FIELDS),
)


def as_text(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page for a terminal for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import terminal

    longest = _LONGEST_BRIEF_NAME if options.brief else terminal.LONGEST_NAME
    for blocks in _pages(found, options):
        yield terminal.set_page(blocks, options.width, options.color, options.full, longest)


def as_markdown(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page of GitHub's Markdown for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import markdown

    for blocks in _pages(found, options):
        yield markdown.set_page(blocks, options.full, _COMMENT if options.brief else None)


def _pages(found: Found, options: ReportOptions) -> Iterator[Iterator[Block]]:
    known = (one for one in found if not isinstance(one, Problem))
    subjects = (_subject(one, options) if isinstance(one, Engine) else one for one in known)
    if options.brief:
        from engine_layer_visualize.reports import summary_brief

        yield summary_brief.blocks(subjects, options.top)
    else:
        from engine_layer_visualize.reports import summary

        yield from summary.pages(subjects, options)


def _subject(engine: Engine, options: ReportOptions) -> Subject:
    """An engine with the times that a report is of. Raises ReadError as `Costs` does."""
    return Subject(Costs(engine, options.optimization_profile, options.time, options.peak))


def as_json(found: Found, options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...], "unassigned": [...]}`, an engine at a time."""
    from engine_layer_visualize.facts.field import plain
    from engine_layer_visualize.reports.summary import data

    before, left = '{"schema": 1, "engines": [', []
    for engine in found:
        if not isinstance(engine, Engine):
            left += [engine] if isinstance(engine, Unassigned) else []
            continue
        yield before + json.dumps(data(_subject(engine, options), options.top))
        before = ","
    lines = json.dumps(plain(left))
    yield f'{"" if before == "," else before}], "unassigned": {lines}}}'


def as_csv(found: Found, options: ReportOptions) -> Iterator[str]:
    """Writes a row for each layer: times in ms, shares from 0 to 1, memory in bytes.

    An empty cell is not known. Where there are several logs, `file` stands before the `COLUMNS`.
    """
    from engine_layer_visualize.documents.html import table
    from engine_layer_visualize.reports.layers import rows

    file = ("file",) if options.several else ()
    head: tuple[str, ...] = (*file, *COLUMNS)
    for engine in found:
        if isinstance(engine, Engine):
            subject = Subject(Costs(engine, None, options.time, options.peak))
            yield table(head, rows(subject, engine.layers, _FIELDS, options.several))
            head = ()


def as_brief(found: Found, options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    from engine_layer_visualize.linting.selection import selected
    from engine_layer_visualize.reports import brief

    problems: dict[Problem, None] = {}

    def timed() -> Iterator[tuple[Costs, Costs]]:
        for engine in found:
            if isinstance(engine, Problem):
                problems[engine] = None
            elif isinstance(engine, Engine):
                problems.update(dict.fromkeys(engine.problems))
                costs = _subject(engine, options).costs
                yield costs, costs

    kept, left = brief.longest(timed())
    yield brief.of_engines([selected(costs) for costs in kept], left, problems)
