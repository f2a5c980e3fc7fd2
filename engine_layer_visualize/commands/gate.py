"""`gate`: a baseline and the log of a new engine in; a verdict, and an exit code for CI, out."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from engine_layer_visualize import writers
from engine_layer_visualize.commands import (
    Report,
    gate_sides,
    given_logs,
    inputs,
    lint_settings,
    standing,
)
from engine_layer_visualize.comparison.gate import evidence
from engine_layer_visualize.comparison.gate.limits import Limits, fraction
from engine_layer_visualize.comparison.gate.verdict import exit_code
from engine_layer_visualize.core import __version__
from engine_layer_visualize.documents import origin
from engine_layer_visualize.reports.gate.options import GateOptions, check

ABOUT: Final = (
    "Compares a new engine with a baseline, and fails where it became slower, larger or worse: for "
    "a job of CI, which the exit code ends. Several runs on each side tell a change from noise. Of "
    "several exit codes that are true, it is the highest, but 5 goes before 6."
)
EXAMPLES: Final = (
    "--baseline base.json --log_file build.log --times run1.json --times run2.json",
    "--baseline old.log --log_file build.log --max_memory 5% --max_reformats 0 --format markdown",
)
EXIT_CODES: Final = {
    0: "passed, or unsure with --unsure pass",
    1: "passed, but something could not be read",
    2: "wrong usage",
    3: "nothing to judge",
    4: "the verdict could not be written",
    5: "failed, or unsure with --unsure fail",
    6: "not comparable",
}
_DEFAULTS: Final = Limits()
_WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path
_STEM: Final = "gate"
Value = TypeVar("Value")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    given_logs.add_log(
        read,
        "what the new engine is compared with: what the command snapshot wrote, or a log",
        "--baseline",
    )
    given_logs.add_log(
        read,
        "the new engine's log, or the inspector's JSON. A word that is a file stands for this "
        "flag, or for --profile_file or --times where the file holds times",
    )
    given_logs.add_runs(read, "such as A:1 of the baseline or B:0 of the new log")
    limits = parser.add_argument_group("the limits, as fractions of the baseline")
    limits.add_argument(
        "--max_slowdown",
        metavar="F",
        type=_checked(fraction),
        default=_DEFAULTS.slowdown,
        help="how much more time the engine may take: 3%% or 0.03 (default: 3%%)",
    )
    limits.add_argument(
        "--max_layer_slowdown",
        metavar="F",
        type=_checked(fraction),
        help="the same for each group of layers, such as 15%% (default: not judged)",
    )
    limits.add_argument(
        "--min_layer_ms",
        metavar="MS",
        type=lint_settings.milliseconds,
        default=_DEFAULTS.min_layer_ms,
        help="judge groups of layers that take at least so long (default: 0.02)",
    )
    limits.add_argument(
        "--max_memory",
        metavar="F",
        type=_checked(fraction),
        help="how much more memory the engine may need, such as 5%% (default: not judged)",
    )
    limits.add_argument(
        "--max_reformats",
        metavar="N",
        type=_checked(_count),
        help="how many reformats more than the baseline it may have (default: not judged)",
    )
    limits.add_argument(
        "--forbid",
        metavar="CODES",
        type=lint_settings.codes,
        default=(),
        help="findings of lint that the new engine may not have, with commas: P01,F07",
    )
    limits.add_argument(
        "--unsure",
        choices=("pass", "fail"),
        default="pass",
        help="how it ends where it cannot be told (default: pass)",
    )
    limits.add_argument(
        "--per_sample",
        action="store_true",
        help="compare times of one sample, where the inputs differ in their leading dimension "
        "alone (default: another shape of the inputs is not comparable)",
    )
    report = parser.add_argument_group("the report")
    formats = writers.names(writers.GATES)
    inputs.add_looks(report, formats, "all groups of layers, and whole names, in text")
    report.add_argument(
        "--name",
        metavar="NAME",
        type=_checked(_name),
        default="engine",
        help="of this gate, where a project has several: each has a comment of its own (default: "
        "engine)",
    )
    report.add_argument(
        "--max_chars",
        metavar="N",
        type=_checked(_max_chars),
        default=60_000,
        help="the most characters of the format markdown (default: 60000)",
    )
    inputs.add_report_dir(report, _STEM, formats)
    inputs.add_limits(parser)


def _checked(value: Callable[[str], Value]) -> Callable[[str], Value]:
    """A flag's type, whose ValueError argparse reports in its words."""

    def checked(text: str) -> Value:
        try:
            return value(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


def _name(text: str) -> str:
    check(GateOptions(name=text))
    return text


def _max_chars(text: str) -> int:
    check(GateOptions(max_chars=_whole(text)))
    return _whole(text)


def _count(text: str) -> int:
    number = _whole(text)
    if number < 0:
        raise ValueError("at least 0")
    return number


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ValueError(f"a whole number is wanted, not {text[:40]!r}")
    return int(text)


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the verdict. Raises ReadError where there is none."""
    if options.format in _WITH_PATHS:
        options.full_paths = True
    given = [*options.baseline, *options.log_file]
    if (path := inputs.report_path(_STEM, options)) is not None:
        read = [file for one in given for file in one.files]
        standing.check([path], options.force, partial(_whose, options.name), read=read)
    sides = [
        gate_sides.side(
            given, at, options, report, findings=bool(options.forbid), may_be_snapshot=at == 0
        )
        for at in range(len(given))
    ]
    baseline, new = sides
    if baseline is None or new is None:  # it has been said why
        return
    limits = Limits(
        options.max_slowdown,
        options.max_layer_slowdown,
        options.min_layer_ms,
        options.max_memory,
        options.max_reformats,
    )
    judgement = evidence.judged(
        baseline, new, limits, options.forbid, per_sample=options.per_sample
    )
    width, color = inputs.page_looks(options, report)
    looks = GateOptions(options.name, options.max_chars, width, color, options.full, __version__)
    report.worst(exit_code(judgement.verdict, options.unsure))
    text = "".join(writers.render_verdict(judgement, options.format, looks))
    inputs.put(text, _STEM, options, report)


def _whose(name: str, path: Path) -> str:
    is_ours = origin.is_verdict(path, name)
    return "" if is_ours else "this was there before, and is no verdict of this gate"
