"""Says what a green verdict needs beside times within the limits: that they are of this engine.

Each condition is one function: it yields a check where it says something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, isclose
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.gate_layers import GroupTimes, mean
from engine_layer_visualize.comparison.gate_statistics import timed
from engine_layer_visualize.comparison.verdict import (
    SIDES,
    Check,
    Limits,
    allowed,
    percent,
)
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.snapshot import (
    MIN_ITERATIONS,
    Conditions,
    Coverage,
    GateRun,
    Kind,
    Snapshot,
)
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words

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
_TOLD_BY: Final = {"device": "--device NAME", "shape of the inputs": "a log that has it"}
_OF_ANOTHER: Final = ("ELV202", "ELV209", "ELV210")  # engine, a part of it, or a part of times
_SAME: Final = 1e-3  # clocks are printed with three digits
_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side


class SideMeasurements(NamedTuple):
    """What was measured of one side. None: unknown."""

    file: str  # the log or the snapshot
    runs: Sequence[GateRun] = ()  # of the whole engine, of the best kind that both sides have
    lack: str = "no measured time"  # what it has where it has no run
    conditions: Conditions = Conditions()
    memory: int | None = None  # bytes on the device
    unused: str = ""  # better times, which the other side lacks
    all_runs: Sequence[GateRun] = ()  # of every kind


Sides = tuple[SideMeasurements, SideMeasurements]


def check_measured(sides: Sides) -> Iterator[Check]:
    """Both sides were measured, in a way that the other was, too."""
    if all(side.runs for side in sides):
        kind = sides[0].runs[0].kind
        if all(run.kind == kind for side in sides for run in side.runs):
            return
    lacks = {
        which: side.lack
        for which, side, other in zip(SIDES, sides, sides[::-1])
        if not side.runs or other.runs
    }
    lacking = " and ".join(f"{which} has {lack}" for which, lack in lacks.items())
    if len(lacks) == 2 and len({*lacks.values()}) == 1:
        lacking = f"both sides have {sides[0].lack}"
    yield Check("measured", "not comparable", (f"The time cannot be judged: {lacking}.",))


def check_new(sides: Sides, limits: Limits) -> Iterator[Check]:
    """The new engine was run again: no run of the baseline is taken for one of it."""
    whole, layers = limits.slowdown is not None, limits.layer_slowdown is not None
    before, after = (
        [
            *(side.runs if whole else ()),
            *(run for run in side.all_runs if layers and run.kind == "layers"),
        ]
        for side in sides
    )
    known = {run.digest: run.file for run in before if run.digest}
    if copied := dict.fromkeys(run for run in after if run.digest in known):
        yield Check(
            "new run",
            "not comparable",
            tuple(
                (
                    *("`", Name(known[run.digest]), "` of the baseline and `", Name(run.file)),
                    "` of the new engine hold the same times: nothing new was measured.",
                )
                for run in copied
            ),
        )


def check_iterations(sides: Sides) -> Iterator[Check]:
    """A time is of so many iterations that it is one."""
    said = []
    for which, side in zip(SIDES, sides):
        numbers = [run.iterations for run in side.runs]
        if None in numbers:
            said.append(f"How many iterations {which} ran is not known")
        elif (known := sum(filter(None, numbers))) < MIN_ITERATIONS:
            said.append(f"{which[0].upper()}{which[1:]} ran {count(known, 'iteration')}")
    least = f"at least {MIN_ITERATIONS} are needed."
    if said:
        yield Check("iterations", "unsure", tuple(f"{one}: {least}" for one in said))


def check_network(same: bool) -> Iterator[Check]:
    """Both engines are of one network."""
    if not same:
        said = "The two engines are not of the same network, as far as their layers show."
        yield Check("network", "not comparable", (said,))


def check_conditions(baseline: Conditions, new: Conditions) -> Iterator[Check]:
    """Both ran on the same device, with the same shapes, clocks and version."""
    if differ := tuple(_differences(baseline, new)):
        yield Check("conditions", "not comparable", differ)
        return
    both = list(zip(_CALLED, baseline, new))
    one_sided = tuple(
        f"The {called} of {SIDES[after is None]} is not known: {_TOLD_BY[called]} tells it."
        for called, before, after in both
        if called in _TOLD_BY and (before is None) != (after is None)
    )
    if one_sided:
        yield Check("conditions", "unsure", one_sided)
    elif unknown := [called for called, *values in both if None in values]:
        said = f"Unknown on one side or both, and not compared: {', '.join(unknown)}."
        yield Check("conditions", "pass", (said,))


def _differences(baseline: Conditions, new: Conditions) -> Iterator[Words]:
    """A sentence for each that is known on both sides and differs."""
    for called, before, after in zip(_CALLED, baseline, new):
        if before is None or after is None or _same(before, after):
            continue
        was, now = _value(before), _value(after)
        yield (f"The {called} differs: ", was, " in the baseline, ", now, " in the new engine.")


def _same(before: str | float, after: str | float) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return isclose(before, after, rel_tol=_SAME)
    return before == after


def _value(value: str | float) -> str | Name:
    return Name(value) if isinstance(value, str) else f"{value:g} GHz"


def check_read(unread: Sequence[Problem]) -> Iterator[Check]:
    """All files of both sides were read whole."""
    if said := {(one.code, one.message) for one in unread}:
        reasons = [
            (f"Something could not be read ({code}): ", Name(text), ".")
            for code, text in sorted(said)
        ]
        yield Check("read", "unsure", tuple(reasons))


def check_coverage(
    both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]
) -> Iterator[Check]:
    """Whether enough of both engines was timed.

    A sum of times says nothing of an engine of which a part has no time: it would look faster.
    """
    few = [*_few(both)]
    against = [*_unfit(both, _OF_ANOTHER), *few]
    lost: list[Words] = []
    if not few and all(snapshot.profiles for snapshot in both):
        against += _fewer(both)
        share, lost = _lost(measured)
        against += lost if share > _MAX_LOST else ()
    unread = tuple(_unfit(both, _OF_ANOTHER, others=True))
    if against or unread or lost:
        reasons = dict.fromkeys((*against, *unread, *lost))
        yield Check("coverage", "not comparable" if against else "unsure", tuple(reasons))
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


def _unfit(
    both: tuple[Snapshot, Snapshot], codes: Sequence[str], others: bool = False
) -> Iterator[Words]:
    for which, snapshot in zip(SIDES, both):
        for code, message in (one for one in snapshot.unfit if (one[0] in codes) != others):
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


def _lost(measured: Sequence[GroupTimes]) -> tuple[float, list[Words]]:
    """Layers that both have, and one side alone times: their part of the time, and sentences."""
    most, said = 0.0, list[Words]()
    for side in (0, 1):
        here = [group for group in measured if timed(group.both[side])]
        total = fsum(mean(group.both[side]) for group in here)
        lost = [group for group in here if group.paired and not group.both[1 - side]]
        if not lost:
            continue
        ms = fsum(mean(group.both[side]) for group in lost)
        most = max(most, ms / total if total else 0.0)
        first = max(lost, key=lambda group: mean(group.both[side])).layers
        share = percent(ms / total) if total else "0 %"
        has = f"Groups of layers, {milliseconds(ms)} or {share} of {SIDES[side]},"
        name = Name(first[0]) if first else "one without a name"
        said.append((f"{has} are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`."))
    return most, said
