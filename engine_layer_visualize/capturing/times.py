"""Keeps what profilers are told of layers, and gives engines their times."""

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
    """Keeps what one profiler is told: the times of each name, in order, in eight bytes each."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._lock = threading.Lock()
        self._times: dict[str, array[float]] = {}
        self._wrong: Counter[str] = Counter()
        self.count = 0

    def report(self, name: str, ms: float) -> None:
        """Keeps the time of a layer in a run. Nothing is raised: TensorRT could not catch it."""
        with self._lock:
            self.count += 1
            if 0 <= ms < math.inf:
                self._times.setdefault(name, array("d")).append(ms * _NANOSECONDS)
            else:
                self._wrong[name] += 1

    def profile(self, layers: Mapping[str, int]) -> Profile:
        """Makes the profile of an engine with so many layers of each name: they come in turn."""
        with self._lock:
            rows = [
                _row(name, RunSamples(self._number, times[copy::copies], ()))
                for name, times in self._times.items()
                for copies in [min(layers.get(name, 1), len(times))]
                for copy in range(copies)
            ]
        return Profile(_PLACE, tuple(rows))

    def problems(self) -> list[Problem]:
        """Returns ELV201, where no layer's time came, or ELV204, where some were none."""
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
    """Gives each profiler's and each file's times to the engine that they fit best.

    Returns:
        The engines, and all problems; those of an engine's times are its own, too.
    """
    problems = [problem for told in times for problem in told.problems()]
    if not engines:
        return [], problems
    names = [Counter(layer.name for layer in engine.layers) for engine in engines]
    each = [[told.profile(layers) for layers in names] for told in times]
    each += [[file] * len(engines) for file in files]
    each = [profiles for profiles in each if profiles[0].rows]
    scores = [
        [profile_matching.score(engine.layers, file) for engine, file in zip(engines, profiles)]
        for profiles in each
    ]
    best = [profiles[row.index(max(row))] for profiles, row in zip(each, scores)]
    paired, wrong = profile_matching.pair(scores, best, range(len(engines)))
    problems += wrong
    joined = []
    for number, engine in enumerate(engines):
        if number in paired:
            layers = list(engine.layers)
            layers, join, wrong = profile_matching.timed(layers, paired[number], None, force=True)
            problems += wrong
            both = (*engine.problems, *wrong)
            engine = replace(engine, layers=tuple(layers), profile=join, problems=both)
        elif any(row[number] for row in scores):
            message = (
                f"engine {number} has no times: another engine has the names of its layers, too, "
                "and was given them; capture each build and its runs apart"
            )
            problems.append(Problem(_PLACE, "ELV205", message))
        joined.append(engine)
    return joined, problems
