"""Says which attempt of a build an engine came from."""

from __future__ import annotations

from collections.abc import Container, Sequence

from engine_layer_visualize.core import build_info
from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment
from engine_layer_visualize.inputs.buildlog.messages.builder_messages import Attempt
from engine_layer_visualize.io.source import decode


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
