"""Makes the summary of engines: its sections as data and as blocks of a page, and its formats.

A section is a pair of functions in the file of its kind, and an entry of `SECTIONS`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.model import Engine, JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import autotuning, fusions, lint, overview, times


class Section(NamedTuple):
    """A section, with at most so many rows of a ranking, as data and as blocks of a page."""

    key: str  # of its data in the JSON
    data: Callable[[Subject, int], JsonValue]
    blocks: Callable[[Subject, int], Iterator[Block]]
    # whether the engine's file was read so that it can be known; else its data is None
    is_known: Callable[[Subject], bool] = lambda subject: True


def _has_facts(subject: Subject) -> bool:
    return subject.engine.facts is not None


SECTIONS: Final = (
    Section("engine", overview.data, overview.blocks),
    Section("types", times.types_data, times.types_blocks),
    Section("precisions", times.precisions_data, times.precisions_blocks),
    Section("findings", lint.findings_data, lint.findings_blocks),
    Section("slowest", times.data, times.blocks),
    Section("work", times.work_data, times.work_blocks),
    Section("reformats", fusions.reformats_data, fusions.reformats_blocks),
    Section(
        "foreign_nodes", fusions.foreign_data, fusions.foreign_blocks, fusions.foreign_is_known
    ),
    Section("fusions", fusions.data, fusions.blocks, fusions.is_known),
    Section("memory", autotuning.memory_data, autotuning.memory_blocks, _has_facts),
    Section("autotuning", autotuning.data, autotuning.blocks, _has_facts),
    Section("latency", times.latency_data, times.latency_blocks, _has_facts),
    Section("problems", overview.problems_data, overview.problems_blocks),
)
_KEYED: Final = {section.key: section for section in SECTIONS}
_NOT_READ: Final = Advice("Build info was not read (`facts=False`): `elv.read(…)` reads it.")


def data(subject: Subject, top: int = 10) -> dict[str, JsonValue]:
    """Every section's data by its key, with at most `top` rows of a ranking; its lines of the log.

    It is None where the engine's file was not read for it.
    """
    found = {
        section.key: section.data(subject, top) if section.is_known(subject) else None
        for section in SECTIONS
    }
    return {**found, "sources": plain(subject.facts.sources) if _has_facts(subject) else None}


def blocks(subject: Subject, top: int = 10, only: Sequence[str] = ()) -> Iterator[Block]:
    """Every section as blocks of a page, below the engine's name; `only`: these, in this order."""
    title, *engine = overview.blocks(subject, top)
    yield title
    if not only and not _has_facts(subject):
        engine.append(_NOT_READ)
    for key in only or _KEYED:
        section = _KEYED[key]
        told: Iterable[Block] = []
        if key == "engine":
            told = engine
        elif section.is_known(subject):
            told = list(section.blocks(subject, top))
        elif only:
            told = [_NOT_READ]
        if only and not told:
            told = [Paragraph(f"`{key}`: nothing in this log.")]
        yield from (block.filled() if isinstance(block, Grid) else block for block in told)


# ---- one page of all engines ---------------------------------------------------------------------

# One or two engines have some twenty lines each; of more engines each has a row of a table.
_ENGINE_PAGES: Final = 2  # engines that have a page each
_SLOWEST_LAYERS: Final = 5
_THINGS_TO_TRY: Final = 3
_COLUMNS: Final = ("touches", "share", "could", "what", "rule", "layers")


def _in_brief(subjects: Iterable[Subject], top: int) -> Iterator[Block]:
    """One page of all engines, with at most so many rows of a ranking."""
    others = iter(subjects)
    first = [*islice(others, _ENGINE_PAGES + 1)]
    if len(first) > _ENGINE_PAGES:
        yield from _table([*map(_row, chain(first, others))])
        return
    for subject in first:
        yield from _page(subject, min(top, _SLOWEST_LAYERS))


