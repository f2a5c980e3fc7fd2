"""Finds the engines that a log or a file holds, and tells which listings are cut or only parts."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.assembly import listings
from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.model import Layer, Listing, Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import shorten
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import detailed, file_kinds, markers
from engine_layer_visualize.reading.blocks import ListingBlock, Record, Table, trimmed
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.envelopes import ROW_KEYS
from engine_layer_visualize.reading.markers import LEFT_OUT, TABLE_MARK
from engine_layer_visualize.reading.scanner import Scan, scan
from engine_layer_visualize.trt import versions
from engine_layer_visualize.trt.names import REFORMATTED, profile_of, without_profile

if TYPE_CHECKING:
    from engine_layer_visualize.reading.segments import Segment

# Of an inspector's JSON, and of times that are no lines.
_SIGNS: Final = (detailed.LAYERS, *ROW_KEYS, TABLE_MARK, b"Time (ms)", b"Time(ms)")
# Findings as SARIF, a ZIP archive, a page of the web, which spells `>` otherwise.
_NO_LOGS = (b'{"$schema"', b"PK\x03\x04", b"<!DOCTYPE html", b"<!doctype html", b"<html")


class Wanted(NamedTuple):
    """One engine that is to come. `read` gives its layers; what stands beside them is here."""

    read: Callable[[], Reading]
    context: BuildContext
    tables: tuple[Table, ...] = ()
    segment: Segment | None = None  # where more facts are asked for
    times: Profile | None = None  # where these are all that there is


class Found(NamedTuple):
    """The engines of a log, or of a file that is a listing, before any is built."""

    engines: list[Wanted]
    problems: tuple[Problem, ...]


def found_in(source: Source, facts: bool) -> Found:
    """The engines of a log, or of a file that is a listing. Raises ReadError where it has none."""
    head = source.head()
    if detailed.is_inspector_json(head):
        return _of_inspector(source, facts)
    error = file_kinds.of_no_log(head, source.name) if head.startswith(_NO_LOGS) else None
    if error is not None:
        raise error
    return _of_log(source, facts)


def _of_inspector(source: Source, facts: bool) -> Found:
    """The engines of a file that holds an inspector's JSON. Raises ReadError (ELV402)."""
    files = detailed.read_json(source)
    readings = (partial(listings.of_file, file, source.name) for file in files)
    engines = [Wanted(read, BuildContext(), segment=_no_segment(facts)) for read in readings]
    problems = (problem for file in files for problem in file.problems)
    return Found(engines, (*source.problems, *problems))


def chosen_of(found: int, engines: int | Iterable[int] | None, file: str) -> Sequence[int]:
    """The numbers of the engines that are wanted, of those found; None: all.

    Raises ReadError (ELV406) for an unknown one.
    """
    if engines is None:
        return range(found)
    chosen = sorted({engines} if isinstance(engines, int) else set(engines))
    for number in chosen:
        if not 0 <= number < found:
            there = "engine 0 alone" if found == 1 else f"engines 0 to {found - 1}"
            message = f"there is no engine {number}; the log holds {there}"
            raise ReadError(Problem(Place(file), "ELV406", message))
    return chosen


def _no_segment(facts: bool) -> Segment | None:
    """Nothing that a log says beside the listing, where facts are asked for."""
    if not facts:
        return None
    from engine_layer_visualize.reading.segments import Segment

    return Segment()


