"""Finds the attempt, the steps of the optimiser and the runs that belong to an engine."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from engine_layer_visualize.assembly.onnx_layers import Found
from engine_layer_visualize.core.layer_facts import Step
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.builder import Attempt
from engine_layer_visualize.reading.segments import Segment
from engine_layer_visualize.trt.names import is_foreign, parts


def of_engine(segment: Segment, names: Container[str]) -> tuple[Attempt, list[Attempt]]:
    """What counts for the engine, and the attempts whose engines were not kept.

    Kept was the attempt of which the log says so; else the one that names most of the layers; of
    equal ones the last.
    """

    def agreement(attempt: Attempt) -> tuple[int, int, int]:
        listed = sum(name in names for name in attempt.memory)
        timed = sum(decode(name) in names for name in attempt.tuning.trials)
        return listed - len(attempt.memory), listed, timed

    attempts = segment.attempts
    if not attempts:
        return segment.common, []
    told = [attempt for attempt in attempts if attempt.kept]  # one at most
    completed = [attempt for attempt in attempts if attempt.seconds is not None]
    kept = max(reversed(told or completed or attempts), key=agreement)
    return segment.common.joined(kept), [other for other in attempts if other is not kept]


# ---- which layers the log's lines are of -------------------------------------------------------


def layers_by_part(layers: Sequence[Layer], nodes: Sequence[Found]) -> dict[str, list[int]]:
    """The layers that each of the network's layers or ONNX nodes became, or is a part of."""
    by_part: dict[str, list[int]] = {}
    for layer, known in zip(layers, nodes):
        inside = known.names if is_foreign(layer.name) else ()
        for part in dict.fromkeys((*parts(layer.name), *inside)):
            by_part.setdefault(part, []).append(layer.index)
    return by_part


# Where the names of the network stand in a step's words.
_OF_TYPE: Final = lazy(r".*? layer type of (.*) from ", re.DOTALL)
_FUSING: Final = lazy(r".*?Fusing (.*?) with (.*)", re.DOTALL)
_NAMES: Final = {
    "Removing": lazy(r"Removing (.*)", re.DOTALL),
    "Merging": lazy(r"Merging layers: (.*)", re.DOTALL),
    "Replacing": lazy(r"Replacing slice (.*) with copy", re.DOTALL),
    "Convert": _OF_TYPE,
    "Swap": _OF_TYPE,
}


def fusions(within: Mapping[str, list[int]], steps: Iterable[Step]) -> Iterator[tuple[int, Step]]:
    """(index of a layer, step of the optimiser that made it), in the log's order.

    `within`: as `layers_by_part` gives it.
    """
    for step in steps:
        match = _NAMES.get(step.rule, _FUSING).match(step.text)
        words = [part for text in match.groups() for part in parts(text)] if match else []
        places = [set(within.get(word, ())) for word in words]
        indices = set.intersection(*places) if places else set()
        yield from ((index, step) for index in sorted(indices))


# ---- which engines trtexec's runs loaded -------------------------------------------------------


# e.g. (10) IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find any
# e.g. (8) 10: [optimizer.cpp::computeCosts::2011] Error Code 10: Internal Error (Could not find any
_FAILED: Final = lazy(r"IBuilder::build\w*: Error |Error \(Could not find any")
_Path: TypeAlias = tuple[str, ...]  # its parts


def assign_runs(segments: Sequence[Segment], engines: Sequence[Sequence[Segment]]) -> list[Segment]:
    """Fills `Segment.runs` of each engine's first segment.

    `engines`: the segments of each engine's listings, the main one first. A run of
    `trtexec --loadEngine=FILE` belongs to the engine that its own dump shows; else to the last
    engine before it that was saved under that path, or to the only one whose path may be the same;
    else to the engine before it, if that one alone was saved under no name. What is left is
    returned.
    """
    owners = {main for main, *_ in engines}
    dumped = {other: main for main, *others in engines for other in others}
    saved: dict[_Path, Segment] = {}
    nameless: list[Segment] = []  # engines that no file is known of
    last: Segment | None = None  # engine
    loaded: dict[_Path, Segment] = {}  # what was nameless, by the file that was loaded
    rest: list[Segment] = []
    for segment in segments:
        path = _split(segment.loads or "")
        if segment in owners:
            last = segment
            path = path or _split(segment.trtexec.option("Save engine", "Build") or "")
            if path:
                saved[path] = segment
            else:
                nameless.append(segment)
        elif (owner := dumped.get(segment)) is not None:
            owner.runs.append(segment)
        elif path:
            known = _of_file(path, saved)
            if not known:
                if nameless == [last]:
                    loaded[path] = nameless.pop()
                known = [] if nameless else _of_file(path, loaded)
            if len(known) == 1:
                known[0].runs.append(segment)
            else:
                rest.append(segment)
        else:
            said = segment.trtexec
            severe = segment.count("warning") or segment.count("error")
            if segment.begun or said.performances or said.phases or said.options or severe:
                rest.append(segment)
    return rest


def _split(path: str) -> _Path:
    """The parts of a path: `./a/m.plan` -> a, m.plan."""
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


def _of_file(path: _Path, engines: Mapping[_Path, Segment]) -> list[Segment]:
    """The engine of this file; else those of files that may be it, seen from another folder.

    Of one file may be `m` and `/data/m`, but not `a/m` and `b/m`.
    """
    if path in engines:
        return [engines[path]]

    def agrees(other: _Path) -> bool:
        length = min(len(path), len(other))
        return path[-length:] == other[-length:]

    return [engine for other, engine in engines.items() if agrees(other)]


def of_no_engine(segments: Iterable[Segment], file: str) -> Iterator[Problem]:
    """Warns of lines that belong to no engine, once for each kind of them, where the first are."""
    kinds: dict[str, list[Segment]] = {}
    for segment in segments:
        kinds.setdefault(_kind(segment), []).append(segment)
    for kind, (first, *others) in kinds.items():
        more = f"; {len(others)} more like it" if others else ""
        message = f"{kind}, up to line {first.last_line}, belongs to no engine{more}{_error(first)}"
        yield Problem(Place(file, first.first_line), "ELV415", message)


def _error(segment: Segment) -> str:
    """The first error of a build, but for tactics that are left out; of a run what goes."""
    if segment.loads:
        return "; its times are left out" if segment.trtexec.performances else ""
    kept = segment.current.severe.kept
    errors = (one.text for one in kept if one.severity == "error")
    error = next((text for text in errors if "skipping tactic" not in text.lower()), "")
    return f"; its first error: {error:.200}" if error else ""


def _kind(segment: Segment) -> str:
    """What lines without a listing are."""
    if segment.loads:
        return "a run, of which the log does not show the engine"
    if not (segment.begun or segment.trtexec.phases):
        ends = any(_FAILED.search(message.text) for message in segment.common.severe.kept)
        return "a build that failed" if ends else "a part of the log without a listing"
    built = any(phase.name == "Engine built" for phase in segment.trtexec.phases)
    attempts = (segment.common, *segment.attempts)
    if built or any(attempt.seconds is not None for attempt in attempts):
        return "a build without a listing of layers"
    failed = segment.count("error")
    return "a build that failed" if failed else "a build that does not go on to its listing"
