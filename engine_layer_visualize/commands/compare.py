"""`compare`: logs in; what differs between their engines out, on stdout or in a file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from engine_layer_visualize import outputs
from engine_layer_visualize.analysis.comparison import compare
from engine_layer_visualize.analysis.comparison.result import CONFIDENCES, MATCHINGS, Comparison
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Report, inputs, log_names
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.io.atomic_file import cannot_write, save
from engine_layer_visualize.outputs import file_names
from engine_layer_visualize.outputs.comparison import sentences
from engine_layer_visualize.outputs.options import ReportOptions

ABOUT: Final = (
    "Compares engines, layer by layer: how much faster one is, and why. Layers are found again by "
    "their ONNX nodes, by their weights, or by what they do and where they stand. The first engine "
    "is A; each of the others is a B."
)
EXAMPLES: Final = (
    "a.log b.log",
    "--log_file fp16.log --profile_file fp16.json --log_file int8.log --profile_file int8.json",
)
EXIT_CODES: Final = {
    0: "everything was read",
    1: "the comparison is printed but something could not be read",
    2: "wrong usage",
    3: "nothing to compare",
    4: "the comparison could not be written",
}
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STEM: Final = "comparison"
_ENDINGS: Final = {"text": "txt", "markdown": "md"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    read.add_argument(
        "--log_file",
        metavar="FILE",
        action=_Log,
        required=True,
        default=[],
        help="a VERBOSE build log of TensorRT, or the engine inspector's JSON; the first is A, all "
        "others are compared with it. A word that is a file stands for this flag, or for "
        "--profile_file where the file holds times",
    )
    read.add_argument(
        "-p",
        "--profile_file",
        metavar="FILE",
        action=_Profile,
        default=[],
        help="times of the layers of the log before it; may be given several times",
    )
    read.add_argument(
        "--engine",
        metavar="LOG:N",
        type=_engine,
        action="append",
        default=[],
        help="which engine of a log, such as B:1 of the second log, counted from 0 (default: the "
        "first; of a single log, all)",
    )
    inputs.add_times(read)
    how = parser.add_argument_group("the comparison")
    how.add_argument(
        "--match",
        choices=MATCHINGS,
        default="auto",
        help="find layers again by names where these can be trusted and by structure where not "
        "(auto), by names alone, or by structure alone (default: auto)",
    )
    how.add_argument(
        "--min_confidence",
        choices=CONFIDENCES,
        default="region",
        help="leave layers alone that are matched by less than this, the surest first: "
        f"{', '.join(CONFIDENCES)} (default: region)",
    )
    inputs.add_looks(
        how, outputs.names(outputs.COMPARISONS), "do not shorten long names in text and markdown"
    )
    how.add_argument(
        "--top",
        metavar="N",
        type=inputs.positive,
        default=20,
        help="the number of rows of a list, in text and markdown (default: 20)",
    )
    how.add_argument(
        "-o",
        "--output_dir",
        metavar="DIR",
        help=f"write {_STEM}.txt, .md, .json, .csv, .svg or .html there; the folder is created if "
        "absent (default: stdout; of svg and html the current folder)",
    )
    inputs.add_limits(parser)


@dataclass(slots=True)
class _Given:
    """A log with its own profiles."""

    path: str
    profiles: list[str] = field(default_factory=list)


class _Log(argparse.Action):
    """Begins the files of another log."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        namespace.log_file = [*namespace.log_file, _Given(str(values))]


class _Profile(argparse.Action):
    """Gives a profile to the log before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if not namespace.log_file:
            message = f"{values}: a profile belongs to the log before it, and there is none"
            raise argparse.ArgumentError(self, message)
        namespace.log_file[-1].profiles.append(str(values))


def _engine(text: str) -> tuple[int, int]:
    """The value of `--engine`, as positions. Raises what argparse reports."""
    match = re.fullmatch(r"([A-Za-z]):(\d{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"no engine of a log, such as A:0: {text[:80]!r}")
    return _LETTERS.index(match[1].upper()), int(match[2])


# ---- what it does ------------------------------------------------------------------------------


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the comparison of all engines with the first; as JSON also why there is none."""
    found: list[Comparison] = []
    problems: list[Problem] = []
    try:
        found, problems = _compared(options, report)
    except ReadError as error:
        report.failed(error)
    if found or options.format == "json":
        failures = inputs.failures(options, report)
        _write(found, list(dict.fromkeys([*failures, *problems])), options, report)


def _compared(
    options: argparse.Namespace, report: Report
) -> tuple[list[Comparison], list[Problem]]:
    """The comparisons, and the problems of the engines. Raises ReadError where there is none."""
    engines = list(_engines(options, report))
    if len(engines) < 2:
        if options.log_file and engines:
            place = Place(engines[0].source.file)
            message = "this is the only engine that was read; a comparison needs two"
            raise ReadError(Problem(place, "ELV606", message))
        return [], []  # it has been said why
    costs = [Costs(engine, options.optimization_profile, options.time) for engine in engines]
    found = [compare(costs[0], other, options.match, options.min_confidence) for other in costs[1:]]
    problems = [problem for engine in engines for problem in engine.problems]
    for one in found:
        for remark in sentences.remarks(one):
            report.problem(remark)
            problems.append(remark)
    return found, problems


def _engines(options: argparse.Namespace, report: Report) -> Iterator[Engine]:
    """The engines that are compared, named as in the outputs."""
    given: list[_Given] = options.log_file
    names = log_names.named([one.path for one in given], full=options.full_paths)
    wanted = dict[int, list[int]]()
    for at, number in options.engine:
        if at >= len(given):
            there = "A alone" if len(given) == 1 else f"A to {_LETTERS[len(given) - 1]}"
            message = f"there is no log {_LETTERS[at]}; the logs are {there}"
            raise ReadError(Problem(Place("--engine"), "ELV406", message))
        wanted.setdefault(at, []).append(number)
    for at, one in enumerate(given):
        numbers = wanted.get(at)
        own = argparse.Namespace(**{**vars(options), "engine": numbers})
        log = inputs.opened(one.path, one.profiles, own, report, facts=True)
        if log is None:
            continue
        called = {log.name: names[at].name}
        found = [
            file_names.renamed(engine, partial(_name, called, options.full_paths))
            for engine in inputs.engines(log, report)
        ]
        if numbers is None and len(given) > 1 and len(found) > 1:
            report.remark(
                f"{names[at].name} holds {len(found)} engines, of which engine 0 is compared; "
                f"--engine {_LETTERS[at]}:1 takes another"
            )
            found = found[:1]
        yield from found


def _name(called: dict[str, str], full: bool, path: str) -> str:
    return called.get(path) or (path if full else base_name(path))


def _write(
    found: Sequence[Comparison],
    problems: Sequence[Problem],
    options: argparse.Namespace,
    report: Report,
) -> None:
    width, color = report.terminal()
    to_file = (
        options.output_dir is not None
        or not outputs.named(options.format, outputs.COMPARISONS).printed
    )
    looks = ReportOptions(
        options.top,
        full=options.full,
        width=options.width or width,
        color=color and not to_file,
    )
    text = outputs.render_comparison(found, problems, options.format, looks)
    if not to_file:
        report.page(text)
        return
    path = (
        Path(options.output_dir or ".") / f"{_STEM}.{_ENDINGS.get(options.format, options.format)}"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, (text.encode("utf-8", "backslashreplace"),))
    except OSError as error:
        raise cannot_write(path, error) from None
    report.line(str(path))
