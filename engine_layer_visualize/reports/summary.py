"""Makes the summary of an engine: its sections, as data and as blocks of a page.

A section is a pair of functions in the file of its kind, and an entry of `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading, Paragraph
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.inference import share_words
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import autotuning, fusions, overview, reformats, times, work


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
    Section("findings", reformats.findings_data, reformats.findings_blocks),
    Section("slowest", times.data, times.blocks),
    Section("work", work.data, work.blocks),
    Section("optimization_profiles", overview.profiles_data, overview.profiles_blocks),
    Section("reformats", reformats.data, reformats.blocks),
    Section(
        "foreign_nodes", fusions.foreign_data, fusions.foreign_blocks, fusions.foreign_is_known
    ),
    Section("fusions", fusions.data, fusions.blocks, fusions.is_known),
    Section("onnx", fusions.model_data, fusions.model_blocks, fusions.has_model),
    Section("memory", reformats.memory_data, reformats.memory_blocks, _has_facts),
    Section("autotuning", autotuning.data, autotuning.blocks, _has_facts),
    Section("latency", times.latency_data, times.latency_blocks, _has_facts),
    Section("problems", overview.problems_data, overview.problems_blocks),
)
_KEYED: Final = {section.key: section for section in SECTIONS}


def subject_of(engine: Engine, options: ReportOptions) -> Subject:
    """An engine with the times that a report is of. Raises ReadError as `Costs` does."""
    return Subject(Costs(engine, options.optimization_profile, options.time, options.peak))


def data(subject: Subject, top: int = 10, only: Collection[str] = ()) -> dict[str, JsonValue]:
    """Every section's data by its key; of all sections its lines of the log, too.

    Args:
        subject: the engine.
        top: the rows of a ranking.
        only: the keys of the sections; `engine` is always there.
    """
    wanted = {"engine", *(only or _KEYED)}
    found = {
        section.key: section.data(subject, top) if section.is_known(subject) else None
        for section in SECTIONS
        if section.key in wanted
    }
    if not only:
        found["sources"] = plain(subject.facts.sources) if _has_facts(subject) else None
    return found


def blocks(subject: Subject, top: int = 10, only: Sequence[str] = ()) -> Iterator[Block]:
    """Every section as blocks of a page, below the engine's name; `only`: these, in this order."""
    title, *known = overview.blocks(subject, top)
    yield title
    for key in only or _KEYED:
        section = _KEYED[key]
        if not section.is_known(subject):
            continue
        told = [*known, *not_read(subject, only)]
        if key != "engine":
            told = list(section.blocks(subject, top))
        if only and not told:
            told = [Paragraph(f"`{key}`: this log has nothing for this section.")]
        yield from (block.filled() if isinstance(block, Grid) else block for block in told)


def not_read(subject: Subject, keys: Collection[str] = ()) -> Iterator[Block]:
    """What is missing of these sections, or of all, where build info was not read."""
    keys = keys or _KEYED
    unknown = {key for key in keys if not _KEYED[key].is_known(subject)} - {"onnx"}
    if unknown:
        nodes = "fusions, " if unknown & {"foreign_nodes", "fusions"} else ""
        yield Advice(
            f"Build info was not read: there are no estimates, and nothing about {nodes}memory, "
            "autotuning, the precisions that the build allowed and the end-to-end latency. "
            "`elv.read(…)` reads it unless `facts=False`."
        )


def pages(
    engines: Iterable[Engine | Unassigned], options: ReportOptions
) -> Iterator[Iterator[Block]]:
    """A page for each engine, and one for the lines of the log that belong to none.

    With `brief` it is one page for all.
    """
    if options.brief:
        yield _brief(engines, options)
        return
    left: list[Unassigned] = []
    for engine in engines:
        if isinstance(engine, Unassigned):
            if not options.sections:
                left.append(engine)
            continue
        if left:  # of the log before this one's
            yield autotuning.unassigned_blocks(left, options.several)
            left = []
        yield blocks(subject_of(engine, options), options.top, options.sections)
    if left:
        yield autotuning.unassigned_blocks(left, options.several)


