"""Chooses the modules of the network that a history shows: the costliest, none within another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Final

from engine_layer_visualize.analysis.scopes import Path

SHOWN: Final = 6
_LATEST: Final = 20  # builds that choose
_SPLIT: Final = 0.5  # of the time: a module with more is shown as the modules within
_LEAST: Final = 0.01  # of the time


def chosen(builds: Sequence[Mapping[Path, float]]) -> list[Path]:
    """Paths of modules, the costliest first, by the latest builds."""
    within: dict[Path, float] = defaultdict(float)
    for build in builds[-_LATEST:]:
        for path, ms in build.items():
            for depth in range(len(path) + 1):
                within[path[:depth]] += ms
    inside: dict[Path, list[Path]] = defaultdict(list)
    for path in within:
        if path:
            inside[path[:-1]].append(path)
    whole = within[()]
    kept: list[Path] = [()]
    while large := [
        path
        for path in kept
        if inside[path] and (len(kept) < SHOWN or within[path] > _SPLIT * whole)
    ]:
        outer = max(large, key=lambda path: within[path])
        kept.remove(outer)
        kept += inside[outer]
    enough = [path for path in kept if path and within[path] >= _LEAST * whole]
    return sorted(enough, key=lambda path: (-within[path], path))[:SHOWN]


def times(builds: Sequence[Mapping[Path, float]], module: Path) -> list[float | None]:
    """The time of a module in each build; None where nothing of it is known there."""
    depth = len(module)
    each = ([ms for path, ms in build.items() if path[:depth] == module] for build in builds)
    return [fsum(ms) if ms else None for ms in each]
