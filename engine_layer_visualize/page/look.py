"""Makes what all engines of a page look like: themes, and the tones of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis.kinds import QUIET
from engine_layer_visualize.comparison.causes import CHANGES
from engine_layer_visualize.comparison.result import (
    BUILDS_VARY,
    RUNS_VARY,
    Change,
    Comparison,
    Group,
)
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.drawing.theme import DARK, LIGHT, Theme, heat, ink, mix, ticks, tint
from engine_layer_visualize.facts.query import COMPARED, grammar

_HEAT_STEPS: Final = 64  # few fills are drawn faster than many


def look(options: Options = DEFAULT) -> dict[str, Any]:
    """Returns the themes as data; `first` is the one asked for, None: that of the system."""
    return {
        "light": _theme(LIGHT),
        "dark": _theme(DARK),
        "first": "dark" if options.theme == "dark" else None,
        "quiet": sorted(QUIET),
        "color": options.color_by,
        "search": grammar(),
        "pair": {
            "fields": {name: field._asdict() for name, field in COMPARED.items()},
            "tones": [tone.words for tone in palette(LIGHT, timed=True)],
            "untimed": [tone.words for tone in palette(LIGHT, timed=False)],
            "same": SAME,
            "speeds": SPEEDS,
            "vary": [RUNS_VARY, BUILDS_VARY],
            "changes": {change: CHANGES[change] for change in CHANGED},
        },
    }


def _theme(theme: Theme) -> dict[str, Any]:
    heats = [heat(step / _HEAT_STEPS, theme) for step in range(_HEAT_STEPS + 1)]
    types = theme.type_fills  # of the first of an engine's `types`, the last of the rest
    precisions = [tint(entry.color, theme) for entry in theme.entries]
    marks = (mark.fill for mark in theme.marks.values())
    fills = (*heats, *types, *precisions, *marks)
    return {
        "css": _css(theme),
        "heat": heats,
        "ticks": list(ticks(1.0)),  # of the legend, as parts of its largest value
        "types": list(theme.kinds),
        "tones": [tone[:2] for tone in palette(theme, timed=True)],
        "fills": {"types": types, "precisions": precisions},
        "inks": {fill: ink(fill, theme) for fill in fills},
        "precisions": [entry[:2] for entry in theme.entries],
        "marks": theme.marks,  # each as a list
    }


def _css(theme: Theme) -> dict[str, str]:
    """Returns the colours of the style sheet and the canvas, by the names of its variables."""
    dark = theme is DARK
    return {
        "paper": theme.paper,
        "ink": theme.ink,
        "muted": theme.muted,
        "line": mix(theme.paper, theme.ink, 0.16 if dark else 0.12),
        "hover": mix(theme.paper, theme.ink, 0.06),
        "group": theme.group,
        "block": mix(theme.group, theme.ink, 0.05 if dark else 0.035),
        "accent": theme.precisions[2 if dark else 1].color,
        "warn": theme.marks["unresolved"].line,
        "onwarn": ink(theme.marks["unresolved"].line, theme),
        "hot": heat(0.45, theme),
    }


# ---- the colours of groups: by speed-up, or without times by what changed ----------------------

SPEEDS: Final = (1.05, 1.2, 1.5, 2.0, 4.0)  # where the steps of the scale begin
SAME: Final = len(SPEEDS)
SCALE: Final = range(2 * SAME + 1)  # the tones from the slowest to the fastest
_SHADES: Final = (0.2, 0.4, 0.6, 0.8, 1.0)
# The change that matters most comes first; the number is an index into `Theme.kinds`.
CHANGED: Final[dict[Change, int]] = {
    "fusion": 5, "precision": 1, "kernel": 4, "format": 2, "shape": 6, "reformats": 0
}  # fmt: skip
UNTIMED: Final = SCALE.stop
_FIRST_CHANGE: Final = UNTIMED + 1
ALONE: Final = _FIRST_CHANGE + len(CHANGED)
OVERHEAD: Final = ALONE + 1
REFORMAT: Final = OVERHEAD + 1


class Tone(NamedTuple):
    """A fill, an outline, and what they stand for."""

    fill: str
    line: str
    words: str


def tone_of(comparison: Comparison, groups: Sequence[Group], timed: bool) -> int:
    """The tone of groups together, as its place in `palette`.

    `timed`: the times of the two engines can be compared.
    """
    if timed:
        took = comparison.took(groups)
        return UNTIMED if took is None else SAME + _step(*took)
    changed = {change for group in groups for change in group.changes}
    return next((_FIRST_CHANGE + n for n, name in enumerate(CHANGED) if name in changed), SAME)


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
    for change, kind in CHANGED.items():
        tones.append(Tone(tint(theme.kinds[kind], theme), theme.kinds[kind], CHANGES[change]))
    tones.append(Tone(tint("#cc79a7", theme), "#cc79a7", "only in A (gone) or in B (new)"))
    quiet = theme.marks["constant"]
    tones.append(Tone(quiet.fill, quiet.line, "constants, shape calls, waits"))
    tones.append(Tone(mix(theme.paper, theme.muted, 0.45), theme.muted, "reformats and no-ops"))
    return tones
