"""Finds the engines that a log or a file holds, each with what is needed to build it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engine_layer_visualize.assembly import listings as merge_listings
from engine_layer_visualize.assembly import times_alone
from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import file_kinds, inspector_json
from engine_layer_visualize.reading.blocks import Table
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.file_kinds import TORCH_TABLE_END
from engine_layer_visualize.reading.scanner import scan
from engine_layer_visualize.reading.trtexec import may_hold_a_build
from engine_layer_visualize.trt import versions

if TYPE_CHECKING:
    from engine_layer_visualize.reading.segments import Segment

_LOADED = "ELV403"  # an engine was loaded, not built
_NO_LOGS = (b'{"$schema"', b"PK\x03\x04")  # findings as SARIF, a ZIP archive


class Wanted(NamedTuple):
    """One engine that is to come. `read` gives its layers; what stands beside them is here."""

    number: int
    read: Callable[[], Reading]
    context: BuildContext
    tables: tuple[Table, ...] = ()
    segment: Segment | None = None  # where more facts are asked for
    times: Profile | None = None  # where these are all that there is


class Found(NamedTuple):
    """The engines of a log, or of a file that is a listing, before any is built."""

    engines: list[Wanted]
    problems: tuple[Problem, ...]
    unassigned: tuple[Unassigned, ...] = ()


def found_in(source: Source, facts: bool, max_layers: int) -> Found:
    """The engines of a log, or of a file that is a listing. Raises ReadError where it has none."""
    head = source.head()
    if not inspector_json.sniff(head):
        if head.startswith(_NO_LOGS):
            from engine_layer_visualize.reading import diagnosis

            if (error := diagnosis.of_no_log(head, source.name)) is not None:
                raise error
        return _of_log(source, facts, max_layers)
    file = inspector_json.read(source, max_layers)
    segment = None
    if facts:
        from engine_layer_visualize.reading.segments import Segment

        segment = Segment()
    reading = merge_listings.of_file(file, source.name)
    wanted = Wanted(0, lambda: reading, BuildContext(), segment=segment)
    return Found([wanted], (*source.problems, *file.problems))


def _of_log(source: Source, facts: bool, max_layers: int) -> Found:
    """The engines of a log. Raises ReadError where it holds none."""
    scanned = scan(source, source.spans(), facts=facts, max_layers=max_layers)
    if not scanned.listings:
        # A pipe cannot be read twice: then its end must do.
        again = source.again()
        from engine_layer_visualize.reading import diagnosis

        error = diagnosis.nothing_to_draw(scanned, again.spans() if again else scanned.tail)
        is_loaded = error.problem.code == _LOADED
        tabled = any(TORCH_TABLE_END in span.data for span in scanned.tail)
        if source.is_file and (tabled or is_loaded or file_kinds.has_times_alone(source.name)):
            # What a log says stands in one stretch of it; before and behind there is nothing.
            segment = max(
                scanned.segments, key=lambda one: one.last_line - one.first_line, default=None
            )
            if (found := _of_times(source.name, segment, facts)) is not None:
                return found
        raise error
    groups = merge_listings.groups(scanned)
    unassigned: list[Unassigned] = []
    if facts:
        from engine_layer_visualize.assembly import attempts

        segments = [[b.segment for b in blocks if b.segment] for blocks in groups]
        left = attempts.assign_runs(scanned.segments, [one for one in segments if one])
        unassigned = [one._replace(file=source.name) for one in left]
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
    end = None
    if not (last.last or empty) and may_hold_a_build(scanned.tail, last.last_line):
        from engine_layer_visualize.reading.build_end import begun_after

        end = begun_after(scanned.tail, last.last_line)
    if end is not None:
        message = f"the log ends at line {end.line}, {end.doing}: one more build has no listing"
        empty.append(Problem(Place(source.name, end.line), "ELV412", message))
    return Found(engines, (*scanned.problems, *empty), tuple(unassigned))


def _of_times(path: str, segment: Segment | None, facts: bool) -> Found | None:
    """An engine of each profile in a file that has no listing; None where it has no times."""
    profiles, problems = times_alone.profiles_of(path)
    head = Source(path).head()
    version = versions.last_named(head, 0, len(head))
    if not profiles:
        return None
    if facts and segment is None:
        from engine_layer_visualize.reading.segments import Segment

        segment = Segment()
    engines = [
        Wanted(
            number,
            partial(times_alone.reading, profile, path),
            BuildContext(version),
            segment=segment if facts else None,
            times=profile,
        )
        for number, profile in enumerate(profiles)
    ]
    return Found(engines, tuple(problems))


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
