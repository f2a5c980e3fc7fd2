"""Makes the summary of an engine: its sections, as data and as blocks of a page.

A section is a pair of functions in the file of its kind, and an entry of `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Paragraph
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import autotuning, fusions, overview, reformats, times, work


class Section(NamedTuple):
    """A section, with at most so many rows of a ranking, as data and as blocks of a page."""

    key: str  # of its data in the JSON
    data: Callable[[Subject, int], JsonValue]
    blocks: Callable[[Subject, int], Iterator[Block]]
    # whether the engine's file was read so that it can be known; else its data is None
    is_known: Callable[[Subject], bool] = lambda subject: True
    source: str = ""  # what has it, where a log may have nothing of it


def _has_facts(subject: Subject) -> bool:
    return subject.engine.facts is not None


_BUILD: Final = "a whole VERBOSE log of a build"
SECTIONS: Final = (
    Section("engine", overview.data, overview.blocks),
    Section("types", times.types_data, times.types_blocks),
    Section("precisions", times.precisions_data, times.precisions_blocks),
    Section("findings", reformats.findings_data, reformats.findings_blocks),
    Section("slowest", times.data, times.blocks, source="a profile of the layers"),
    Section("work", work.data, work.blocks),
    Section("optimization_profiles", overview.profiles_data, overview.profiles_blocks),
    Section("reformats", reformats.data, reformats.blocks),
    Section(
        "foreign_nodes", fusions.foreign_data, fusions.foreign_blocks, fusions.foreign_is_known
    ),
    Section("fusions", fusions.data, fusions.blocks, fusions.is_known),
    Section("onnx", fusions.model_data, fusions.model_blocks, fusions.has_model, "`--onnx FILE`"),
    Section("memory", reformats.memory_data, reformats.memory_blocks, _has_facts, _BUILD),
    Section("autotuning", autotuning.data, autotuning.blocks, _has_facts, _BUILD),
    Section(
        "latency", times.latency_data, times.latency_blocks, _has_facts, "a log of trtexec's run"
    ),
    Section("problems", overview.problems_data, overview.problems_blocks),
)
_KEYED: Final = {section.key: section for section in SECTIONS}


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
        if key == "engine":
            told = [*known, *([] if only else not_read(subject, _KEYED))]
        elif section.is_known(subject):
            told = list(section.blocks(subject, top))
        else:
            told = list(not_read(subject, [key])) if only else []
        if only and not told:
            source = f"; {section.source} has it" if section.source else ""
            told = [Paragraph(f"`{key}`: nothing in this log{source}.")]
        yield from (block.filled() if isinstance(block, Grid) else block for block in told)


def not_read(subject: Subject, keys: Collection[str]) -> Iterator[Block]:
    """What is missing of these sections where build info was not read."""
    unknown = {key for key in keys if not _KEYED[key].is_known(subject)} - {"onnx"}
    if unknown:
        yield Advice("Build info was not read (`facts=False`): `elv.read(…)` reads it.")


def pages(
    subjects: Iterable[Subject | Unassigned], options: ReportOptions
) -> Iterator[Iterator[Block]]:
    """A page for each engine, and one for the lines of the log that belong to none."""
    left: list[Unassigned] = []
    for subject in subjects:
        if isinstance(subject, Unassigned):
            if not options.sections:
                left.append(subject)
            continue
        if left:  # of the log before this one's
            yield autotuning.unassigned_blocks(left, options.several)
            left = []
        yield blocks(subject, options.top, options.sections)
    if left:
        yield autotuning.unassigned_blocks(left, options.several)
