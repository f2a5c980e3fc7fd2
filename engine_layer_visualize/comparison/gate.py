"""Judges a new engine by what was measured on two sides, and by what is allowed.

Green needs every condition: that both sides were measured, anew, of one network, under the same
conditions, and as a whole. Nothing that was asked for passes because it could not be looked at.
"""

from collections.abc import Iterator, Sequence
from math import fsum, inf, isclose, log1p
from typing import Final

from engine_layer_visualize.comparison.verdict import (
    ENOUGH,
    SIDES,
    VERDICTS,
    Alone,
    Check,
    EngineTotal,
    GroupTimes,
    Judgement,
    Limits,
    Verdict,
    allowed,
    alone,
    checked,
    geometric_mean,
    more_or_less,
    of_runs,
    percent,
    runs_between,
    signed,
    slowdown_interval,
    timed_groups,
    usable,
)
from engine_layer_visualize.core.snapshot import (
    KINDS,
    MIN_ITERATIONS,
    Conditions,
    Coverage,
    GateRun,
    Snapshot,
)
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words

TIMES: Final = {  # by the kind of a run
    "iterations": "times of iterations",
    "summary median": "the median of trtexec's summary",
    "summary mean": "the mean of trtexec's summary",
    "layers": "times of its layers alone, not of whole runs",
}
_CALLED: Final = (  # the fields of Conditions
    "TensorRT version", "device", "compute clock", "memory clock", "shape of the inputs",
    "optimisation profile", "time of a layer", "number of streams", "CUDA graph",
)  # fmt: skip
_TOLD_BY: Final = {"device": "--device NAME", "shape of the inputs": "a log that has it"}
_SAME: Final = 1e-3  # clocks are printed with three digits
# A profile of another engine, of a small part of it, or one that is cut.
UNFIT: Final = ("ELV202", "ELV209", "ELV210")
_MAX_NOISE: Final = 0.05  # between parts of one run; noise stays below 2 %
_TOO_GOOD: Final = -0.9  # no change of an engine saves so much
_TAIL: Final = "99th percentile"
_OF_TAIL: Final = 5  # limits that the 99th percentile may be over

Snapshots = tuple[Snapshot, Snapshot]
Runs = tuple[Sequence[GateRun], Sequence[GateRun]]  # of both sides


def judge(
    baseline: Snapshot,
    new: Snapshot,
    limits: Limits,
    *,
    measured: Sequence[GroupTimes] = (),
    other: str = "",
    checks: Sequence[Check] = (),
) -> Judgement:
    """Judges the measurements of two sides.

    Args:
        baseline: what was measured of the baseline.
        new: what was measured of the new engine.
        limits: what the new engine may cost more.
        measured: layers that belong together on both sides.
        other: why the engines are of two networks.
        checks: what else was looked at, of whether the sides are comparable.
    """
    both, runs = (baseline, new), _compared(baseline, new)
    whole = limits.slowdown is not None
    each = [[run.ms for run in own] for own in runs]
    a, b = (geometric_mean(ms) if usable(ms) else None for ms in each)
    interval = None if a is None or b is None else slowdown_interval(*each)
    total = EngineTotal(a, b, (len(runs[0]), len(runs[1])), interval)
    groups = timed_groups(measured)
    checks = [
        *checked("measured", "not comparable", _lacking(both, runs) if whole else ()),
        *checked("new run", "not comparable", _copied(runs) if whole else ()),
        *checked("network", "not comparable", [other] if other else ()),
        *_check_conditions(baseline.conditions, new.conditions),
        *checks,
    ]
    # Where one side does not tell its batch, its run may be of another number of samples.
    batch_known_once = (baseline.conditions.batch is None) != (new.conditions.batch is None)
    if _worst(checks) == "not comparable" or batch_known_once:
        # No time is judged: neither the engine's nor any group's.
        total, groups = total._replace(interval=None), ()
    else:
        checks += checked("iterations", "unsure", _few_iterations(runs) if whole else ())
        checks += _check_time(total, limits, both, runs)
        checks += checked("statistics", "unsure", _contradictions(total, limits, both))
    if not other:  # memory needs no times
        checks += _check_memory(both, limits)
    return Judgement(_worst(checks), tuple(checks), total, groups, baseline.file, new.file)


