"""Chooses the colour of groups: by speed-up, or without times by what changed.

Functions return the index of a `Tone` in the list that `palette` makes for a theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.cause_words import CHANGES
from engine_layer_visualize.comparison.result import Change, Comparison, Confidence, Group
from engine_layer_visualize.drawings.coloring import tint
from engine_layer_visualize.drawings.theme import Dash, Theme, mix

SPEEDS: Final = (1.05, 1.2, 1.5, 2.0)  # where the steps of the scale begin
SAME: Final = len(SPEEDS)
SCALE: Final = range(2 * SAME + 1)  # the tones from the slowest to the fastest
_SHADES: Final = (0.3, 0.53, 0.76, 1.0)
# The change that matters most comes first; the number is an index into `Theme.kinds`.
_CHANGES: Final[dict[Change, int]] = {
    "fusion": 5, "precision": 1, "kernel": 4, "format": 2, "shape": 6, "reformats": 0
}  # fmt: skip
UNTIMED: Final = SCALE.stop
_CHANGED: Final = UNTIMED + 1
ALONE: Final = _CHANGED + len(_CHANGES)
OVERHEAD: Final = ALONE + 1
REFORMAT: Final = OVERHEAD + 1
DASHES: Final[dict[Confidence, Dash]] = {
    "names": "solid",
    "weights": "solid",
    "structure": "dashed",
    "region": "dotted",
}


class Tone(NamedTuple):
    """A fill, an outline, and what they stand for."""

    fill: str
    line: str
    words: str


def of(comparison: Comparison, groups: Sequence[Group], timed: bool) -> int:
    """The tone of groups together. `timed`: the times of the two engines can be compared."""
    if timed:
        took = comparison.took(groups)
        return UNTIMED if took is None else SAME + _step(*took)
    changed = {change for group in groups for change in group.changes}
    return next((_CHANGED + n for n, name in enumerate(_CHANGES) if name in changed), SAME)


def _step(a: float, b: float) -> int:
    """How many steps B is faster, or slower."""
    low, high = sorted((a, b))
    steps = sum(high >= low * speed for speed in SPEEDS) if high else 0
    return steps if a > b else -steps


def palette(theme: Theme, timed: bool) -> list[Tone]:
    """Every tone in the colours of a theme."""
    neutral = mix(theme.paper, theme.ink, 0.1)
    tones = [Tone(neutral, mix(neutral, theme.ink, 0.35), "")] * len(SCALE)
    ends = [f"{low:g} to {high:g} ×" for low, high in pairwise(SPEEDS)]
    ends.append(f"at least {SPEEDS[-1]:g} ×")
    for shade, times, step in zip(_SHADES, ends, range(1, SAME + 1)):
        for color, sign, word in ((theme.slower, -1, "slower"), (theme.faster, 1, "faster")):
            fill = mix(neutral, color, shade)
            line = mix(fill, theme.ink, 0.25)
            tones[SAME + sign * step] = Tone(fill, line, f"B {times} {word}")
    tones[SAME] = tones[SAME]._replace(words="the same time" if timed else "no change in the logs")
    tones.append(Tone(theme.group, theme.muted, "time unknown"))
    for change, kind in _CHANGES.items():
        tones.append(Tone(tint(theme.kinds[kind], theme), theme.kinds[kind], CHANGES[change]))
    tones.append(Tone(tint("#cc79a7", theme), "#cc79a7", "only in A (gone) or in B (new)"))
    quiet = theme.marks["constant"]
    tones.append(Tone(quiet.fill, quiet.line, "constants, shape calls, waits"))
    tones.append(Tone(mix(theme.paper, theme.muted, 0.45), theme.muted, "reformats and no-ops"))
    return tones
