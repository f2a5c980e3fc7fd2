"""Reads the sides of a gate: logs with their profiles and times, or the file of a snapshot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import gate
from engine_layer_visualize.commands import Answer, Report, given_logs, inputs
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.given_logs import Given, SidesOptions
from engine_layer_visualize.comparison.gate_evidence import GateSide
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import Snapshot
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import baseline


def side(
    given: Sequence[Given],
    number: int,
    options: SidesOptions,
    report: Report,
    *,
    findings: bool,
    may_be_snapshot: bool = False,
) -> GateSide | None:
    """Reads a side of a gate.

    Args:
        given: All logs.
        number: Which of them is the side, counted from 0.
        options: How it is read.
        report: Is told every problem.
        findings: Whether its findings are wanted.
        may_be_snapshot: Whether the file of a snapshot may stand for the log.

    Returns:
        The side; None where it cannot be read, which is reported.

    Raises:
        ReadError: Where its times cannot be read.
        Answer: Where a run is given twice.
    """
    log = given[number]
    if _is_snapshot(log.path, may_be_snapshot):
        return GateSide(_snapshot(log, may_be_snapshot))
    runs, problems = gate.runs_of(log.times)
    inputs.tell(problems, options.strict, report)
    if not options.full_paths:
        runs = [run._replace(file=base_name(run.file)) for run in runs]
    bare = [*given[:number], replace(log, profile_file=()), *given[number + 1 :]]
    engines = given_logs.engines(bare, number, options, report)
    if not engines:
        return None
    if len(engines) > 1:  # of the only log
        report.remark(f"{log.path} holds {len(engines)} engines; --engine A:1 takes another than 0")
    profiled = _profiled(engines[0], log.profile_file, options, report)
    costs = [Costs(engine, options.optimization_profile, options.time) for engine in profiled]
    try:
        return gate.of_engine(costs, runs, findings=findings)
    except ValueError as error:
        raise Answer("", str(error), USAGE) from None


def _is_snapshot(path: str, wanted: bool) -> bool:
    """Looks at the content. A pipe, which is read once, is a snapshot where it may be one."""
    if not os.path.isfile(path):
        return wanted and (path == "-" or os.path.exists(path)) and not os.path.isdir(path)
    try:
        return baseline.sniff(Source(path).head())
    except ReadError:  # the reader of logs says so
        return False


def _snapshot(given: Given, wanted: bool) -> Snapshot:
    """Raises ReadError (ELV705)."""
    if wanted and not given.profile_file and not given.times:
        return baseline.read(given.path)
    message, hint = "this is no log, but JSON of this program", "a snapshot is given as --baseline"
    if wanted:
        message = "a snapshot has its times in it, and no file of times beside it"
        hint = "the times of the new engine stand after --log_file"
    raise ReadError(Problem(Place(given.path), "ELV705", message), hint)


def _profiled(
    engine: Engine, paths: Sequence[str], options: SidesOptions, report: Report
) -> list[Engine]:
    """Returns the engine with the times of each profile; as it is where it has none that fits."""
    engines, problems = gate.timed_by(engine, paths, options.force)
    inputs.tell(problems, options.strict, report)
    file = engine.source.file
    name = partial(inputs.shown_name, {file: file}, options.full_paths)
    return [engine_words.renamed_files(timed, name) for timed in engines]
