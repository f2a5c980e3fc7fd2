"""`compare`: logs in; what differs between their engines out, on stdout or in a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize import outputs
from engine_layer_visualize.analysis.comparison import compare
from engine_layer_visualize.analysis.comparison.result import CONFIDENCES, MATCHINGS, Comparison
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Report, given_logs, inputs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
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
_STEM: Final = "comparison"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    read.add_argument(
        "--log_file",
        metavar="FILE",
        action=given_logs.Log,
        required=True,
        help="a VERBOSE build log of TensorRT, or the engine inspector's JSON; the first is A, all "
        "others are compared with it. A word that is a file stands for this flag, or for "
        "--profile_file where the file holds times",
    )
    given_logs.add_profile_file(read)
    given_logs.add_engine(read, "such as B:1 of the second log", "the first; of a single log, all")
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
    inputs.add_report_dir(
        how, _STEM, outputs.names(outputs.COMPARISONS), "stdout; of svg and html the current folder"
    )
    inputs.add_limits(parser)


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
    for at in range(len(options.log_file)):
        yield from given_logs.engines(options.log_file, at, options, report)


def _write(
    found: Sequence[Comparison],
    problems: Sequence[Problem],
    options: argparse.Namespace,
    report: Report,
) -> None:
    if (
        options.output_dir is None
        and not outputs.named(options.format, outputs.COMPARISONS).printed
    ):
        options.output_dir = "."
    width, color = inputs.page_looks(options, report)
    looks = ReportOptions(options.top, full=options.full, width=width, color=color)
    text = outputs.render_comparison(found, problems, options.format, looks)
    inputs.put(text, _STEM, options, report)
