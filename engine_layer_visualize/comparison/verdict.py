"""What a gate is asked and what it says: limits, checks, a judgement; how sure a slowdown is."""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from math import exp, fsum, log, sqrt
from statistics import fmean, median
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.snapshot import GateRun
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Words

Verdict = Literal["pass", "unsure", "not comparable", "fail"]  # worst last
CheckName = Literal[
    "measured", "new run", "network", "conditions", "read", "coverage", "iterations",
    "time", "statistics", "memory",
]  # fmt: skip

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
SIDES: Final = ("the baseline", "the new engine")
_EXITS: Final[dict[Verdict, int]] = {"pass": 0, "fail": 5, "not comparable": 6, "unsure": 7}
_FRACTION: Final = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(%?)")


class Limits(NamedTuple):
    """What a new engine may cost more than the baseline. None: that is not looked at."""

    slowdown: float | None = 0.03  # of the whole engine, as a fraction of the baseline
    memory: float | None = None  # growth, as a fraction


class Interval(NamedTuple):
    """Where the slowdown lies."""

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


class GroupTimes(NamedTuple):
    """The times of layers that belong together on both sides, or that are on one side alone."""

    layers: tuple[str, ...]  # their names in the new engine, else in the baseline
    baseline: tuple[float, ...]  # ms in each run; empty where they are not or were not measured
    new: tuple[float, ...]  # the same of the new engine
    paired: bool = True  # whether they are on both sides

    @property
    def both(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The times in the baseline, and in the new engine."""
        return self.baseline, self.new

    @property
    def baseline_ms(self) -> float:
        """The mean of the baseline, which has times."""
        return mean_of_side(self.baseline)

    @property
    def new_ms(self) -> float:
        """The mean of the new engine, which has times."""
        return mean_of_side(self.new)

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
    groups: tuple[GroupTimes, ...]  # those that cost the most first
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
    if not change or abs(change) < 0.0005 <= limit:
        return "no more"
    return f"{percent(abs(change), limit)} {'more' if change > 0 else 'less'}"


def allowed(limit: float) -> str:
    """A limit as it was given: `3 %`, `0.5 %`."""
    return f"{limit * 100:.6g} %"


def runs_between(parts: Sequence[float] | None) -> float:
    """How much more time the slowest of these parts took than the fastest."""
    if not parts or min(parts) <= 0:
        return 0.0
    return float(f"{max(parts) / min(parts) - 1:.4g}")


def of_runs(numbers: tuple[int, int]) -> str:
    """How many runs both sides have: `1 run each`, `1 and 3 runs`."""
    before, after = numbers
    return "1 run each" if numbers == (1, 1) else f"{before:,} and {count(after, 'run')}"


# ---- two sides: how much slower the runs of the new engine are, and how sure that is -----------

# A side's time is the geometric mean of its runs. How far runs of one engine are apart, which more
# iterations do not tell, is what is uncertain: Student's t on the logs of the runs' times, with one
# variance for both sides, so that one side may have a single run.

# Student's t of 1 to 20 degrees of freedom that 2.5 % are above, as 2.5 % are below −t.
_QUANTILES: Final = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
    2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
)  # fmt: skip
_MAX_EXPONENT: Final = 700.0  # whose exponential is a number
MIN_RUNS: Final = 4  # runs of both sides together, from which there is an interval
_TIMES: Final = (1e-4, 1e9)  # ms that can be times


def geometric_mean(ms: Sequence[float]) -> float:
    """The geometric mean of times above 0."""
    return exp(fmean(map(log, ms)))


def timed(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd."""
    return bool(ms) and max(ms) <= _TIMES[1]


def usable(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd or 0."""
    return timed(ms) and min(ms) >= _TIMES[0]


def mean_of_side(ms: Sequence[float]) -> float:
    """The mean of a side; a time that is printed as 0 has no geometric mean."""
    return geometric_mean(ms) if usable(ms) else fmean(ms)


def student_quantile(freedom: int) -> float:
    """The t that 2.5 % are above, to 0.0003: for many degrees of freedom by Cornish and Fisher."""
    if freedom <= len(_QUANTILES):
        return _QUANTILES[freedom - 1]
    return 1.96 + 2.372 / freedom + 2.82 / freedom**2


def slowdown_interval(baseline: Sequence[float], new: Sequence[float]) -> Interval | None:
    """Where it lies with 95 % confidence; None where there are too few runs to know.

    Args:
        baseline: ms in each run; one that is printed as 0 is the least that can be a time.
        new: the same of the new engine.
    """
    logs = [[log(max(ms, _TIMES[0])) for ms in own] for own in (baseline, new)]
    before, after = map(len, logs)
    freedom = before + after - 2
    if before + after < MIN_RUNS:
        return None
    means = list(map(fmean, logs))
    squares = fsum((one - mean) ** 2 for own, mean in zip(logs, means) for one in own)
    error = sqrt(squares / freedom * (1 / before + 1 / after))
    change = means[1] - means[0]
    off = student_quantile(freedom) * error
    low, high = (exp(min(end, _MAX_EXPONENT)) - 1 for end in (change - off, change + off))
    return Interval(low, high)


# ---- groups of layers ---------------------------------------------------------------------------

ENOUGH: Final = "Give at least three runs on each side."


def timed_groups(measured: Iterable[GroupTimes]) -> tuple[GroupTimes, ...]:
    """The groups that are measured on both sides, those that cost the most first."""
    groups = [one for one in measured if all(map(timed, one.both)) and any(map(any, one.both))]
    return tuple(sorted(groups, key=lambda group: -group.ms))


class Alone(NamedTuple):
    """Groups that are timed on one side alone, those that take the most first."""

    groups: Sequence[tuple[tuple[str, ...], float]]  # the names of their layers, and ms
    ms: float
    share: float  # of the time of that side


def alone(measured: Sequence[GroupTimes], side: int) -> Alone:
    """The groups that are on both sides, and of which the other side has no run."""
    here = [(one, mean_of_side(one.both[side])) for one in measured if timed(one.both[side])]
    total = fsum(ms for _, ms in here)
    paired = [(group, ms) for group, ms in here if group.paired and ms > 0]
    lone = [(group.layers, ms) for group, ms in paired if not group.both[1 - side]]
    ms = fsum(ms for _, ms in lone)
    return Alone(sorted(lone, key=lambda one: -one[1]), ms, ms / total if total else 0.0)


# ---- a run: one time ----------------------------------------------------------------------------

# Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run
# is one piece of evidence, whatever the number of its iterations.

_WARM_UP: Final = 10  # one part of so many: the first iterations may be a third slower
_PARTS: Final = 8  # of a run, whose medians are compared
_MIN_ITERATIONS: Final = 20  # iterations of a part


def of_iterations(iterations: Iterations) -> GateRun:
    """A run with its median, without the first tenth, in which clocks rise and caches fill."""
    whole = iterations.compute_ms
    times = whole[len(whole) // _WARM_UP :]
    p99 = sorted(times)[len(times) * 99 // 100]
    return GateRun(
        iterations.file, median(times), digest=digest(whole), drift=drift(times),
        iterations=len(whole), mean=fmean(times), p99=p99,
    )  # fmt: skip


def drift(times: Sequence[float]) -> float:
    """How much more time the slowest part of a run took than its fastest; 0 of a short run.

    Noise is equal in all parts, but a clock that drops or a device that grows warm is not.
    """
    each = len(times) // _PARTS
    if each < _MIN_ITERATIONS:
        return 0.0
    medians = [median(times[part * each : (part + 1) * each]) for part in range(_PARTS)]
    return runs_between(medians)


def digest(times: Iterable[float]) -> str:
    """A text that is the same for the same times in the same order, on every machine."""
    values = array("d", times)
    if sys.byteorder == "big":
        values.byteswap()
    return sha256(values.tobytes()).hexdigest()[:16]


def each_once(runs: Sequence[GateRun]) -> None:
    """Checks that no run is there twice: it would look like two runs that agree.

    Raises:
        ValueError: one is.
    """
    seen: dict[str, str] = {}
    for run in runs:
        other = next((seen[one] for one in run.digests if one in seen), None)
        if other is not None:
            raise ValueError(f"{other} and {run.file} hold the same times; a run counts once")
        seen |= dict.fromkeys(run.digests, run.file)
