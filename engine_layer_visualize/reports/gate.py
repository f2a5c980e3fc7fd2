"""The words and tables of a verdict, which several formats show alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.comparison import causes
from engine_layer_visualize.comparison.gate_statistics import of_runs
from engine_layer_visualize.comparison.verdict import (
    CheckName,
    JudgedGroup,
    Judgement,
    Verdict,
    signed,
)
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.documents.blocks import Grid

WORST: Final = 10  # groups that stand first
CALLED: Final[dict[Verdict, str]] = {
    "pass": "passed", "fail": "failed", "unsure": "unsure", "not comparable": "not comparable",
}  # fmt: skip
CHECKED: Final[dict[CheckName, str]] = {
    "measured": "times of both",
    "read": "all that was given",
    "new run": "a run of the new engine",
    "network": "the same network",
    "coverage": "both timed as a whole",
    "conditions": "the same conditions",
    "iterations": "iterations",
    "time": "time of the engine",
    "statistics": "other statistics of the time",
    "layers": "time of its layers",
    "memory": "memory",
}
_MUCH: Final = 2.0  # from which a slowdown is a factor
_COLUMNS: Final = (">change", ">difference", ">baseline", ">new", "verdict", "layers")
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/ ]|-(?!-)){0,99}")


class GateOptions(NamedTuple):
    """What the formats of a verdict are told."""

    name: str = "engine"  # of the gate, where one project has several
    width: int = 100  # columns
    color: bool = False
    full: bool = False  # all groups of layers, and names whole
    version: str = ""  # of this program


def check(options: GateOptions) -> None:
    """Checks the name, which stands in a comment of HTML that nothing in it may end.

    Raises:
        ValueError: the name cannot be used.
    """
    if not _NAME.fullmatch(options.name):
        raise ValueError(
            f"the name of a gate has letters, digits, blanks and `._/-`, not {options.name[:80]!r}"
        )


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
    rows: list[tuple[Words, ...]] = [
        (
            change(group.slowdown),
            causes.signed(group.ms),
            milliseconds(group.baseline_ms),
            milliseconds(group.new_ms),
            "–" if group.verdict is None else CALLED[group.verdict],
            named(group),
        )
        for group in groups
    ]
    return Grid(_COLUMNS, tuple(rows)).filled()


def named(group: JudgedGroup) -> Words:
    """Its first layer, and how many more."""
    return first_of([*map(Name, group.layers)], 1) or "–"


def tabled(judgement: Judgement) -> tuple[JudgedGroup, ...]:
    """The groups that a table shows: none where their times say nothing."""
    return tuple(group for group in judgement.groups if group.verdict != "not comparable")