# ---- one short page of all engines: times, slowest layers, what to do ----------------------------

# One or two engines have some twenty lines each; of more engines each has a row of a table.
_ENGINE_PAGES: Final = 2  # engines that have a page each
_SLOWEST_LAYERS: Final = 5
_THINGS_TO_TRY: Final = 3
_COLUMNS: Final = ("touches", "share", "could", "what", "rule", "layers")


def _brief(engines: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[Block]:
    told: list[Block] = []
    rows: list[tuple[Words, ...]] = []
    left, files = 0, dict[str, None]()
    for engine in engines:
        if isinstance(engine, Unassigned):
            left += 1
            continue
        subject = subject_of(engine, options)
        to_do = [finding for finding in findings_of(subject) if finding.shown]
        rows.append((engine.source.file, *_row(subject, to_do)))
        files[engine.source.file] = None
        if len(rows) <= _ENGINE_PAGES:
            told += _page(subject, to_do, min(options.top, _SLOWEST_LAYERS))
    is_table = len(rows) > _ENGINE_PAGES
    yield from _table(rows, list(files)) if is_table else told
    if left:
        yield Paragraph(f"{count(left, 'run belongs', 'runs belong')} to none of these engines.")
    if rows:
        one = " With --engine N it is about one of them." if is_table else ""
        yield Paragraph(f"This is the report with --brief; without it there is more.{one}")


def _page(subject: Subject, to_do: list[Finding], top: int) -> Iterator[Block]:
    """The blocks of one engine."""
    yield from overview.blocks(subject, top)
    for block in times.blocks(subject, top):
        yield block.only("time", "share", "layer") if isinstance(block, Grid) else block
    if to_do:
        yield Heading("What to try")
        of, first = share_words(subject.costs), to_do[:_THINGS_TO_TRY]
        yield reformats.findings_table(first, subject.costs, of).only(*_COLUMNS).filled()
        if (more := len(to_do) - _THINGS_TO_TRY) > 0:
            yield Paragraph(f"… and {count(more, 'more thing')} to try.")
    engine, facts = subject.engine, subject.facts
    said = [count(len(engine.problems), "problem") + " while reading"] if engine.problems else []
    for number, noun in ((facts.errors, "error"), (facts.warnings, "warning")):
        if number:
            said.append(f"{count(number, noun)} in the log")
    if said:
        yield Paragraph(f"{', '.join(said)}.")


def _row(subject: Subject, to_do: list[Finding]) -> tuple[Words, ...]:
    """The row of an engine in a table of many."""
    costs, first = subject.costs, "–"
    longest: Words = "–"
    if costs.ranking:
        layer = costs.ranking[0]
        share = " ".join(filter(None, (page.part(costs.share(layer)), costs.share_words)))
        longest = f"{layer.index} ", Name(headline(layer)), f", {share}"
    if to_do:
        gain = f", could save {page.ms(to_do[0].ms)}" if to_do[0].ms else ""
        first = f"{to_do[0].code}{gain}: {to_do[0].advice}"
    return (
        str(subject.engine.index),
        str(len(subject.engine.layers)),
        f"{costs.now.timed} of {costs.now.layers}",
        page.ms(costs.shown_total),
        page.word(costs.kind),
        longest,
        first,
    )


def _table(rows: list[tuple[Words, ...]], files: list[str]) -> Iterator[Block]:
    """A table of engines, with the log of each; the heading names it where there is only one."""
    is_single = len(files) == 1
    of = files[0] if is_single else count(len(files), "log")
    yield Heading(f"{count(len(rows), 'engine')} of {of}", level=1)
    heads = ("log", ">engine", ">layers", ">timed", ">time", "times", "longest layer")
    cells = tuple(row[is_single:] for row in rows)
    yield Grid((*heads, "what to try first")[is_single:], cells).filled()
    if any(row[4] == "–" for row in rows):
        yield Advice(times.UNTIMED)
