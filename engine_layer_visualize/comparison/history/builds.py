"""Keeps of each build what its history needs, and sorts builds into those that are comparable.

Another network, device, clock or shape of the inputs is another history. Another version of
TensorRT is not: what an upgrade costs is what a history is read for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from statistics import fmean
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.comparison import compare
from engine_layer_visualize.comparison.gate import conditions, described, slowdown
from engine_layer_visualize.comparison.side import keys_of
from engine_layer_visualize.core.snapshot import KINDS, Conditions, Kind, Snapshot
from engine_layer_visualize.core.text import base_name

_ALIKE: Final = 0.5  # of the named layers of two engines, from which they are one network
_LOOKED_AT: Final = 8  # networks, or histories, that a build is held against, the latest first
_MODULE_PARTS: Final = 4  # parts of a module's path that are kept


class Run(NamedTuple):
    """The runs of a build whose times are of one kind."""

    ms: float  # their geometric mean
    number: int


class Build(NamedTuple):
    """A build as its history knows it."""

    label: str
    file: str  # its snapshot
    times: dict[Kind, Run]  # those that can be compared
    layers: int
    reformats: int
    conditions: Conditions
    modules: dict[scopes.Path, float]  # ms of the layers right in each
    why: str = ""  # its times are not those of the engine, or are those of another build


class Comparable(NamedTuple):
    """Builds of one network under the same conditions, in order."""

    network: int  # counted from 0
    builds: tuple[Build, ...]


class _Network(NamedTuple):
    names: frozenset[tuple[str, str]]
    snapshot: Snapshot


class Sorter:
    """Takes snapshots one by one, and keeps little of each."""

    def __init__(self) -> None:
        self._named: list[tuple[str, str]] = []  # label and file of each build
        self._networks: dict[int, _Network] = {}  # those that came last are at the end
        self._known: list[tuple[int, Conditions, list[Build]]] = []
        self._digests: dict[str, str] = {}

    def __len__(self) -> int:
        """How many builds there are."""
        return len(self._named)

    def add(self, file: str, snapshot: Snapshot) -> None:
        """Takes the next build."""
        build = Build(
            str(len(self)),  # until the labels of all are known
            base_name(file),
            dict(_times(snapshot)),
            len(snapshot.layers),
            snapshot.reformats,
            snapshot.conditions,
            _modules(snapshot),
            self._unusable(base_name(file), snapshot),
        )
        self._named.append((snapshot.label, file))
        network = self._network(snapshot)
        for place in range(len(self._known) - 1, -1, -1)[:_LOOKED_AT]:
            of, before, builds = self._known[place]
            if of == network and _same(before, snapshot.conditions):
                builds.append(build)
                self._known.append((of, joined(before, snapshot.conditions), builds))
                del self._known[place]
                return
        self._known.append((network, snapshot.conditions, [build]))

    def comparable(self) -> list[Comparable]:
        """All builds, the history of the most of them first."""
        each = sorted(self._known, key=lambda known: -len(known[2]))
        labels = list(_labels(self._named))
        return [
            Comparable(network, tuple(b._replace(label=labels[int(b.label)]) for b in builds))
            for network, _, builds in each
        ]

    def _unusable(self, file: str, snapshot: Snapshot) -> str:
        """Why its times are not to be used; empty where they are."""
        if snapshot.unfit:
            code, message = snapshot.unfit[0]
            return f"{code}: {message}"
        for run in (*snapshot.runs, *snapshot.profiles):
            other = self._digests.setdefault(run.digest, file) if run.digest else file
            if other != file:
                return f"its times are those of {other}"
        return ""

    def _network(self, snapshot: Snapshot) -> int:
        """The number of its network."""
        names = frozenset(_names(snapshot))
        latest = list(self._networks.items())[: -_LOOKED_AT - 1 : -1]
        alike = (number for number, known in latest if _shared(known.names, names) >= _ALIKE)
        network = next(alike, None)
        if network is None:  # names change with versions
            engine = described.costs(snapshot)
            network = next(
                (
                    number
                    for number, known in latest
                    if compare(described.costs(known.snapshot), engine).same_network
                ),
                len(self._networks),
            )
        self._networks.pop(network, None)
        self._networks[network] = _Network(names, snapshot)
        return network


def _names(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """What layers are called, and the dims of what they write."""
    for layer in snapshot.layers:
        keys = keys_of(layer)
        dims = " ".join(tensor.dims for tensor in layer.outputs)
        for name in (*keys.nodes, *keys.weights):
            yield name, dims


def _shared(a: frozenset[tuple[str, str]], b: frozenset[tuple[str, str]]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


# ---- labels --------------------------------------------------------------------------------------


def _labels(named: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What builds are called: their labels, else their files; no two alike.

    `named`: the label, which may be empty, and the file of each.
    """
    wanted = [label or _stem(file) for label, file in named]
    often: dict[str, int] = {}
    for label in wanted:
        often[label] = often.get(label, 0) + 1
    taken: set[str] = set()
    for label, (_, file) in zip(wanted, named):
        unique = label if often[label] == 1 else f"{label} ({base_name(file)})"
        number = 1
        while unique in taken:
            number += 1
            unique = f"{label} ({base_name(file)}, {number})"
        taken.add(unique)
        yield unique


def _stem(file: str) -> str:
    return base_name(file).removesuffix(".json").removesuffix(".snapshot")


# ---- conditions ----------------------------------------------------------------------------------


def _same(a: Conditions, b: Conditions) -> bool:
    if (a.batch is None) != (b.batch is None):
        return False  # a run of either may be of more samples
    unversioned = (known._replace(tensorrt=None) for known in (a, b))
    return not any(conditions.parted(*unversioned))


def joined(a: Conditions, b: Conditions) -> Conditions:
    """What either says."""
    return a._replace(**{key: value for key, value in b._asdict().items() if value is not None})


# ---- times ---------------------------------------------------------------------------------------


def _times(snapshot: Snapshot) -> Iterator[tuple[Kind, Run]]:
    runs = (*snapshot.runs, *snapshot.profiles)
    for kind in KINDS:
        ms = [run.ms for run in runs if run.kind == kind]
        if slowdown.usable(ms):
            yield kind, Run(slowdown.geometric_mean(ms), len(ms))


def _modules(snapshot: Snapshot) -> dict[scopes.Path, float]:
    """The time of the layers right in each module: the mean of all profiles."""
    inside: dict[scopes.Path, list[int]] = defaultdict(list)
    for index, path in enumerate(scopes.paths(snapshot.layers) if snapshot.times else ()):
        inside[path[:_MODULE_PARTS]].append(index)
    return {
        path: fmean(_sum(times[index] for index in indices) for times in snapshot.times)
        for path, indices in inside.items()
    }


def _sum(times: Iterable[float | None]) -> float:
    return fsum(ms for ms in times if ms is not None)


def best_kind(builds: Sequence[Build]) -> Kind | None:
    """The kind of times that the most builds have, the best of several."""
    number = {kind: sum(kind in build.times for build in builds) for kind in KINDS}
    kind = max(KINDS, key=lambda kind: number[kind])
    return kind if number[kind] else None
