"""Gives the launches of a trace of the GPU to layers, by the kernels that the listing names.

A trace says neither layers nor runs. Where its launches of the listing's kernels repeat the
listing's order, each repeat is a run, and each launch that of one layer. Else only a kernel that
one layer alone runs tells its layer, and its time is the sum of all its launches.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine_layer_visualize.core.layer_facts import Launches, RunSamples, statistics
from engine_layer_visualize.core.model import Layer, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count

_LEAST: Final = 3  # different kernels by which a run is known: tactics are timed one by one


def of_layers(layers: Sequence[Layer], profile: Profile) -> Profile:
    """The profile with rows by the names of layers, as far as kernels tell them.

    What is left has rows by the names of kernels, as before.
    """
    launches = profile.launches
    if launches is None:
        return profile
    numbers = {row.name: number for number, row in enumerate(profile.rows)}
    listed = [layer for layer in layers if layer.kernel in numbers]
    if not listed or listed[0].name == listed[0].kernel:  # without a listing rows are the layers
        return profile
    order = array("L", (numbers[layer.kernel or ""] for layer in listed))
    runs = _Runs(launches, order)
    if runs.number:
        return replace(profile, rows=_by_place(listed, profile, runs), count=runs.number)
    alone = {row for row, layers_of_it in Counter(order).items() if layers_of_it == 1}
    names = {number: layer.name for number, layer in zip(order, listed) if number in alone}
    rows = (replace(row, name=names.get(i, row.name)) for i, row in enumerate(profile.rows))
    return replace(profile, rows=tuple(rows))


def told(profile: Profile) -> Problem:
    """A warning that says how launches found their layers."""
    if profile.count:
        how = "the listing's kernels are launched in its order"
        message = f"{how}, {count(profile.count, 'time')} on end: each launch is of one layer"
    else:
        how = "no run of the engine is found: kernels that one layer alone runs time their layers"
        message = f"{how}, by the sums of all launches in the trace"
    return Problem(profile.place, "ELV211", message)


class _Runs:
    """The last runs of an engine in a trace; what is launched before may be its build."""

    def __init__(self, launches: Launches, order: array[int]) -> None:
        """Finds runs on end whose launches of the engine's kernels stand in `order`."""
        self.launches, self.order, self.number = launches, order, 0
        wanted = set(order)
        # The places of the launches that the listing names.
        self._places = array("L", (i for i, row in enumerate(launches.rows) if row in wanted))
        named = array("L", (launches.rows[place] for place in self._places))
        if len(wanted) < _LEAST:
            return
        length = len(order)
        # A trace may end inside of a run.
        ends = range(len(named), max(len(named) - length, length - 1), -1)
        self._end = next((end for end in ends if named[end - length : end] == order), 0)
        self._begin = self._end
        while self._begin >= length and named[self._begin - length : self._begin] == order:
            self._begin -= length
        self.number = (self._end - self._begin) // length

    def of_place(self, place: int) -> list[float]:
        """Nanoseconds of the launch at this place of the order, in each run."""
        places = self._places[self._begin + place : self._end : len(self.order)]
        return [self.launches.nanoseconds[i] for i in places]

    def others(self) -> dict[int, list[float]]:
        """Nanoseconds of each other row's launches, from the first run to what follows the last."""
        known: dict[int, list[float]] = defaultdict(list)
        wanted = set(self.order)
        after = self._places[self._end : self._end + 1] or [len(self.launches.rows)]
        for i in range(self._places[self._begin], after[0]):
            if (row := self.launches.rows[i]) not in wanted:
                known[row].append(self.launches.nanoseconds[i])
        return known


def _by_place(listed: Sequence[Layer], profile: Profile, runs: _Runs) -> tuple[ProfileRow, ...]:
    rows = []
    for place, layer in enumerate(listed):
        times = runs.of_place(place)
        launched = ((layer.kernel or "", runs.number, int(sum(times))),)
        measures = statistics([RunSamples(0, times, launched)])
        rows.append(ProfileRow(layer.name, Timing(**measures)))
    for number, times in runs.others().items():
        ms = sum(times) / 1e6
        time = Timing(ms / runs.number, total_ms=ms, n=runs.number, parts=len(times))
        rows.append(ProfileRow(profile.rows[number].name, time))
    return tuple(rows)
