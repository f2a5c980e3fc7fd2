"""`summary`: a log in; text and tables about every engine out, on stdout."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import Report, flag_values, inputs, standing
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import SECTIONS, ReportOptions

ABOUT: Final = (
    "Prints a report about every engine of a log: its time, the slowest layers, time by type and "
    "by precision, every reformat with its reason, fusions, memory, autotuning."
)
EXAMPLES: Final = (
    "--log_file build.log --profile_file prof.json",
    "--log_file build.log --brief --format markdown",
)
EXIT_CODES: Final = {
    0: "everything was read",
    1: "the report is printed but something could not be read",
    2: "wrong usage",
    3: "nothing to report on",
    4: "the report could not be written",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    inputs.add(read)
    standing.add_force(read, outputs=False, profiles=True)
    report = parser.add_argument_group("the report")
    parts = report.add_mutually_exclusive_group()
    parts.add_argument(
        "--brief",
        action="store_true",
        help="only what fits on a screen: the time of each engine, its slowest layers, what to do "
        "(text and markdown; markdown has at most 65,536 characters)",
    )
    parts.add_argument(
        "--sections",
        metavar="LIST",
        type=flag_values.ListOf("section", SECTIONS),
        default=(),
        help="only these sections, in this order, with commas (text and markdown): "
        f"{', '.join(SECTIONS)}",
    )
    inputs.add_looks(
        report,
        writers.names(writers.REPORTS),
        "do not shorten long names and cells in text and markdown",
    )
    report.add_argument(
        "--top",
        metavar="N",
        type=flag_values.positive,
        default=10,
        help="the number of rows of a ranking, and of the findings (default: 10)",
    )
    inputs.add_limits(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the report on all logs."""
    width, color = report.terminal()
    looks = ReportOptions(
        options.top,
        options.optimization_profile,
        options.time,
        options.verbose,
        options.full,
        options.width or width,
        color,
        options.brief,
        options.sections,
        full_paths=True,  # `_found` has named the files
        several=len(options.log_file) > 1,
        peak=options.peak,
    )
    found = inputs.until_failed(_found(options, report), report)
    for text in writers.render_report(found, options.format, looks):
        if text.strip():
            report.page(text)


def _found(options: argparse.Namespace, report: Report) -> Iterator[Engine | Unassigned]:
    """The engines of each log, then the lines of none of them."""
    for named, log in inputs.logs(options, report, facts=True):
        for costs in inputs.shown(named, log, options, report):
            yield costs.engine
        for one in log.unassigned:  # known after the last engine
            yield one._replace(file=named.name)
