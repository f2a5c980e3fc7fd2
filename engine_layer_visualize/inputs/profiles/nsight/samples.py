"""Makes profiles of the runs of a report: one for each engine, a row for each range of its runs.

Runs of the same ranges are runs of one engine, in whatever thread, process or GPU. Not counted are
runs before the last build of their process, runs that launched nothing (a CUDA graph was captured),
runs whose work the recording does not have to its end and, as the clocks of a GPU rise first, the
first ones: at most ten, and at most one in five.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.run_samples import RunSamples
from engine_layer_visualize.inputs.profiles.nsight.gaps import Gaps
from engine_layer_visualize.inputs.profiles.nsight.ranges import (
    LONGEST,
    NOT_KEPT,
    SHIFT,
    Name,
    Runs,
    Slot,
)

_MOST_DROPPED: Final = 10  # runs, while the clocks rise
_ONE_IN: Final = 5  # at most this part of the runs is dropped
_BETWEEN: Final = 1_024  # runs that other threads may begin before a run's work
_UNKNOWN: Final = "[unknown]"

Path: TypeAlias = tuple["tuple[str, int]", ...]  # names and numbers, the run's own range first


class _Row(NamedTuple):
    """A range of one engine, over all its runs."""

    #: What it took in each run.
    nanoseconds: array[int]
    #: By name: the number of launches, and their nanoseconds.
    launched: dict[str, list[int]]
    #: The number of times on the host, and their sum.
    host: list[int]
    #: The number of gaps before it, and their sum.
    gaps: list[int]


def profiles(runs: Runs, strings: dict[int, str], file: str) -> list[Profile]:
    """The profiles of a report's engines. Empties the slots. `strings`: the texts of ids."""
    paths = _paths(runs, strings)
    engines: dict[frozenset[Path], int] = {}
    engine_of_kind = [
        engines.setdefault(frozenset(paths[slot] for slot in slots), len(engines))
        for slots in runs.kinds
    ]
    for graph, captured in runs.of_capture.items():
        runs.kind[graph] = runs.kind[captured]
    engine_of = array("q", (engine_of_kind[kind] for kind in runs.kind))
    position, counts = _counted(runs, engine_of, len(engines))
    tables = _tables(runs, engine_of, engine_of_kind, position, counts, paths, strings)
    return [
        Profile(Place(file, 1), tuple(_rows(table, number)), counts[number])
        for number, table in enumerate(tables)
        if counts[number]
    ]


def ids(runs: Runs) -> set[int]:
    """The ids of all texts that stand in StringIds: names of ranges, names of kernels."""
    names: set[Name] = set()
    for slot in _slots(runs):
        names.add(slot.name)
        names.update(slot.launches)
    return {name for name in names if isinstance(name, int)}


def _slots(runs: Runs) -> Iterable[Slot]:
    return dict.fromkeys(slot for slots in runs.kinds for slot in slots)


def _paths(runs: Runs, strings: dict[int, str]) -> dict[Slot, Path]:
    """The path of each slot; a slot stands after its parent."""
    paths: dict[Slot, Path] = {}
    for slot in _slots(runs):
        around = () if slot.parent is None else paths[slot.parent]
        paths[slot] = (*around, (_text(slot.name, strings), slot.number))
    return paths


def _text(name: Name, strings: dict[int, str]) -> str:
    return name if isinstance(name, str) else strings.get(name, _UNKNOWN)