def _of_log(source: Source, facts: bool) -> Found:
    """The engines of a log. Raises ReadError where it holds none."""
    scanned = scan(source, facts=facts)
    if not scanned.listings:
        if (found := _without_listing(source, scanned, facts)) is not None:
            return found
        again = source.again()
        raise file_kinds.nothing_to_draw(scanned, again.spans() if again else scanned.tail)
    groups = listings.groups(scanned, source.name)
    left: list[Segment] = []
    loaded: list[tuple[int, list[Segment]]] = []  # engines, and the runs that loaded them
    if facts:
        from engine_layer_visualize.assembly import attempts

        segments = [[b.segment for b in group.blocks if b.segment] for group in groups]
        left = attempts.assign_runs(scanned.segments, [one for one in segments if one])
        loaded = [(number, one[0].runs) for number, one in enumerate(segments) if one]
    first_line = attrgetter("first_line")
    unknown = sorted((run for run in left if run.loads), key=first_line)
    tables: dict[int, list[Table]] = defaultdict(list)
    for number, group in enumerate(groups):
        for table in chain.from_iterable(block.tables for block in group.blocks):
            nearest = unknown[bisect(unknown, table.line, key=first_line) - 1 :][:1]
            if nearest and nearest[0].holds(table.line):
                continue  # which engine that run loaded is not known
            of = (n for n, runs in loaded if any(run.holds(table.line) for run in runs))
            tables[next(of, number)].append(table)  # a run's is of the engine that it loaded
    engines = []
    for number, group in enumerate(groups):
        first = group.blocks[0]
        engines.append(Wanted(group.read, first.context, tuple(tables[number]), first.segment))
    message = "a listing's header without records: the log is cut there, or was filtered"
    problems = [Problem(place, "ELV105", message) for place in scanned.empty_headers]
    last = scanned.listings[-1]
    behind = tuple(markers.lines_after(scanned.tail, last.last_line))
    if not (last.last or problems) and markers.may_hold_a_build(behind):
        from engine_layer_visualize.reading.build_end import begun_in

        if (end := begun_in(behind)) is not None:
            message = f"the log ends at line {end.line}, {end.doing}: one more build has no listing"
            problems.append(Problem(Place(source.name, end.line), "ELV412", message))
            left = [one for one in left if one is not scanned.segments[-1]]  # else told twice
    if facts and not (problems or left):
        for line, code, words in file_kinds.behind_listing(behind):
            problems.append(Problem(Place(source.name, line), code, words))
    if left:
        problems += attempts.of_no_engine(left, source.name)
    return Found(engines, (*scanned.problems, *problems))


def _again(source: Source, scanned: Scan) -> Source | None:
    """The source from its start. Of a pipe its end must do, where that is all of it."""
    if (again := source.again()) is not None:
        return again
    tail = scanned.tail
    if not tail or tail[0].line > 1:
        return None
    return Source(None, chunks=[span.data for span in tail], name=source.name)


def _without_listing(source: Source, scanned: Scan, facts: bool) -> Found | None:
    """What a text holds in which no line is a listing's: an inspector's JSON, times; or nothing."""
    signs: set[bytes] = set()
    again = _again(source, scanned)
    for span in again.spans() if again else ():
        signs.update(mark for mark in _SIGNS if mark in span.data)
    if detailed.LAYERS in signs and (file := _again(source, scanned)):
        with suppress(ReadError):
            return _of_inspector(file, facts)
    if (signs or file_kinds.are_times(scanned.head)) and (file := _again(source, scanned)):
        return _of_times(file, scanned.head, scanned.segments, facts)
    return None


# ---- engines of times without a listing: a layer for each row, in the printed order, no edges ----

_OF_KERNELS: Final = (
    "a trace names no layers: each row is a kernel, a copy or a set, over all its launches"
)
# What Nsight Systems calls work on a GPU that is no kernel, and the type that it gets here.
_WORK: Final = {"[CUDA memcpy": "Copy", "[CUDA memset": "Memset"}


