"""Writes findings as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents.ci_syntax import artifact_uri, unlinked
from engine_layer_visualize.fields.json import dump
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.known import keyed
from engine_layer_visualize.linting.rules import RuleModule, all_rules, url
from engine_layer_visualize.linting.rules import page as page_of
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.reports.lint import page

MOST_RESULTS: Final = 5_000  # results of a run that GitHub shows
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"hint": "note", "warning": "warning", "error": "error"}


def render(selections: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields one run with the findings of all engines, the first of each engine first.

    Where there are too many, those that count the least are left out.
    """
    modules = list(all_rules().values())
    numbers = {module.RULE.code: number for number, module in enumerate(modules)}
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
    run: JsonValue = {
        "tool": {
            "driver": {
                "name": "engine_layer_visualize",
                "version": options.version,
                "rules": [_rule(module) for module in modules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not any(problem.severity == "error" for problem in problems),
                "toolExecutionNotifications": notes,
            }
        ],
        "results": [result for _, result in results],
    }
    yield dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(module: RuleModule) -> JsonValue:
    rule = module.RULE
    text = page_of(module)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        **_help_uri(rule.code),
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
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
    lines = [page.line(finding, engine), *(fact.line for fact in finding.evidence if fact.line)]
    places = [Place(engine.source.file, number) for number in dict.fromkeys(lines)]
    return {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.code],
        "level": _LEVELS[finding.rule.severity],
        "message": {"text": unlinked(page.sentences(finding, costs))},
        "locations": [_location(place) for place in places[:1]],
        "relatedLocations": [_location(place) for place in places[1:]],
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
    """Returns what stays the same for a finding in another build, as a baseline compares them."""
    keys: Sequence[str] = sorted(name for _, (_, name) in keyed(finding, costs.engine))
    text = "\n".join([str(costs.engine.index), finding.code, *keys])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _notification(problem: Problem) -> JsonValue:
    return {
        "descriptor": {"id": problem.code},
        "level": problem.severity,
        "message": {"text": unlinked(problem.message)},
        "locations": [_location(problem.place)],
    }


def _location(place: Place) -> JsonValue:
    where: dict[str, JsonValue] = {"artifactLocation": {"uri": artifact_uri(place.file)}}
    if place.line:
        where["region"] = {"startLine": place.line}
    return {"physicalLocation": where}
