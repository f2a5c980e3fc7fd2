"""Paths in, engines out: the one function that ties the rooms.

takes: the path of a log (or `-`), and of profiles
gives: `Build`, or its engines one by one
never: prints, exits, or draws
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Protocol

from engine_layer_visualize import diagnosis, graph, join, reformats
from engine_layer_visualize.blocks import ListingBlock, Scan, scan
from engine_layer_visualize.dialects import PROFILES
from engine_layer_visualize.errors import Place, Problem, ReadError, Stopped
from engine_layer_visualize.model import Build, Engine, Layer, Listing, Profile
from engine_layer_visualize.source import Source


class _ProfileFormat(Protocol):
    def sniff(self, text: str) -> bool: ...

    def read(self, text: str, file: str) -> tuple[list[Profile], list[Problem]]: ...


def read(
    log: str | Path,
    profiles: Iterable[str | Path] = (),
    *,
    engines: Iterable[int] | None = None,
    strict: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Build:
    """Reads a VERBOSE build log and its profiles.

    `log`: path, or `-` for stdin; gzip, xz and zstd are opened as such. `profiles`: paths of
    trtexec's `--exportProfile` JSON, of a printed table or of `name: 0.1ms` lines. `engines`:
    only these, counted from 0. `strict`: stop at the first error. `progress`: called with the
    bytes read and the file's size (None: unknown).

    Raises ReadError where there is nothing to draw, and, if strict, at the first error.
    """
    opened = Log(log, profiles, engines=engines, strict=strict, progress=progress)
    found = tuple(opened.engines())
    return Build(found, tuple(opened.problems))


def iter_engines(
    log: str | Path,
    profiles: Iterable[str | Path] = (),
    *,
    engines: Iterable[int] | None = None,
    strict: bool = False,
) -> Iterator[Engine]:
    """As `read`, one engine in memory at a time. Raises ReadError."""
    return Log(log, profiles, engines=engines, strict=strict).engines()


@dataclass(slots=True)
class _Wanted:
    number: int
    block: ListingBlock


class Log:
    """A log that was scanned: its engines come one by one, `problems` grow as they come."""

    def __init__(
        self,
        log: str | Path,
        profiles: Iterable[str | Path] = (),
        *,
        engines: Iterable[int] | None = None,
        strict: bool = False,
        progress: Callable[[int, int | None], None] | None = None,
        chunks: Iterable[bytes] | None = None,
    ) -> None:
        self.problems: list[Problem] = []
        self._strict = strict
        source = Source(
            log,
            chunks=chunks,
            progress=None if progress is None else lambda count: progress(count, source.size),
        )
        self._scan = scan(source)
        self._file = source.name
        if not self._scan.listings:
            # A pipe cannot be read twice: then its end must do.
            twice = chunks is None and Path(log).is_file()
            again = Source(log).spans() if twice else self._scan.tail
            raise diagnosis.nothing_to_draw(self._scan, again)
        self._note(self._scan.problems)
        self._note(_empty(place) for place in self._scan.empty_headers)
        self._wanted = self._choose(engines)
        self._files = self._profiles(profiles)
        self._common = tuple(self.problems)

    @property
    def count(self) -> int:
        """How many engines the log holds."""
        return len(self._scan.listings)

    def engines(self) -> Iterator[Engine]:
        """The wanted engines, in the order they were built."""
        paired, problems = self._paired()
        self._note(problems)
        common = (*self._common, *problems)
        while self._wanted:
            wanted = self._wanted.pop(0)
            engine = self._engine(wanted, paired.get(wanted.number))
            self._note(engine.problems)
            yield replace(engine, problems=(*common, *engine.problems))

    def _note(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.problems.append(problem)
            if self._strict and problem.severity == "error":
                raise Stopped(problem)

    def _choose(self, engines: Iterable[int] | None) -> list[_Wanted]:
        blocks = self._scan.listings
        numbers = range(len(blocks)) if engines is None else sorted(set(engines))
        for number in numbers:
            if not 0 <= number < len(blocks):
                there = "engine 0 alone" if len(blocks) == 1 else f"engines 0 to {len(blocks) - 1}"
                message = f"there is no engine {number}; the log holds {there}"
                raise ReadError(Problem(Place(self._file, 1), "ELV406", message))
        return [_Wanted(number, blocks[number]) for number in numbers]

    # ---- profiles ----------------------------------------------------------------------------

    def _profiles(self, paths: Iterable[str | Path]) -> list[Profile]:
        found: list[Profile] = []
        for path in paths:
            try:
                profiles, problems = read_profile(path)
            except ReadError as error:
                self._note([error.problem])
            else:
                found += profiles
                self._note(problems)
        return found

    def _paired(self) -> tuple[dict[int, Profile], list[Problem]]:
        """Which engine gets which profile of the files, by the engine's number."""
        if not self._files:
            return {}, []
        scores: list[list[join.Score]] = [[] for _ in self._files]
        for wanted in self._wanted:  # read, scored and let go
            layers = self._engine(wanted, None, plain=True).layers
            for row, profile in zip(scores, self._files):
                row.append(join.score(layers, profile))
        paired, problems = join.pair(scores, self._files, [w.number for w in self._wanted])
        return {engine: self._files[number] for engine, number in paired.items()}, problems

    # ---- engines -----------------------------------------------------------------------------

    def _engine(self, wanted: _Wanted, profile: Profile | None, *, plain: bool = False) -> Engine:
        block = wanted.block
        problems: list[Problem] = []
        first = block.records[0].line if block.header is None else block.header
        source = Listing(self._file, first, block.records[-1].line)
        if block.header is None:
            message = "records without a header: the log was cut before them"
            problems.append(Problem(Place(self._file, first), "ELV106", message))
        from engine_layer_visualize.dialects import classic

        inputs, outputs = _network(block)
        layers, wrong = classic.read(block, self._file, (*(inputs or ()), *(outputs or ())))
        problems += wrong
        layers = reformats.complete(layers, block.facts.reformats, self._file)
        layers = [_with_kernel(layer, block) for layer in layers]
        if plain:
            return Engine(wanted.number, source, tuple(layers), graph.build(()))
        found = None
        if profile is None and block.tables:
            profile, wrong = _printed(block, self._file)
            problems += wrong
        if profile is not None:
            layers, found = join.join(layers, profile)
            if found.matched:
                problems += join.leftover(found, profile.place)
            else:
                problems.append(join.matches_nothing(profile))
        edges = graph.build(layers, inputs, outputs)
        problems += _unresolved(layers, edges.unresolved)
        return Engine(
            wanted.number,
            source,
            tuple(layers),
            edges,
            tensorrt=block.facts.version,
            profile=found,
            problems=tuple(problems),
        )


