"""What a gate is asked and what it says: limits, checks, a judgement, and percents in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.words import Words

Verdict = Literal["pass", "unsure", "not comparable", "fail"]  # worst last
CheckName = Literal[
    "measured", "new run", "network", "conditions", "read", "coverage", "iterations",
    "time", "statistics", "layers", "memory",
]  # fmt: skip

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
SIDES: Final = ("the baseline", "the new engine")
_EXITS: Final[dict[Verdict, int]] = {"pass": 0, "fail": 5, "not comparable": 6, "unsure": 7}
_FRACTION: Final = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(%?)")


class Limits(NamedTuple):
    """What a new engine may cost more than the baseline. None: that is not looked at."""

    slowdown: float | None = 0.03  # of the whole engine, as a fraction of the baseline
    layer_slowdown: float | None = None  # of a group of layers, as a fraction
    min_layer_ms: float = 0.02  # a group that takes less on both sides is not judged
    memory: float | None = None  # growth, as a fraction


class Interval(NamedTuple):
    """Where the slowdown lies, with 95 % confidence."""

    low: float
    high: float


class EngineTotal(NamedTuple):
    """The times of the whole engine."""

    baseline_ms: float | None
    new_ms: float | None
    runs: tuple[int, int]  # how many on either side
    interval: Interval | None = None  # None where there are too few runs

    @property
    def slowdown(self) -> float | None:
        """As a fraction of the baseline's time."""
        if self.baseline_ms is None or self.new_ms is None:
            return None
        return self.new_ms / self.baseline_ms - 1


class JudgedGroup(NamedTuple):
    """A group of layers that is measured on both sides."""

    layers: tuple[str, ...]
    baseline_ms: float
    new_ms: float
    runs: tuple[int, int]  # how many on either side
    verdict: Verdict | None = None  # None where no limit holds for it

    @property
    def ms(self) -> float:
        """What it takes more than in the baseline."""
        return self.new_ms - self.baseline_ms

    @property
    def slowdown(self) -> float | None:
        """As a fraction of the baseline's time; None where that is printed as 0."""
        return self.new_ms / self.baseline_ms - 1 if self.baseline_ms else None


class Check(NamedTuple):
    """One thing that was looked at."""

    name: CheckName
    verdict: Verdict
    reasons: tuple[Words, ...]  # sentences


def checked(name: CheckName, verdict: Verdict, reasons: Iterable[Words]) -> Iterator[Check]:
    """The check of a condition, where that says something."""
    if said := tuple(dict.fromkeys(reasons)):
        yield Check(name, verdict, said)


class Judgement(NamedTuple):
    """What a gate says."""

    # The worst of `checks`: what fails without times fails, if times are not comparable.
    verdict: Verdict
    checks: tuple[Check, ...]
    total: EngineTotal
    groups: tuple[JudgedGroup, ...]  # those that cost the most first
    baseline: str  # the file
    new: str  # the file

    @property
    def comparable(self) -> bool:
        """Whether the times of both sides are."""
        return all(check.verdict != "not comparable" for check in self.checks)

    @property
    def reasons(self) -> tuple[Words, ...]:
        """The reasons of all checks, the worst first; among equal ones `conditions` comes last."""
        worst_first = sorted(
            self.checks,
            key=lambda check: (-VERDICTS.index(check.verdict), check.name == "conditions"),
        )
        return tuple(reason for check in worst_first for reason in check.reasons)


def exit_code(verdict: Verdict, unsure: Literal["pass", "fail"] | None = None) -> int:
    """0 passed, 5 failed, 6 not comparable, 7 unsure, unless `unsure` says what that counts as."""
    return _EXITS[unsure or verdict if verdict == "unsure" else verdict]


# ---- limits and percents in words --------------------------------------------------------------


def fraction(limit: str | float) -> float:
    """Reads `3%`, `0.03` or 0.03 as 0.03.

    Raises:
        ValueError: it is no fraction, or is 1 or more without a sign. Who gives 3 most likely means
            3 %, and who gives 1 may.
    """
    if isinstance(limit, str):
        match = _FRACTION.fullmatch(limit.strip())
        if match is None:
            raise ValueError(f"a fraction such as 3% or 0.03 is wanted, not {limit[:40]!r}")
        limit = float(match[1])
        if match[2]:
            return limit / 100
    if not 0 <= limit < float("inf"):
        raise ValueError(f"a limit is a fraction from 0 on, such as 0.03, not {limit!r}")
    if limit >= 1:
        raise ValueError(
            f"{limit:g} is {limit:g} times the baseline; write {limit:g}%, or {limit * 100:g}%"
        )
    return limit


def percent(value: float, beside: float | None = None) -> str:
    """`5.2 %`; with so many digits that it reads as another number than `beside`, if it is one."""
    for digits in range(1, 7):
        text = f"{value * 100:.{digits}f} %"
        if beside is None or value == beside or float(text[:-2]) != round(beside * 100, digits):
            break
    return text.replace("-0.0 %", "0.0 %")


def signed(value: float, beside: float | None = None) -> str:
    """`+5.2 %`: percents with their sign."""
    text = percent(value, beside)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def more_or_less(change: float, limit: float) -> str:
    """`5.2 % more`, or how much less."""
    if abs(change) < 0.0005 <= limit:
        return "no more"
    return f"{percent(abs(change), limit)} {'more' if change > 0 else 'less'}"


def allowed(limit: float) -> str:
    """A limit as it was given: `3 %`, `0.5 %`."""
    return f"{limit * 100:.6g} %"
