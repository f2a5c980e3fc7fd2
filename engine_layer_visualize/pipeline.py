"""Paths in, engines out: the one function that ties the rooms.

takes: the path of a log (or `-`), and of profiles
gives: `Build`, or its engines one by one
never: prints, exits, or draws
"""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.assembly import (
    graph,
    hidden_reformats,
    merge_listings,
    profile_matching,
)
from engine_layer_visualize.assembly.merge_listings import Reading
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Layer, Listing, Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.display import Build, Engine
from engine_layer_visualize.inputs import profiles
from engine_layer_visualize.inputs.buildlog.blocks import Table
from engine_layer_visualize.inputs.buildlog.build_context import Facts, Stretch
from engine_layer_visualize.inputs.buildlog.kernel_names import Kernels
from engine_layer_visualize.inputs.buildlog.scanner import MAX_LAYERS, scan
from engine_layer_visualize.inputs.buildlog.wrapping import unwrapped
from engine_layer_visualize.io.source import Source, Span

if TYPE_CHECKING:
    from engine_layer_visualize.inputs.buildlog.messages.build_segments import Account

_HEAD: Final = 1 << 12  # bytes that tell JSON from a log
_LONGEST_PATH: Final = 1 << 12  # of Linux; others end before
_SHOWN: Final = 40  # characters of a text that is no path