def read_profile(path: str | Path) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, told apart by content. Raises ReadError."""
    source = Source(path)
    text = source.text()
    for name in PROFILES:
        kind: _ProfileFormat = import_module(f"engine_layer_visualize.dialects.{name}")
        if kind.sniff(text):
            profiles, problems = kind.read(text, source.name)
            return profiles, [*source.problems, *problems]
    what = (
        "empty"
        if not text.strip()
        else "neither JSON, nor a printed table, nor `name: 0.1ms` lines"
    )
    raise ReadError(Problem(Place(source.name, 1), "ELV201", f"no profile: {what}"))


def _printed(block: ListingBlock, file: str) -> tuple[Profile | None, list[Problem]]:
    """The last table that was printed after the engine and has rows."""
    from engine_layer_visualize.dialects import profile_table

    for table in reversed(block.tables):
        profile, problems = profile_table.read_table(table, file)
        if profile.rows:
            return profile, problems
    return None, [
        Problem(Place(file, block.tables[-1].line), "ELV201", "a profile table without rows")
    ]


def _network(block: ListingBlock) -> tuple[list[str] | None, list[str] | None]:
    """Inputs and outputs that the log names for this engine; None: not named.

    A log may define several networks before it builds one; the definition that the listing
    mentions most is the engine's, the last of those that tie.
    """
    text = b"\n".join(record.text for record in block.records)
    best, most = None, 0
    for names in block.facts.names:
        mentioned = sum(name.encode() in text for name in (*names.inputs, *names.outputs))
        if mentioned >= max(most, 1):
            best, most = names, mentioned
    if best is None:
        return None, None
    return best.inputs or None, best.outputs or None


def _with_kernel(layer: Layer, block: ListingBlock) -> Layer:
    if layer.tactic is None:
        return layer
    kernel = block.facts.kernels.of(layer.name, layer.tactic)
    return layer if kernel is None else replace(layer, kernel=kernel)


def _unresolved(layers: Sequence[Layer], names: Sequence[str]) -> list[Problem]:
    wanted = set(names)
    problems = []
    for layer in layers:
        for tensor in layer.inputs:
            if tensor.name in wanted:
                wanted.discard(tensor.name)
                message = f"nothing writes `{tensor.name:.80}`, which `{layer.name:.80}` reads"
                problems.append(Problem(layer.place, "ELV301", message))
    return problems


def _empty(place: Place) -> Problem:
    return Problem(place, "ELV105", "a listing's header without records")
