"""The words and tables of a verdict, which several formats show alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.comparison import cause_words
from engine_layer_visualize.comparison.gate.layers import JudgedGroup, Verdict
from engine_layer_visualize.comparison.gate.limits import signed
from engine_layer_visualize.comparison.gate.runs import of_runs
from engine_layer_visualize.comparison.gate.verdict import CheckName, Judgement
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words, plain
from engine_layer_visualize.documents.blocks import Grid

_MUCH: Final = 2.0  # from which a slowdown is a factor
WORST: Final = 10  # groups that stand first
CALLED: Final[dict[Verdict, str]] = {
    "pass": "passed", "fail": "failed", "unsure": "cannot tell", "not_comparable": "not comparable",
}  # fmt: skip
CHECKED: Final[dict[CheckName, str]] = {
    "network": "the same network",
    "coverage": "both timed as a whole",
    "conditions": "the same conditions",
    "samples": "time of a sample",
    "time": "time of the engine",
    "layers": "time of its layers",
    "memory": "memory",
    "reformats": "reformats",
    "findings": "forbidden findings",
}
_COLUMNS: Final = (">change", ">ms more", ">baseline", ">new", "verdict", "layers")


def headline(judgement: Judgement) -> str:
    """`failed: 1.00 ms → 1.10 ms (+10.0 %), 3 and 3 runs`."""
    total, verdict = judgement.total, CALLED[judgement.verdict]
    if total.slowdown is None or total.baseline_ms is None or total.new_ms is None:
        return verdict
    times = f"{milliseconds(total.baseline_ms)} → {milliseconds(total.new_ms)}"
    runs = of_runs(total.runs)
    if not judgement.comparable:
        return f"{verdict} ({times}, {runs})"
    return f"{verdict}: {times} ({change(total.slowdown)}), {runs}"


def change(slowdown: float | None) -> str:
    """`+5.0 %`, and `× 12.0` where it is much."""
    if slowdown is None:
        return "from 0"
    times = 1 + slowdown
    return signed(slowdown) if slowdown <= _MUCH else f"× {times:,.{times < 100:d}f}"


def grid(groups: Sequence[JudgedGroup]) -> Grid:
    """A row for each group; without verdicts where no limit holds for layers."""
    return Grid(_COLUMNS, tuple(map(_row, groups))).filled()


def _row(group: JudgedGroup) -> tuple[Words, ...]:
    return (
        change(group.slowdown),
        cause_words.signed(group.ms),
        milliseconds(group.baseline_ms),
        milliseconds(group.new_ms),
        CALLED[group.verdict] if group.verdict is not None else "–",
        named(group),
    )


def named(group: JudgedGroup) -> Words:
    """Its first layer, and how many more."""
    if not group.layers:
        return "–"
    more = len(group.layers) - 1
    return (Name(group.layers[0]), f" and {more:,} more" if more else "")


def sentence(group: JudgedGroup) -> str:
    """`conv1 takes 20.0 % more time (1.00 ms → 1.20 ms)`, as one plain text."""
    times = f"{milliseconds(group.baseline_ms)} → {milliseconds(group.new_ms)}"
    return f"{plain(named(group))}: {change(group.slowdown)} ({times})"


def tabled(judgement: Judgement) -> tuple[JudgedGroup, ...]:
    """The groups that a table shows: none where their times say nothing."""
    return tuple(group for group in judgement.groups if group.verdict != "not_comparable")


def noted(judgement: Judgement) -> tuple[JudgedGroup, ...]:
    """The groups that did not pass."""
    return tuple(group for group in judgement.groups if group.verdict in ("fail", "unsure"))