def _worst(checks: Sequence[Check]) -> Verdict:
    return max((check.verdict for check in checks), key=VERDICTS.index, default=VERDICTS[0])


def _known(side: Snapshot) -> tuple[GateRun, ...]:
    """The runs of every kind."""
    return *side.runs, *side.profiles


def _compared(baseline: Snapshot, new: Snapshot) -> Runs:
    """The runs of the best kind that both have; where one side has none, the best of the other."""
    before, after = _known(baseline), _known(new)
    kinds = [{run.kind for run in own} for own in (before, after)]
    shared = kinds[0] & kinds[1] if all(kinds) else kinds[0] | kinds[1]
    best = next((kind for kind in KINDS if kind in shared), None)
    return [run for run in before if run.kind == best], [run for run in after if run.kind == best]


def _has(side: Snapshot) -> str:
    """The best times of a side in words."""
    kinds = {run.kind for run in _known(side)}
    return next((TIMES[kind] for kind in KINDS if kind in kinds), "no measured time")


# ---- conditions: each says why its check is not passed -------------------------------------------


def _lacking(both: Snapshots, runs: Runs) -> Iterator[Words]:
    """Both sides were measured, in a way that the other was, too."""
    if all(runs):
        return
    lacks = {which: _has(side) for which, side, own in zip(SIDES, both, runs) if not own}
    lacking = " and ".join(f"{which} has {lack}" for which, lack in lacks.items())
    if len(lacks) == 2 and len({*lacks.values()}) == 1:
        lacking = f"both sides have {_has(both[0])}"
    yield f"The time cannot be judged: {lacking}."


def _copied(runs: Runs) -> Iterator[Words]:
    """The new engine was run again: no run of the baseline is taken for one of it."""
    before, after = runs
    known = {one: run.file for run in before for one in run.digests}
    for run in dict.fromkeys(run for run in after if not known.keys().isdisjoint(run.digests)):
        (first, *_) = (known[one] for one in run.digests if one in known)
        files = "`", Name(first), "` of the baseline and `", Name(run.file)
        yield (*files, "` of the new engine hold the same times: nothing new was measured.")


def _few_iterations(runs: Runs) -> Iterator[Words]:
    """A time is of so many iterations that it is one."""
    least = f"at least {MIN_ITERATIONS} are needed."
    for which, own in zip(SIDES, runs):
        numbers = [run.iterations for run in own]
        if None in numbers:
            yield f"How many iterations {which} ran is not known: {least}"
        elif (known := sum(filter(None, numbers))) < MIN_ITERATIONS:
            yield f"{which[0].upper()}{which[1:]} ran {count(known, 'iteration')}: {least}"


def _check_conditions(baseline: Conditions, new: Conditions) -> Iterator[Check]:
    """Both ran on the same device, with the same shapes, clocks and version."""
    both = list(zip(_CALLED, baseline, new))
    differ: list[Words] = [
        (f"The {called} differs: ", _value(a), f" in {SIDES[0]}, ", _value(b), f" in {SIDES[1]}.")
        for called, a, b in both
        if a is not None and b is not None and not _same(a, b)
    ]
    one_sided = [
        f"The {called} of {SIDES[b is None]} is not known: give {_TOLD_BY[called]}."
        for called, a, b in both
        if called in _TOLD_BY and (a is None) != (b is None)
    ]
    unknown = ", ".join(called for called, *values in both if None in values)
    yield from checked("conditions", "not comparable" if differ else "unsure", differ or one_sided)
    if unknown and not differ and not one_sided:
        said = f"Unknown on one side or both, and not compared: {unknown}."
        yield Check("conditions", "pass", (said,))


def _same(before: str | float, after: str | float) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return isclose(before, after, rel_tol=_SAME)
    return before == after


def _value(value: str | float) -> str | Name:
    return Name(value) if isinstance(value, str) else f"{value:g} GHz"


# ---- time of the engine ------------------------------------------------------------------------


