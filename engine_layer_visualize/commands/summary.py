"""Prints, or writes, text and tables about every engine of a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, reports, standing
from engine_layer_visualize.commands.flags import REPORT, Group
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import SECTIONS, ReportOptions
from engine_layer_visualize.core.problems import Problem

ABOUT: Final = (
    "Prints a report about every engine of a log: its time, the slowest layers, time by type and "
    "by precision, every reformat with its reason, fusions, memory, autotuning."
)
EXAMPLES: Final = (
    "--log_file build.log --profile_file prof.json",
    "--log_file build.log --brief --format markdown",
)
EXIT_CODES: Final = inputs.exit_codes("the report is printed", "nothing to report on", "the report")

_STEM: Final = "summary"
_LENGTH: Final = Group("", within=REPORT)


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """What is reported, of which logs."""

    brief: bool = _LENGTH.switch(
        "only what fits on a screen: the time of each engine, its slowest layers, what to do "
        "(text and markdown; markdown has at most 65,536 characters)"
    )
    sections: tuple[str, ...] = _LENGTH.flag(
        "only these sections, in this order, with commas (text and markdown): "
        f"{', '.join(SECTIONS)}",
        "LIST",
        type=flags.ListOf("section", SECTIONS),
        default=(),
    )
    format: tuple[str, ...] = reports.format(REPORT, draw.REPORTS)
    output: str | None = reports.output(REPORT, _STEM, draw.REPORTS)
    width: int | None = reports.width(REPORT)
    force: bool = standing.force(REPORT)
    full: bool = REPORT.switch("do not shorten long names and cells in text and markdown")
    top: int = REPORT.flag(
        "the number of rows of a ranking, and of the findings (default: 10)",
        "N",
        type=flags.positive,
        default=10,
    )


def run(options: Options, report: Report) -> None:
    """Prints the report on all logs."""
    whose = reports.whose(options.log_file)
    targets = reports.targets(options, _STEM, draw.REPORTS, whose)
    engines: Iterable[Engine | Unassigned] = inputs.until_failed(_engines(options, report), report)
    if len(targets) > 1:
        engines = list(engines)
    all_looks = ReportOptions(
        options.top,
        options.optimization_profile,
        options.time,
        options.full,
        brief=options.brief,
        sections=options.sections,
        full_paths=True,  # `_engines` has named the files
        several=len(options.log_file) > 1,
        peak=options.peak,
    )
    for format, path, looks in reports.each(targets, all_looks, options.width, report):
        told = chain(engines, _failures(report)) if format == "brief" else engines
        reports.put_all(draw.render_report(told, format, looks), path, report)


def _failures(report: Report) -> Iterator[Problem]:
    yield from inputs.failures(False, report)  # known after the last engine


def _engines(options: Options, report: Report) -> Iterator[Engine | Unassigned]:
    """Reads the engines of each log, then the lines of none of them."""
    for named, log in inputs.logs(options, report, facts=True):
        for costs in inputs.shown(named, log, options, report):
            yield costs.engine
        for line in log.unassigned:  # known after the last engine
            yield line._replace(file=named.name)