def _of_times(source: Source, head: bytes, told: Sequence[Segment], facts: bool) -> Found | None:
    """An engine of each profile in a file that has no listing; None where it has no times."""
    from engine_layer_visualize.reading import profiles

    try:
        read, problems = profiles.read(source)
    except ReadError:
        return None
    problems += [Problem(one.place, "ELV211", _OF_KERNELS) for one in read if one.of_kernels]
    timed = [one for one in read if any(r.time.average_ms or r.time.total_ms for r in one.rows)]
    if not timed:
        return None
    context = BuildContext(versions.last_named(head, 0, len(head)))
    engines = []
    for one in timed:
        # Of one profile what the log says may stand anywhere; of several, in the run around each.
        every, line = len(timed) == 1, one.place.line
        around = [part for part in told if every or part.holds(line)]
        segment = max(around, key=lambda part: part.last_line - part.first_line, default=None)
        segment = (segment if facts else None) or _no_segment(facts)
        reader = partial(_times, one, source.name)
        engines.append(Wanted(reader, context, segment=segment, times=one))
    return Found(engines, tuple(problems))


def _times(profile: Profile, file: str) -> Reading:
    """The layers of one profile."""
    layers: list[Layer] = []
    for index, row in enumerate(profile.rows):
        place = profile.place._replace(file=file, line=row.line or profile.place.line)
        type, kernel = "", None
        if profile.of_kernels:
            works = (work for start, work in _WORK.items() if row.name.startswith(start))
            type = next(works, "Kernel")
            kernel = row.name if type == "Kernel" else None
        layers.append(Layer(index, place, type, row.name, None, (), (), kernel))
    line = profile.place.line
    listing = Listing(file, line, line, "times", "times")
    return Reading(listing, (), tuple(listings.typed(layers)), (), (None, None))


# ---- whether a listing is whole, cut, a part of one, or names alone -----------------------------

_NAME_WIDTH: Final = 80  # characters of a name
_WITHOUT_TENSORS: Final = "TrainStation"


def state_of(reading: Reading, layers: Sequence[Layer]) -> tuple[ListingState, Problem | None]:
    """The state of a listing, and the problem to tell.

    `layers`: the engine's, with those that the listing leaves out.
    """
    listing = reading.source

    def cut(how: str) -> tuple[ListingState, Problem]:
        message = f"the listing ends at line {listing.last_line}, {how}"
        return "cut", Problem(Place(listing.file, listing.last_line), "ELV114", message)

    if not reading.blocks and listing.state == "cut":  # a file that is one
        return cut("cut, where the JSON breaks off")
    if not reading.blocks:
        return listing.state, None
    main = reading.blocks[0]
    if main.bare_names:
        return "names", None
    if _is_torn(main, layers):
        return cut("cut inside a record")
    if main.header is None:
        return "part", None  # that the log was cut before them is told
    if why := _shortened(reading.blocks, layers, reading.named[1] or ()):
        message = f"a part of a listing: {why}"
        return "part", Problem(Place(listing.file, listing.first_line), "ELV115", message)
    if main.last and (why := _cut(main, reading.named[1], layers)):
        return cut(f"probably cut: {why}")
    return listing.state, None


def _cut(main: ListingBlock, outputs: Sequence[str] | None, layers: Sequence[Layer]) -> str:
    """Why a listing at the log's end is cut; empty where it may be whole.

    Certain signs are asked first. No layer is missing where the log tells the memory of each: then
    an output that nothing writes is a view, which TensorRT 8.0 does not list.
    """
    if why := _half_named(main, layers) or _short(main) or _loose(layers):
        return why
    if main.fenced:
        return "the fence of Markdown around it is not closed"
    if main.dialect == "classic" and main.context.held_layers:
        return ""
    if missing := _unwritten(outputs or (), layers):
        return f"nothing in it writes the output {_shown(missing[0])}"
    if main.dialect == "detailed" and main.context.least_layers and not (main.bindings or main.io):
        return "the names of its inputs and outputs do not follow it"
    return ""


def _short(main: ListingBlock) -> str:
    """Whether it has fewer layers than the log counts before it."""
    least, listed = main.context.least_layers, len(main.records)
    if main.dialect != "classic" or main.header is None or listed >= least:
        return ""
    return f"it has {listed:,} of at least {least:,} layers"


