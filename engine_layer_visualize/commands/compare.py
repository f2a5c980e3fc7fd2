"""`compare`: logs in; what differs between their engines out, on stdout or in a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from engine_layer_visualize import writers
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import (
    Report,
    flag_values,
    given_logs,
    inputs,
    log_names,
    standing,
)
from engine_layer_visualize.comparison import compare, sentences
from engine_layer_visualize.comparison.result import CONFIDENCES, MATCHINGS, Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.documents import origin

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
    given_logs.add_log(
        read,
        "a VERBOSE build log of TensorRT, or the engine inspector's JSON; the first is A, all "
        "others are compared with it. A word that is a file stands for this flag, or for "
        "--profile_file where the file holds times",
        once=False,
    )
    given_logs.add_profile_file(read)
    inputs.add_onnx(read)
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
    how.add_argument(
        "--per_sample",
        action="store_true",
        help="all times are of one sample, where the inputs differ in their leading dimension "
        "alone (default: of a run; the first sentence is of a sample)",
    )
    inputs.add_looks(
        how,
        writers.names(writers.COMPARISONS),
        "every group of layers, and whole names, in text and markdown",
    )
    how.add_argument(
        "--top",
        metavar="N",
        type=flag_values.positive,
        default=20,
        help="the number of rows of a list, in text and markdown (default: 20)",
    )
    inputs.add_report_dir(
        how, _STEM, writers.names(writers.COMPARISONS), "stdout; of svg and html the current folder"
    )
    inputs.add_limits(parser)


# ---- what it does ------------------------------------------------------------------------------


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the comparison of all engines with the first; as JSON also why there is none. Raises
    ReadError where what is in its file's place may not be replaced."""
    _check(options)
    found: list[Comparison] = []
    try:
        found = _compared(options, report)
    except ReadError as error:
        report.failed(error)
    if found or options.format == "json":
        _write(found, list(inputs.failures(options, report)), options, report)


def _check(options: argparse.Namespace) -> None:
    if (
        options.output_dir is None
        and not writers.named(options.format, writers.COMPARISONS).printed
    ):
        options.output_dir = "."
    path = inputs.report_path(_STEM, options)
    if path is not None:
        logs = log_names.named([one.path for one in options.log_file])
        names = [one.name for one in logs]
        standing.check(
            [path],
            options.force,
            lambda path: standing.OF_OTHERS if origin.is_of_others(path, names) else "",
            read=[file for one in options.log_file for file in one.files],
        )


def _compared(options: argparse.Namespace, report: Report) -> list[Comparison]:
    """Empty where a log cannot be read, which is reported. Raises ReadError where there is but one
    engine."""
    engines: list[Engine] = []
    for at in range(len(options.log_file)):
        engines += given_logs.engines(options.log_file, at, options, report)
        if not engines:  # no other log stands for A
            return []
    if len(engines) < 2:
        place = Place(engines[0].source.file)
        message = "this is the only engine that was read; a comparison needs two"
        raise ReadError(Problem(place, "ELV606", message))
    costs = [Costs(engine, options.optimization_profile, options.time) for engine in engines]
    found = [
        compare(
            costs[0],
            other,
            options.match,
            options.min_confidence,
            per_sample=options.per_sample,
        )
        for other in costs[1:]
    ]
    for one in found:
        for remark in sentences.remarks(one):
            report.problem(remark)
    return found


def _write(
    found: Sequence[Comparison],
    failures: Sequence[Problem],
    options: argparse.Namespace,
    report: Report,
) -> None:
    width, color = inputs.page_looks(options, report)
    if options.format == "model-explorer" and len(found) > 1:
        report.remark("Model Explorer shows two engines: the file maps A to the first B alone")
    looks = ReportOptions(options.top, full=options.full, width=width, color=color)
    text = writers.render_comparison(found, failures, options.format, looks)
    inputs.put(text, _STEM, options, report)
