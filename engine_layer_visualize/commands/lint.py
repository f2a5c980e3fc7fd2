"""Finds what makes the engines of a log slow, why, and what to try."""

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.linting.causes import retired
from engine_layer_visualize.linting.rules import SEVERITIES, Severity, all_rules
from engine_layer_visualize.linting.selection import Codes, Selected, selected

_STEM: Final = "lint"
_FAILED: Final = 5
_WHICH: Final = flags.Group("which findings")


def _codes(text: str) -> tuple[str, ...]:
    """Reads codes of rules, or starts of codes, such as `P,F02`. Raises ValueError."""
    return tuple(dict.fromkeys(map(_code, flags.split(text) or [""])))


def _code(word: str) -> str:
    """Reads a rule's code, or the start of codes, also of rules that are no more."""
    start = word.upper()
    if start and any(code.startswith(start) for code in (*all_rules(), *retired())):
        return start
    raise ValueError(f"no rule {word[:80]!r}; `explain` alone lists all codes")


class Options(inputs.LogOptions):
    """Which findings are printed, about which logs."""

    select: tuple[str, ...] = _WHICH.flag(
        "only rules whose codes begin with these: P,F02", "CODES", type=_codes, default=()
    )
    ignore: tuple[str, ...] = _WHICH.flag(
        "not these; where both fit, the longer code counts", "CODES", type=_codes, default=()
    )
    format: tuple[str, ...] = flags.format(draw.LINTS)
    output: str | None = outputs.output(_STEM, draw.LINTS)
    width: int | None = flags.WIDTH
    full: bool = flags.FULL
    fail_on: Severity | None = flags.REPORT.choice(
        "end with 5 if a finding is as severe as this, or more", SEVERITIES
    )


def run(options: Options, report: Report) -> None:
    """Prints the findings about all logs. Raises ReadError, Answer."""
    reports = outputs.Reports(options, _STEM, draw.LINTS, outputs.whose(options.log_file))
    if any(format in outputs.WITH_PATHS for format in reports.asked):
        options = options.but(full_paths=True)
    for code in options.select:
        if former := retired().get(code):
            report.remark(f"{code} finds nothing, {former.why}")
    reports.write(report, _findings(options, report))


def _findings(options: Options, report: Report) -> Iterator[Selected | Problem]:
    """Finds what is wrong with each engine, then the problems of its log, then failures."""
    wanted = Codes(options.select, options.ignore)
    enough = SEVERITIES[SEVERITIES.index(options.fail_on) :] if options.fail_on else ()
    problems: dict[Problem, None] = {}  # known after the last engine
    with inputs.reported(report):
        for named, log in inputs.logs(options, report, facts=True):
            for costs in inputs.shown(named, log, options, report):
                shown = selected(costs, wanted)
                if any(finding.rule.severity in enough for finding in shown.findings):
                    report.worst(_FAILED)
                problems |= dict.fromkeys(costs.engine.problems)
                yield shown
            name = inputs.naming(named, log, options.full_paths)
            problems |= dict.fromkeys(sentences.renamed_file(each, name) for each in log.problems)
    yield from problems
    yield from inputs.failures(options.full_paths, report)
