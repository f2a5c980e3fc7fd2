"""Judges a new engine by what was measured on two sides, and by what is allowed.

Nothing that was asked for passes because it could not be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, inf, isclose, log1p
from typing import Final, NamedTuple

from engine_layer_visualize.comparison import result
from engine_layer_visualize.comparison.gate_layers import (
    ENOUGH,
    GroupTimes,
    check_layers,
    judge_groups,
    mean,
)
from engine_layer_visualize.comparison.gate_statistics import (
    geometric_mean,
    of_runs,
    slowdown_interval,
    timed,
    usable,
)
from engine_layer_visualize.comparison.verdict import (
    SIDES,
    VERDICTS,
    Check,
    EngineTotal,
    JudgedGroup,
    Judgement,
    Limits,
    Verdict,
    allowed,
    more_or_less,
    percent,
    signed,
)
from engine_layer_visualize.core.snapshot import Conditions, Coverage, GateRun, Kind, Snapshot
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words, parts

TIMES: Final[dict[Kind, str]] = {
    "iterations": "times of iterations",
    "summary median": "the median of trtexec's summary",
    "summary mean": "the mean of trtexec's summary",
    "layers": "times of its layers alone, not of whole runs",
}
_CALLED: Final = (  # the fields of Conditions
    "TensorRT version", "device", "compute clock", "memory clock", "shape of the inputs",
    "optimisation profile", "time of a layer",
)  # fmt: skip
_SAME: Final = 1e-3  # clocks are printed with three digits
_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side
_MAX_NOISE: Final = 0.05  # between parts of one run; noise stays below 2 %


class SideMeasurements(NamedTuple):
    """What was measured of one side. None: unknown."""

    file: str  # the log or the snapshot
    runs: Sequence[GateRun] = ()  # of the whole engine
    lack: str = "no measured time"  # what it has where it has no run
    conditions: Conditions = Conditions()
    memory: int | None = None  # bytes on the device
    reformats: int | None = None  # how many layers reformat
    unused: str = ""  # better times, which the other side lacks


Sides = tuple[SideMeasurements, SideMeasurements]


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
    groups = judge_groups(measured, limits)
    checks = [
        *_check_network(same_network),
        *_check_conditions(baseline.conditions, new.conditions),
        *checks,
    ]
    found = {check.verdict for check in checks}
    if apart := found & {"not_comparable", "unsure"}:
        # Not slower, and not faster: nothing is said of it.
        total = total._replace(interval=None)
        groups = tuple(group._replace(verdict=max(apart, key=VERDICTS.index)) for group in groups)
    else:
        checks += _check_time(total, limits, (baseline, new), groups)
        checks += check_layers(groups, measured, limits)
    if same_network:  # these need no times
        checks += _check_memory(baseline.memory, new.memory, limits)
        checks += _check_reformats(baseline.reformats, new.reformats, limits)
    if forbidden is not None:
        checks.append(_check_findings(forbidden))
    worst = max((check.verdict for check in checks), key=VERDICTS.index, default=VERDICTS[0])
    return Judgement(worst, tuple(checks), total, groups, baseline.file, new.file)


def _total(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> EngineTotal:
    a, b = (
        geometric_mean(ms) if usable(ms := [run.ms for run in runs]) else None
        for runs in (baseline, new)
    )
    interval = None if a is None or b is None else slowdown_interval(baseline, new)
    return EngineTotal(a, b, (len(baseline), len(new)), interval)


# ---- whether the times of both can be compared -------------------------------------------------


def _check_network(same: bool) -> Iterator[Check]:
    if not same:
        said = "The two engines are not of the same network, as far as their layers show."
        yield Check("network", "not_comparable", (said,))


def _check_conditions(baseline: Conditions, new: Conditions) -> Iterator[Check]:
    unknown = [called for called, *both in zip(_CALLED, baseline, new) if None in both]
    if differ := tuple(_differences(baseline, new)):
        yield Check("conditions", "not_comparable", differ)
    elif (baseline.batch is None) != (new.batch is None):
        which = SIDES[new.batch is None]
        said = f"The shape of the inputs of {which} is not known: its time may be of more samples."
        yield Check("conditions", "unsure", (said,))
    elif unknown:
        said = f"Not known on both sides, and so not compared: {', '.join(unknown)}."
        yield Check("conditions", "pass", (said,))


def _differences(baseline: Conditions, new: Conditions) -> Iterator[Words]:
    """A sentence for each that is known on both sides and differs."""
    for called, before, after in zip(_CALLED, baseline, new):
        if before is None or after is None or _same(before, after):
            continue
        was, now = _value(before), _value(after)
        yield (f"The {called} differs: ", was, " in the baseline, ", now, " in the new engine.")
        if called == "shape of the inputs" and _samples(baseline, new):
            yield "With --per_sample the times of one sample are compared."


def _same(before: str | float, after: str | float) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return isclose(before, after, rel_tol=_SAME)
    return before == after


def _value(value: str | float) -> str | Name:
    return Name(value) if isinstance(value, str) else f"{value:g} GHz"


def _samples(baseline: Conditions, new: Conditions) -> tuple[int, int] | None:
    """How many samples a run is on either side, where shapes of inputs differ in that alone."""
    before, after = (result.shapes_of_text(side.batch or "") for side in (baseline, new))
    return result.numbers_of_samples(before, after)


def check_samples(baseline: Conditions, new: Conditions) -> tuple[Check, tuple[int, int] | None]:
    """How many samples a run is on either side; None where times are not to be divided."""
    before, after = baseline.batch, new.batch
    if before is None or after is None:
        unknown = f"the shape of the inputs of {_unknown(before, after)} is not known"
        said = f"How many samples a run is cannot be told: {unknown}."
        return Check("samples", "not_comparable", (said,)), None
    number = _samples(baseline, new)
    if number is None:
        same = "The number of samples is the same."
        said = same if before == after else "More than the number of samples differs."
    else:
        runs = f"a run of {SIDES[0]} is {count(number[0], 'sample')}, of {SIDES[1]} {number[1]:,}"
        said = f"Times are of one sample: {runs}."
    return Check("samples", "pass", (said,)), number


def check_coverage(
    both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]
) -> Iterator[Check]:
    """Whether enough of both engines was timed.

    A sum of times says nothing of an engine of which a part has no time: it would look faster.
    """
    few = [*_few(both)]
    against = [*_unfit(both, "ELV2"), *few]
    if not few and all(snapshot.profiles for snapshot in both):
        against += (*_fewer(both), *_lost(measured))
    if against:
        yield Check("coverage", "not_comparable", tuple(against))
        return
    if unread := tuple(_unfit(both, "ELV1")):
        yield Check("coverage", "unsure", unread)
        return
    known = tuple(
        f"{worst.timed:,} of {worst.layers:,} layers of {which} have a time."
        for which, worst in zip(SIDES, map(_worst, both))
        if worst is not None and worst.timed < worst.layers
    )
    if known:
        yield Check("coverage", "pass", known)


def _by_layers(coverage: Coverage) -> float:
    return coverage.timed / coverage.layers if coverage.layers else 1.0


def _worst(snapshot: Snapshot) -> Coverage | None:
    return min(snapshot.coverage, key=_by_layers, default=None)


def _unfit(both: tuple[Snapshot, Snapshot], kind: str) -> Iterator[Words]:
    for which, snapshot in zip(SIDES, both):
        for code, message in (one for one in snapshot.unfit if one[0].startswith(kind)):
            start = f"{which[0].upper()}{which[1:]} cannot be judged ({code}): "
            yield (start, Name(message), ".")


def _few(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    least = f"at least {allowed(_MIN_COVERAGE)} are needed"
    for which, snapshot in zip(SIDES, both):
        for run, coverage in zip(snapshot.profiles, snapshot.coverage):
            file = Name(run.file)
            if _by_layers(coverage) < _MIN_COVERAGE:
                has = f"{coverage.timed:,} of the {coverage.layers:,} layers of {which}"
                yield ("`", file, f"` has times for {has} that run something: {least}.")
            elif coverage.part < _MIN_COVERAGE:
                has = f"{percent(coverage.part)} of its time is in rows of layers of {which}"
                yield ("Of `", file, f"` {has}: {least}.")


def _fewer(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    a, b = map(_worst, both)
    if a is not None and b is not None and abs(_by_layers(a) - _by_layers(b)) > _MAX_UNTIMED_MORE:
        has = " and ".join(
            f"{worst.timed:,} of {worst.layers:,} layers of {which}"
            for which, worst in zip(SIDES, (a, b))
        )
        yield f"The sums are of different parts of the engines: {has} have a time."


def _lost(measured: Sequence[GroupTimes]) -> Iterator[Words]:
    """Layers that both have, and one side alone times."""
    for side in (0, 1):
        here = [group for group in measured if timed(group.both[side])]
        total = fsum(mean(group.both[side]) for group in here)
        lost = [group for group in here if group.paired and not group.both[1 - side]]
        ms = fsum(mean(group.both[side]) for group in lost)
        if ms > _MAX_LOST * total:
            first = max(lost, key=lambda group: mean(group.both[side])).layers
            has = f"Groups of layers, {milliseconds(ms)} or {percent(ms / total)} of {SIDES[side]},"
            name = Name(first[0]) if first else "one without a name"
            yield (f"{has} are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`.")


# ---- time of the engine ------------------------------------------------------------------------


def _check_time(
    total: EngineTotal, limits: Limits, sides: Sides, groups: Sequence[JudgedGroup]
) -> Iterator[Check]:
    limit, slowdown = limits.slowdown, total.slowdown
    if limit is None:
        return
    if slowdown is None:
        known = zip(SIDES, (total.baseline_ms, total.new_ms), sides)
        lacking = " and ".join(
            f"{which} has {_lack(own)}" for which, ms, own in known if ms is None
        )
        yield Check("time", "unsure", (f"The time cannot be judged: {lacking}.",))
        return
    verdict, reasons = _slower(total, slowdown, limit)
    if drifting := tuple(_drifting(sides)):
        most = log1p(max(run.drift for side in sides for run in side.runs))
        # The verdict may be another one if runs had been as slow or as fast throughout.
        if abs(log1p(slowdown) - log1p(limit)) <= most:
            verdict = "unsure"
            reasons = (f"{reasons[0]} It may be the drift within a run.", *reasons[1:])
    kind = sides[0].runs[0].kind
    more = [
        f"Compared is what both have, {TIMES[kind]}: only {which} has {own.unused}."
        for which, own in zip(SIDES, sides)
        if own.unused
    ]
    if groups and kind != "layers":
        before, after = (max(numbers) for numbers in zip(*(one.runs for one in groups)))
        runs = of_runs((before, after))
        more.append(f"The times of layers are of profiles, {runs}: not of the runs above.")
    copied = tuple(_copied(sides))
    if copied and verdict == "pass":
        verdict = "unsure"
    yield Check("time", verdict, (*reasons, *drifting, *more, *copied))


def _lack(side: SideMeasurements) -> str:
    """What it has instead of a time that can be compared."""
    if side.runs:
        return f"a run of {milliseconds(min(run.ms for run in side.runs))}, which cannot be"
    return side.lack


def _slower(total: EngineTotal, slowdown: float, limit: float) -> tuple[Verdict, tuple[str, ...]]:
    took = f"{milliseconds(total.baseline_ms or 0.0)} → {milliseconds(total.new_ms or 0.0)}"
    change = f"The engine takes {more_or_less(slowdown, limit)} time than the baseline ({took})"
    limited = f"{change}; the limit is {allowed(limit)}."
    held = total.interval
    if held is None:
        noise = f"With {of_runs(total.runs)} the noise is unknown: the limit alone decides."
        return "fail" if slowdown > limit else "pass", (limited, f"{noise} {ENOUGH}")
    span = f"With 95 % confidence the change lies between {signed(held.low, limit)} "
    span += f"and {signed(held.high, limit)}"
    if held.low > limit or held.high <= limit:
        return "fail" if held.low > limit else "pass", (f"{limited} {span}.",)
    said = f"{change}. {span}, so it may be over the limit of {allowed(limit)} or not."
    more = "More runs would tell: the spread between runs counts, not the number of iterations."
    return "unsure", (said, more)


def _drifting(sides: Sides) -> Iterator[Words]:
    """Runs in which times changed by more than noise does."""
    for which, own in zip(SIDES, sides):
        for run in own.runs:
            if run.drift > _MAX_NOISE:
                more = f"` of {which} one part took {percent(run.drift)} more time than another"
                why = ", as where a clock drops: lock the clocks, and measure again."
                yield ("Within `", Name(run.file), more + why)


def _copied(sides: Sides) -> Iterator[Words]:
    """Runs of iterations that are on both sides."""
    known = {run.digest: run.file for run in sides[0].runs if run.kind == "iterations"}
    for run in sides[1].runs:
        if run.digest and run.digest in known:
            names = "`", Name(known[run.digest]), "` of the baseline and `", Name(run.file), "`"
            yield (*names, " of the new engine hold the same times: nothing new was measured.")


# ---- what needs no times -----------------------------------------------------------------------


def _unknown(*both: object) -> str:
    """The sides of which something is not known."""
    return " and ".join(side for side, known in zip(SIDES, both) if known is None)


def _check_memory(before: int | None, after: int | None, limits: Limits) -> Iterator[Check]:
    limit = limits.memory
    if limit is None:
        return
    if before is None or after is None:
        said = f"The memory cannot be judged: that of {_unknown(before, after)} is not known."
        yield Check("memory", "unsure", (said,))
        return
    if before:
        growth = after / before - 1
        change = more_or_less(growth, limit)
    else:
        growth, change = (inf, "more") if after else (0.0, "no more")
    said = f"The engine needs {change} memory than the baseline ({before:,} → {after:,} bytes); "
    verdict: Verdict = "fail" if growth > limit else "pass"
    yield Check("memory", verdict, (f"{said}the limit is {allowed(limit)}.",))


def _check_reformats(before: int | None, after: int | None, limits: Limits) -> Iterator[Check]:
    limit = limits.reformats
    if limit is None:
        return
    if before is None or after is None:
        said = f"The reformats cannot be judged: those of {_unknown(before, after)} are not known."
        yield Check("reformats", "unsure", (said,))
        return
    said = f"The engine has {count(after, 'reformat')}, the baseline {before:,}; "
    said += f"{limit:,} more {'is' if limit == 1 else 'are'} allowed."
    yield Check("reformats", "fail" if after - before > limit else "pass", (said,))


def _check_findings(forbidden: Sequence[Words]) -> Check:
    if not forbidden:
        return Check("findings", "pass", ("No forbidden finding.",))
    said = tuple(("Forbidden: ", *parts(finding)) for finding in forbidden)
    return Check("findings", "fail", said)
