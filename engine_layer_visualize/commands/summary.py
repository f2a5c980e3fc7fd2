"""Prints a report about every engine of a log: its time, the slowest layers, and why."""

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Problem

_STEM: Final = "summary"
_LENGTH: Final = flags.Group("", within=flags.REPORT)


def _sections(text: str) -> tuple[str, ...]:
    from engine_layer_visualize.reports.summary import SECTIONS

    return flags.ListOf("section", [section.key for section in SECTIONS])(text)


class Options(inputs.LogOptions):
    """What is reported, of which logs."""

    format: tuple[str, ...] = flags.format(draw.REPORTS)
    output: str | None = outputs.output(_STEM, draw.REPORTS)
    brief: bool = _LENGTH.switch("text or markdown that fits on a screen; `-f brief` is JSON")
    sections: tuple[str, ...] = _LENGTH.flag(
        "only these, in this order, such as slowest,memory (docs/why-slow.md)",
        "LIST",
        type=_sections,
        default=(),
    )
    width: int | None = flags.WIDTH
    full: bool = flags.FULL
    top: int = flags.rows("of a ranking", 10)


def run(options: Options, report: Report) -> None:
    """Prints the report on all logs."""
    reports = outputs.Reports(options, _STEM, draw.REPORTS, outputs.whose(options.log_file))
    reports.write(report, _engines(options, report))


def _engines(options: Options, report: Report) -> Iterator[Engine | Problem]:
    """Reads the engines of each log, then failures."""
    with inputs.reported(report):
        for named, log in inputs.logs(options, report, facts=True):
            for costs in inputs.shown(named, log, options, report):
                yield costs.engine
    yield from inputs.failures(False, report)
