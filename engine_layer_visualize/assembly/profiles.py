"""Gives the rows of a profile to the layers that they time, by name."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from operator import itemgetter
from typing import Final, NamedTuple, TypeVar

from engine_layer_visualize.core.limits import by_key, sum_of_all
from engine_layer_visualize.core.model import Join, Layer, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import base_name, plural
from engine_layer_visualize.core.words import first_of, plain
from engine_layer_visualize.reading.file_kinds import NSYS_STATS
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt.operators import WITHOUT_KERNEL

Key = TypeVar("Key", bound=Hashable)

_MOST_LEFT: Final = 3  # rows without a layer whose times are kept
_WHOLE: Final = 99  # %


class Score(NamedTuple):
    """How well a profile fits an engine: exact names first, Myelin kernels to break ties.

    Of two that are as many, those count that are more of their engine: fewer layers are `untimed`.
    """

    exact: int
    kernels: int
    untimed: int = 0  # counted below 0

    def __bool__(self) -> bool:
        return bool(self.exact or self.kernels)


def join(layers: Sequence[Layer], profile: Profile) -> tuple[list[Layer], Join]:
    """Gives every layer its row's time; the kernels of a Myelin layer are summed."""
    rows = _assigned(layers, profile)
    timed = [la._replace(time=_summed(rows[la.index])) if la.index in rows else la for la in layers]
    left = _left(rows, profile)
    missing = _cut_off(profile)
    times = [row.time for row in profile.rows] + missing
    averages = sorted(((row.time.average_ms or 0.0, row.name) for row in left), reverse=True)
    return timed, Join(
        profile.place.file,
        matched=len(rows),
        layers=len(layers),
        rows=len(profile.rows),
        unmatched_rows=tuple(row.name for row in left),
        untimed_layers=tuple(layer.name for layer in timed if layer.time is None),
        total_ms=sum_of_all(time.average_ms for time in times),
        sum_ms=sum_of_all(time.total_ms for time in times),
        printed=profile.total,
        is_part=bool(missing),
        every_ms=tuple(sorted(time.average_ms or time.total_ms or 0.0 for time in times)),
        longest_left=tuple(averages[:_MOST_LEFT]),
    )


def _cut_off(profile: Profile) -> list[Timing]:
    """What rows that were cut off take, by the shares of the others; empty: there are all."""
    times = [row.time for row in profile.rows]
    share = sum_of_all(time.percent for time in times)
    # Those of a table are rounded to a digit behind the point.
    is_exact = any(round(time.percent or 0.0, 1) != time.percent for time in times)
    slack = 0.0 if is_exact else len(times) / 10
    if profile.total is not None or not share or share >= _WHOLE - slack:
        return []
    rest, total = (100 - share) / share, sum_of_all(time.total_ms for time in times)
    average = math.fsum(time.average_ms or 0.0 for time in times) * rest
    return [Timing(average, None, None if total is None else total * rest)]


def score(layers: Sequence[Layer], profile: Profile) -> Score:
    """What `join` would find."""
    assigned = _assigned(layers, profile)
    inside = [rows for index, rows in assigned.items() if rows[0].name != layers[index].name]
    exact = len(assigned) - len(inside)
    return Score(exact, sum(map(len, inside)), len(assigned) - len(layers))


def pair(
    scores: Sequence[Sequence[Score]],
    profiles: Sequence[Profile],
    engines: Sequence[Key],
    homes: Sequence[frozenset[Key]] = (),
) -> tuple[dict[Key, Profile], list[Problem]]:
    """Which profile goes to which engine.

    `scores[p][e]`: how `profiles[p]` fits the engine `engines[e]`, whose key messages show. A
    profile goes to the engine with the most exact matches; n that tie on n engines are paired in
    order, any other tie takes the first.

    `homes[p]`: the engines that `profiles[p]` was given beside. If it fits one of these as well as
    any other, it is of that one, but for profiles of one home that are paired in order.
    """
    problems: list[Problem] = []
    ties: dict[tuple[Key, ...], list[tuple[int, Score]]] = defaultdict(list)
    bests = [max(row, default=Score(0, 0)) for row in scores]
    alone = [(row, best) for row, best in zip(scores, bests) if best and row.count(best) == 1]
    fits = by_key((engines[row.index(best)], best) for row, best in alone)
    sure = {engine: max(several) for engine, several in fits.items()}  # of those that fit it alone
    for number, (profile, row, best) in enumerate(zip(profiles, scores, bests)):
        if best:
            fitting = tuple(engine for engine, fit in zip(engines, row) if fit == best)
            fitting = tuple(one for one in fitting if sure.get(one, best) <= best) or fitting
            ties[fitting].append((number, best))
        else:
            problems.append(matches_nothing(profile))
    chosen: list[tuple[Score, Profile, Key]] = []
    for fitting, several in ties.items():
        beside = {homes[number] for number, _ in several} if homes else set()
        in_order = len(several) == len(fitting) and len(beside) < 2
        for place_in_tie, (number, fit) in enumerate(several):
            near = [engine for engine in fitting if homes and engine in homes[number]]
            engine = fitting[place_in_tie] if in_order else (near or fitting)[0]
            if len(fitting) > 1 and (in_order or len(near) != 1):
                how = "taken in order" if in_order else "the first is taken"
                tied = ", ".join(map(str, fitting))
                message = f"fits engines {tied} equally well; {how}: engine {engine}"
                problems.append(Problem(profiles[number].place, "ELV205", message))
            chosen.append((fit, profiles[number], engine))
    paired: dict[Key, Profile] = {}
    chosen.sort(key=itemgetter(0), reverse=True)  # of two for one engine the better one
    for _, profile, engine in chosen:
        if (taken := paired.setdefault(engine, profile)) is not profile:
            of = base_name(taken.place.file)
            message = f"engine {engine} has its times from {of}; these are not used"
            problems.append(Problem(profile.place, "ELV206", message))
    return paired, problems


