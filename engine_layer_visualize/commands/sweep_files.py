"""Reads the files of a sweep: logs, the cache of a search, folders of logs."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Report, inputs, log_names
from engine_layer_visualize.comparison.sweep.trials import Kind, Sweep, Trial, swept
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.tuning import Iteration, Search
from engine_layer_visualize.display import Engine
from engine_layer_visualize.fields import file_names
from engine_layer_visualize.inputs import tuning
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.pipeline import Log

_HEAD: Final = 1 << 14  # bytes of a file, which tell what it is
_DIGITS: Final = re.compile(r"(\d+)")


def read(words: Sequence[str], statistic: Statistic, strict: bool, report: Report) -> Sweep:
    """Reads all files, and compares the builds.

    Raises:
        ReadError: Fewer than two builds could be read (ELV606), or a file (ELV214, ELV401).
    """
    reader = _Reader(statistic, strict, report)
    caches: list[str] = []
    logs: list[str] = []
    for path in dict.fromkeys(_files(words)):
        try:
            (caches if tuning.is_cache(Source(path).head(_HEAD)) else logs).append(path)
        except ReadError as error:
            reader.tell([error.problem])
    cache = reader.cache(caches)
    names = {named.path: named.name for named in log_names.named(logs)} if logs else {}
    for path in logs:
        report.status(path)
        cache = reader.log(path, names[path], cache)
    if cache is not None:  # no log has its iterations
        reader.search(cache, [])
    if len(reader.trials) < 2:
        message = "fewer than two builds could be read; a sweep needs two"
        raise ReadError(Problem(Place(words[0]), "ELV606", message))
    return swept(
        reader.trials,
        reader.default,
        of="routes" if reader.searched else "logs",
        told_best=reader.told_best,
        unfinished=reader.unfinished,
        problems=reader.problems,
    )


def _files(words: Iterable[str]) -> Iterator[str]:
    """All files; of a folder its logs, the baseline first and the final one last."""
    for word in words:
        if os.path.isdir(word):
            yield from map(str, sorted(Path(word).glob("*.log"), key=_place))
        else:
            yield word


def _place(path: Path) -> tuple[int, list[tuple[int, str]]]:
    numbered = [
        (int(part), "") if part.isdecimal() and len(part) < 19 else (-1, part)
        for part in _DIGITS.split(path.name)
    ]
    return {"baseline": 0, "final": 2}.get(path.stem, 1), numbered


class _Reader:
    """Gathers builds, and what goes wrong."""

    def __init__(self, statistic: Statistic, strict: bool, report: Report) -> None:
        self._statistic, self._strict, self._report = statistic, strict, report
        self.trials: list[Trial] = []
        self.problems: list[Problem] = []
        self.searched = False
        self.default: str | None = None
        self.told_best: str | None = None
        self.unfinished = ""

    def tell(self, problems: Iterable[Problem]) -> None:
        """Reports problems. Raises Stopped at the first error, if strict."""
        self.problems += inputs.kept(problems, self._strict, self._report)

    def cache(self, paths: Sequence[str]) -> Search | None:
        """The search of the only cache. Raises ReadError where there are several (ELV214)."""
        if not paths:
            return None
        if len(paths) > 1:
            message = "a second cache: a sweep is of one search"
            raise ReadError(Problem(Place(paths[1]), "ELV214", message))
        found, problems = tuning.of_cache(Source(paths[0]))
        self.tell(problems)
        return found

    def log(self, path: str, name: str, cache: Search | None) -> Search | None:
        """Takes the builds of a log. Returns the cache, where this was not the log of it."""
        told = tuning.of_log(Source(path))
        engines, why = self._engines(path, name)
        if told.iterations:
            self.search(told if cache is None else tuning.joined(told, cache), engines)
            return None
        if not engines:
            self.trials.append(_trial(name, told, None, why))
        for engine in engines:
            costs = Costs(engine, None, self._statistic)
            several = len(engines) > 1
            called = f"{name}, engine {engine.index}" if several else name
            self.trials.append(_trial(called, Search() if several else told, costs))
        return cache

    def search(self, found: Search, engines: Sequence[Engine]) -> None:
        """Takes the iterations of a search, each with the engine that its part of the log lists."""
        self.searched = True
        self.default = found.default_route if self.default is None else self.default
        self.told_best = found.best_route
        done = len(found.iterations)
        if not found.ended:
            planned = f" of {found.planned:,}" if found.planned and found.planned >= done else ""
            what = count(done, "iteration") if not planned else f"{done:,}{planned} iterations"
            self.unfinished = f"The search did not come to its end: {what} began."
        lines = [each.line for each in found.iterations if each.line]
        places = [n for n, each in enumerate(found.iterations) if each.line]
        built: dict[int, Engine] = {}
        for engine in engines:
            if (before := bisect_right(lines, engine.source.first_line)) > 0:
                built[places[before - 1]] = engine
        for number, iteration in enumerate(found.iterations):
            own = None if iteration.failure else built.get(number)
            costs = None if own is None else Costs(own, None, self._statistic)
            self.trials.append(_iteration(iteration, costs))

    def _engines(self, path: str, name: str) -> tuple[list[Engine], str]:
        """The engines of a log; where there is none, why."""
        try:
            log = Log(path, strict=self._strict, progress=self._report.progress)
            engines = [file_names.renamed(engine, lambda _: name) for engine in log.engines()]
        except Stopped:
            raise
        except ReadError as error:
            self._report.remark(f"{path}: {error.problem.message}")
            return [], error.problem.message
        self.tell(problem for problem in log.problems if problem.severity == "error")
        return engines, ""


def _iteration(iteration: Iteration, costs: Costs | None) -> Trial:
    times: dict[Kind, float] = {}
    if iteration.gpu_time is not None:
        times["search"] = iteration.gpu_time
    if iteration.compute is not None:
        times["compute"] = iteration.compute
    return Trial(
        str(iteration.number),
        iteration.route,
        times | _layers(costs),
        iteration.failure,
        iteration.accuracy_loss,
        costs,
    )


def _trial(name: str, told: Search, costs: Costs | None, why: str = "") -> Trial:
    times: dict[Kind, float] = {} if told.compute is None else {"compute": told.compute}
    failure = "" if told.compute is not None else why
    return Trial(name, told.route, times | _layers(costs), failure, None, costs)


def _layers(costs: Costs | None) -> dict[Kind, float]:
    if costs is None or costs.kind != "measured" or not costs.total:
        return {}
    return {"layers": costs.total}
