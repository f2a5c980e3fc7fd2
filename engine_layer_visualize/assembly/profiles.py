"""Gives the rows of a profile to the layers that they time, by name."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from engine_layer_visualize.assembly import kernel_times
from engine_layer_visualize.core.model import Join, Layer, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.trt.names import (
    myelin_index,
    profile_of,
    without_myelin,
    without_profile,
)
from engine_layer_visualize.trt.operators import WITHOUT_KERNEL

if TYPE_CHECKING:
    from engine_layer_visualize.core.layer_facts import RunSamples

Key = TypeVar("Key", bound=Hashable)

_MOST_LEFT: Final = 3  # rows without a layer whose times are kept
_LISTED: Final = 3  # names shown in a message; the rest is counted


class Score(NamedTuple):
    """How well a profile fits an engine: exact names first, Myelin kernels to break ties."""

    exact: int
    kernels: int

    def __bool__(self) -> bool:
        return bool(self.exact or self.kernels)


def join(layers: Sequence[Layer], profile: Profile) -> tuple[list[Layer], Join]:
    """Gives every layer its row's time; the kernels of a Myelin layer are summed."""
    profile = _pooled(layers, profile)
    rows = _assigned(layers, profile)
    timed = [
        replace(layer, time=_summed(rows[layer.index])) if layer.index in rows else layer
        for layer in layers
    ]
    used = {id(row) for group in rows.values() for row in group}
    left = [row for row in profile.rows if id(row) not in used]
    times = [row.time for row in profile.rows]
    if profile.sampled:  # a layer's rows may be of different runs
        times = [la.time for la in timed if la.time is not None] + [row.time for row in left]
    averages = ((row.name, row.time.average_ms or 0.0) for row in left)
    return timed, Join(
        profile.place.file,
        matched=len(rows),
        layers=len(layers),
        rows=len(profile.rows),
        unmatched_rows=tuple(row.name for row in left),
        untimed_layers=tuple(layer.name for layer in timed if layer.time is None),
        total_ms=_sum(time.average_ms for time in times),
        median_total_ms=_sum(map(_median, times)),
        sum_ms=_sum(time.total_ms for time in times),
        printed=profile.total,
        longest_left=tuple(sorted(averages, key=lambda row: -row[1])[:_MOST_LEFT]),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum; None where a value is not known."""
    each = list(values)
    known = [value for value in each if value is not None]
    return math.fsum(known) if len(known) == len(each) else None


def _pooled(layers: Sequence[Layer], profile: Profile) -> Profile:
    """Adds the rows of the report's other runs that are of this engine.

    Such as those of the other branch of an If. They have no row without a layer that the best ones
    do not have, too.
    """
    if not profile.also:
        return profile
    strange = _strange(layers, profile)
    same_engine = [other for other in profile.also if _strange(layers, other) <= strange]
    return replace(
        profile, rows=(*profile.rows, *(row for other in same_engine for row in other.rows))
    )


def _strange(layers: Sequence[Layer], profile: Profile) -> set[str]:
    """The names of rows without a layer."""
    used = {id(row) for group in _assigned(layers, profile).values() for row in group}
    return {row.name for row in profile.rows if id(row) not in used}


def _median(time: Timing) -> float | None:
    return time.average_ms if time.median_ms is None else time.median_ms


def score(layers: Sequence[Layer], profile: Profile) -> Score:
    """What `join` would find."""
    names = {layer.index: layer.name for layer in layers}
    exact = kernels = 0
    for index, rows in _assigned(layers, kernel_times.of_layers(layers, profile)).items():
        if rows[0].name == names[index]:
            exact += 1
        else:
            kernels += len(rows)
    return Score(exact, kernels)


def pair(
    scores: Sequence[Sequence[Score]],
    profiles: Sequence[Profile],
    engines: Sequence[Key],
    homes: Sequence[frozenset[Key]] = (),
) -> tuple[dict[Key, Profile], list[Problem]]:
    """Which profile goes to which engine.

    `scores[p][e]`: how `profiles[p]` fits the engine `engines[e]`, whose key messages show. A
    profile goes to the engine with the most exact matches; n that tie on n engines are paired in
    order, any other tie takes the first. Of a report on several engines' runs, those count that are
    of one of these.

    `homes[p]`: the engines that `profiles[p]` was given beside. If it fits one of these as well as
    any other, it is of that one, but for profiles of one home that are paired in order.
    """
    problems: list[Problem] = []
    told = {
        profile.place.file for profile, row in zip(profiles, scores) if profile.sampled and any(row)
    }
    ties: dict[tuple[Key, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(scores):
        best = max(row, key=lambda s: (s.exact, s.kernels), default=Score(0, 0))
        if best:
            fitting = tuple(e for e, fit_of in zip(engines, row) if fit_of == best)
            ties[fitting].append(number)
        elif profiles[number].place.file not in told:
            problems.append(matches_nothing(profiles[number]))
            if profiles[number].sampled:
                told.add(profiles[number].place.file)
    paired: dict[Key, Profile] = {}
    chosen: list[tuple[int, Key]] = []
    for fitting, numbers in ties.items():
        beside = {homes[number] for number in numbers} if homes else set()
        in_order = len(numbers) == len(fitting) and len(beside) < 2
        for place_in_tie, number in enumerate(numbers):
            place = profiles[number].place
            near = [engine for engine in fitting if homes and engine in homes[number]]
            engine = fitting[place_in_tie] if in_order else (near or fitting)[0]
            if len(fitting) > 1 and (in_order or len(near) != 1):
                how = "taken in order" if in_order else "the first is taken"
                fits = ", ".join(map(str, fitting))
                message = f"fits engines {fits} equally well; {how}: engine {engine}"
                problems.append(Problem(place, "ELV205", message))
            chosen.append((number, engine))
    position = {engine: place_of for place_of, engine in enumerate(engines)}

    def fit(choice: tuple[int, Key]) -> tuple[int, int]:
        points = scores[choice[0]][position[choice[1]]]
        return -points.exact, -points.kernels

    for number, engine in sorted(chosen, key=fit):  # of two for one engine the better one
        profile, other = profiles[number], paired.get(engine)
        if other is None:
            paired[engine] = profile
        elif _is_of_other_runs(profile, (other, *other.also)):
            paired[engine] = replace(other, also=(*other.also, profile))
        else:
            of = base_name(other.place.file)
            message = f"engine {engine} has its times from {of}; these are not used"
            problems.append(Problem(profile.place, "ELV206", message))
    return paired, problems


def _is_of_other_runs(profile: Profile, taken: Sequence[Profile]) -> bool:
    """Whether it is of the same report, which may be given twice, but of none of these runs."""
    if not profile.sampled or profile.place.file != taken[0].place.file:
        return False
    runs = {other.rows[0].samples.runs for other in taken if other.rows[0].samples is not None}
    samples = profile.rows[0].samples
    return samples is not None and samples.runs not in runs


def of_one_engine(layers: Sequence[Layer], profiles: Sequence[Profile]) -> list[Profile]:
    """A file's profiles where all are of these layers; the runs of a report make one profile."""
    runs = [profile for profile in profiles if profile.sampled]
    if len(runs) < 2:
        return list(profiles)
    paired, _ = pair([[score(layers, profile)] for profile in runs], runs, [0])
    return [profile for profile in profiles if not profile.sampled] + [paired.get(0, runs[0])]


def timed(
    layers: list[Layer], file: Profile | None, table: Profile | None, force: bool = False
) -> tuple[list[Layer], Join | None, list[Problem]]:
    """The layers with the times of a file or, without one, of the log's own table.

    A file is taken if it has times for at least half of the layers, and for no fewer than the
    table; or by `force`.
    """
    problems = []
    if file is not None and (by_kernels := kernel_times.of_layers(layers, file)) is not file:
        file = by_kernels
        problems.append(kernel_times.told(file))
    of_file = None if file is None else join(layers, file)
    of_table = None if table is None else join(layers, table)
    if file is not None and of_file is not None and of_file[1].matched:
        has, of = _coverage(of_file[0])
        in_table = _coverage(of_table[0])[0] if of_table is not None else 0
        times = f"times for {has} of {of} layers"
        if table is not None and force and has < in_table:
            used = f"times are from {base_name(file.place.file)}, for {has} of {of} layers"
            message = f"{used}; this table has times for {in_table}, and is not used"
            problems.append(Problem(table.place, "ELV206", message))
        elif not force and in_table and (has < in_table or 2 * has < of):
            message = f"{times}; not used, as the log's own table has times for {in_table}"
            problems.append(Problem(file.place, "ELV206", message))
            of_file = None
        elif not force and 2 * has < of:
            message = f"{times}, fewer than half; not used without --force"
            problems.append(Problem(file.place, "ELV209", message))
            of_file = None
    profile, joined = (file, of_file) if of_file is not None else (table, of_table)
    if profile is None or joined is None:
        return layers, None, problems
    result, matched = joined
    problems += _leftover(matched, profile.place) if matched.matched else [matches_nothing(profile)]
    return result, matched, problems


def _coverage(timed: Sequence[Layer]) -> tuple[int, int]:
    """How many layers have a time, and how many can have one.

    Counted in the optimisation profile that has the most: a file of times need not list what runs
    no kernel, and is of one optimisation profile.
    """
    can: dict[str, list[bool]] = defaultdict(list)
    for layer in timed:
        if layer.type not in WITHOUT_KERNEL and (layer.inputs or layer.outputs):
            can[profile_of(layer.name)].append(layer.time is not None)
    each = list(can.values()) or [[layer.time is not None for layer in timed]]
    return max(
        ((sum(timed_ones), len(timed_ones)) for timed_ones in each),
        key=lambda timed_ones: timed_ones[0] / timed_ones[1],
    )


def _leftover(joined: Join, place: Place) -> list[Problem]:
    """A warning for rows without a layer."""
    if not joined.unmatched_rows:
        return []
    count, total = len(joined.unmatched_rows), joined.rows
    message = f"{count} of {total} profile rows have no layer: {_some(joined.unmatched_rows)}"
    return [Problem(place, "ELV203", message)]


def matches_nothing(profile: Profile) -> Problem:
    """The error for a profile that belongs to another engine."""
    message = f"no row bears the name of a layer: {_some([row.name for row in profile.rows])}"
    return Problem(profile.place, "ELV202", message)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name:.60}`" for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _assigned(layers: Sequence[Layer], profile: Profile) -> dict[int, list[ProfileRow]]:
    """The rows of every layer that has some, by the layer's index."""
    named: dict[str, list[int]] = defaultdict(list)
    for layer in layers:
        named[layer.name].append(layer.index)
    if profile.of_ranges:
        for layer in layers:
            if (base := without_myelin(layer.name)) != layer.name:
                named[base].append(layer.index)
    met: dict[tuple[str, int], int] = defaultdict(int)
    rows: dict[int, list[ProfileRow]] = {}
    rest = []
    for row in profile.rows:
        if row.name not in named:
            rest.append(row)
            continue
        waiting, key = named[row.name], (row.name, row.samples.runs if row.samples else -1)
        if row.samples is not None:  # of more rows than layers: a loop
            rows.setdefault(waiting[met[key] % len(waiting)], []).append(row)
        elif met[key] < len(waiting):  # the n-th occurrence goes to the n-th
            rows[waiting[met[key]]] = [row]
        else:
            rest.append(row)
        met[key] += 1
    myelin = {
        layer.position: layer.index
        for layer in layers
        if layer.type == "Myelin" and layer.index not in rows
    }
    for row in rest:
        inside = myelin_index(without_profile(row.name))
        if inside is not None and (index := myelin.get(inside)) is not None:
            rows.setdefault(index, []).append(row)
    return rows


def _summed(rows: Sequence[ProfileRow]) -> Timing:
    if samples := [row.samples for row in rows if row.samples is not None]:
        return _of_runs(rows, samples)
    if len(rows) == 1:
        return rows[0].time

    times = [row.time for row in rows]
    return Timing(
        average_ms=_sum(time.average_ms for time in times),
        median_ms=None,
        total_ms=_sum(time.total_ms for time in times),
        percent=_sum(time.percent for time in times),
        parts=len(rows),
        rows=tuple(rows),
        n=times[0].n if len({time.n for time in times}) == 1 else None,
    )


def _of_runs(rows: Sequence[ProfileRow], samples: Sequence[RunSamples]) -> Timing:
    """What is inside are its ranges, or, where it has none or they differ, what it launched."""
    from engine_layer_visualize.core.layer_facts import statistics

    measures = statistics(samples)
    parts = max(Counter(sample.runs for sample in samples).values())
    inside = [ProfileRow(kernel.name, Timing(kernel.average_ms)) for kernel in measures["kernels"]]
    if len(rows) == parts > 1:
        inside = [replace(row, samples=None) for row in rows]
    return Timing(**measures, parts=parts, rows=tuple(inside) if len(inside) > 1 else ())
