"""Says of each layer of two engines what stands beside it, and chooses the colours of groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.comparison.causes import CHANGES
from engine_layer_visualize.comparison.result import Change, Comparison, Group
from engine_layer_visualize.drawing.coloring import tint
from engine_layer_visualize.drawing.theme import Theme, mix

Place = Literal["group", "overhead", "alone"]


class ColumnItem(NamedTuple):
    """The box of a layer; its index is that of the layer."""

    group: int  # the number of its group; -1: it is in none
    place: Place
    reformat: bool
    tone: int  # the number of its colour


class ComparisonColumns:
    """Two columns of items."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        groups = comparison.groups
        self.timed = any(group.delta_ms is not None for group in groups)
        self.tones = [tone_of(comparison, [group], self.timed) for group in groups]
        self.items = [list(self._items(side)) for side in (0, 1)]

    def _items(self, side: int) -> Iterator[ColumnItem]:
        """An item for each layer."""
        places: dict[int, ColumnItem] = {}
        for number, (group, tone) in enumerate(zip(self.comparison.groups, self.tones)):
            own = ((group.a, group.a_reformats), (group.b, group.b_reformats))[side]
            for layers, reformat in zip(own, (False, True)):
                item = ColumnItem(number, "group", reformat, REFORMAT if reformat else tone)
                places.update(dict.fromkeys(layers, item))
        rest = self.comparison.overhead
        idle = ColumnItem(-1, "overhead", False, OVERHEAD)
        places.update(dict.fromkeys((rest.a, rest.b)[side], idle))
        alone = ColumnItem(-1, "alone", False, ALONE)
        costs = self.comparison.sides[side]
        return (places.get(i, alone) for i in range(len(costs.engine.layers)))


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
