"""What profilers are told of layers, and whose times these are.

A name and milliseconds go in for each layer of each run; out come engines with their times.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from engine_layer_visualize.assembly import profile_matching
from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.run_samples import RunSamples, statistics
from engine_layer_visualize.display import Engine

_NANOSECONDS: Final = 1e6  # of a millisecond
_PLACE: Final = Place("<profiler>")


class Times:
    """Of one profiler: the times of each name, in order. Eight bytes for each layer and run."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._lock = threading.Lock()
        self._times: dict[str, array[float]] = {}
        self._wrong: Counter[str] = Counter()
        self.count = 0

    def report(self, name: str, ms: float) -> None:
        """A layer of a run. Nothing is raised: TensorRT's callers could not catch it."""
        with self._lock:
            self.count += 1
            if 0 <= ms < math.inf:
                self._times.setdefault(name, array("d")).append(ms * _NANOSECONDS)
            else:
                self._wrong[name] += 1

    def profile(self, layers: Mapping[str, int]) -> Profile:
        """As of an engine that has so many layers of each name: in each run they come in turn."""
        with self._lock:
            rows = [
                _row(name, RunSamples(self._number, times[at::copies], ()))
                for name, times in self._times.items()
                for copies in [min(layers.get(name, 1), len(times))]
                for at in range(copies)
            ]
        return Profile(_PLACE, tuple(rows))

    def problems(self) -> list[Problem]:
        """ELV201: no layer's time came; ELV204: some were none."""
        if not self.count:
            message = "no profile: the profiler was told of no layer; is its context run?"
            return [Problem(_PLACE, "ELV201", message)]
        return [
            Problem(_PLACE, "ELV204", f"{count} of the times of `{name:.80}` are none")
            for name, count in self._wrong.items()
        ]


def _row(name: str, samples: RunSamples) -> ProfileRow:
    return ProfileRow(name, Timing(**statistics([samples])), samples=samples)


def timed(
    engines: Sequence[Engine], times: Sequence[Times], files: Sequence[Profile] = ()
) -> tuple[list[Engine], list[Problem]]:
    """Each profiler's and each file's times go to the engine that they fit best. Problems of the
    join are the engine's own, too."""
    problems = [problem for one in times for problem in one.problems()]
    if not engines:
        return [], problems
    names = [Counter(layer.name for layer in engine.layers) for engine in engines]
    each = [[one.profile(layers) for layers in names] for one in times]
    each += [[file] * len(engines) for file in files]
    each = [profiles for profiles in each if profiles[0].rows]
    scores = [
        [profile_matching.score(engine.layers, one) for engine, one in zip(engines, profiles)]
        for profiles in each
    ]
    best = [profiles[row.index(max(row))] for profiles, row in zip(each, scores)]
    paired, wrong = profile_matching.pair(scores, best, range(len(engines)))
    problems += wrong
    found = []
    for number, engine in enumerate(engines):
        if number in paired:
            layers = list(engine.layers)
            layers, join, wrong = profile_matching.timed(layers, paired[number], None, force=True)
            problems += wrong
            own = (*engine.problems, *wrong)
            engine = replace(engine, layers=tuple(layers), profile=join, problems=own)
        elif any(row[number] for row in scores):
            message = (
                f"engine {number} has no times: another engine has the names of its layers, too, "
                "and was given them; capture each build and its runs apart"
            )
            problems.append(Problem(_PLACE, "ELV205", message))
        found.append(engine)
    return found, problems
