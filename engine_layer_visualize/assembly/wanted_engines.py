"""Finds the engines that a log or a file holds, each with what is needed to build it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engine_layer_visualize.assembly import merge_listings
from engine_layer_visualize.assembly.merge_listings import Reading
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.inputs import listings
from engine_layer_visualize.inputs.buildlog.blocks import Table
from engine_layer_visualize.inputs.buildlog.build_context import BuildContext
from engine_layer_visualize.inputs.buildlog.build_end import begun_after
from engine_layer_visualize.inputs.buildlog.scanner import scan
from engine_layer_visualize.io.source import Source

if TYPE_CHECKING:
    from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment


class Wanted(NamedTuple):
    """One engine that is to come. `read` gives its layers; what stands beside them is here."""

    number: int
    read: Callable[[], Reading]
    context: BuildContext
    tables: tuple[Table, ...] = ()
    segment: Segment | None = None  # where more facts are asked for


class Found(NamedTuple):
    """The engines of a log, or of a file that is a listing, before any is built."""

    engines: list[Wanted]
    problems: tuple[Problem, ...]
    unassigned: tuple[Unassigned, ...] = ()


def found_in(source: Source, facts: bool, max_layers: int) -> Found:
    """The engines of a log, or of a file that is a listing. Raises ReadError where it has none."""
    format = listings.of_file(source.head())
    if format is None:
        return _of_log(source, facts, max_layers)
    file = format.read(source, max_layers)
    segment = None
    if facts:
        from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment

        segment = Segment()
    reading = merge_listings.of_file(file, source.name, format.name)
    wanted = Wanted(0, lambda: reading, BuildContext(), segment=segment)
    return Found([wanted], (*source.problems, *file.problems))


def _of_log(source: Source, facts: bool, max_layers: int) -> Found:
    """The engines of a log. Raises ReadError where it holds none."""
    scanned = scan(source, source.spans(), facts=facts, max_layers=max_layers)
    if not scanned.listings:
        # A pipe cannot be read twice: then its end must do.
        again = source.again()
        from engine_layer_visualize.inputs import diagnosis

        raise diagnosis.nothing_to_draw(scanned, again.spans() if again else scanned.tail)
    groups = merge_listings.groups(scanned)
    unassigned: list[Unassigned] = []
    if facts:
        from engine_layer_visualize.assembly import run_matching

        segments = [[b.segment for b in blocks if b.segment] for blocks in groups]
        unassigned = run_matching.assign(scanned.segments, [each for each in segments if each])
    engines = [
        Wanted(
            number,
            partial(merge_listings.read, blocks, source.name),
            blocks[0].context,
            tuple(table for block in blocks for table in block.tables),
            blocks[0].segment,
        )
        for number, blocks in enumerate(groups)
    ]
    message = "a listing's header without records: the log is cut there, or was filtered"
    empty = [Problem(place, "ELV105", message) for place in scanned.empty_headers]
    last = scanned.listings[-1]
    end = None if last.last or empty else begun_after(scanned.tail, last.last_line)
    if end is not None:
        message = f"the log ends at line {end.line}, {end.doing}: one more build has no listing"
        empty.append(Problem(Place(source.name, end.line), "ELV412", message))
    return Found(engines, (*scanned.problems, *empty), tuple(unassigned))


def chosen_of(wanted: list[Wanted], engines: int | Iterable[int] | None, file: str) -> list[Wanted]:
    """The engines with these numbers; None: all. Raises ReadError (ELV406) for an unknown one."""
    if engines is None:
        return wanted
    chosen = sorted({engines} if isinstance(engines, int) else set(engines))
    for number in chosen:
        if not 0 <= number < len(wanted):
            there = "engine 0 alone" if len(wanted) == 1 else f"engines 0 to {len(wanted) - 1}"
            message = f"there is no engine {number}; the log holds {there}"
            raise ReadError(Problem(Place(file), "ELV406", message))
    return [wanted[number] for number in chosen]
