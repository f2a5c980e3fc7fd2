"""`lint`: a log in; what makes its engines slow, why and what to try out, on stdout."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import Answer, Report, inputs, lint_settings, standing
from engine_layer_visualize.commands.lint_settings import Settings
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.linting.finding import SEVERITIES
from engine_layer_visualize.linting.retired import RETIRED
from engine_layer_visualize.linting.selection import Codes, Selected, Suppression, missed, selected

ABOUT: Final = (
    "Finds what makes the engines of a log slow. Each finding has a code, the layers that it is "
    "about, the time that is at stake, the lines of the log that it rests on, and what to try."
)
EXAMPLES: Final = (
    "--log_file build.log --profile_file prof.json",
    "--log_file build.log --select F --format github",
)
EXIT_CODES: Final = {
    0: "everything was read",
    1: "the findings are printed but something could not be read",
    2: "wrong usage",
    3: "nothing to look at",
    4: "the findings could not be written",
    5: "a finding is as severe as --fail_on says",
}
_FAILED: Final = 5
_WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    inputs.add(read)
    standing.add_force(read, outputs=False, profiles=True)
    which = parser.add_argument_group("which findings (elv.toml may say it, too)")
    which.add_argument(
        "--select",
        metavar="CODES",
        type=lint_settings.codes,
        help="only rules whose codes begin so, with commas: P,F02",
    )
    which.add_argument(
        "--ignore",
        metavar="CODES",
        type=lint_settings.codes,
        help="none of these rules; of --select and --ignore the longer code decides",
    )
    which.add_argument(
        "--min_ms",
        metavar="MS",
        type=lint_settings.milliseconds,
        help="only findings with so many milliseconds at stake, or with an unknown time (default: "
        "0)",
    )
    which.add_argument(
        "--min_share",
        metavar="SHARE",
        type=lint_settings.share,
        help="the same as a share of the engine's time: 0.5%% or 0.005 (default: 0)",
    )
    which.add_argument(
        "--baseline",
        metavar="FILE",
        help="only findings that are new: an older log, or what --format json printed",
    )
    report = parser.add_argument_group("the report")
    inputs.add_looks(
        report,
        writers.names(writers.LINTS),
        "all findings, layers and lines, and whole names, in text and markdown",
    )
    report.add_argument(
        "--fail_on",
        metavar="SEVERITY",
        choices=SEVERITIES,
        help=f"end with the exit code 5 where a finding is so severe: {', '.join(SEVERITIES)}",
    )
    report.add_argument(
        "--rules",
        action=_Rules,
        help="print the list of all rules (text, markdown or json); --explain CODE prints one",
    )
    inputs.add_limits(parser)


class _Rules(argparse.Action):
    """A flag that needs no log."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=False, help=help)

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, *_: object) -> None:
        setattr(namespace, self.dest, True)
        for action in parser._actions:
            action.required = False


def run(options: argparse.Namespace, report: Report) -> None:
    """Prints the findings about all logs. Raises ReadError (ELV701, ELV702), Answer."""
    if options.rules:
        report.page(_rules(options.format, report))
        return
    settings = _settings(options, report)
    if options.format in _WITH_PATHS:
        options.full_paths = True
    width, color = report.terminal()
    looks = ReportOptions(
        full=options.full, width=options.width or width, color=color, version=__version__
    )
    found = _found(settings, options, report)
    for text in writers.render_findings(found, options.format, looks):
        report.page(text)


def _settings(options: argparse.Namespace, report: Report) -> Settings:
    """Of the flags, else of the file."""
    settings = lint_settings.found(Path.cwd())
    if settings.file:  # it may stand far above, and hide findings
        report.remark(f"settings of {settings.file}")
    names = ("min_ms", "min_share")
    flags = {name: value for name in names if (value := getattr(options, name)) is not None}
    own = Codes(options.select or (), options.ignore or ())
    flags["codes"] = (own, *settings.selection.codes)
    for code in dict.fromkeys(code for one in flags["codes"] for code in one.select):
        if former := RETIRED.get(code):
            report.remark(f"{code} finds nothing, {former}")
    if options.baseline:
        from engine_layer_visualize.commands.lint_baseline import known

        flags["known"] = known(options, report)
    return settings._replace(
        selection=settings.selection._replace(**flags),
        fail_on=options.fail_on or settings.fail_on,
    )


def _found(
    settings: Settings, options: argparse.Namespace, report: Report
) -> Iterator[Selected | Problem]:
    """The findings about each engine, then the problems of its log; at the end why nothing came of
    others. It is remarked which suppressions met no finding."""
    yield from inputs.until_failed(_read(settings, options, report), report)
    yield from inputs.failures(options, report)


def _read(
    settings: Settings, options: argparse.Namespace, report: Report
) -> Iterator[Selected | Problem]:
    unused: dict[Suppression, None] | None = None
    for named, log in inputs.logs(options, report, facts=True):
        if unused is None:
            unused = dict.fromkeys(settings.selection.suppressions)
        for costs in inputs.shown(named, log, options, report):
            one = selected(costs, settings.selection)
            for suppression in one.used:
                unused.pop(suppression, None)
            if settings.fail_on is not None and _reaches(one, SEVERITIES.index(settings.fail_on)):
                report.worst(_FAILED)
            yield one
        name = inputs.naming(named, log, options)
        for problem in log.problems:  # known after the last engine
            yield replace(problem, place=replace(problem.place, file=name(problem.place.file)))
    if options.engine or options.optimization_profile is not None:
        return  # it may be for what was left out
    for suppression in missed(unused or (), settings.selection):
        words = f"the suppression of {suppression.code} for `{visible(suppression.layers)}`"
        former = RETIRED.get(suppression.code)
        why = f" ({former})" if former else ""
        report.remark(f"{settings.file}: {words} meets no finding{why}")


def _reaches(one: Selected, least: int) -> bool:
    return any(SEVERITIES.index(finding.rule.severity) >= least for finding in one.findings)


def _rules(format: str, report: Report) -> str:
    from engine_layer_visualize.reports.lint import rules

    if format in _WITH_PATHS:
        raise Answer("", f"--rules has no format {format}; there are text, markdown, json", 2)
    width, color = report.terminal()
    return rules.listed(format, ReportOptions(width=width, color=color))
