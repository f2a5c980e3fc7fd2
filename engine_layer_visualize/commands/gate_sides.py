"""A log with its profiles and times, or the file of a snapshot, in; a side of a gate out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from engine_layer_visualize import gating
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Answer, Report, given_logs
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.given_logs import Given
from engine_layer_visualize.comparison.gate.evidence import GateSide
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError, Stopped
from engine_layer_visualize.core.snapshot import GateRun, Snapshot
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.fields import file_names
from engine_layer_visualize.inputs import snapshot_file
from engine_layer_visualize.io.source import Source

_HEAD: Final = 4096  # bytes


def side(
    given: Sequence[Given],
    at: int,
    options: argparse.Namespace,
    report: Report,
    *,
    findings: bool,
    may_be_snapshot: bool = False,
) -> GateSide | None:
    """One of the logs; None where it cannot be read, which is reported. Raises ReadError where its
    times cannot, Answer where a run is given twice."""
    one = given[at]
    if _is_snapshot(one.path, may_be_snapshot):
        return GateSide(_snapshot(one, may_be_snapshot))
    runs = list(_runs(one.times, options, report))
    bare = [*given[:at], replace(one, profile_file=[]), *given[at + 1 :]]
    engines = given_logs.engines(bare, at, options, report)
    if not engines:
        return None
    if len(engines) > 1:  # of the only log
        report.remark(f"{one.path} holds {len(engines)} engines; --engine A:1 takes another than 0")
    profiled = _profiled(engines[0], one.profile_file, options, report)
    costs = [Costs(own, options.optimization_profile, options.time) for own in profiled]
    try:
        return gating.of_engine(costs, runs, findings=findings)
    except ValueError as error:
        raise Answer("", str(error), USAGE) from None


def _is_snapshot(path: str, wanted: bool) -> bool:
    """By its content. A pipe, which is read once, is one where it may be."""
    if not os.path.isfile(path):
        return wanted and (path == "-" or os.path.exists(path)) and not os.path.isdir(path)
    try:
        return snapshot_file.sniff(Source(path).head(_HEAD))
    except ReadError:  # the reader of logs says so
        return False


def _snapshot(one: Given, wanted: bool) -> Snapshot:
    """Raises ReadError (ELV705)."""
    if wanted and not one.profile_file and not one.times:
        return snapshot_file.read(one.path)
    message, hint = "this is no log, but JSON of this program", "a snapshot is given as --baseline"
    if wanted:
        message = "a snapshot has its times in it, and no file of times beside it"
        hint = "the times of the new engine stand after --log_file"
    raise ReadError(Problem(Place(one.path), "ELV705", message), hint)


def _runs(paths: Sequence[str], options: argparse.Namespace, report: Report) -> Iterator[GateRun]:
    """Raises ReadError where a file holds no times of iterations: with fewer runs than were given
    the verdict would be another one."""
    runs, problems = gating.runs_of(paths)
    _tell(problems, options, report)
    for run in runs:
        yield run if options.full_paths else run._replace(file=base_name(run.file))


def _profiled(
    engine: Engine, paths: Sequence[str], options: argparse.Namespace, report: Report
) -> list[Engine]:
    """The engine with the times of each profile; as it is where it has none that fits."""
    found, problems = gating.timed_by(engine, paths, options.force)
    _tell(problems, options, report)
    name = partial(given_logs.name, {engine.source.file: engine.source.file}, options.full_paths)
    return [file_names.renamed(one, name) for one in found]


def _tell(problems: Sequence[Problem], options: argparse.Namespace, report: Report) -> None:
    """Raises Stopped at the first error, if strict."""
    for problem in problems:
        if options.strict and problem.severity == "error":
            raise Stopped(problem)
        report.problem(problem)
