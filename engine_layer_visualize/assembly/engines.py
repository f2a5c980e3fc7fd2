"""Finds the engines that a log or a file holds, each with what is needed to build it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.assembly import listings
from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Layer, Listing, Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import file_kinds, inspector_json
from engine_layer_visualize.reading.blocks import Table
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.markers import may_hold_a_build
from engine_layer_visualize.reading.scanner import scan
from engine_layer_visualize.reading.wrapping import unwrapped
from engine_layer_visualize.trt import versions
from engine_layer_visualize.trt.names import DLA, is_dla_copy, is_foreign, types_of_torch2trt

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
    if inspector_json.sniff(head):
        file = inspector_json.read(source, max_layers)
        reading = listings.of_file(file, source.name)
        wanted = Wanted(0, lambda: reading, BuildContext(), segment=_no_segment(facts))
        return Found([wanted], (*source.problems, *file.problems))
    if head.startswith(_NO_LOGS):
        from engine_layer_visualize.reading import diagnosis

        if (error := diagnosis.of_no_log(head, source.name)) is not None:
            raise error
    return _of_log(source, facts, max_layers)


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


def _no_segment(facts: bool) -> Segment | None:
    """Nothing that a log says beside the listing, where facts are asked for."""
    if not facts:
        return None
    from engine_layer_visualize.reading.segments import Segment

    return Segment()


def _of_log(source: Source, facts: bool, max_layers: int) -> Found:
    """The engines of a log. Raises ReadError where it holds none."""
    scanned = scan(source, source.spans(), facts=facts, max_layers=max_layers)
    if not scanned.listings:
        # A pipe cannot be read twice: then its end must do.
        again = source.again()
        from engine_layer_visualize.reading import diagnosis

        error = diagnosis.nothing_to_draw(scanned, again.spans() if again else scanned.tail)
        is_loaded = error.problem.code == _LOADED
        tabled = any(file_kinds.TORCH_TABLE_END in span.data for span in scanned.tail)
        if source.is_file and (tabled or is_loaded or file_kinds.has_times_alone(source.name)):
            # What a log says stands in one stretch of it; before and behind there is nothing.
            segment = max(
                scanned.segments, key=lambda one: one.last_line - one.first_line, default=None
            )
            if (found := _of_times(source.name, segment, facts)) is not None:
                return found
        raise error
    groups = listings.groups(scanned)
    unassigned: list[Unassigned] = []
    if facts:
        from engine_layer_visualize.assembly import attempts

        segments = [[b.segment for b in blocks if b.segment] for blocks in groups]
        left = attempts.assign_runs(scanned.segments, [one for one in segments if one])
        unassigned = [one._replace(file=source.name) for one in left]
    engines = [
        Wanted(
            number,
            partial(listings.read, blocks, source.name),
            blocks[0].context,
            tuple(table for block in blocks for table in block.tables),
            blocks[0].segment,
        )
        for number, blocks in enumerate(groups)
    ]
    message = "a listing's header without records: the log is cut there, or was filtered"
    problems = [Problem(place, "ELV105", message) for place in scanned.empty_headers]
    last = scanned.listings[-1]
    if not (last.last or problems) and may_hold_a_build(scanned.tail, last.last_line):
        from engine_layer_visualize.reading.build_end import begun_after

        if (end := begun_after(scanned.tail, last.last_line)) is not None:
            message = f"the log ends at line {end.line}, {end.doing}: one more build has no listing"
            problems.append(Problem(Place(source.name, end.line), "ELV412", message))
    return Found(engines, (*scanned.problems, *problems), tuple(unassigned))


# ---- engines of times without a listing: a layer for each row, in the printed order, no edges ----

# Names that TensorRT gives to what it adds, and the type of such a layer in a listing.
_TYPES: Final = (
    ("Reformatting CopyNode for ", "Reformat"),
    ("{ForeignNode[", "Myelin"),
    ("__myl_", "kgen"),
    ("PWN(", "PointWise"),
)
# Types in names by torch2trt, and those of such layers in a listing. A layer with another beside
# it, such as an activation, was fused with it.
_OF_TORCH2TRT: Final = {
    "CONSTANT": "Constant",
    "CONVOLUTION": "Convolution",
    "DECONVOLUTION": "Deconvolution",
    "FULLY_CONNECTED": "FullyConnected",
    "MATRIX_MULTIPLY": "MatrixMultiply",
}
_MULTIPLYING: Final = _OF_TORCH2TRT.keys() - {"CONSTANT"}
_JOINS: Final = " copy"  # of a tensor into one that several are joined in
# What Nsight Systems calls work on a GPU that is no kernel, and the type that it gets here.
_WORK: Final = {"[CUDA memcpy": "Copy", "[CUDA memset": "Memset"}


def _of_times(path: str, segment: Segment | None, facts: bool) -> Found | None:
    """An engine of each profile in a file that has no listing; None where it has no times."""
    from engine_layer_visualize.reading import profiles

    try:
        read, problems = profiles.read(path, unwrapped)
    except ReadError:
        return None
    problems += [_of_kernels(profile) for profile in read if profile.launches is not None]
    timed = [one for one in read if any(r.time.average_ms or r.time.total_ms for r in one.rows)]
    if not timed:
        return None
    head = Source(path).head()
    context = BuildContext(versions.last_named(head, 0, len(head)))
    segment = (segment if facts else None) or _no_segment(facts)
    engines = [
        Wanted(number, partial(_times, profile, path), context, segment=segment, times=profile)
        for number, profile in enumerate(timed)
    ]
    return Found(engines, tuple(problems))


def _of_kernels(profile: Profile) -> Problem:
    """A warning that rows are no layers, and which launches are of no inference."""
    message = "a trace names no layers: what stands for one is a kernel, a copy or a set"
    message += ", with the sum of its launches"
    if (launches := profile.launches) is not None:
        is_work = [row.name.startswith(tuple(_WORK)) for row in profile.rows]
        before = list(takewhile(lambda at: is_work[launches.rows[at]], range(len(launches.rows))))
        if 0 < len(before) < len(launches.rows):
            took = milliseconds(math.fsum(launches.nanoseconds[at] for at in before) / 1e6)
            each = f"{len(before):,} of {len(launches.rows):,} launches, {took}"
            message += f"; the sums hold what prepares inferences: {each}, precede the first kernel"
    return Problem(profile.place, "ELV211", message)


def _times(profile: Profile, file: str) -> Reading:
    """The layers of one profile."""
    line = profile.place.line
    layers = tuple(_layers(profile, file))
    return Reading(Listing(file, line, line, "times", "times"), (), layers, (), (None, None))


def _layers(profile: Profile, file: str) -> Iterator[Layer]:
    on_dla = any(is_dla_copy(row.name) for row in profile.rows)
    for index, row in enumerate(profile.rows):
        place = replace(profile.place, file=file, line=row.line or profile.place.line)
        if profile.launches is None:
            yield Layer(index, place, _type(row.name, on_dla), row.name, None, (), ())
        else:
            work = next((type for start, type in _WORK.items() if row.name.startswith(start)), None)
            kernel = row.name if work is None else None
            yield Layer(index, place, work or "Kernel", row.name, None, (), (), kernel)


def _type(name: str, on_dla: bool) -> str:
    """Empty where the name does not tell it."""
    if is_dla_copy(name):
        return "Copy"
    if name.endswith(_JOINS):
        return "Reformat"
    if is_foreign(name) or (on_dla and name.startswith("{") and name.endswith("}")):
        return DLA if on_dla else "Myelin"
    if types := set(types_of_torch2trt(name)):
        told = types if types == {"CONSTANT"} else types & _MULTIPLYING
        return _OF_TORCH2TRT[told.pop()] if len(told) == 1 else ""
    return next((type for start, type in _TYPES if name.startswith(start)), "")
