"""`summary`: the answers that people want of an engine, in words and tables.

takes: parsed options
gives: a page for every engine, or all of them as one JSON or CSV document
never: draws, or leaves out what a section has no data for without saying what to run
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.commands import Report, inputs

if TYPE_CHECKING:
    from engine_layer_visualize.model import Engine
    from engine_layer_visualize.reading import Log

HELP: Final = "time, precisions, reformats, fusions, memory and autotuning of an engine"
NARROWEST: Final = 40
FORMATS: Final = ("text", "markdown", "json", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    inputs.add(parser)
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="of the page on stdout (default: text)"
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=inputs.positive,
        default=10,
        help="rows of a ranking (default: 10)",
    )
    parser.add_argument(
        "--width",
        metavar="N",
        type=_width,
        help=f"columns of the text, at least {NARROWEST} (default: what COLUMNS says, else the "
        "terminal's, else 140)",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="names and cells whole, however long, in text and markdown",
    )


def _width(text: str) -> int:
    number = inputs.positive(text)
    if number < NARROWEST:
        raise argparse.ArgumentTypeError(f"at least {NARROWEST}")
    return number


def run(options: argparse.Namespace, report: Report) -> None:
    log = inputs.opened(options, report, facts=True)
    if options.format == "json":
        _json(log, options.top, report)
    elif options.format == "csv":
        from engine_layer_visualize.summary.table import set_table

        for number, engine in enumerate(inputs.engines(log, report)):
            report.page(set_table([engine], head=not number))
    else:
        for engine in inputs.engines(log, report):
            _page(engine, options, report)


def _json(log: Log, top: int, report: Report) -> None:
    from engine_layer_visualize.summary import summarize

    # One engine in memory at a time: the document is put down piece by piece.
    before = '{"schema": 1, "engines": ['
    for engine in inputs.engines(log, report):
        report.page(before + json.dumps(summarize(engine, top)))
        before = ","
    report.page("]}")


def _page(engine: Engine, options: argparse.Namespace, report: Report) -> None:
    from engine_layer_visualize.summary import pages, summarize

    blocks = pages(summarize(engine, options.top))
    if options.format == "markdown":
        from engine_layer_visualize.summary.markdown import set_page

        report.page(set_page(blocks, options.full))
    else:
        from engine_layer_visualize.summary import text

        width, colour = report.terminal()
        report.page(text.set_page(blocks, options.width or width, colour, options.full))