def _check_time(total: EngineTotal, limits: Limits, both: Snapshots, runs: Runs) -> Iterator[Check]:
    limit, slowdown = limits.slowdown, total.slowdown
    if limit is None:
        return
    if slowdown is None:
        lacking = " and ".join(
            f"{which} has a run of {milliseconds(min(run.ms for run in own))}"
            for which, ms, own in zip(SIDES, (total.baseline_ms, total.new_ms), runs)
            if ms is None
        )
        yield Check("time", "unsure", (f"The time cannot be judged: {lacking}.",))
        return
    verdict, reasons = _slower(total, slowdown, limit)
    if drifting := tuple(_drifting(runs)):
        most = log1p(max(run.drift for own in runs for run in own))
        # The verdict may be another one if runs had been as slow or as fast throughout.
        if abs(log1p(slowdown) - log1p(limit)) <= most:
            verdict = "unsure"
            reasons = (f"{reasons[0]} It may be the drift within a run.", *reasons[1:])
    compared = TIMES[runs[0][0].kind]
    more = [
        f"Compared is what both have, {compared}: only {which} has {best}."
        for which, best in zip(SIDES, map(_has, both))
        if best != compared
    ]
    if slowdown < _TOO_GOOD:
        verdict = "unsure"
        reasons = (reasons[0], "This is too good to be true: see whether the same was measured.")
    yield Check("time", verdict, (*reasons, *drifting, *more))


def _slower(total: EngineTotal, slowdown: float, limit: float) -> tuple[Verdict, tuple[str, ...]]:
    took = f"{milliseconds(total.baseline_ms or 0.0)} → {milliseconds(total.new_ms or 0.0)}"
    change = f"The engine takes {more_or_less(slowdown, limit)} time than the baseline ({took})"
    limited = f"{change}; the limit is {allowed(limit)}."
    held = total.interval
    if held is None:
        runs = of_runs(total.runs)
        noise = f"With {runs} the noise is unknown: the limit alone decides. {ENOUGH}"
        return "fail" if slowdown > limit else "pass", (limited, noise)
    span = f"With 95 % confidence the change lies between {signed(held.low, limit)} "
    span += f"and {signed(held.high, limit)}"
    if held.low > limit or held.high <= limit:
        return "fail" if held.low > limit else "pass", (f"{limited} {span}.",)
    said = f"{change}. {span}, so it may be over the limit of {allowed(limit)} or not."
    more = "More runs would tell: the spread between runs counts, not the number of iterations."
    return "unsure", (said, more)


def _drifting(runs: Runs) -> Iterator[Words]:
    """Runs in which times changed by more than noise does."""
    for which, own in zip(SIDES, runs):
        for run in own:
            if run.drift > _MAX_NOISE:
                more = f"` of {which} one part took {percent(run.drift)} more time than another"
                why = ", as where a clock drops: lock the clocks, and measure again."
                yield ("Within `", Name(run.file), more + why)


def _contradictions(total: EngineTotal, limits: Limits, both: Snapshots) -> Iterator[Words]:
    """No other statistic of the runs says slower by more than the limit where the time does not."""
    limit = limits.slowdown
    if limit is None or total.slowdown is None or total.slowdown > limit:
        return
    before, after = map(_statistics, both)
    for name in sorted(before.keys() & after.keys()):
        a, b = before[name], after[name]
        if not (usable(a) and usable(b)):
            continue
        was, now = geometric_mean(a), geometric_mean(b)
        is_tail = name.startswith(_TAIL)
        most = max(_OF_TAIL * limit, runs_between(a)) if is_tail else limit
        if now / was - 1 > most:
            times = f"{milliseconds(was)} → {milliseconds(now)}"
            yield f"But the {name} is {percent(now / was - 1, most)} more ({times})."


def _statistics(side: Snapshot) -> dict[str, list[float]]:
    """What is known of the runs beside the time that is compared, each in all runs that have it."""
    found: dict[str, list[float]] = {}
    for run, coverage in zip(side.profiles, side.coverage):
        found.setdefault("sum of all rows", []).append(run.ms / (coverage.part or 1.0))
    for run in _known(side):
        of = "iterations" if run.kind == "iterations" else "trtexec's summary"
        called = "sum of the layers" if run.kind == "layers" else f"median of {of}"
        if run.kind != "summary mean":
            found.setdefault(called, []).append(run.ms)
        for name, ms in ((f"mean of {of}", run.mean), (f"{_TAIL} of {of}", run.p99)):
            if ms is not None:
                found.setdefault(name, []).append(ms)
    return found


# ---- what needs no times -----------------------------------------------------------------------


