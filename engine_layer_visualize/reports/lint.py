"""Writes findings as text, Markdown, JSON, SARIF, annotations of GitHub and a short JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import how, inference
from engine_layer_visualize.core.model import Engine, JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds, plural
from engine_layer_visualize.core.words import FEW, Name, Words, first_of, parts, shown
from engine_layer_visualize.documents import markup, terminal
from engine_layer_visualize.documents.blocks import Advice, Block, Heading, Paragraph
from engine_layer_visualize.documents.markup import (
    MOST_RESULTS,
    Level,
    annotation,
    sarif,
    sarif_location,
    unlinked,
)
from engine_layer_visualize.facts.json import dump, finding_json, head, problem_json, rows
from engine_layer_visualize.facts.sentences import stakes
from engine_layer_visualize.linting.finding import Finding, Severity, saved, where
from engine_layer_visualize.linting.lever import to_measure
from engine_layer_visualize.linting.rules import Entry, all_rules, url
from engine_layer_visualize.linting.selection import Selected, lasting_names
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import brief, reformats

_LONGEST_NAME: Final = 160  # characters
_LONGEST_SENTENCE: Final = 4_000  # characters


def blocks(selected: Selected, full: bool) -> Iterator[Block]:
    """Yields the page of an engine; a full one has every finding with its layers and lines."""
    engine = selected.costs.engine
    yield Heading(f"Engine {engine.index} of {engine.source.file}", level=1)
    yield from map(Paragraph, selected.header[:1])
    if selected.lever:
        yield Advice(selected.lever)
    yield from (Paragraph(text) for text in selected.header[1:] if text != selected.lever)
    if selected.costs.kind != "measured":
        measure = to_measure(Subject(selected.costs))
        yield from [Advice(measure)] if measure != selected.lever else []
    if full:
        for finding in selected.findings:
            yield from _finding(finding, selected.costs)
    else:
        yield from _first_screen(selected)
    for title, texts in (
        ("fine", selected.in_order),
        ("costly, without a finding", selected.costly),
    ):
        if texts and full:
            yield Heading(title)
            yield from map(Paragraph, texts)
        elif texts:
            yield Paragraph(f"{title}: {'; '.join(texts)}")
    yield Heading(_totals(selected))


def _first_screen(selected: Selected) -> Iterator[Block]:
    shown = [finding for finding in selected.findings if finding.shown]
    if shown:
        costs = selected.costs
        yield reformats.findings_table(shown, costs, selected.lever).filled()
        left = reformats.left_out(len(selected.findings), len(shown))
        more = f"{left or 'lines of the log'}: add `--full`"
        yield Paragraph(f"{more} · why: `elv explain {shown[0].code}`")
    elif selected.findings:
        yield Paragraph(f"{reformats.left_out(len(selected.findings), 0)}: add `--full`")


def _finding(finding: Finding, costs: Costs) -> Iterator[Block]:
    rule, gain = finding.rule, _stake(finding, costs)
    yield Heading(f"{finding.rank}. {rule.code} {rule.name}, {rule.severity}{gain and ': ' + gain}")
    yield Paragraph(_layers(finding, costs.engine, None))
    yield Paragraph(("why: ", *parts(finding.said)))
    yield Paragraph(f"try: {finding.advice}")
    for fact in finding.evidence:
        place = costs.engine.source.file + ("" if fact.line is None else f":{fact.line}")
        yield Paragraph((Name(place), ": ", Name(fact.text)))


def in_few_lines(finding: Finding, costs: Costs) -> str:
    """Returns a finding as one text of a few lines, for readers that show no page."""
    told = (
        _stake(finding, costs),
        _layers(finding, costs.engine),
        finding.said,
        f"try: {finding.advice}",
    )
    return "\n".join(shown(words, _LONGEST_NAME, _LONGEST_SENTENCE) for words in told if words)


def _stake(finding: Finding, costs: Costs) -> str:
    """Returns `touches 20.0 µs, 0.8 % (measured); could save 12.0 µs`; empty where unknown."""
    told = [*stakes(finding, costs)]
    if finding.touches_ms is not None:  # what could be saved is not measured
        told[0] += f" ({how(costs)})"
    return "; ".join(told)


def _layers(finding: Finding, engine: Engine, most: int | None = FEW) -> Words:
    """Returns the layers in words: `layers 3 `conv1`, 7 `conv2`, 9 `conv3` and 17 more`."""
    indices = finding.layers or finding.about
    if not indices:
        return where(finding)
    named = [(f"{i} `", Name(engine.layers[i].name), "`") for i in indices]
    return ("layer " if len(indices) == 1 else "layers ", *first_of(named, most))


def line_of(finding: Finding, engine: Engine) -> int:
    """Returns the line of the log that a finding is about."""
    records = (engine.layers[index].place.line for index in finding.layers or finding.about)
    for number in (*(fact.line for fact in finding.evidence), *records):
        if number:
            return number
    return engine.source.first_line


def _totals(selected: Selected) -> str:
    """Returns `12 findings, 3 of them warnings; could save 0.41 ms of 2.60 ms`.

    The sum is of all findings, also of those that a first screen leaves out.
    """
    every = len(selected.findings)
    none = "no findings, only the advice above" if selected.lever else "no findings"
    said = [count(every, "finding") if every else none]
    if number := sum(finding.rule.severity == "warning" for finding in selected.findings):
        which = "" if every == 1 else f"{number:,} of them "
        said.append(f"{which}{plural(number, 'a warning', 'warnings')}")
    text = ", ".join(said)
    costs = selected.costs
    ms = saved(selected.findings)
    if ms is not None and (whole := inference(costs)) is not None:
        text += f"; could save {milliseconds(ms)} of {milliseconds(whole)}"
    return text


def as_text(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page for a terminal for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            page = blocks(each, options.full)
            yield terminal.set_page(page, options.width, options.color, options.full)


def as_markdown(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page of GitHub's Markdown for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            yield markup.set_page(blocks(each, options.full), options.full)


def as_brief(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    yield brief.of_engines(results)


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
        in_few_lines(finding, costs),
        file=engine.source.file,
        line=str(line_of(finding, engine)),
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
    lines = [line_of(finding, engine), *(fact.line for fact in finding.evidence if fact.line)]
    places = [Place(engine.source.file, number) for number in dict.fromkeys(lines)]
    return {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.code],
        "level": _SARIF_LEVELS[finding.rule.severity],
        "message": {"text": unlinked(in_few_lines(finding, costs))},
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
