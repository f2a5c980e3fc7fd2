"""Reads a log and its profiles, as a whole build or one engine after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.assembly import formats, graph
from engine_layer_visualize.assembly import profiles as profile_matching
from engine_layer_visualize.assembly.engines import Wanted, chosen_of, found_in, state_of
from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.build_info import INCOMPLETE, Device, ListingState, OutputsOrder
from engine_layer_visualize.core.limits import no_collections
from engine_layer_visualize.core.model import Graph, Layer, Profile
from engine_layer_visualize.core.problems import MissingFileError, Problem, ReadError, Stopped
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.wrapping import unwrapped
from engine_layer_visualize.trt.names import without_profile

if TYPE_CHECKING:
    from pathlib import Path

    from engine_layer_visualize.core.onnx_model import OnnxModel
    from engine_layer_visualize.reading.onnx_parser import Definition


def read(
    log: str | Path,
    profiles: str | Path | Iterable[str | Path] = (),
    *,
    engines: int | Iterable[int] | None = None,
    strict: bool = False,
    facts: bool = True,
    force: bool = False,
    onnx: str | Path | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Build:
    """Reads a VERBOSE build log and its profiles.

    Args:
        log: A path, or `-` for stdin; gzip, xz and zstd are opened as such.
        profiles: A path, or several, of trtexec's `--exportProfile` JSON, of a printed table or of
            `name: 0.1ms` lines.
        engines: Only this engine, or these, counted from 0.
        strict: Whether to stop at the first error.
        facts: Whether to read all else that the log says of layers and engines (`Layer.facts`,
            `Engine.facts`), which findings and summaries need; False is faster, for those who want
            the layers alone.
        force: Whether to use a profile also where it has times for fewer than half of the layers,
            or for fewer than the log's own table.
        onnx: The model that the engines were built from, for `Engine.onnx` and what facts tell of
            ONNX nodes; it needs the package onnx, and implies `facts`.
        progress: Is called with the bytes read and the file's size (None: unknown).

    Raises:
        ReadError: Where there is nothing to draw, and, if strict, at the first error.
    """
    opened = Log(**locals())
    read = tuple(opened.engines())
    return Build(read, tuple(opened.problems))


def iter_engines(
    log: str | Path,
    profiles: str | Path | Iterable[str | Path] = (),
    *,
    engines: int | Iterable[int] | None = None,
    strict: bool = False,
    facts: bool = True,
    force: bool = False,
    onnx: str | Path | None = None,
) -> Iterator[Engine]:
    """Reads as `read`, one engine in memory at a time: its problems are in `Engine.problems`.

    Raises:
        ReadError: As `read`, at the call and between the engines.
    """
    return Log(**locals()).engines()


class Log:
    """A log that was scanned: its engines come one by one, and its problems with them.

    Its arguments are those of `read`, and `chunks`: the log's bytes, where it is no file.
    `device`: of the engines whose log names none.
    """

    def __init__(
        self,
        log: str | Path,
        profiles: str | Path | Iterable[str | Path] = (),
        *,
        engines: int | Iterable[int] | None = None,
        strict: bool = False,
        facts: bool = True,
        force: bool = False,
        onnx: str | Path | OnnxModel | None = None,
        progress: Callable[[int, int | None], None] | None = None,
        chunks: Iterable[bytes] | None = None,
        device: Device | None = None,
    ) -> None:
        self.problems: list[Problem] = []
        self._strict, self._force = strict, force
        source = Source(log, chunks=chunks, progress=progress, unwrap=unwrapped)
        self._source, self.name = source, source.name  # as it stands in places
        facts = facts or onnx is not None
        scanned = found_in(source, facts)
        self._note(scanned.problems)
        self.number = len(scanned.engines)  # wanted or not
        chosen = chosen_of(self.number, engines, source.name)
        self._wanted = [(number, scanned.engines[number]) for number in chosen]
        self._paired: dict[int, Profile] = {}
        self._reading: Reading | None = None  # of a single engine, read to find its profile
        self._device = device  # where the log names none
        self._profiles: list[Profile] = []
        for path in [profiles] if isinstance(profiles, (str, bytes, os.PathLike)) else profiles:
            read, wrong = profiles_of(path)
            self._note(wrong)
            self._profiles += read
        self.told(self._profiles)
        self._model: OnnxModel | None = None
        if onnx is not None:
            from engine_layer_visualize.io import onnx_file

            self._model, wrong = onnx_file.usable(onnx)
            self._note(wrong)
        self._common = tuple(self.problems)

    def engines(self) -> Iterator[Engine]:
        """Reads the wanted engines, in the order they were built."""
        if self._profiles and not self._paired:
            self._note(share([self], self._profiles))
        while self._wanted:
            number, wanted = self._wanted.pop(0)
            with no_collections():
                engine = self._assembled(number, wanted, self._reading or wanted.read())
                if wanted.context.skipped and _is_doubtful(engine, wanted.context):
                    wanted.context.look_again(self._source)
                    engine = self._assembled(number, wanted, wanted.read())
            device = (wanted.times.device if wanted.times else None) or self._device
            del wanted  # frees its text while the engine is drawn
            self._reading = None
            self._note(engine.problems)
            problems = (*self._common, *engine.problems)
            facts = engine.facts and engine.facts.on(device)
            yield engine._replace(problems=problems, facts=facts)

    def told(self, files: Sequence[Profile]) -> None:
        """Takes the device from files that name one, for engines whose log does not."""
        self._device = next((file.device for file in files if file.device), self._device)

    def scores(
        self, files: Sequence[Profile], keep: bool
    ) -> dict[int, list[profile_matching.Score]]:
        """Rates how files fit the wanted engines, by number; `keep`: reads a single one once."""
        scores = {}
        for number, wanted in self._wanted:  # only one engine is in memory at a time
            reading = wanted.read()
            self._reading = reading if keep and len(self._wanted) == 1 else None
            layers = formats.completed(wanted.context, reading, self._source)
            scores[number] = [profile_matching.score(layers, profile) for profile in files]
        return scores

    def take(self, paired: dict[int, Profile], problems: Iterable[Problem]) -> None:
        """Takes times for its engines, by their numbers, and problems that they all have."""
        self._paired = paired
        self._common += tuple(problems)

    def _assembled(self, number: int, wanted: Wanted, reading: Reading) -> Engine:
        """Makes the engine of that number with its times, build info and edges."""
        source, segment, context = self._source, wanted.segment, wanted.context
        network = None if segment is None else segment.definition
        problems = list(reading.problems)
        layers = formats.completed(context, reading, source)
        table: Profile | None = None
        unread: list[Problem] = []
        if wanted.tables:
            from engine_layer_visualize.reading import profiles

            table, unread = profiles.last_of(wanted.tables, source.name)
        file = self._paired.get(number) or wanted.times
        layers, profile, wrong = profile_matching.timed(layers, file, table, self._force)
        is_of_log = profile is None or profile.file == source.name
        problems += unread if is_of_log else []
        problems += wrong
        known = joined = None
        if segment is not None:
            from engine_layer_visualize.assembly import build_info

            definition = segment.definition
            line = table.place.line if table is not None and profile and is_of_log else 0
            if self._model is not None:
                from engine_layer_visualize.assembly import model_graph

                definition, joined, wrong = model_graph.joined(self._model, layers, segment, number)
                problems += wrong
            layers, known = build_info.attribute(layers, segment, definition, context, line)
            # No log: there may be warnings elsewhere.
            if reading.source.dialect == "inspector-json":
                known = known._replace(warnings=None, errors=None)
        state, told = state_of(reading, layers)
        edges, order = _edges(layers, reading, state, network)
        if known is not None and edges.outputs:
            counted = _counted(network, edges, order)
            known = known._replace(outputs_order=order, outputs_counted=counted)
        problems += graph.warnings(layers, edges) if state != "part" else ()
        problems += () if told is None else (told,)
        ends = {*edges.inputs, *edges.outputs}
        # Where both ends are known, another program's line may stand among the bindings.
        loose = () if edges.inputs and edges.outputs else reading.bindings
        return Engine(
            number,
            reading.source._replace(state=state),
            tuple(layers),
            edges,
            tensorrt=context.version,
            also=reading.also,
            profile=profile,
            problems=tuple(problems),
            facts=known,
            digest=source.digest,
            onnx=joined,
            ranges=reading.ranges,
            bindings=tuple(name for name in dict.fromkeys(loose) if name not in ends),
        )

    def _note(self, problems: Iterable[Problem]) -> None:
        """Keeps problems. Raises Stopped at the first error, if strict."""
        for problem in problems:
            self.problems.append(problem)
            if self._strict and problem.severity == "error":
                raise Stopped(problem)


def profiles_of(path: str | Path) -> tuple[list[Profile], list[Problem]]:
    """Reads the profiles of a file, none where it has none that can be used, and problems.

    Raises:
        MissingFileError: it is not there.
    """
    from engine_layer_visualize.reading import profiles

    try:
        return profiles.read(path)
    except MissingFileError:
        raise
    except ReadError as error:
        return [], [error.problem]


def share(
    logs: Sequence[Log],
    files: Sequence[Profile],
    homes: Sequence[int] = (),
    before: Iterable[Problem] = (),
) -> list[Problem]:
    """Gives each profile to the engine that it fits best, of all engines of the logs.

    `homes`: of each profile the place of the log that it was given beside. Returns the problems,
    after those `before`, which every engine of the logs has among its own.
    """
    scores = {
        _Key(index, number, f" of {log.name}" if len(logs) > 1 else ""): of_engine
        for index, log in enumerate(logs)
        for number, of_engine in log.scores(files, len(logs) == 1 or bool(homes)).items()
    }
    rows = [[of_engine[number] for of_engine in scores.values()] for number in range(len(files))]
    near = [frozenset(key for key in scores if key.log == home) for home in homes]
    paired, problems = profile_matching.pair(rows, files, [*scores], near)
    problems = [*before, *problems]
    for index, log in enumerate(logs):
        of_log = {key.number: profile for key, profile in paired.items() if key.log == index}
        log.take(of_log, problems)
    return problems


def share_files(
    logs: Sequence[Log], paths: Sequence[str], homes: Sequence[int] = ()
) -> list[Problem]:
    """Shares the profiles of these files; the problems are also those of reading them."""
    read = [profiles_of(path) for path in paths]
    problems = [problem for _, wrong in read for problem in wrong]
    found = [(file, at) for (files, _), at in zip(read, homes or repeat(-1)) for file in files]
    for number, log in enumerate(logs):
        log.told([file for file, at in found if at in (-1, number)])
    files = [file for file, _ in found]
    return share(logs, files, [at for _, at in found] if homes else (), problems)


class _Key(NamedTuple):
    """An engine among those of several logs."""

    log: int
    number: int
    whose: str  # words on its log

    def __str__(self) -> str:
        return f"{self.number}{self.whose}"


def _edges(
    layers: Sequence[Layer], reading: Reading, state: ListingState, network: Definition | None
) -> tuple[Graph, OutputsOrder]:
    """Returns the edges of an engine, and whose order its outputs have.

    `network`: what the log says of it, where that was asked for.
    """
    inputs, outputs = reading.named
    order: OutputsOrder = "listing" if outputs is None else "log"
    if state == "part":  # what nothing writes may be written in the rest
        inputs = inputs or reading.trtexec_bindings[0] or []
    if state in INCOMPLETE:
        outputs = outputs or reading.trtexec_bindings[1] or []
    if state == "times" and network is not None:
        inputs, outputs, order = [*network.bound_inputs], [*network.bound_outputs], "log"
    edges = graph.build(layers, inputs, outputs)
    if None in (inputs, outputs) and any(reading.trtexec_bindings):
        walked = (edges.inputs, edges.outputs)
        inputs, outputs = (
            bound if ends is None and bound and _agree(bound, those) else ends
            for ends, bound, those in zip((inputs, outputs), reading.trtexec_bindings, walked)
        )
        edges, order = graph.build(layers, inputs, outputs), "listing" if outputs is None else "log"
    if order == "listing" and network is not None:
        bound = [*network.bound_outputs]
        # Of tensors that nothing reads, a layer may write some that are no outputs.
        if sorted(bound) == sorted(edges.outputs) or (
            len(bound) == _counted(network, edges, order) and {*bound} <= {*edges.outputs}
        ):
            edges, order = graph.build(layers, inputs, bound), "log"
    return edges, order


def _agree(bound: Collection[str], walked: Iterable[str]) -> bool:
    """Returns whether what trtexec bound may be the ends of this engine: a run may be another's."""
    names = {*map(without_profile, walked)}
    return names.issuperset(bound) or names.issubset(bound)


def _counted(network: Definition | None, edges: Graph, order: OutputsOrder) -> int | None:
    """Returns how many outputs the builder counted, where the listing seems to have more."""
    told = network.counted if network is not None else set[int]()
    number = next(iter(told)) if len(told) == 1 else None  # a name can hold the message
    return number if order == "listing" and number and number < len(edges.outputs) else None


def _is_doubtful(engine: Engine, context: BuildContext) -> bool:
    """Returns whether the log may say more of its ends, or of its reformats, than was read."""
    loose = engine.graph.unresolved or engine.graph.unused
    return not context.definitions() or context.lacks_attempt or bool(loose)
