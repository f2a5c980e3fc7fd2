"""`summary`: a log in; text and tables about every engine out, on stdout."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine_layer_visualize import outputs
from engine_layer_visualize.commands import Report, inputs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.outputs.options import NARROWEST, ReportOptions

if TYPE_CHECKING:
    from engine_layer_visualize.pipeline import Log


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    inputs.add(parser)
    parser.add_argument(
        "--format",
        choices=outputs.names(outputs.REPORTS),
        default="text",
        help="the format of what is printed (default: text)",
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=inputs.positive,
        default=10,
        help="the number of rows of a ranking (default: 10)",
    )
    parser.add_argument(
        "--width",
        metavar="N",
        type=_width,
        help=f"width of the text in columns, at least {NARROWEST} (default: the variable COLUMNS, "
        "else the terminal, else 140)",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="do not shorten long names and cells in text and markdown",
    )


def _width(text: str) -> int:
    number = inputs.positive(text)
    if number < NARROWEST:
        raise argparse.ArgumentTypeError(f"at least {NARROWEST}")
    return number


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the report. Raises ReadError where no engine can be read."""
    log = inputs.opened(options, report, facts=True)
    width, color = report.terminal()
    looks = ReportOptions(
        options.top,
        options.optimization_profile,
        options.time,
        options.verbose,
        options.full,
        options.width or width,
        color,
    )
    for text in outputs.render_report(_found(log, report), options.format, looks):
        report.page(text)


def _found(log: Log, report: Report) -> Iterator[Engine | Unassigned]:
    """The engines, then the lines of none."""
    yield from inputs.engines(log, report)
    yield from log.unassigned  # known after the last engine
