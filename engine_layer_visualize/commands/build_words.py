"""Says in one line where a build is, for people who wait for it."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.text import count, shorten, visible
from engine_layer_visualize.inputs.buildlog.build_steps import LONGEST_NAME_SHOWN
from engine_layer_visualize.inputs.buildlog.progress import Progress

_LONGEST_NAME: Final = 40  # characters


def of(progress: Progress) -> str:
    """What people read of a build that runs."""
    parts = [_clock(progress.elapsed_s), _doing(progress) or "no build yet"]
    if progress.attempt > 1:
        parts.append(f"attempt {progress.attempt}")
    if progress.tactics:
        parts.append(count(progress.tactics, "tactic"))
    longest = progress.longest
    if longest is not None and longest.seconds >= 1:
        name = shorten(visible(longest.layer), _LONGEST_NAME)
        parts.append(f"longest: {name}, {_clock(longest.seconds)}")
    if progress.errors:
        parts.append(count(progress.errors, "error"))
    if progress.event == "stall":
        parts.append(f"no line for {_clock(progress.quiet_s)}")
    return " · ".join(parts)


def _doing(progress: Progress) -> str:
    """What it does, with a name that leaves room on a line of a terminal."""
    if progress.layer is None:
        return progress.doing
    name = visible(progress.layer)
    return progress.doing.replace(shorten(name, LONGEST_NAME_SHOWN), shorten(name, _LONGEST_NAME))


def _clock(seconds: float) -> str:
    """`75.2` -> `1 min 15 s`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
