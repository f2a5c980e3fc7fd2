"""Compares an engine with another, and gates it by a baseline, for Python.

The command `gate` shares what a side is made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.read import profiles_of
from engine_layer_visualize.assembly import profiles
from engine_layer_visualize.comparison import compare as comparison
from engine_layer_visualize.comparison import gate_evidence, result
from engine_layer_visualize.comparison.verdict import (
    Judgement,
    Limits,
    each_once,
    exit_code,
    fraction,
    of_iterations,
)
from engine_layer_visualize.comparison.verdict import Verdict as Word
from engine_layer_visualize.core.model import Engine, Frozen
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.snapshot import GateRun, Snapshot, Unfit
from engine_layer_visualize.core.text import base_name, must_be, not_among
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.reading import baseline as snapshot_file
from engine_layer_visualize.reading import profile_json
from engine_layer_visualize.reports import gate as gate_report

Unsure = Literal["pass", "fail"]
_WIDTH: Final = 100  # columns of a verdict as text


class Comparison(result.Comparison):
    """Two engines, layer by layer: it prints as text, and a notebook shows its tables.

    Every layer stands in exactly one place: in a group, as a layer or as a reformat, in `overhead`
    or in `unmatched`.
    """

    __slots__ = ()

    def to(self, format: str, *, top: int = 20) -> str:
        """The report in a format.

        Args:
            format: text, markdown, json, brief or html.
            top: rows of a list.

        Raises:
            ValueError: there is no such format.
        """
        from engine_layer_visualize.api.draw import render_comparison

        return render_comparison([self._shown], (), format, ReportOptions(top)).strip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """One of the `comparisons` of the format json, as a dictionary (docs/compare.md)."""
        from engine_layer_visualize.reports.compare import of_comparison

        return of_comparison(self._shown)

    @property
    def _shown(self) -> Comparison:
        """The comparison with the names of files as outputs show them."""
        both = (self.a, self.b)
        paths = [costs.engine.source.file for costs in both]
        names = {path: "/".join(tail) for path, tail in zip(paths, sentences.tails(paths))}

        def name(path: str) -> str:
            return names.get(path) or base_name(path)

        a, b = (
            Costs(sentences.renamed_files(engine.engine, name), engine.profile) for engine in both
        )
        return self._replace(a=a, b=b)

    def __str__(self) -> str:
        return self.to("text")

    def __repr__(self) -> str:
        """`<Comparison: B is 1.31 × faster (2.60 ms → 1.98 ms) …>`."""
        from engine_layer_visualize.comparison.sentences import first

        return f"<Comparison: {first(self)}>"

    def _repr_markdown_(self) -> str:
        """How a notebook shows a comparison: its sentences and tables."""
        return self.to("markdown")


def compare(a: Engine, b: Engine, *, optimization_profile: int | None = None) -> Comparison:
    """Compares engine B with engine A, layer by layer: `print` it.

    What differs between the builds, estimates and most ONNX nodes are build info: do not read with
    `facts=False`.

    Args:
        a: the engine that B is compared with.
        b: the other engine.
        optimization_profile: of both, the one that totals are of; None: the first.

    Raises:
        TypeError: `a` or `b` is another value.
        ReadError: an engine has no such optimisation profile (ELV408).
    """
    for engine in (a, b):
        must_be((Engine,), engine)
    costs = [Costs(engine, optimization_profile) for engine in (a, b)]
    compared = comparison.compare(costs[0], costs[1])
    return Comparison(*compared)


# ---- a gate -------------------------------------------------------------------------------------


class Verdict(Frozen):
    """What a gate says: it prints as text, and a notebook shows it as tables."""

    verdict: Word  # pass, fail, unsure or not comparable
    reasons: tuple[str, ...]  # sentences, those that decided first
    exit_code: int  # that of the command: 0 passed, 5 failed, 6 not comparable, 7 unsure
    _judgement: Judgement
    _options: ReportOptions

    def to(self, format: str) -> str:
        """The report as text, markdown, json, junit, sarif or github.

        Raises:
            ValueError: there is no such format.
        """
        from engine_layer_visualize.api.draw import render_verdict

        return "".join(render_verdict(self._judgement, format, self._options)).rstrip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """The `gate` of the format json as a dictionary: times, slowdown, all groups of layers."""
        import json

        document: dict[str, Any] = json.loads(self.to("json"))["gate"]
        return document

    def __str__(self) -> str:
        return self.to("text")

    def __repr__(self) -> str:
        """`<Verdict: failed: 1.00 ms → 1.10 ms (+10.0 %), 3 and 3 runs>`."""
        return f"<Verdict: {gate_report.headline(self._judgement)}>"

    def _repr_markdown_(self) -> str:
        """How a notebook shows a verdict: its reasons and its table."""
        return self.to("markdown")


def gate(
    baseline: Engine | Sequence[Engine] | str | Path,
    new: Engine | Sequence[Engine],
    *,
    baseline_times: Iterable[str | Path] = (),
    times: Iterable[str | Path] = (),
    max_slowdown: float | str | None = 0.03,
    max_memory: float | str | None = None,
    unsure: Unsure | None = None,
    optimization_profile: int | None = None,
    name: str = "engine",
) -> Verdict:
    """Judges whether the new engine became slower or larger than the baseline: `print` it.

    Conditions, memory, and most ONNX nodes are build info: do not read with `facts=False`.
    Slowdowns and the growth of memory are fractions, 0.03 or "3%"; None: that is not looked at. Of
    an engine with several profiles give a list: the engine as read with each of them.

    Args:
        baseline: an engine, or the path of a file of `snapshot` or `gate --save`.
        new: an engine.
        baseline_times: files of `trtexec --exportTimes` of the baseline, each of one run.
        times: the same of the new engine.
        max_slowdown: of the whole engine.
        max_memory: growth.
        unsure: how a verdict that cannot be told ends; None: with exit code 7.
        optimization_profile: of both engines.
        name: of the gate, in reports.

    Raises:
        ValueError: a limit or a word is none.
        TypeError: `baseline` or `new` is another value.
        ReadError: a file cannot be read.
    """
    whole, memory = (
        None if limit is None else fraction(limit) for limit in (max_slowdown, max_memory)
    )
    limits = Limits(whole, memory)
    if unsure not in ("pass", "fail", None):
        raise ValueError(not_among("unsure", unsure, ("pass", "fail")))
    options = ReportOptions(width=_WIDTH, name=gate_report.named(name))

    if isinstance(baseline, (str, Path)):
        before = snapshot_file.read(baseline)
    else:
        before = _side(baseline, baseline_times, optimization_profile)
    after = _side(new, times, optimization_profile)
    judgement = gate_evidence.judge_sides(before, after, limits)
    reasons, code = tuple(map(plain, judgement.reasons)), exit_code(judgement.verdict, unsure)
    told = {"verdict": judgement.verdict, "reasons": reasons, "exit_code": code}
    return Verdict(**told, _judgement=judgement, _options=options)


def snapshot(
    engine: Engine | Sequence[Engine],
    path: str | Path,
    *,
    times: Iterable[str | Path] = (),
    optimization_profile: int | None = None,
) -> Path:
    """Keeps of an engine what `gate` compares a later build with, in a file.

    If the engine has several profiles, give a list: the engine as read with each of them.

    Args:
        engine: an engine, read with build info.
        path: the file; its folder must exist, and what is there is replaced.
        times: files of `trtexec --exportTimes`, each of one run.
        optimization_profile: of the engine.

    Returns:
        The path.

    Raises:
        TypeError: `engine` is another value.
        ValueError: a word is none, or a run is given twice.
        ReadError: a file of times cannot be read.
        OSError: the file cannot be written.
    """
    from engine_layer_visualize.io.atomic_file import save

    side = _side(engine, times, optimization_profile, full_paths=False)
    save(Path(path), gate_report.snapshot_written(side))
    return Path(path)


def _side(
    given: Engine | Sequence[Engine],
    files: Iterable[str | Path],
    profile: int | None,
    full_paths: bool = True,
) -> Snapshot:
    """An engine, or the same engine with several profiles, as a gate knows it."""
    engines: Sequence[Any] = given if type(given) in (list, tuple) else [given]
    for engine in engines or [None]:
        must_be((Engine,), engine)
    if any(len(engine.layers) != len(engines[0].layers) for engine in engines):
        raise ValueError("several engines on a side are one engine with several profiles")
    costs = [Costs(sentences.with_shown_files(one, full_paths), profile) for one in engines]
    runs, problems = runs_of(files, full_paths)
    return with_unread(of_engine(costs, runs), problems)


def with_unread(side: Snapshot, problems: Iterable[Problem]) -> Snapshot:
    """The side, of which these problems of reading are known, too: errors make it unsure."""
    errors = (Unfit(one.code, one.message) for one in problems if one.severity == "error")
    return side._replace(unfit=tuple(dict.fromkeys((*side.unfit, *errors))))


def of_engine(costs: Sequence[Costs], given: Sequence[GateRun]) -> Snapshot:
    """Takes a snapshot of an engine.

    Raises:
        ValueError: a run is given twice, if in two files.
    """
    side = gate_evidence.of_engine(costs, given)
    for kept in (side.runs, side.profiles):
        each_once(kept)
    return side


def runs_of(paths: Iterable[str | Path], full_paths: bool) -> tuple[list[GateRun], list[Problem]]:
    """The runs of these files, whose names have no folders or `full_paths`; problems of reading.

    Raises:
        ReadError: a file cannot be read.
    """
    kept, problems = [], []
    for path in paths:
        iterations, wrong = profile_json.read_iterations(path)
        run = of_iterations(iterations)
        kept.append(run if full_paths else run._replace(file=base_name(run.file)))
        problems += wrong
    return kept, problems


def timed_by(
    engine: Engine, paths: Iterable[str], force: bool = False
) -> tuple[list[Engine], list[Problem]]:
    """The engine with the times of each of these files, else once as it is, and all problems.

    A file is left out where it has too few rows for layers: each engine has that among its
    problems. A file without times may name the device.

    Args:
        engine: the engine, whose own times are dropped.
        paths: the files.
        force: take files with too few rows, too.
    """
    engines: list[Engine] = []
    problems: list[Problem] = []
    unfit: list[Problem] = []
    layers = [layer._replace(time=None) for layer in engine.layers]
    facts = engine.facts
    for path in paths:
        files, wrong = profiles_of(path)
        problems += wrong
        devices = (profile.device for profile in files if profile.device is not None)
        facts = facts and facts.on(next(devices, None))
        for profile in files:
            timed, join, wrong = profiles.timed(layers, profile, None, force)
            problems += wrong
            if join is not None and join.matched:
                engines.append(engine._replace(layers=tuple(timed), profile=join))
            else:
                unfit += wrong
    each = [
        timed_engine._replace(facts=facts, problems=(*timed_engine.problems, *unfit))
        for timed_engine in engines or [engine]
    ]
    return each, problems
