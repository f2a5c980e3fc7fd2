"""Judges a new engine by what was measured on two sides, and by what is allowed.

Nothing that was asked for passes because it could not be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, log1p
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.comparison import gate_coverage
from engine_layer_visualize.comparison.gate_layers import (
    SIDES,
    VERDICTS,
    GroupTimes,
    JudgedGroup,
    Limits,
    Unjudged,
    Verdict,
    allowed,
    judge_layers,
    listed,
    named_with_times,
    percent,
    signed,
    unjudged,
)
from engine_layer_visualize.comparison.gate_statistics import (
    MIN_RUNS,
    Interval,
    geometric_mean,
    of_runs,
    slowdown_interval,
    usable,
)
from engine_layer_visualize.core.snapshot import Conditions, GateRun, Kind
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words, parts

_MAX_UNJUDGED: Final = 0.1  # of the time of its layers is not judged
_MAX_NOISE: Final = 0.05  # between parts of one run; noise stays below 2 %
_OVER: Final[dict[Verdict, str]] = {"fail": "", "unsure": " in these runs, which may be chance"}
TIMES: Final[dict[Kind, str]] = {
    "iterations": "times of iterations",
    "summary median": "the median of trtexec's summary",
    "summary mean": "the mean of trtexec's summary",
    "layers": "times of its layers alone, not of whole runs",
}
_ENOUGH: Final = "Give at least three runs on each side."
EXITS: Final = {"pass": 0, "fail": 5, "not_comparable": 6}
CheckName = Literal[
    "network",
    "coverage",
    "conditions",
    "samples",
    "time",
    "layers",
    "memory",
    "reformats",
    "findings",
]


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


class SideMeasurements(NamedTuple):
    """What was measured of one side. None: unknown."""

    file: str  # the log or the snapshot
    runs: Sequence[GateRun] = ()  # of the whole engine
    lack: str = "no measured time"  # what it has where it has no run
    conditions: Conditions = Conditions()
    memory: int | None = None  # bytes on the device
    reformats: int | None = None  # how many layers reformat
    unused: str = ""  # better times, which the other side lacks


class Check(NamedTuple):
    """One thing that was looked at."""

    name: CheckName
    verdict: Verdict
    reasons: tuple[Words, ...]  # sentences


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
        return all(check.verdict != "not_comparable" for check in self.checks)

    @property
    def reasons(self) -> tuple[Words, ...]:
        """The reasons of all checks, the worst first; among equal ones `conditions` comes last."""
        worst_first = sorted(
            self.checks,
            key=lambda check: (-VERDICTS.index(check.verdict), check.name == "conditions"),
        )
        return tuple(reason for check in worst_first for reason in check.reasons)


def exit_code(verdict: Verdict, unsure: Literal["pass", "fail"] = "pass") -> int:
    """0 passed, 5 failed, 6 not comparable; `unsure` says what an unsure verdict counts as."""
    return EXITS[unsure if verdict == "unsure" else verdict]


def judge(
    baseline: SideMeasurements,
    new: SideMeasurements,
    limits: Limits,
    *,
    measured: Sequence[GroupTimes] = (),
    same_network: bool = True,
    forbidden: Sequence[Words] | None = None,
    checks: Sequence[Check] = (),
) -> Judgement:
    """Judges the measurements of two sides.

    Args:
        baseline: what was measured of the baseline.
        new: what was measured of the new engine.
        limits: what the new engine may cost more.
        measured: layers that belong together on both sides.
        same_network: whether both engines are of one network.
        forbidden: findings in the new engine that may not be there; None: none was forbidden.
        checks: what else was looked at, of whether the sides are comparable.
    """
    total = _total(baseline.runs, new.runs)
    groups = judge_layers(measured, limits)
    checks = [*_comparable(baseline, new, same_network), *checks]
    # Not slower, and not faster: nothing is said of it.
    apart: Verdict | None = None
    if any(check.verdict == "not_comparable" for check in checks):
        apart = "not_comparable"
    elif gate_coverage.unknown_inputs(baseline.conditions, new.conditions):
        apart = "unsure"
    if apart is not None:
        total = total._replace(interval=None)
        groups = tuple(group._replace(verdict=apart) for group in groups)
    else:
        checks += _time(total, limits, (baseline, new), groups)
        checks += _layers(groups, unjudged(measured), limits)
    if same_network:  # these need no times
        checks += _memory(baseline.memory, new.memory, limits)
        checks += _reformats(baseline.reformats, new.reformats, limits)
    if forbidden is not None:
        checks.append(_findings(forbidden))
    found = {check.verdict for check in checks}
    worst = next((one for one in reversed(VERDICTS) if one in found), VERDICTS[0])
    return Judgement(worst, tuple(checks), total, groups, baseline.file, new.file)


def _total(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> EngineTotal:
    before, after = [run.ms for run in baseline], [run.ms for run in new]
    runs = len(before), len(after)
    if not usable(before) or not usable(after):
        return EngineTotal(
            geometric_mean(before) if usable(before) else None,
            geometric_mean(after) if usable(after) else None,
            runs,
        )
    return EngineTotal(
        geometric_mean(before), geometric_mean(after), runs, slowdown_interval(baseline, new)
    )


def _comparable(
    baseline: SideMeasurements, new: SideMeasurements, same_network: bool
) -> Iterator[Check]:
    if not same_network:
        said = "The two engines are not of the same network, as far as their layers show."
        yield Check("network", "not_comparable", (said,))
    differ = tuple(gate_coverage.conditions_differences(baseline.conditions, new.conditions))
    unknown = gate_coverage.conditions_unknown(baseline.conditions, new.conditions)
    if differ:
        yield Check("conditions", "not_comparable", differ)
    elif which := gate_coverage.unknown_inputs(baseline.conditions, new.conditions):
        said = f"The shape of the inputs of {which} is not known: its time may be of more samples."
        yield Check("conditions", "unsure", (said,))
    elif unknown:
        said = f"Not known on both sides, and so not compared: {', '.join(unknown)}."
        yield Check("conditions", "pass", (said,))


def _time(
    total: EngineTotal,
    limits: Limits,
    sides: tuple[SideMeasurements, SideMeasurements],
    groups: Sequence[JudgedGroup],
) -> Iterator[Check]:
    limit, slowdown = limits.slowdown, total.slowdown
    if limit is None:
        return
    if slowdown is None:
        known = zip(SIDES, (total.baseline_ms, total.new_ms), sides, strict=True)
        lacking = " and ".join(
            f"{which} has {_lack(own)}" for which, ms, own in known if ms is None
        )
        yield Check("time", "unsure", (f"The time cannot be judged: {lacking}.",))
        return
    verdict, reasons = _slower(total, slowdown, limit)
    kind = TIMES[sides[0].runs[0].kind]
    more = [
        f"Compared is what both have, {kind}: only {which} has {own.unused}."
        for which, own in zip(SIDES, sides, strict=True)
        if own.unused
    ]
    if groups and sides[0].runs[0].kind != "layers":
        each = zip(*(one.runs for one in groups), strict=True)
        before, after = (max(numbers) for numbers in each)
        said = f"The times of layers are of profiles, {of_runs((before, after))}: not of "
        more.append(f"{said}the runs above.")
    copied = tuple(_copied(*(side.runs for side in sides)))
    if copied and verdict == "pass":
        verdict = "unsure"
    drifting = tuple(_drifting(sides))
    if drifting and _may_be_drift(slowdown, limit, sides):
        verdict = "unsure"
        reasons = (f"{reasons[0]} It may be the drift within a run.", *reasons[1:])
    yield Check("time", verdict, (*reasons, *drifting, *more, *copied))


def _drifting(sides: tuple[SideMeasurements, SideMeasurements]) -> Iterator[Words]:
    """Runs in which times changed by more than noise does."""
    for which, own in zip(SIDES, sides, strict=True):
        for run in own.runs:
            if run.drift > _MAX_NOISE:
                more = f"` of {which} one part took {percent(run.drift)} more time than another"
                why = ", as where a clock drops: lock the clocks, and measure again."
                yield ("Within `", Name(run.file), more + why)


def _may_be_drift(
    slowdown: float, limit: float, sides: tuple[SideMeasurements, SideMeasurements]
) -> bool:
    """Whether the verdict would be another one if runs had been as slow or as fast throughout."""
    most = log1p(max(run.drift for side in sides for run in side.runs))
    return abs(log1p(slowdown) - log1p(limit)) <= most


def _copied(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> Iterator[Words]:
    """Runs of iterations that are on both sides."""
    known = {run.digest: run.file for run in baseline if run.kind == "iterations" and run.digest}
    for run in new:
        if run.digest in known:
            names = "`", Name(known[run.digest]), "` of the baseline and `", Name(run.file), "`"
            yield (*names, " of the new engine hold the same times: nothing new was measured.")


def _lack(side: SideMeasurements) -> str:
    """What it has instead of a time that can be compared."""
    if side.runs:
        return f"a run of {milliseconds(min(run.ms for run in side.runs))}, which cannot be"
    return side.lack


def _slower(total: EngineTotal, slowdown: float, limit: float) -> tuple[Verdict, tuple[str, ...]]:
    assert total.baseline_ms is not None and total.new_ms is not None
    took = f"{milliseconds(total.baseline_ms)} → {milliseconds(total.new_ms)}"
    change = f"The engine takes {_more(slowdown, limit)} time than the baseline ({took})"
    held = total.interval
    if held is None:
        verdict: Verdict = "fail" if slowdown > limit else "pass"
        runs = of_runs(total.runs)
        noise = f"With {runs} the noise is unknown: the limit alone decides. {_ENOUGH}"
        return verdict, (f"{change}; the limit is {allowed(limit)}.", noise)
    span = f"With 95 % confidence the change lies between {signed(held.low, limit)} "
    span += f"and {signed(held.high, limit)}"
    if held.low > limit:
        return "fail", (f"{change}; the limit is {allowed(limit)}. {span}.",)
    if held.high <= limit:
        return "pass", (f"{change}; the limit is {allowed(limit)}. {span}.",)
    said = f"{change}. {span}, so it may be over the limit of {allowed(limit)} or not."
    more = "More runs would tell: the spread between runs counts, not the number of iterations."
    return "unsure", (said, more)


def _more(change: float, limit: float) -> str:
    """`5.2 % more`, or how much less."""
    if abs(change) < 0.0005 <= limit:
        return "no more"
    return f"{percent(abs(change), limit)} {'more' if change > 0 else 'less'}"


def _layers(
    groups: Sequence[JudgedGroup], alone: tuple[Unjudged, Unjudged], limits: Limits
) -> Iterator[Check]:
    limit = limits.layer_slowdown
    if limit is None:
        return
    left = tuple(
        reason
        for which, other, own in zip(SIDES, reversed(SIDES), alone, strict=True)
        for reason in _left(which, other, own)
    )
    if not groups:
        said = "The times of layers cannot be judged: none is known on both sides."
        yield Check("layers", "unsure", (said, *left))
        return
    over = {verdict: [group for group in groups if group.verdict == verdict] for verdict in _OVER}
    judged = sum(group.verdict is not None for group in groups)
    reasons: list[Words] = []
    for verdict, sure in _OVER.items():
        if found := over[verdict]:
            said = f"{len(found):,} of {count(judged, 'group')} of layers "
            said += f"{'takes' if len(found) == 1 else 'take'} over {allowed(limit)} more time"
            reasons.append((f"{said}{sure}: ", *named_with_times(found), "."))
    if not reasons:
        said = f"None of {count(judged, 'group')} of layers takes over {allowed(limit)} more time."
        reasons.append(said)
    elif any(sum(group.runs) < MIN_RUNS for group in over["fail"]):
        reasons.append(f"With so few runs it is unknown how much of this is noise. {_ENOUGH}")
    much = any(own.share > _MAX_UNJUDGED for own in alone)
    worst: Verdict = "fail" if over["fail"] else "unsure" if over["unsure"] or much else "pass"
    yield Check("layers", worst, (*reasons, *left))


def _left(which: str, other: str, alone: Unjudged) -> Iterator[Words]:
    """What is said of layers that are not judged."""
    if alone.groups:
        said = f"{count(alone.number, 'layer')} of {which}, {milliseconds(alone.ms)} or "
        said += f"{percent(alone.share)} of what was measured, have no counterpart with a time in "
        said += f"{other} and are not judged: "
        yield (
            said,
            *listed([(names, milliseconds(ms)) for names, ms in alone.groups]),
            ".",
        )


def _unknown(
    what: Literal["memory", "reformats"], that: str, is_: str, before: int | None
) -> Check:
    which = "baseline" if before is None else "new engine"
    said = f"The {what} cannot be judged: {that} of the {which} {is_} not known."
    return Check(what, "unsure", (said,))


def _memory(before: int | None, after: int | None, limits: Limits) -> Iterator[Check]:
    limit = limits.memory
    if limit is None:
        return
    if before is None or after is None:
        yield _unknown("memory", "that", "is", before)
        return
    if before:
        growth = after / before - 1
        change = _more(growth, limit)
    else:
        growth, change = (inf, "more") if after else (0.0, "no more")
    said = f"The engine needs {change} memory than the baseline ({before:,} → {after:,} bytes); "
    verdict: Verdict = "fail" if growth > limit else "pass"
    yield Check("memory", verdict, (f"{said}the limit is {allowed(limit)}.",))


def _reformats(before: int | None, after: int | None, limits: Limits) -> Iterator[Check]:
    limit = limits.reformats
    if limit is None:
        return
    if before is None or after is None:
        yield _unknown("reformats", "those", "are", before)
        return
    said = f"The engine has {count(after, 'reformat')}, the baseline {before:,}; "
    said += f"{limit:,} more {'is' if limit == 1 else 'are'} allowed."
    yield Check("reformats", "fail" if after - before > limit else "pass", (said,))


def _findings(forbidden: Sequence[Words]) -> Check:
    if not forbidden:
        return Check("findings", "pass", ("No forbidden finding.",))
    said = tuple(("Forbidden: ", *parts(finding)) for finding in forbidden)
    return Check("findings", "fail", said)
