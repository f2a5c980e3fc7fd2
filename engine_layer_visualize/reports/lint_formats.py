"""Writes findings as text, Markdown, JSON, SARIF, annotations of GitHub and a short JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import markdown, terminal
from engine_layer_visualize.documents.html import (
    MOST_RESULTS,
    Level,
    annotation,
    sarif,
    sarif_location,
    unlinked,
)
from engine_layer_visualize.facts.json import dump, finding_json, head, problem_json, rows
from engine_layer_visualize.linting.finding import Finding, Severity
from engine_layer_visualize.linting.rules import Entry, all_rules, url
from engine_layer_visualize.linting.selection import Selected, lasting_names
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import brief, lint


def as_text(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page for a terminal for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            page = lint.blocks(each, options.full)
            yield terminal.set_page(page, options.width, options.color, options.full)


def as_markdown(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page of GitHub's Markdown for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            yield markdown.set_page(lint.blocks(each, options.full), options.full)


def as_brief(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    problems: list[Problem] = []

    def timed() -> Iterator[tuple[Costs, Selected]]:
        for result in results:
            if isinstance(result, Problem):
                problems.append(result)
            else:
                yield result.costs, result

    kept, left = brief.longest(timed())
    yield brief.of_engines(kept, left, problems)


_LEVELS: Final[dict[Severity, Level]] = {"hint": "notice", "warning": "warning", "error": "error"}


def as_github(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a line for each finding, the worst first; problems stand on stderr."""
    for result in results:
        if isinstance(result, Selected):
            yield "".join(f"{_annotation(finding, result.costs)}\n" for finding in result.findings)


def _annotation(finding: Finding, costs: Costs) -> str:
    rule, engine = finding.rule, costs.engine
    return annotation(
        _LEVELS[rule.severity],
        lint.in_few_lines(finding, costs),
        file=engine.source.file,
        line=str(lint.line_of(finding, engine)),
        title=f"{rule.code} {rule.name}",
    )


def as_json(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields `{"schema": 1, "engines": [...], "problems": [...]}` in pieces."""
    before, problems = '{"schema": 1, "engines": [', list[Problem]()
    for result in results:
        if isinstance(result, Problem):
            problems.append(result)
            continue
        first = result.costs.of_profile(result.costs.profiles[0])  # as in every JSON of an engine
        yield f'{before}\n{{"engine": {dump(head(Subject(first)))},\n"findings": '
        yield "".join(rows(map(finding_json, result.findings)))
        in_order = dump([*result.in_order, *result.costly])
        yield f',\n"largest_lever": {dump(result.lever)}'
        yield f',\n"header": {dump(list(result.header))},\n"in_order": {in_order}'
        yield f',\n"layer_names": {dump(_names(result))}}}'
        before = ","
    yield f'{before if before != "," else ""}],\n"problems": '
    yield "".join(rows(map(problem_json, problems))) + "}"


def _names(result: Selected) -> JsonValue:
    """Returns the names of the layers that findings have: by them a baseline is compared."""
    layers = result.costs.engine.layers
    named = sorted({index for finding in result.findings for index in finding.layers})
    return {str(index): layers[index].name for index in named}


_SARIF_LEVELS: Final = {"hint": "note", "warning": "warning", "error": "error"}


def as_sarif(selections: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields one run with the findings of all engines, the first of each engine first.

    Where there are too many, those that count the least are left out.
    """
    numbers = {code: number for number, code in enumerate(all_rules())}
    results: list[tuple[int, JsonValue]] = []
    problems: list[Problem] = []
    left = 0
    for selection in selections:
        if isinstance(selection, Problem):
            problems.append(selection)
            continue
        for finding in selection.findings:
            results.append((finding.rank, _result(finding, selection.costs, numbers)))
        results.sort(key=lambda result: result[0])
        left += max(0, len(results) - MOST_RESULTS)
        del results[MOST_RESULTS:]
    notes = [_notification(problem) for problem in problems]
    if left:
        said = count(left, "finding that counts the least", "findings that count the least")
        text = f"{said} {'is' if left == 1 else 'are'} left out: at most {MOST_RESULTS:,}"
        notes.append({"level": "warning", "message": {"text": text}})
    invocation: JsonValue = {
        "executionSuccessful": not any(problem.severity == "error" for problem in problems),
        "toolExecutionNotifications": notes,
    }
    rules = list(map(_rule, all_rules().values()))
    found = [result for _, result in results]
    yield dump(sarif(options.version, rules, found, invocations=[invocation]))


def _rule(entry: Entry) -> JsonValue:
    rule, text = entry.rule, entry.page
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        **_help_uri(rule.code),
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
        "properties": {"tags": ["performance"], "source": list(rule.sources)},
    }


def _help_uri(code: str) -> dict[str, JsonValue]:
    """Returns the rule's page where that is a whole link, as a release makes it.

    SARIF allows no relative ones.
    """
    page = url(code)
    return {"helpUri": page} if "://" in page else {}


def _result(finding: Finding, costs: Costs, numbers: dict[str, int]) -> JsonValue:
    engine = costs.engine
    lines = [
        lint.line_of(finding, engine),
        *(fact.line for fact in finding.evidence if fact.line),
    ]
    places = [Place(engine.source.file, number) for number in dict.fromkeys(lines)]
    return {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.code],
        "level": _SARIF_LEVELS[finding.rule.severity],
        "message": {"text": unlinked(lint.in_few_lines(finding, costs))},
        "locations": [sarif_location(place) for place in places[:1]],
        "relatedLocations": [sarif_location(place) for place in places[1:]],
        "partialFingerprints": {"layers/v1": _fingerprint(finding, costs)},
        "properties": {
            "engine": engine.index,
            "layers": list(finding.layers),
            "cause": finding.cause,
            "rank": finding.rank,
            "touches_ms": finding.touches_ms,
            "saves_ms": finding.ms,
            "ms": finding.ms,
            "ms_kind": finding.ms_kind,
            "advice": finding.advice,
        },
    }


def _fingerprint(finding: Finding, costs: Costs) -> str:
    """Returns what stays the same for a finding in another build."""
    names = lasting_names(finding, costs.engine)
    text = "\n".join([str(costs.engine.index), finding.code, *(names or [""])])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _notification(problem: Problem) -> JsonValue:
    return {
        "descriptor": {"id": problem.code},
        "level": problem.severity,
        "message": {"text": unlinked(problem.message)},
        "locations": [sarif_location(problem.place)],
    }