def read(
    log: str | Path,
    profiles: str | Path | Iterable[str | Path] = (),
    *,
    engines: Iterable[int] | None = None,
    strict: bool = False,
    facts: bool = False,
    max_layers: int = MAX_LAYERS,
    max_line: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Build:
    """Reads a VERBOSE build log and its profiles.

    `log`: path, or `-` for stdin; gzip, xz and zstd are opened as such. `profiles`: a path, or
    several, of trtexec's `--exportProfile` JSON, of a printed table or of `name: 0.1ms` lines.
    `engines`: only these, counted from 0. `strict`: stop at the first error. `facts`: also all else
    that the log says of layers and engines (`Layer.facts`, `Engine.facts`), at the cost of a look
    at every line.
    `max_layers`, `max_line` (bytes): past these nothing more is taken, with a problem that says so.
    `progress`: called with the bytes read and the file's size (None: unknown).

    Raises ReadError where there is nothing to draw, and, if strict, at the first error.
    """
    opened = Log(
        log,
        profiles,
        engines=engines,
        strict=strict,
        facts=facts,
        max_layers=max_layers,
        max_line=max_line,
        progress=progress,
    )
    found = tuple(opened.engines())
    return Build(found, tuple(opened.problems), tuple(opened.unassigned))


def iter_engines(
    log: str | Path,
    profiles: str | Path | Iterable[str | Path] = (),
    *,
    engines: Iterable[int] | None = None,
    strict: bool = False,
    facts: bool = False,
) -> Iterator[Engine]:
    """As `read`, one engine in memory at a time. Raises ReadError."""
    return Log(log, profiles, engines=engines, strict=strict, facts=facts).engines()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One engine that is to come. `read` gives its layers; what stands beside them is here."""

    number: int
    read: Callable[[], Reading]
    facts: Facts
    tables: tuple[Table, ...] = ()
    account: Account | None = None  # where more facts are asked for


class Log:
    """A log that was scanned: its engines come one by one, `problems` grow as they come."""

    def __init__(
        self,
        log: str | Path,
        profiles: str | Path | Iterable[str | Path] = (),
        *,
        engines: Iterable[int] | None = None,
        strict: bool = False,
        facts: bool = False,
        max_layers: int = MAX_LAYERS,
        max_line: int | None = None,
        progress: Callable[[int, int | None], None] | None = None,
        chunks: Iterable[bytes] | None = None,
    ) -> None:
        self.problems: list[Problem] = []
        self.unassigned: list[Unassigned] = []  # where facts are asked for
        self._strict = strict
        self._facts = facts
        _check(log)
        self._max_layers = max_layers
        source = Source(
            log,
            chunks=chunks,
            progress=None if progress is None else lambda count: progress(count, source.size),
            max_line=max_line,
        )
        self._source = source
        self._file = source.name
        spans = unwrapped(source.spans())
        head = _head(spans)
        spans = itertools.chain(head, spans)
        if _is_json(head):
            found = [self._inspected(source, spans)]
        else:
            found = self._scanned(source, spans, chunks)
        self._wanted = self._choose(found, engines)
        self._files = self._profiles(profiles)
        self._common = tuple(self.problems)

    def _scanned(
        self, source: Source, spans: Iterable[Span], chunks: Iterable[bytes] | None
    ) -> list[_Wanted]:
        """The engines of a log."""
        found = scan(source, spans, facts=self._facts, max_layers=self._max_layers)
        if not found.listings:
            # A pipe cannot be read twice: then its end must do.
            twice = chunks is None and Path(source.name).is_file()
            again = unwrapped(Source(source.name).spans()) if twice else found.tail
            from engine_layer_visualize.inputs.buildlog import diagnosis

            raise diagnosis.nothing_to_draw(found, again)
        self._note(found.problems)
        self._note(_empty(place) for place in found.empty_headers)
        groups = merge_listings.groups(found)
        if self._facts:
            from engine_layer_visualize.assembly import run_matching

            engines = [[b.account for b in blocks if b.account] for blocks in groups]
            self.unassigned = run_matching.assign(found.accounts, [e for e in engines if e])
        return [
            _Wanted(
                number,
                partial(merge_listings.read, blocks, source.name),
                blocks[0].facts,
                tuple(table for block in blocks for table in block.tables),
                blocks[0].account,
            )
            for number, blocks in enumerate(groups)
        ]

    def _inspected(self, source: Source, spans: Iterable[Span]) -> _Wanted:
        """The one engine of an inspector's JSON."""
        from engine_layer_visualize.inputs.listings import inspector_json

        found = inspector_json.read(source.text(spans), source.name, self._max_layers)
        self._note((*source.problems, *found.problems))
        if found.bare:
            place = Place(source.name, found.line)
            self._note([merge_listings.names_only(place, found.bare, len(found.layers))])
        if found.beyond is not None:
            message = "more layers than the limit (--max_layers): the rest is left out"
            self._note([Problem(found.beyond, "ELV112", message)])
        named: tuple[list[str] | None, list[str] | None]
        if found.io:
            named = tuple([n for n, mode in found.io if mode == m] for m in ("Input", "Output"))  # type: ignore[assignment]
        else:
            named = merge_listings.directions(found.layers, found.bindings)
        listing = Listing(source.name, found.line, found.layers[-1].place.line, "inspector-json")
        reading = Reading(listing, (), tuple(found.layers), (), named)
        account = None
        if self._facts:
            from engine_layer_visualize.inputs.buildlog.messages.build_segments import Account

            account = Account()
        return _Wanted(0, lambda: reading, Facts(), account=account)

    def engines(self) -> Iterator[Engine]:
        """The wanted engines, in the order they were built."""
        paired, problems = self._paired()
        self._note(problems)
        common = (*self._common, *problems)
        while self._wanted:
            wanted = self._wanted.pop(0)
            with _no_collections():
                engine = self._engine(wanted, paired.get(wanted.number))
            del wanted  # its text, while the engine is drawn
            self._note(engine.problems)
            yield replace(engine, problems=(*common, *engine.problems))

    def _note(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.problems.append(problem)
            if self._strict and problem.severity == "error":
                raise Stopped(problem)

    def _choose(self, found: list[_Wanted], engines: Iterable[int] | None) -> list[_Wanted]:
        if engines is None:
            return found
        chosen = sorted(set(engines))
        for number in chosen:
            if not 0 <= number < len(found):
                there = "engine 0 alone" if len(found) == 1 else f"engines 0 to {len(found) - 1}"
                message = f"there is no engine {number}; the log holds {there}"
                raise ReadError(Problem(Place(self._file, 1), "ELV406", message))
        return [found[number] for number in chosen]

    # ---- profiles ----------------------------------------------------------------------------

    def _profiles(self, paths: str | Path | Iterable[str | Path]) -> list[Profile]:
        found: list[Profile] = []
        for path in [paths] if isinstance(paths, (str, Path)) else paths:
            try:
                _check(path)
                found_here, problems = profiles.read(path)
            except ReadError as error:
                self._note([error.problem])
            else:
                found += found_here
                self._note(problems)
        return found

    def _paired(self) -> tuple[dict[int, Profile], list[Problem]]:
        """Which engine gets which profile of the files, by the engine's number."""
        if not self._files:
            return {}, []
        scores: list[list[profile_matching.Score]] = [[] for _ in self._files]
        for wanted in self._wanted:  # read, scored and let go
            layers = self._layers(wanted, wanted.read())
            for row, profile in zip(scores, self._files):
                row.append(profile_matching.score(layers, profile))
        numbers = [wanted.number for wanted in self._wanted]
        paired, problems = profile_matching.pair(scores, self._files, numbers)
        return {engine: self._files[number] for engine, number in paired.items()}, problems

    # ---- engines -----------------------------------------------------------------------------

    def _layers(self, wanted: _Wanted, reading: Reading) -> list[Layer]:
        layers = hidden_reformats.complete(reading.layers, wanted.facts.reformats, self._file)
        self._look_again(wanted.facts, layers)
        return [_with_kernel(layer, wanted.facts.kernels) for layer in layers]

    def _look_again(self, facts: Facts, layers: Sequence[Layer]) -> None:
        """For kernels, where a layer lacks its own and a part of a large log was passed over."""
        kernels = facts.kernels
        tactics = {layer.tactic for layer in layers if layer.tactic and layer.kernel is None}
        while facts.skipped and kernels.lacks(tactics):
            stretch = facts.skipped.pop(0)
            begin, line = stretch.begin, stretch.line
            for piece in self._source.stretch(begin, stretch.end):
                kernels.read(piece, 0, len(piece))
                begin += len(piece)
                line += piece.count(b"\n")
                if not kernels.lacks(tactics):
                    facts.skipped.insert(0, Stretch(begin, stretch.end, line))
                    break
            kernels.rest()

    def _engine(self, wanted: _Wanted, profile: Profile | None) -> Engine:
        engine = self._read(wanted, profile)
        if wanted.facts.skipped and _is_doubtful(engine, wanted.facts):
            wanted.facts.look_again(self._source)
            engine = self._read(wanted, profile)
        return engine

    def _read(self, wanted: _Wanted, profile: Profile | None) -> Engine:
        reading = wanted.read()
        problems = list(reading.problems)
        layers = self._layers(wanted, reading)
        found = None
        if profile is None and wanted.tables:
            profile, wrong = _printed(wanted.tables, self._file)
            problems += wrong
        if profile is not None:
            layers, found = profile_matching.join(layers, profile)
            if found.matched:
                problems += profile_matching.leftover(found, profile.place)
            else:
                problems.append(profile_matching.matches_nothing(profile))
        known = None
        if wanted.account is not None:
            from engine_layer_visualize.assembly import attach_build_info

            kernels, version = wanted.facts.kernels, wanted.facts.version
            layers, known = attach_build_info.attribute(layers, wanted.account, kernels, version)
        edges = graph.build(layers, *reading.named)
        problems += graph.warnings(layers, edges)
        return Engine(
            wanted.number,
            reading.source,
            tuple(layers),
            edges,
            tensorrt=wanted.facts.version,
            also=reading.also,
            profile=found,
            problems=tuple(problems),
            facts=known,
        )


@contextmanager
def _no_collections() -> Iterator[None]:
    """Without Python's search for cycles: an engine has none, and each search goes through it all.

    A tenth of the time of reading a large engine; of others' objects it is a delay, no more.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _check(path: str | Path) -> None:
    """Raises ReadError (ELV401) for the text of a file in the place of its path."""
    text = str(path)
    if ("\n" in text or len(text) > _LONGEST_PATH) and not os.path.exists(text):
        name = text if len(text) <= _SHOWN else text[:_SHOWN].rstrip() + "…"
        message = "there is no such file; this looks like the text of one, and a path is wanted"
        raise ReadError(
            Problem(Place(name, 1), "ELV401", message),
            "put the text into a file, and give that file's path",
        )


def _head(spans: Iterator[Span]) -> list[Span]:
    """As many spans as tell whether this is JSON."""
    head: list[Span] = []
    start = b""
    for span in spans:
        head.append(span)
        start = (start + span.buffer[span.start : min(span.stop, span.start + _HEAD)]).lstrip()
        if len(start) >= _HEAD or not b"{".startswith(start[:1]):
            break
    return head


def _is_json(head: Sequence[Span]) -> bool:
    start = b"".join(span.data for span in head)
    if not start.lstrip().startswith(b"{"):
        return False
    from engine_layer_visualize.inputs.listings import inspector_json

    return inspector_json.sniff(start)


def _printed(tables: Sequence[Table], file: str) -> tuple[Profile | None, list[Problem]]:
    """The last table that was printed after the engine and has rows."""
    from engine_layer_visualize.inputs.profiles import trtexec_table

    for table in reversed(tables):
        profile, problems = trtexec_table.read_table(table, file)
        if profile.rows:
            return profile, problems
    place = Place(file, tables[-1].line)
    return None, [Problem(place, "ELV201", "a profile table without rows")]


def _with_kernel(layer: Layer, kernels: Kernels) -> Layer:
    if layer.tactic is None or layer.kernel is not None:
        return layer
    kernel = kernels.of(layer.name, layer.tactic)
    return layer if kernel is None else replace(layer, kernel=kernel)


def _is_doubtful(engine: Engine, facts: Facts) -> bool:
    """Whether the log may say more of its ends than was read."""
    graph = engine.graph
    return not facts.names or bool(graph.unresolved or graph.unused)


def _empty(place: Place) -> Problem:
    return Problem(place, "ELV105", "a listing's header without records")
