"""Finds the attempt, the steps of the optimiser and the runs that belong to an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.assembly.onnx_layers import Found
from engine_layer_visualize.core import build_info
from engine_layer_visualize.core.build_info import (
    UNLISTED,
    BuildState,
    MessageKind,
    Unassigned,
    Unjoined,
)
from engine_layer_visualize.core.layer_facts import Step
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.builder import Attempt
from engine_layer_visualize.reading.segments import Segment
from engine_layer_visualize.trt.names import is_foreign, parts

# ---- says which attempt of a build an engine came from ------------------------------------------


def of_engine(segment: Segment, names: Container[str]) -> tuple[Attempt, list[Attempt]]:
    """What counts for the engine, and the attempts whose engines were not kept."""
    if not segment.attempts:
        return segment.common, []
    kept = _kept(segment.attempts, names)
    return segment.common.joined(kept), [
        attempt for attempt in segment.attempts if attempt is not kept
    ]


def facts(segment: Segment, others: Sequence[Attempt]) -> tuple[build_info.BuildAttempt, ...]:
    """The attempts that the log tells of, in order. `others`: those that were not kept."""
    return tuple(
        build_info.BuildAttempt(
            attempt.strategy,
            attempt.seconds,
            attempt.inference_ms,
            all(attempt is not other for other in others),
        )
        for attempt in segment.attempts
    )


def _kept(attempts: Sequence[Attempt], names: Container[str]) -> Attempt:
    """The one of which the log says so; else the one that names most of the layers; or the last."""
    for attempt in attempts:
        if attempt.kept:
            return attempt

    def agreement(attempt: Attempt) -> tuple[int, int, int]:
        listed = sum(name in names for name in attempt.memory)
        timed = sum(decode(name) in names for name in attempt.tuning.trials)
        return listed - len(attempt.memory), listed, timed

    completed = [attempt for attempt in attempts if attempt.seconds is not None]
    return max(reversed(completed or attempts), key=agreement)


# ---- finds the steps of the optimiser that made each layer, and counts the lines without a ------


_SAMPLES: Final = 3

NOT_TAKEN: Final = "of a way to build the network that was not taken"
FUSED: Final = "a candidate that was fused into another layer, or taken apart"
NO_LAYER: Final = "no layer of that name is listed"
_REMOVED: Final = "the layer was removed"


class Rest:
    """Counts lines: `joined` those that name a listed layer, by kind; the others by reason, too."""

    def __init__(self) -> None:
        self.joined: dict[MessageKind, int] = {"timing": 0, "memory": 0, "fusion": 0}
        self._counts: Counter[tuple[MessageKind, str]] = Counter()
        self._samples: dict[tuple[MessageKind, str], list[tuple[int, str]]] = {}

    def add(self, kind: MessageKind, reason: str, line: int, text: str, count: int = 1) -> None:
        """Counts lines that name no listed layer; `line` and `text` are a sample of them."""
        key = kind, reason
        self._counts[key] += count
        samples = self._samples.setdefault(key, [])
        if len(samples) < _SAMPLES:
            samples.append((line, text[:200]))

    def all(self) -> tuple[Unjoined, ...]:
        """The lines that name no listed layer, with at most three samples for each reason."""
        return tuple(
            Unjoined(kind, reason, count, tuple(self._samples[kind, reason]))
            for (kind, reason), count in self._counts.items()
            if count
        )


# ---- fusions ---------------------------------------------------------------------------------


def layers_by_part(layers: Sequence[Layer], nodes: Sequence[Found]) -> dict[str, list[int]]:
    """The layers that each of the network's layers or ONNX nodes became, or is a part of."""
    by_part: dict[str, list[int]] = {}
    for layer, known in zip(layers, nodes):
        inside = known.names if is_foreign(layer.name) else ()
        for part in dict.fromkeys((*parts(layer.name), *inside)):
            by_part.setdefault(part, []).append(layer.index)
    return by_part


def provenance_fusions(
    within: Mapping[str, list[int]], taken: Attempt, others: Sequence[Attempt], rest: Rest
) -> Iterator[tuple[int, Step]]:
    """(index of a layer, step of the optimiser that made it), in the log's order.

    `within`: as `layers_by_part` gives it; `taken`: the attempt that the engine came from. Steps
    whose names are in no layer are counted in `rest`.
    """
    for step in taken.steps:
        places = [set(within.get(word, ())) for word in _parts_of(step)]
        indices = set.intersection(*places) if places else set()
        if indices:
            rest.joined["fusion"] += 1
            yield from ((index, step) for index in sorted(indices))
        elif step.rule == "Removing":
            rest.add("fusion", _REMOVED, step.line, step.text)
        else:
            rest.add("fusion", FUSED if any(places) else NO_LAYER, step.line, step.text)
    for step in (step for other in others for step in other.steps):
        rest.add("fusion", NOT_TAKEN, step.line, step.text)
    for attempt in (taken, *others):
        if attempt.lost_steps:
            rest.add("fusion", "beyond what is kept", 0, "", attempt.lost_steps)


def _parts_of(step: Step) -> tuple[str, ...]:
    """The names of the network in a step's words."""
    text = step.text
    if step.rule == "Removing":
        return parts(text.removeprefix("Removing "))
    if step.rule == "Merging":
        return parts(text.removeprefix("Merging layers: "))
    if step.rule == "Replacing":
        return parts(text.removeprefix("Replacing slice ").rpartition(" with copy")[0])
    if step.rule in ("Convert", "Swap"):
        return parts(text.partition(" layer type of ")[2].rpartition(" from ")[0])
    first, _, second = text.partition("Fusing ")[2].partition(" with ")
    return (*parts(first), *parts(second))


# ---- kernels ---------------------------------------------------------------------------------


def kernel_lines(names: Mapping[str, object], attempt: Attempt) -> dict[str, int]:
    """The line `NAME Set Tactic Name: …` of each layer; a host's words may stand before it."""
    lengths = {len(name) for name in names}
    longest = max(lengths, default=0)
    lines: dict[str, int] = {}
    for printed, line in attempt.kernels:
        text = decode(printed)
        start = max(0, len(text) - longest)
        while start >= 0:
            if len(text) - start in lengths and text[start:] in names:
                lines.setdefault(text[start:], line)
                break
            start = text.find(" ", start) + 1 or -1
    return lines


# ---- gives trtexec's runs to the engines that they loaded, and lists what belongs to no en ------


_FILE_NAME_WIDTH: Final = 80  # characters of a file's name
# e.g. (10) IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find any
# e.g. (8) 10: [optimizer.cpp::computeCosts::2011] Error Code 10: Internal Error (Could not find any
_FAILED: Final = lazy(r"IBuilder::build\w*: Error |Error \(Could not find any")


def assign_runs(
    segments: Sequence[Segment], engines: Sequence[Sequence[Segment]]
) -> list[Unassigned]:
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
