"""Groups of layers with their times on two sides in; which of them became slower out.

Many groups are looked at, so some are slower by chance: Holm's correction keeps the risk that any
group is called slower by chance at 2.5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.gate.limits import Limits
from engine_layer_visualize.analysis.gate.slowdown import chance, side, usable

Verdict = Literal["pass", "unsure", "fail", "not_comparable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("pass", "unsure", "fail", "not_comparable")  # worst last
_RISK: Final = 0.025


class Measured(NamedTuple):
    """Layers that belong together on both sides. `layers`: their names in the new engine;
    `baseline`, `new`: their ms in each run, empty where they were not measured."""

    layers: tuple[str, ...]
    baseline: tuple[float, ...]
    new: tuple[float, ...]


class Group(NamedTuple):
    """A group that is measured on both sides. `runs`: how many on either side; `verdict`: None
    where no limit holds for it."""

    layers: tuple[str, ...]
    baseline_ms: float
    new_ms: float
    runs: tuple[int, int]
    verdict: Verdict | None = None

    @property
    def ms(self) -> float:
        """What it takes more than in the baseline."""
        return self.new_ms - self.baseline_ms

    @property
    def slowdown(self) -> float:
        """As a fraction of the baseline's time."""
        return self.new_ms / self.baseline_ms - 1


def judge_layers(measured: Sequence[Measured], limits: Limits) -> tuple[Group, ...]:
    """All that are measured on both sides, those that cost the most first."""
    known = [one for one in measured if usable(one.baseline) and usable(one.new)]
    groups = [
        Group(one.layers, side(one.baseline), side(one.new), (len(one.baseline), len(one.new)))
        for one in known
    ]
    if limits.layer_slowdown is not None:
        large = [
            number
            for number, group in enumerate(groups)
            if max(group.baseline_ms, group.new_ms) >= limits.min_layer_ms
        ]
        verdicts = _verdicts([known[number] for number in large], limits.layer_slowdown)
        for number, verdict in zip(large, verdicts, strict=True):
            groups[number] = groups[number]._replace(verdict=verdict)
    return tuple(sorted(groups, key=lambda group: -group.ms))


def _verdicts(measured: Sequence[Measured], limit: float) -> Iterator[Verdict]:
    chances = [chance(one.baseline, one.new, limit) for one in measured]
    sure = holm([1.0 if one is None else one for one in chances], _RISK)
    for one, chance_, is_sure in zip(measured, chances, sure, strict=True):
        if log(side(one.new) / side(one.baseline)) <= log(1 + limit):
            yield "pass"
        elif is_sure or chance_ is None:  # too few runs: the limit alone
            yield "fail"
        else:
            yield "unsure"


def holm(chances: Sequence[float], risk: float) -> list[bool]:
    """Which of these p-values hold, so that the risk of any false one is at most `risk`."""
    held = [False] * len(chances)
    for rank, number in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[number] > risk / (len(chances) - rank):
            break
        held[number] = True
    return held
