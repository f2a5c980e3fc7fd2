"""Says in one line where a build is, for people who wait for it."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.text import count, shorten, visible
from engine_layer_visualize.inputs.buildlog.progress import Progress

_STALLED: Final = 60.0  # seconds without a line, which are told
_LONGEST_NAME: Final = 60  # characters


def of(progress: Progress, quiet: float = 0.0) -> str:
    """What people read of a build that runs. `quiet`: seconds without a line."""
    parts = [_clock(progress.seconds), progress.doing.words or "no build yet"]
    if progress.attempt > 1:
        parts.append(f"attempt {progress.attempt}")
    if progress.tactics:
        parts.append(count(progress.tactics, "tactic"))
    if progress.longest is not None and progress.longest[1] >= 1:
        name, seconds = progress.longest
        parts.append(f"longest: {shorten(visible(name), _LONGEST_NAME)}, {_clock(seconds)}")
    if progress.errors:
        parts.append(count(progress.errors, "error"))
    if quiet >= _STALLED:
        parts.append(f"no line for {_clock(quiet)}")
    return " · ".join(parts)


def _clock(seconds: float) -> str:
    """`75.2` -> `1 min 15 s`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