def _check_memory(both: Snapshots, limits: Limits) -> Iterator[Check]:
    """With the parts of memory that both know: those of one side make a pass unsure."""
    limit, sizes = limits.memory, [dict(side.memory) for side in both]
    if limit is None:
        return
    parts = sizes[0].keys() & sizes[1].keys()
    before, after = (sum(own[part] for part in parts) for own in sizes)
    growth = after / before - 1 if before else inf if after else 0.0
    change = "more" if growth == inf else more_or_less(growth, limit)
    said = f"The engine needs {change} memory than the baseline ({before:,} → {after:,} bytes); "
    verdict: Verdict = "fail" if growth > limit else "pass"
    if growth <= limit and ("Weights" not in parts or sizes[0].keys() != sizes[1].keys()):
        lacks = [f"{side} tells {' and '.join(own) or 'none'}" for side, own in zip(SIDES, sizes)]
        if "Weights" not in {*sizes[0], *sizes[1]}:
            lacks = ["neither tells the weights, as TensorRT 10 does"]
        said, verdict = f"The memory cannot be judged: {', '.join(lacks)}; ", "unsure"
    yield Check("memory", verdict, (f"{said}the limit is {allowed(limit)}.",))


# ---- coverage: how much of both engines was timed ------------------------------------------------

_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side


def check_coverage(both: Snapshots, measured: Sequence[GroupTimes]) -> Iterator[Check]:
    """Whether enough of both engines was timed.

    A sum of times says nothing of an engine of which a part has no time: it would look faster.
    """
    worst = [min(side.coverage, key=_by_layers, default=None) for side in both]
    have = [
        (f"{one.timed:,} of {one.layers:,} layers of {which}", _by_layers(one))
        for which, one in zip(SIDES, worst)
        if one is not None
    ]
    few, lost = [*_few(both)], list[Words]()
    against = [*_unfit(both, fatal=True), *few]
    if not few and all(side.profiles for side in both):
        parts = [part for _, part in have]
        if len(parts) == 2 and abs(parts[0] - parts[1]) > _MAX_UNTIMED_MORE:
            said = " and ".join(words for words, _ in have)
            against.append(f"The sums are of different parts of the engines: {said} have a time.")
        lone = [alone(measured, side) for side in (0, 1)]
        lost = [_lost(side, one) for side, one in enumerate(lone) if one.groups]
        against += lost if max(one.share for one in lone) > _MAX_LOST else ()
    less = [*against, *_unfit(both, fatal=False), *lost, *_vanished(both, measured)]
    yield from checked("coverage", "not comparable" if against else "unsure", less)
    known = (f"{words} have a time." for words, part in have if part < 1)
    yield from checked("coverage", "pass", () if less else known)


def _by_layers(coverage: Coverage) -> float:
    return coverage.timed / coverage.layers if coverage.layers else 1.0


def _unfit(both: Snapshots, *, fatal: bool) -> Iterator[Words]:
    for which, snapshot in zip(SIDES, both):
        start = f"{which[0].upper()}{which[1:]} cannot be judged"
        for code, message in snapshot.unfit:
            if (code in UNFIT) is fatal:
                yield f"{start} ({code}): ", Name(message), "."


def _few(both: Snapshots) -> Iterator[Words]:
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


def _vanished(both: Snapshots, measured: Sequence[GroupTimes]) -> Iterator[Words]:
    """Layers of the baseline that took time, and take none now, or have no row in times alone."""
    total = fsum(each.baseline_ms for each in measured if each.baseline)
    gone = [each for each in measured if each.baseline and each.new and not any(each.new)]
    came = any(each.new and ("..." in each.layers[0] or not each.baseline) for each in measured)
    if not (both[1].tensors or came):  # of times alone, without others: rows may be missing
        gone += [each for each in measured if each.baseline and not each.new]
    ms = fsum(each.baseline_ms for each in gone)
    if ms > _MAX_LOST * total:
        name = Name(max(gone, key=lambda each: each.baseline_ms).layers[0])
        yield f"Layers of {milliseconds(ms)} in {SIDES[0]} have no time now, such as `", name, "`."


def _lost(side: int, lost: Alone) -> Words:
    """Layers that both have, and one side alone times."""
    first, _ = lost.groups[0]
    name = Name(first[0]) if first else "one without a name"
    has = f"Groups of layers, {milliseconds(lost.ms)} or {percent(lost.share)} of {SIDES[side]}"
    return f"{has}, are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`."
