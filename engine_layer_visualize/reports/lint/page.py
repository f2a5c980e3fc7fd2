"""Findings in; the blocks of a page that text and Markdown set, and the words of a finding, out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import how
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.core.words import Name, Words, joined, parts, shown
from engine_layer_visualize.documents.blocks import Advice, Block, Heading, Paragraph
from engine_layer_visualize.linting.finding import Evidence, Finding
from engine_layer_visualize.linting.order import by_rule
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.linting.totals import at_stake
from engine_layer_visualize.reports.summary import overview
from engine_layer_visualize.reports.summary.runs import no_times

_OF_RULE: Final = 5  # findings of one rule
_NAMED: Final = 3  # layers, and lines of the log, of one finding
_LONGEST: Final = 160  # characters of a name
_MOST: Final = 4_000  # of a sentence


def blocks(one: Selected, full: bool) -> Iterator[Block]:
    """The page of an engine. `full`: every finding, layer and line."""
    engine = one.costs.engine
    yield Heading(f"Engine {engine.index} of {engine.source.file}", level=1)
    yield from _times(one.costs)
    for group in by_rule(one.findings, one.costs):
        found = [one.findings[number] for number in group.numbers]
        shown = len(found) if full else _OF_RULE
        advice = ""
        for finding in found[:shown]:
            yield from _finding(finding, one.costs, full, finding.advice == advice)
            advice = finding.advice
        if rest := found[shown:]:
            gain = stake(at_stake(rest, one.costs), one.costs)
            more = count(len(rest), f"more finding of {rest[0].code}", f"more of {rest[0].code}")
            yield Paragraph(f"… and {more}{gain and ': ' + gain}. --full shows them.")
    yield Heading(totals(one))


def _times(costs: Costs) -> Iterator[Block]:
    """What has no measured time, and how to get it; nothing where all that runs is measured."""
    missing = any(map(costs.missing, costs.layers)) or bool(costs.rest)
    if costs.kind == "measured" and not missing:
        return
    engine = overview.collect(costs, 0)
    assert isinstance(engine, dict)
    yield Paragraph(" ".join(overview.times(engine)))
    if costs.kind != "measured":
        yield Advice(no_times(engine))


def _finding(finding: Finding, costs: Costs, full: bool, again: bool) -> Iterator[Block]:
    """`again`: what to try is what stands above."""
    gain = stake(finding.ms, costs)
    rule = finding.rule
    yield Heading(f"{rule.code} {rule.name}, {rule.severity}{gain and ': ' + gain}")
    yield Paragraph(layers(finding, costs.engine, None if full else _NAMED))
    yield Paragraph(("why: ", *parts(finding.why)))
    yield Paragraph(f"try: {'the same' if again else finding.advice}")
    facts = finding.evidence if full else finding.evidence[:_NAMED]
    for fact in facts:
        yield Paragraph((Name(place(fact, costs.engine)), ": ", Name(fact.text)))
    if more := len(finding.evidence) - len(facts):
        yield Paragraph(f"… and {count(more, 'more line')} of the log.")


def sentences(finding: Finding, costs: Costs) -> str:
    """The same as one text, a line each, for readers that show no page."""
    told = (
        stake(finding.ms, costs),
        layers(finding, costs.engine),
        finding.why,
        f"try: {finding.advice}",
    )
    return "\n".join(shown(words, _LONGEST, _MOST) for words in told if words)


def stake(ms: float | None, costs: Costs) -> str:
    """`at most 20.0 µs, 0.8 % (measured)`; empty where it is unknown."""
    if ms is None:
        return ""
    part = share(ms, costs.whole)
    of = "" if part is None else " ".join(filter(None, (f", {percent(part)}", costs.share_words)))
    return f"at most {milliseconds(ms)}{of} ({how(costs)})"


def layers(finding: Finding, engine: Engine, most: int | None = _NAMED) -> Words:
    """`layers 3 `conv1`, 7 `conv2`, 9 `conv3` and 17 more`."""
    if not finding.layers:
        return "the whole engine"
    shown = finding.layers[:most]
    named = joined(", ", [(f"{i} `", Name(engine.layers[i].name), "`") for i in shown])
    more = len(finding.layers) - len(shown)
    head = "layer " if len(finding.layers) == 1 else "layers "
    return (head, *named, f" and {more:,} more") if more else (head, *named)


def place(fact: Evidence, engine: Engine) -> str:
    """`build.log:1042`."""
    return engine.source.file + ("" if fact.line is None else f":{fact.line}")


def line(finding: Finding, engine: Engine) -> int:
    """The line of the log that a finding is about."""
    own = (engine.layers[index].place.line for index in finding.layers)
    for number in (*(fact.line for fact in finding.evidence), *own):
        if number:
            return number
    return engine.source.first_line


def totals(one: Selected) -> str:
    """`12 findings, 3 warnings; at most 0.41 ms of 2.60 ms (measured); 2 suppressed`."""
    said = [count(len(one.findings), "finding") if one.findings else "no findings"]
    for severity in ("error", "warning"):
        if number := sum(finding.rule.severity == severity for finding in one.findings):
            said.append(count(number, severity))
    text = ", ".join(said)
    costs, ms = one.costs, one.total_ms
    if ms is not None and costs.whole is not None:
        of = f" of {milliseconds(costs.whole)}" if ms <= costs.whole else ""
        text += f"; at most {milliseconds(ms)}{of} ({how(costs)})"
    elif costs.kind == "measured":
        text += f"; layers: {how(costs)}"
    left = ((one.suppressed, "suppressed"), (one.old, "in the baseline"), (one.small, "too small"))
    return "; ".join((text, *(f"{number:,} {why}" for number, why in left if number)))
