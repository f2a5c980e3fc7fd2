"""What is fuzzed of histories and of sweeps.

takes: bytes
gives: nothing; an exception is a finding
"""

from __future__ import annotations

from contextlib import suppress

from engine_layer_visualize import writers
from engine_layer_visualize.comparison.history import series
from engine_layer_visualize.comparison.history.builds import Sorter
from engine_layer_visualize.comparison.sweep.trials import Trial, swept
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.snapshot import Snapshot
from engine_layer_visualize.core.tuning import Search
from engine_layer_visualize.inputs import tuning
from engine_layer_visualize.io.source import Source
from fuzz import promises


def history(snapshot: Snapshot) -> None:
    """Six builds of one engine that are not told apart: no step, in every format."""
    sorter = Sorter()
    runs = [run._replace(digest="") for run in snapshot.runs]
    profiles = [run._replace(digest="") for run in snapshot.profiles]
    for number in range(6):
        label = "" if number else snapshot.file
        same = snapshot._replace(runs=tuple(runs), profiles=tuple(profiles), label=label)
        sorter.add(f"{number}.json", same)
    (one,) = (series.of(known) for known in sorter.comparable())
    assert len(one.builds) == 6 and not one.steps
    for name, entry in writers.HISTORIES.items():
        assert "".join(entry.load().render(series.Histories((one,)), ReportOptions())), name


def searches(data: bytes) -> None:
    """As a log and as a cache; both together hold no iteration twice."""
    log, cache = tuning.of_log(Source("x", chunks=[data])), Search()
    with suppress(ReadError):
        cache, problems = tuning.of_cache(Source("x", chunks=[data]))
        assert promises.sound(problems)
    both = tuning.joined(log, cache)
    assert len(both.iterations) <= len(log.iterations) + len(cache.iterations)
    trials = [
        Trial(str(each.number), each.route, {"search": each.gpu_time} if each.gpu_time else {})
        for each in both.iterations
    ]
    failed = [trial._replace(failure=trial.route or "killed") for trial in trials]
    found = swept([*trials, *failed], cache.default_route, of="routes")
    times = [ms for number in range(len(trials)) if (ms := found.ms(number))]
    assert found.ms(found.best) == min(times, default=None)
    for name, entry in writers.SWEEPS.items():
        assert "".join(entry.load().render(found, ReportOptions())), name
