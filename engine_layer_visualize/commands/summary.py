"""`summary`: a log goes in; text and tables about every engine come out on stdout."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.commands import Report, inputs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine_layer_visualize.core.model import Engine, JsonValue
    from engine_layer_visualize.outputs.report.page import Block
    from engine_layer_visualize.pipeline import Log

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
    log = inputs.opened(options, report, facts=True)
    if options.format == "json":
        _json(log, options, report)
    elif options.format == "csv":
        from engine_layer_visualize.outputs.report.csv import set_table

        for number, engine in enumerate(inputs.engines(log, report)):
            report.page(set_table([engine], head=not number, statistic=options.time))
    else:
        from engine_layer_visualize.outputs.report import pages, sources

        for engine in inputs.engines(log, report):
            _page(pages(_data(engine, options), options.verbose), options, report)
        if log.unassigned:
            left = sources.unassigned(log.unassigned)
            _page(sources.unassigned_page(left), options, report)


def _data(engine: Engine, options: argparse.Namespace) -> dict[str, JsonValue]:
    from engine_layer_visualize.outputs.report import summarize

    return summarize(engine, options.top, options.optimization_profile, options.time)


def _json(log: Log, options: argparse.Namespace, report: Report) -> None:
    from engine_layer_visualize.outputs.report import sources

    # One engine in memory at a time: the document is put down piece by piece.
    before = '{"schema": 1, "engines": ['
    for engine in inputs.engines(log, report):
        report.page(before + json.dumps(_data(engine, options)))
        before = ","
    report.page(f'], "unassigned": {json.dumps(sources.unassigned(log.unassigned))}}}')


def _page(blocks: Iterable[Block], options: argparse.Namespace, report: Report) -> None:
    if options.format == "markdown":
        from engine_layer_visualize.outputs.report.markdown import set_page

        report.page(set_page(blocks, options.full))
    else:
        from engine_layer_visualize.outputs.report import terminal as text

        width, colour = report.terminal()
        report.page(text.set_page(blocks, options.width or width, colour, options.full))
