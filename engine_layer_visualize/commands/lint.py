"""Finds what makes the engines of a log slow, why, and what to try."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Answer, Report, flags, inputs, names, reports, values
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.flags import REPORT, Group
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.causes import RETIRED, key_of_rule
from engine_layer_visualize.linting.finding import SEVERITIES, Severity
from engine_layer_visualize.linting.selection import (
    Codes,
    Key,
    Known,
    Selected,
    Selection,
    key_of,
    keyed,
    selected,
)
from engine_layer_visualize.linting.subject import Subject

_STEM: Final = "lint"
_FAILED: Final = 5
# What `--format json` printed; engines first: where keys were sorted.
_OURS: Final = re.compile(rb'\s*\{\s*"(?:schema|engines)"\s*:')
_HEAD: Final = 4096  # bytes
_SCHEMA: Final = 1


_WHICH: Final = Group("which findings")


@dataclass(frozen=True, kw_only=True)
class Options(inputs.LogOptions):
    """Which findings are printed, about which logs."""

    select: tuple[str, ...] = _WHICH.flag(
        "only rules whose codes begin so: P,F02", "CODES", type=values.codes, default=()
    )
    ignore: tuple[str, ...] = _WHICH.flag(
        "none of these; the longer code decides", "CODES", type=values.codes, default=()
    )
    min_ms: float = _WHICH.flag(
        "only findings that save or touch so much", "MS", type=values.milliseconds, default=0.0
    )
    min_share: float = _WHICH.flag(
        "the same as a share of the time, such as 0.5%%", "SHARE", type=values.share, default=0.0
    )
    baseline: str | None = _WHICH.flag("only new findings: an older log, or lint's JSON", "FILE")
    format: tuple[str, ...] = flags.format(draw.LINTS)
    output: str | None = reports.output(_STEM, draw.LINTS)
    width: int | None = flags.WIDTH
    full: bool = flags.FULL
    fail_on: Severity | None = REPORT.choice("end with 5 where a finding is so severe", SEVERITIES)
    rules: bool = REPORT.flag(
        "print the list of all rules",
        default=False,
        action=flags.Without,
        nargs=0,
        needless="--log_file",
    )


def run(options: Options, report: Report) -> None:
    """Prints the findings about all logs. Raises ReadError (ELV702), Answer."""
    whose = reports.whose(options.log_file)
    outputs = reports.settled(options, _STEM, draw.LINTS, whose)
    if options.rules:
        reports.write(outputs, ReportOptions(), options.width, report, (), _rules)
        return
    if any(output.format in reports.WITH_PATHS for output in outputs):
        options = replace(options, full_paths=True)
    found = _findings(_selection(options, report), options, report)
    looks = ReportOptions(full=options.full, version=__version__)
    reports.write(outputs, looks, options.width, report, found, draw.render_findings)


def _selection(options: Options, report: Report) -> Selection:
    """Takes the flags that choose findings."""
    for code in options.select:
        if former := RETIRED.get(code):
            report.remark(f"{code} finds nothing, {former}")
    before = None
    if options.baseline:
        before = _known(options.baseline, options, report)
    codes = Codes(options.select, options.ignore)
    return Selection(codes, options.min_ms, options.min_share, before)


def _findings(wanted: Selection, options: Options, report: Report) -> Iterator[Selected | Problem]:
    """Finds what is wrong with each engine, then the problems of its log.

    At the end come the reasons why nothing came of other logs.
    """
    yield from inputs.until_failed(_read(wanted, options, report), report)
    yield from names.failures(options.full_paths, report)


def _read(wanted: Selection, options: Options, report: Report) -> Iterator[Selected | Problem]:
    for named, log in inputs.logs(options, report, facts=True):
        for costs in inputs.shown(named, log, options, report):
            shown = selected(costs, wanted)
            if options.fail_on is not None and _reaches(shown, options.fail_on):
                report.worst(_FAILED)
            yield shown
        name = names.naming(named, log, options.full_paths)
        for problem in log.problems:  # known after the last engine
            yield replace(problem, place=replace(problem.place, file=name(problem.place.file)))


def _reaches(shown: Selected, least: Severity) -> bool:
    worst = SEVERITIES[SEVERITIES.index(least) :]
    return any(finding.rule.severity in worst for finding in shown.findings)


def _rules(_: object, format: str, looks: ReportOptions) -> Iterator[str]:
    from engine_layer_visualize.reports.lint_formats import rules_listed

    if format not in ("text", "markdown", "json"):
        raise Answer("", f"--rules has no format {format}; there are text, markdown, json", USAGE)
    yield rules_listed(format, looks)


def _known(path: str, options: Options, report: Report) -> Known:
    """Reads the findings that are known.

    Args:
        path: A log, or what `lint --format json` printed.
        options: How a log is read.
        report: Is told problems of the log.

    Raises:
        ReadError: Where the log cannot be read, or the JSON not be used (ELV702).
    """
    if path != "-" and Path(path).is_file():
        source = Source(path)
        if _OURS.match(source.head(_HEAD)):
            return Known(of_baseline(path, source.text()))
    from engine_layer_visualize.api.read import Log

    limits = {name: getattr(options, name) for name in ("strict", "max_layers", "max_line")}
    log = Log(path, **limits, progress=report.progress)
    return Known(
        (engine.index, key)
        for engine in inputs.engines(log, report)
        for finding in findings_of(Subject(Costs(engine)))
        for _, key in keyed(finding, engine)
    )


def of_baseline(path: str, text: str) -> Iterator[tuple[int, Key]]:
    """Reads the index of an engine and the key of a finding, one by one.

    Raises:
        ReadError: Where this is not the JSON of `lint` (ELV702).
    """
    try:
        document: Any = json.loads(text)
        if document["schema"] != _SCHEMA:
            raise _no_baseline(path, f"schema {document['schema']!s:.80}, and not {_SCHEMA}")
        for part in document["engines"]:
            index, names = part["engine"]["index"], part["layer_names"]
            if not isinstance(index, int):
                raise TypeError(index)
            for finding in part["findings"]:
                layers, code = finding["layers"], str(finding["code"])
                cause = str(finding.get("cause") or key_of_rule(code))
                for name in [names[str(layer)] for layer in layers] or [None]:
                    yield index, key_of(cause, name)
    except KeyError as error:
        raise _no_baseline(path, f"`{error.args[0]:.80}` is missing") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        why = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise _no_baseline(path, why or "a value has another type") from error


def _no_baseline(path: str, why: str) -> ReadError:
    message = f"no JSON of `lint --format json`: {why}"
    return ReadError(Problem(Place(path), "ELV702", message))