def timed(
    layers: list[Layer], file: Profile | None, table: Profile | None, force: bool = False
) -> tuple[list[Layer], Join | None, list[Problem]]:
    """The layers with the times of a file or, without one, of the log's own table.

    A file is taken if it has times for at least half of the layers, and for no fewer than the
    table; or by `force`.
    """
    problems = []
    of_file = None if file is None else join(layers, file)
    of_table = None if table is None else join(layers, table)
    if file is not None and of_file is not None and of_file[1].matched:
        has, of = _coverage(of_file[0])
        in_table = _coverage(of_table[0])[0] if of_table is not None else 0
        if not force and (has < in_table or 2 * has < of):
            code, why = "ELV209", ", fewer than half; not used without --force"
            if in_table:
                code, why = "ELV206", f"; not used, as the log's own table has times for {in_table}"
            times = f"times for {has} of {of} layers"
            problems.append(Problem(file.place, code, times + why))
            of_file = None
    profile, joined = (file, of_file) if of_file is not None else (table, of_table)
    if profile is None or joined is None:
        return layers, None, problems
    left = joined[1].unmatched_rows
    if not joined[1].matched:
        problems.append(matches_nothing(profile))
    elif left:
        have = plural(len(left), "has", "have")
        message = f"{len(left)} of {joined[1].rows} profile rows {have} no layer: {_some(left)}"
        problems.append(Problem(profile.place, "ELV203", message))
    return *joined, problems


def matches_nothing(profile: Profile) -> Problem:
    """The error for a profile that belongs to another engine."""
    message = f"no row bears the name of a layer: {_some([row.name for row in profile.rows])}"
    if profile.of_kernels:
        message = f"a trace of the GPU names kernels, and no layers: give the CSV of `{NSYS_STATS}`"
    return Problem(profile.place, "ELV202", message)


def _some(names: Sequence[str]) -> str:
    return plain(first_of([f"`{name:.60}`" for name in names]))


def _coverage(timed: Sequence[Layer]) -> tuple[int, int]:
    """How many layers have a time, and how many can have one.

    Counted in the optimisation profile that has the most: a file of times need not list what runs
    no kernel, and is of one optimisation profile.
    """
    can = [la for la in timed if la.type not in WITHOUT_KERNEL and (la.inputs or la.outputs)]
    has = by_key((layer_names.profile_of(la.name), la.time is not None) for la in can)
    each = list(has.values()) or [[layer.time is not None for layer in timed]]
    best = max(each, key=lambda has: sum(has) / len(has))
    return sum(best), len(best)


# ---- rows --------------------------------------------------------------------------------------


def _assigned(layers: Sequence[Layer], profile: Profile) -> dict[int, list[ProfileRow]]:
    """The rows of every layer that has some, by the layer's index."""
    named = by_key((layer.name, layer.index) for layer in layers)
    if profile.of_ranges:
        for layer in layers:
            if (base := layer_names.without_myelin(layer.name)) != layer.name:
                named.setdefault(base, []).append(layer.index)
    met: dict[str, int] = defaultdict(int)
    rows: dict[int, list[ProfileRow]] = {}
    rest = []
    for row in profile.rows:
        waiting, nth = named.get(row.name, ()), met[row.name]
        if nth < len(waiting):  # the n-th occurrence goes to the n-th
            rows.setdefault(waiting[nth], []).append(row)
        else:
            rest.append(row)
        met[row.name] += 1
    whole = (la for la in layers if la.type == "Myelin" and la.index not in rows)
    myelin = {layer.position: layer.index for layer in whole}
    for row in rest:
        inside = layer_names.myelin_index(layer_names.without_profile(row.name))
        if inside is not None and (index := myelin.get(inside)) is not None:
            rows.setdefault(index, []).append(row)
    return rows


def _left(assigned: dict[int, list[ProfileRow]], profile: Profile) -> list[ProfileRow]:
    """The rows without a layer."""
    used = {id(row) for group in assigned.values() for row in group}
    return [row for row in profile.rows if id(row) not in used]


def _summed(rows: Sequence[ProfileRow]) -> Timing:
    if len(rows) == 1:
        return rows[0].time
    times = [row.time for row in rows]
    return Timing(
        average_ms=sum_of_all(time.average_ms for time in times),
        total_ms=sum_of_all(time.total_ms for time in times),
        percent=sum_of_all(time.percent for time in times),
        parts=len(rows),
        rows=tuple(rows),
        n=times[0].n if len({time.n for time in times}) == 1 else None,
    )
