"""Prints what makes the engines of a log slow, why, and what to try."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import Answer, Report, inputs, lint_settings, reports, standing
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.flags import REPORT, Group
from engine_layer_visualize.commands.lint_settings import Settings
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.io import extensions
from engine_layer_visualize.linting.finding import SEVERITIES, Severity
from engine_layer_visualize.linting.retired import RETIRED
from engine_layer_visualize.linting.selection import Codes, Selected, Suppression, missed, selected

ABOUT: Final = (
    "Finds what makes the engines of a log slow. Each finding has a code, the layers that it is "
    "about, the time that it touches and could save, the lines of the log, and what to try."
)
EXAMPLES: Final = (
    "--log_file build.log --profile_file prof.json",
    "--log_file build.log --select F --format github",
)
_STEM: Final = "lint"
_FAILED: Final = 5
EXIT_CODES: Final = {
    **inputs.exit_codes("the findings are printed", "nothing to look at", "the findings"),
    _FAILED: "a finding is as severe as --fail_on says",
}


_WHICH: Final = Group("which findings (elv.toml may say it, too)")


class _Rules(argparse.Action):
    """Declares a flag that needs no log."""

    def __init__(self, option_strings: list[str], dest: str, default: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=default, help=help)

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, *_: object) -> None:
        setattr(namespace, self.dest, True)
        for action in parser._actions:
            action.required = False


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """Which findings are printed, about which logs."""

    select: tuple[str, ...] = _WHICH.flag(
        "only rules whose codes begin so, with commas: P,F02",
        "CODES",
        type=lint_settings.codes,
        default=(),
    )
    ignore: tuple[str, ...] = _WHICH.flag(
        "none of these rules; of --select and --ignore the longer code decides",
        "CODES",
        type=lint_settings.codes,
        default=(),
    )
    min_ms: float | None = _WHICH.flag(
        "only findings that can save so many milliseconds, or touch them where that is unknown",
        "MS",
        type=lint_settings.milliseconds,
    )
    min_share: float | None = _WHICH.flag(
        "the same as a share of the engine's time: 0.5%% or 0.005 (default: 0)",
        "SHARE",
        type=lint_settings.share,
    )
    baseline: str | None = _WHICH.flag(
        "only findings that are new: an older log, or what --format json printed", "FILE"
    )
    format: tuple[str, ...] = reports.format(REPORT, writers.LINTS)
    output: str | None = reports.output(REPORT, _STEM, writers.LINTS)
    width: int | None = reports.width(REPORT)
    force: bool = standing.force(REPORT)
    full: bool = REPORT.switch(
        "all findings, layers and lines, and whole names, in text and markdown"
    )
    fail_on: Severity | None = REPORT.flag(
        f"end with the exit code 5 where a finding is so severe: {', '.join(SEVERITIES)}",
        "SEVERITY",
        choices=SEVERITIES,
    )
    rules: bool = REPORT.flag(
        "print the list of all rules (text, markdown or json); --explain CODE prints one",
        default=False,
        action=_Rules,
    )


def run(options: Options, report: Report) -> None:
    """Prints the findings about all logs. Raises ReadError (ELV701, ELV702), Answer."""
    targets = reports.targets(options.output, options.format, _STEM, writers.LINTS)
    whose, read = reports.whose(options.log_file), options.files_read
    standing.check(reports.files(targets), options.force, whose, read=read)
    if options.rules:
        for format, path, looks in reports.each(targets, ReportOptions(), options.width, report):
            reports.put(_rules(format, looks), path, report)
        return
    if any(target.format in reports.WITH_PATHS for target in targets):
        options = replace(options, full_paths=True)
    settings = _settings(options, report)
    findings: Iterable[Selected | Problem] = _findings(settings, options, report)
    if len(targets) > 1:
        findings = list(findings)
    all_looks = ReportOptions(full=options.full, version=__version__)
    for format, path, looks in reports.each(targets, all_looks, options.width, report):
        reports.put_all(writers.render_findings(findings, format, looks), path, report)


def _settings(options: Options, report: Report) -> Settings:
    """Takes the settings of the flags, else of the file."""
    settings = lint_settings.nearest(Path.cwd())
    if settings.file:  # it may stand far above, and hide findings
        report.remark(f"settings of {settings.file}")
    selection = settings.selection
    if options.min_ms is not None:
        selection = selection._replace(min_ms=options.min_ms)
    if options.min_share is not None:
        selection = selection._replace(min_share=options.min_share)
    codes = (Codes(options.select, options.ignore), *selection.codes)
    for code in dict.fromkeys(code for chosen in codes for code in chosen.select):
        if former := RETIRED.get(code):
            report.remark(f"{code} finds nothing, {former}")
    if options.baseline:
        from engine_layer_visualize.commands.lint_baseline import known

        selection = selection._replace(known=known(options.baseline, options, report))
    return settings._replace(
        selection=selection._replace(codes=codes),
        fail_on=options.fail_on or settings.fail_on,
    )


def _findings(settings: Settings, options: Options, report: Report) -> Iterator[Selected | Problem]:
    """Finds what is wrong with each engine, then the problems of its log.

    At the end come the reasons why nothing came of other logs, and what is wrong with rules and
    formats of other packages. It is remarked which suppressions
    met no finding.
    """
    yield from inputs.until_failed(_read(settings, options, report), report)
    yield from inputs.failures(options.full_paths, report)
    yield from extensions.told()


def _read(settings: Settings, options: Options, report: Report) -> Iterator[Selected | Problem]:
    unused: dict[Suppression, None] | None = None
    for named, log in inputs.logs(options, report, facts=True):
        if unused is None:
            unused = dict.fromkeys(settings.selection.suppressions)
        for costs in inputs.shown(named, log, options, report):
            shown = selected(costs, settings.selection)
            for suppression in shown.used:
                unused.pop(suppression, None)
            if settings.fail_on is not None and _reaches(shown, settings.fail_on):
                report.worst(_FAILED)
            yield shown
        name = inputs.naming(named, log, options.full_paths)
        for problem in log.problems:  # known after the last engine
            yield replace(problem, place=replace(problem.place, file=name(problem.place.file)))
    if options.engine or options.optimization_profile is not None:
        return  # it may be for what was left out
    for suppression in missed(unused or (), settings.selection):
        words = f"the suppression of {suppression.code} for `{visible(suppression.layers)}`"
        former = RETIRED.get(suppression.code)
        why = f" ({former})" if former else ""
        report.remark(f"{settings.file}: {words} meets no finding{why}")


def _reaches(shown: Selected, least: Severity) -> bool:
    worst = SEVERITIES[SEVERITIES.index(least) :]
    return any(finding.rule.severity in worst for finding in shown.findings)


def _rules(format: str, looks: ReportOptions) -> str:
    from engine_layer_visualize.reports.lint import rules

    if format not in ("text", "markdown", "json"):
        raise Answer("", f"--rules has no format {format}; there are text, markdown, json", USAGE)
    return rules.listed(format, looks)