def _page(subject: Subject, top: int) -> Iterator[Block]:
    """The blocks of one engine."""
    yield from overview.blocks(subject, top)
    for block in times.blocks(subject, top):
        yield block.only("time", "share", "layer") if isinstance(block, Grid) else block
    if sentence := lever.of(subject):
        yield Heading("What to try")
        yield Advice(sentence)
    if to_do := [finding for finding in findings_of(subject) if finding.shown]:
        table = lint.findings_table(to_do[:_THINGS_TO_TRY], subject.costs, sentence)
        yield table.only(*_COLUMNS).filled()
        if (more := len(to_do) - _THINGS_TO_TRY) > 0:
            yield Paragraph(f"… and {count(more, 'more thing')} to try.")
    if problems := subject.engine.problems:
        codes = ", ".join(sorted({problem.code for problem in problems}))
        yield Paragraph(f"{count(len(problems), 'problem')} while reading: {codes}.")


def _row(subject: Subject) -> tuple[Words, ...]:
    """The row of an engine in a table of many: its log first."""
    costs, engine = subject.costs, subject.engine
    longest: Words = "–"
    if costs.ranking:
        layer = costs.ranking[0]
        share = f"{page.part(costs.share(layer))} {costs.share_words}".rstrip()
        longest = f"{layer.index} ", Name(headline(layer)), f", {share}"
    return (
        engine.source.file,
        str(engine.index),
        str(len(engine.layers)),
        f"{costs.now.timed} of {costs.now.layers}",
        page.ms(costs.shown_total),
        page.word(costs.kind),
        longest,
        lever.of(subject) or "–",
    )


def _table(rows: Sequence[tuple[Words, ...]]) -> Iterator[Block]:
    """A table of engines, with the log of each; the heading names it where there is only one."""
    files = {str(file) for file, *_ in rows}
    is_single = len(files) == 1
    of = files.pop() if is_single else count(len(files), "log")
    yield Heading(f"{count(len(rows), 'engine')} of {of}", level=1)
    heads = ("log", ">engine", ">layers", ">timed", ">time", "times", "longest layer")
    cells = tuple(row[is_single:] for row in rows)
    yield Grid((*heads, "what to try first")[is_single:], cells).filled()


# ---- the formats ---------------------------------------------------------------------------------

# Engines, and why nothing came of a log.
Found: TypeAlias = "Iterable[Engine | Problem]"
_LONGEST_BRIEF_NAME: Final = 40  # characters with --brief, where a row of a table is a line


def as_text(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page for a terminal for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import terminal

    longest = _LONGEST_BRIEF_NAME if options.brief else terminal.LONGEST_NAME
    for told in _pages(found, options):
        yield terminal.set_page(told, options.width, options.color, options.full, longest)


def as_markdown(found: Found, options: ReportOptions) -> Iterator[str]:
    """A page of GitHub's Markdown for each engine; with `brief` one page for all."""
    from engine_layer_visualize.documents import markup

    for told in _pages(found, options):
        yield markup.set_page(told, options.full)


def _pages(found: Found, options: ReportOptions) -> Iterator[Iterator[Block]]:
    """A page for each engine."""
    subjects = (_subject(one, options) for one in found if isinstance(one, Engine))
    if options.brief:
        yield _in_brief(subjects, options.top)
        return
    for subject in subjects:
        yield blocks(subject, options.top, options.sections)


def _subject(engine: Engine, options: ReportOptions) -> Subject:
    """An engine with the times that a report is of. Raises ReadError as `Costs` does."""
    return Subject(Costs(engine, options.optimization_profile, options.peak))


def as_json(found: Found, options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...]}`, an engine at a time."""
    before = '{"schema": 1, "engines": ['
    for one in found:
        if isinstance(one, Engine):
            yield before + json.dumps(data(_subject(one, options), options.top))
            before = ","
    yield f"{'' if before == ',' else before}]}}"


def as_brief(found: Found, options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    from engine_layer_visualize.reports import brief

    def told() -> Iterator[Costs | Problem]:
        for one in found:
            if isinstance(one, Problem):
                yield one
            elif isinstance(one, Engine):
                yield from one.problems
                yield _subject(one, options).costs

    yield brief.of_engines(told())