def _counted(runs: Runs, engine_of: array[int], engines: int) -> tuple[array[int], list[int]]:
    """Numbers the runs of each engine that count.

    Returns:
        The position of each run, -1 where it does not count; and how many count of each engine.
    """
    worked = _worked(runs)
    worked -= _cut(runs, worked)
    of_engine: list[list[int]] = [[] for _ in range(engines)]
    for run in sorted(worked, key=runs.start.__getitem__):
        if not runs.is_before_build(run):
            of_engine[engine_of[run]].append(run)
    position = array("q", [-1]) * len(runs.start)
    counts = []
    for numbers in of_engine:
        dropped = min(_MOST_DROPPED, len(numbers) // _ONE_IN)
        for place, run in enumerate(numbers[dropped:]):
            position[run] = place
        counts.append(len(numbers) - dropped)
    return position, counts


def _worked(runs: Runs) -> set[int]:
    """The runs that launched something."""
    numbers: set[int] = set()
    for slot in _slots(runs):
        for launched in slot.launches.values():
            if len(numbers) == len(runs.start):
                return numbers
            numbers.update(launch >> SHIFT for launch in launched)
    return numbers


def _cut(runs: Runs, worked: set[int]) -> set[int]:
    """The last runs of threads, where the recording ended before their work.

    By as many calls as in the run before, or in a range that never ended, a range launched less.
    """
    pairs = list(_last_two(runs, worked))
    through = {run: set(runs.kinds[runs.kind[run]][1:]) for pair in pairs for run in pair}
    first = min((before for before, _ in pairs), default=0) - _BETWEEN
    cut: set[int] = set()
    for slot in set().union(*through.values()):
        counts = Counter[int]()
        for launched in slot.launches.values():
            since = takewhile((first << SHIFT).__lt__, reversed(launched))
            counts.update(launch >> SHIFT for launch in since)
        for before, last in pairs:
            if slot in through[last] and counts[last] < counts[before]:
                key = id(slot.launches)
                if (last, slot) in runs.open or runs.called[last, key] == runs.called[before, key]:
                    cut.add(last)
    return cut


def _last_two(runs: Runs, worked: set[int]) -> Iterable[tuple[int, int]]:
    """The last run of each thread, after the last one before it that shared a range with it."""
    last: dict[int, int] = {}
    before: dict[int, dict[int, int]] = defaultdict(dict)  # the last of each kind
    for run in sorted(worked, key=runs.start.__getitem__):
        thread = runs.thread[run]
        if (other := last.get(thread)) is not None:
            before[thread][runs.kind[other]] = other
        last[thread] = run
    for thread, run in last.items():
        slots = set(runs.kinds[runs.kind[run]][1:])
        for other in sorted(before[thread].values(), key=runs.start.__getitem__, reverse=True):
            if not slots.isdisjoint(runs.kinds[runs.kind[other]]):
                yield other, run
                break


def _tables(
    runs: Runs,
    engine_of: array[int],
    engine_of_kind: list[int],
    position: array[int],
    counts: list[int],
    paths: dict[Slot, Path],
    strings: dict[int, str],
) -> list[dict[Path, _Row]]:
    """The rows of each engine, by their paths, in the order of its first run."""
    tables: list[dict[Path, _Row]] = [{} for _ in counts]
    for kind, slots in enumerate(runs.kinds):
        number = engine_of_kind[kind]
        for slot in slots if counts[number] else ():
            if paths[slot] not in tables[number]:
                empty = _Row(array("q"), defaultdict(lambda: [0, 0]), [0, 0], [0, 0])
                tables[number][paths[slot]] = empty
    for kind, slots in enumerate(runs.kinds):
        rows = tables[engine_of_kind[kind]]
        _on_host(runs, kind, position, [rows[paths[slot]].host for slot in slots[1:] if rows])
    used = _Used(engine_of, position, counts, tables)
    for slot in _slots(runs):
        path = paths[slot]
        for name, launched in slot.launches.items():
            used.share(launched, path, _text(name, strings))
        slot.launches.clear()  # as large as the rows, which are made one by one
        runs.settle(slot.launches.gaps)
        used.add_gaps(slot.launches.gaps, path, engine_of_kind)
    for table, count in zip(tables, counts):
        for row in table.values():
            _filled(row, count)
    return tables


def _on_host(runs: Runs, kind: int, position: array[int], totals: list[list[int]]) -> None:
    """Adds the times on the host of the runs of a kind that count; forgets them."""
    numbers, took = runs.host[kind]
    for place, total in enumerate(totals):
        for run, ns in zip(numbers, took[place :: len(totals)]):
            known = ns if ns != NOT_KEPT else runs.long.get((run, place))
            if position[run] >= 0 and known is not None:
                total[0] += 1
                total[1] += known
    runs.host[kind] = (array("I"), array("I"))


def _filled(row: _Row, count: int) -> array[int]:
    """The times of so many runs."""
    if not row.nanoseconds:
        row.nanoseconds.frombytes(bytes(8 * count))
    return row.nanoseconds


class _Used(NamedTuple):
    """Adds what runs launched to the rows of their engines."""

    #: The engine of each run.
    engine_of: array[int]
    #: The position of each run among those of its engine that count; -1: it does not count.
    position: array[int]
    #: How many runs of each engine count.
    counts: list[int]
    #: The rows of each engine.
    tables: list[dict[Path, _Row]]

    def share(self, packed: array[int], path: Path, name: str) -> None:
        """Adds launches of one name to the rows of their runs' engines."""
        engine_of, position = self.engine_of, self.position
        engine, times, total = -1, array("q"), [0, 0]
        for launch in packed:
            run = launch >> SHIFT
            place = position[run]
            if place < 0:
                continue
            if engine_of[run] != engine:
                engine = engine_of[run]
                row = self.tables[engine][path]
                times, total = _filled(row, self.counts[engine]), row.launched[name]
            took = launch & LONGEST
            times[place] += took
            total[0] += 1
            total[1] += took

    def add_gaps(self, gaps: Gaps, path: Path, engine_of_kind: Sequence[int]) -> None:
        """Adds the gaps before a range to the rows of their runs' engines."""
        sums = [(engine_of_kind[kind], *held) for kind, held in gaps.sums.items()]
        for kept in gaps.kept:
            if self.position[run := kept >> SHIFT] >= 0:
                sums.append((self.engine_of[run], 1, kept & LONGEST))
        for engine, count, ns in sums:
            if (row := self.tables[engine].get(path)) is not None:
                row.gaps[0] += count
                row.gaps[1] += ns


def _rows(table: dict[Path, _Row], number: int) -> Iterable[ProfileRow]:
    """The rows, without ranges around others that launched nothing themselves."""
    inside: dict[Path, int] = defaultdict(int)  # nanoseconds on the host in ranges inside of it
    for path, row in table.items():
        inside[path[:-1]] += row.host[1]
    for path, row in table.items():
        if path in inside and not row.launched:
            continue
        names = [name for name, _ in path]
        launched = tuple((name, times, ns) for name, (times, ns) in row.launched.items())
        runs = len(row.nanoseconds)
        on_host = max(row.host[1] - inside.get(path, 0), 0) if row.host[0] == runs else None
        gap = row.gaps[1] / row.gaps[0] if row.gaps[0] else None
        yield ProfileRow(
            names[-1],
            Timing(sum(row.nanoseconds) / runs / 1e6),
            tuple(reversed(names[1:-1])),
            RunSamples(number, row.nanoseconds, launched, on_host, gap),
        )
