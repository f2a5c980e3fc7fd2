"""Makes the page of `summary --brief`: the time of all engines, slowest layers, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.inference import share_words
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
    if rows:
        one = " With --engine N it is about one of them." if is_table else ""
        yield Paragraph(f"This is the report with --brief; without it there is more.{one}")


def _page(subject: Subject, to_do: list[Finding], top: int) -> Iterator[Block]:
    """The blocks of one engine."""
    yield from overview.blocks(subject, top)
    for block in times.blocks(subject, top):
        yield block.only("time", "share", "layer") if isinstance(block, Grid) else block
    if sentence := lever.of(subject):
        yield Heading("What to try")
        yield Advice(sentence)
    if to_do:
        of, first = share_words(subject.costs), to_do[:_THINGS_TO_TRY]
        table = reformats.findings_table(first, subject.costs, of, sentence)
        yield table.only(*_COLUMNS).filled()
        if (more := len(to_do) - _THINGS_TO_TRY) > 0:
            yield Paragraph(f"… and {count(more, 'more thing')} to try.")
    engine, facts = subject.engine, subject.facts
    said = [count(len(engine.problems), "problem") + " while reading"] if engine.problems else []
    for number, noun in ((facts.errors, "error"), (facts.warnings, "warning")):
        if number:
            said.append(f"{count(number, noun)} in the log")
    if said:
        yield Paragraph(f"{', '.join(said)}.")


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
