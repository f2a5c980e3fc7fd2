"""Writes the summary of a log as text, Markdown, JSON, CSV, a short JSON, and short text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import autotuning, overview, reformats, times

# One or two engines have some twenty lines each; of more engines each has a row of a table.
_ENGINE_PAGES: Final = 2  # engines that have a page each
_SLOWEST_LAYERS: Final = 5
_THINGS_TO_TRY: Final = 3
_COLUMNS: Final = ("touches", "share", "could", "what", "rule", "layers")


def blocks(subjects: Iterable[Subject | Unassigned], top: int) -> Iterator[Block]:
    """One page of all engines, with at most so many rows of a ranking."""
    told: list[Block] = []
    rows: list[tuple[Words, ...]] = []
    left, files = list[str](), dict[str, None]()
    for subject in subjects:
        if isinstance(subject, Unassigned):
            left.append(f"lines {autotuning.lines_of(subject)} ({subject.what}: {subject.why})")
            continue
        to_do = [finding for finding in findings_of(subject) if finding.shown]
        file = subject.engine.source.file
        rows.append((file, *_row(subject)))
        files[file] = None
        if len(rows) <= _ENGINE_PAGES:
            told += _page(subject, to_do, min(top, _SLOWEST_LAYERS))
    is_table = len(rows) > _ENGINE_PAGES
    yield from _table(rows, list(files)) if is_table else told
    if left:
        yield Paragraph(("To none of these engines belong ", *first_of(left), "."))


def _page(subject: Subject, to_do: list[Finding], top: int) -> Iterator[Block]:
    """The blocks of one engine."""
    yield from overview.blocks(subject, top)
    for block in times.blocks(subject, top):
        yield block.only("time", "share", "layer") if isinstance(block, Grid) else block
    if sentence := lever.of(subject):
        yield Heading("What to try")
        yield Advice(sentence)
    if to_do:
        table = reformats.findings_table(to_do[:_THINGS_TO_TRY], subject.costs, sentence)
        yield table.only(*_COLUMNS).filled()
        if (more := len(to_do) - _THINGS_TO_TRY) > 0:
            yield Paragraph(f"… and {count(more, 'more thing')} to try.")
    if problems := subject.engine.problems:
        yield Paragraph(f"{count(len(problems), 'problem')} while reading.")


def _row(subject: Subject) -> tuple[Words, ...]:
    """The row of an engine in a table of many."""
    costs = subject.costs
    longest: Words = "–"
    if costs.ranking:
        layer = costs.ranking[0]
        share = " ".join(filter(None, (page.part(costs.share(layer)), costs.share_words)))
        longest = f"{layer.index} ", Name(headline(layer)), f", {share}"
    return (
        str(subject.engine.index),
        str(len(subject.engine.layers)),
        f"{costs.now.timed} of {costs.now.layers}",
        page.ms(costs.shown_total),
        page.word(costs.kind),
        longest,
        lever.of(subject) or "–",
    )


def _table(rows: list[tuple[Words, ...]], files: list[str]) -> Iterator[Block]:
    """A table of engines, with the log of each; the heading names it where there is only one."""
    is_single = len(files) == 1
    of = files[0] if is_single else count(len(files), "log")
    yield Heading(f"{count(len(rows), 'engine')} of {of}", level=1)
    heads = ("log", ">engine", ">layers", ">timed", ">time", "times", "longest layer")
    cells = tuple(row[is_single:] for row in rows)
    yield Grid((*heads, "what to try first")[is_single:], cells).filled()


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
COLUMNS: Final = ("engine", *(_RENAMED.get(key, key.rpartition(".")[2]) for key in _FIELDS))


def as_text(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page for a terminal for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import terminal

    longest = _LONGEST_BRIEF_NAME if options.brief else terminal.LONGEST_NAME
    for blocks in _pages(found, options):
        yield terminal.set_page(blocks, options.width, options.color, options.full, longest)


def as_markdown(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page of GitHub's Markdown for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import markup

    for blocks in _pages(found, options):
        yield markup.set_page(blocks, options.full, _COMMENT if options.brief else None)


def _pages(found: Found, options: ReportOptions) -> Iterator[Iterator[Block]]:
    known = (one for one in found if not isinstance(one, Problem))
    subjects = (_subject(one, options) if isinstance(one, Engine) else one for one in known)
    if options.brief:
        yield blocks(subjects, options.top)
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
    from engine_layer_visualize.documents.markup import table
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
