"""Gives trtexec's runs to the engines that they loaded, and lists what belongs to no engine."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.outcome import UNLISTED, BuildState
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment

_FILE_NAME_WIDTH: Final = 80  # characters of a file's name
# e.g. (10) IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find any
# e.g. (8) 10: [optimizer.cpp::computeCosts::2011] Error Code 10: Internal Error (Could not find any
_FAILED: Final = lazy(r"IBuilder::build\w*: Error |Error \(Could not find any")


def assign(segments: Sequence[Segment], engines: Sequence[Sequence[Segment]]) -> list[Unassigned]:
    """Fills `Segment.runs` of each engine's first segment.

    `engines`: the segments of each engine's listings, the main one first. A run of
    `trtexec --loadEngine=FILE` belongs to the engine that its own dump shows; else to the last
    engine before it that was saved under that path, or whose path ends as this one does; else to
    the engine before it, if that was not saved; else to one that was loaded under that path. What
    is left is returned.
    """
    owners = {id(main): main for main, *_ in engines}
    dumped = {id(other): main for main, *others in engines for other in others}
    listed: list[_Named] = []  # engines so far
    rest: list[Unassigned] = []
    for place, segment in enumerate(segments):
        if id(segment) in owners:
            saved = _parts(segment.loads or _saved(segment))
            listed.append(_Named(segment, saved, known=bool(saved)))
        elif (owner := dumped.get(id(segment))) is not None:
            owner.runs.append(segment)
        elif segment.loads:
            engine = _owner(listed, _parts(segment.loads), segments[place:], owners)
            if engine is not None:
                engine.segment.runs.append(segment)
            else:
                rest.append(_unassigned(segment))
        elif _says_something(segment):
            rest.append(_unassigned(segment))
    return rest


@dataclass
class _Named:
    """An engine, and the path of its file in parts."""

    segment: Segment
    path: tuple[str, ...]
    known: bool  # that it was saved under this path, not only loaded
    unclear: bool = False  # one of several without a path, and so are the runs after it


def _owner(
    listed: Sequence[_Named],
    path: tuple[str, ...],
    following: Sequence[Segment],
    owners: Container[int],
) -> _Named | None:
    """The engine that was loaded from `path`. `following`: segments from this run on."""
    if not listed:
        return None
    last = listed[-1]
    if owner := _best([named for named in listed if named.known], path):
        return owner
    if not last.path:
        if not last.unclear and sum(not named.path for named in listed) > 1:
            last.unclear = len(_files(following, owners)) > 1
        if not last.unclear:
            last.path = path
            return last
        return None
    return _best(listed, path)


def _best(named: Sequence[_Named], path: tuple[str, ...]) -> _Named | None:
    """The last one of those whose path agrees most; a run may be in another folder."""
    agreeing = [engine for engine in named if engine.path and _agree(engine.path, path)]
    exact = [engine for engine in agreeing if engine.path == path]
    return next(reversed(exact or agreeing), None)


def _agree(path: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two paths may be of one file: `m` and `/data/m`, but not `a/m` and `b/m`."""
    length = min(len(path), len(other))
    return path[-length:] == other[-length:]


def _files(segments: Sequence[Segment], owners: Container[int]) -> set[tuple[str, ...]]:
    """The files that runs load, up to the next engine."""
    files = set()
    for segment in segments:
        if id(segment) in owners:
            break
        if segment.loads:
            files.add(_parts(segment.loads))
    return files


def _saved(segment: Segment) -> str:
    return segment.trtexec.option("Save engine", "Build") or ""


def _parts(path: str) -> tuple[str, ...]:
    """The parts of a path: `./a/m.plan` -> a, m.plan."""
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


def _says_something(segment: Segment) -> bool:
    return bool(
        segment.begun
        or segment.trtexec.performances
        or segment.trtexec.phases
        or segment.trtexec.options
        or segment.count("warning")
        or segment.count("error")
    )


def _end(segment: Segment) -> BuildState:
    """How a build without a listing ended."""
    attempts = (segment.common, *segment.attempts)
    built = any(phase.name == "Engine built" for phase in segment.trtexec.phases)
    if not built and all(attempt.seconds is None for attempt in attempts):
        return "failed" if segment.count("error") else "ended"
    return "unlisted" if any(attempt.passes or attempt.tuning for attempt in attempts) else "quiet"


def _unassigned(segment: Segment) -> Unassigned:
    """What the segment's lines are, and why they belong to no engine."""
    if segment.loads:
        what = f"run of {_parts(segment.loads)[-1]:.{_FILE_NAME_WIDTH}}"
        why = "the log does not show which engine that is"
    elif segment.begun or segment.trtexec.phases:
        what, why = "build", UNLISTED[_end(segment)]
    elif segment.trtexec.options:
        what, why = "run of trtexec", "it lists no layers and loads no engine"
    else:
        failed = any(map(_FAILED.search, (message.text for message in segment.common.severe.kept)))
        what, why = "messages", f"{'a build failed, and ' * failed}no layers are listed in them"
    summaries = segment.trtexec.performances
    compute = summaries[-1].gpu_compute if summaries else None
    return Unassigned(
        what,
        why,
        segment.first_line,
        max(segment.last_line, segment.first_line),
        compute.mean if compute is not None else None,
        segment.count("warning"),
        segment.count("error"),
    )
