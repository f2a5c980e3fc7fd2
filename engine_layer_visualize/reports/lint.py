"""Says what was found in an engine: the blocks of its page, and a finding in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import how
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import count, milliseconds, plural
from engine_layer_visualize.core.words import FEW, Name, Words, first_of, parts, shown
from engine_layer_visualize.documents.blocks import Advice, Block, Heading, Paragraph
from engine_layer_visualize.facts.sentences import stakes
from engine_layer_visualize.linting.finding import Finding, saved, where
from engine_layer_visualize.linting.inference import inference
from engine_layer_visualize.linting.lever import to_measure
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import reformats

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
        costs = selected.costs  # the header says what an inference takes
        yield reformats.findings_table(shown, costs, costs.share_words, selected.lever).filled()
        left = reformats.left_out(len(selected.findings), len(shown))
        more = left or "evidence, lines of the log"
        yield Paragraph(f"{more}: `lint --full` · why: `elv explain {shown[0].code}`")
    elif selected.findings:
        yield Paragraph(f"{reformats.left_out(len(selected.findings), 0)}: `lint --full`")


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
    for severity, one in (("error", "an error"), ("warning", "a warning")):
        if number := sum(finding.rule.severity == severity for finding in selected.findings):
            which = "" if every == 1 else f"{number:,} of them "
            said.append(f"{which}{plural(number, one, severity + 's')}")
    text = ", ".join(said)
    costs = selected.costs
    ms = saved(selected.findings)
    if ms is not None and (whole := inference(costs)) is not None:
        text += f"; could save {milliseconds(ms)} of {milliseconds(whole)}"
    return text