def _is_torn(main: ListingBlock, layers: Sequence[Layer]) -> bool:
    """Whether the input ended inside a record."""
    if main.torn or not main.cut or main.bindings or main.io:
        return main.torn
    if main.dialect == "detailed" and main.header is not None:
        return True  # the names of inputs and outputs follow on the last record
    last = [layer for layer in layers if layer.listed][-1]
    ends = trimmed(main.records[-1].text).endswith(b"->")
    return last.raw is not None or (ends and last.type != _WITHOUT_TENSORS)


def _half_named(main: ListingBlock, layers: Sequence[Layer]) -> str:
    """Whether the log ends inside the names below a detailed listing."""
    if not main.bindings:
        return ""
    tensors = {tensor.name for layer in layers for tensor in (*layer.inputs, *layer.outputs)}
    known = {*tensors, *map(without_profile, tensors)}
    written = {tensor.name for layer in layers for tensor in layer.outputs}
    none = not any(without_profile(name) in main.bindings for name in written)
    last = main.bindings[-1]
    torn = main.cut and last not in known and any(name.startswith(last) for name in known)
    return "the log ends inside the names of its inputs and outputs" if none or torn else ""


def _unwritten(outputs: Iterable[str], layers: Sequence[Layer]) -> list[str]:
    """The outputs that no layer writes, of any optimisation profile that layers are of."""
    written = {tensor.name for layer in layers for tensor in layer.outputs}
    plain = set(map(without_profile, written))
    missing = [name for name in outputs if name not in written and name not in plain]
    copies = {profile_of(name) for name in written} & {profile_of(layer.name) for layer in layers}
    for suffix in filter(None, copies):  # the names of a copy's layers and tensors all end so
        others = [name for name in outputs if name not in missing]
        missing += [name + suffix for name in others if name + suffix not in written]
    return missing


def _loose(layers: Sequence[Layer]) -> str:
    """Whether a tensor was made for a layer that is not there."""
    read = {tensor.name for layer in layers for tensor in layer.inputs}
    for tensor in (tensor for layer in layers for tensor in layer.outputs):
        if tensor.name.startswith(REFORMATTED) and tensor.name not in read:
            return f"nothing in it reads {_shown(tensor.name)}"
    return ""


def _shortened(
    blocks: Sequence[ListingBlock], layers: Sequence[Layer], outputs: Sequence[str]
) -> str:
    """How it is told that a person left out records; empty where none is missing."""
    main = blocks[0]
    for number, record in enumerate(main.records, 1):
        lines = [line for line in _behind_name(record) if line.strip()]
        if number == len(main.records):
            lines = lines[:1]
        if any(map(LEFT_OUT.match, lines)):
            return "lines of it were left out"
    if main.last:
        return ""
    if short := _short(main):
        return short
    if main.quoted and main.dialect == "detailed" and not (main.bindings or main.io):
        return "the engine's inputs and outputs do not follow it"
    made = [name for block in blocks for name, mode in block.trtexec_bindings if mode == "Output"]
    views = main.dialect == "classic" and main.context.held_layers  # as in `_cut`
    for names in (made, () if views else outputs) if main.quoted else ():
        if names and len(_unwritten(names, layers)) == len(names):
            return f"nothing in it writes the output {_shown(names[0])}"
    return _loose(layers)


def _behind_name(record: Record) -> Sequence[bytes]:
    """The lines below a record that are no part of its name.

    The name of a `{ForeignNode[a...b]}` can hold newlines.
    """
    tail = record.tail
    if b"{ForeignNode[" not in record.text or b"]}" in record.text:
        return tail
    ends = next((number for number, line in enumerate(tail, 1) if b"]}" in line), 0)
    return tail[ends:]


def _shown(name: str) -> str:
    return f"`{shorten(name, _NAME_WIDTH)}`"
