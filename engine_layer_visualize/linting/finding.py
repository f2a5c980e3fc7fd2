"""Defines `Finding`: what a `Rule` found in an engine, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.limits import sum_of_known
from engine_layer_visualize.core.model import TimeKind
from engine_layer_visualize.core.text import count, milliseconds, plural, shorten, visible
from engine_layer_visualize.core.words import Words, parts, plain, some

Severity = Literal["hint", "warning", "error"]
SEVERITIES: Final[tuple[Severity, ...]] = ("hint", "warning", "error")  # the worst last
_LONGEST_REASON: Final = 160  # characters that Python shows


class Rule(NamedTuple):
    """A reason why engines are slow or wrong, which a program can see.

    Attributes:
        code: a letter and two digits, never used for anything else.
        name: a few words with hyphens.
        severity: hint, warning or error.
        summary: one sentence.
        sources: where its trigger and its advice come from.
    """

    code: str
    name: str
    severity: Severity = "hint"
    summary: str = ""
    sources: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """A fact that a finding rests on.

    Attributes:
        text: the fact.
        line: its line of the log, None where it has none.
    """

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """Returns the text after its line: `log line 12: Precision: FP32+FP16`."""
        return self.text if self.line is None else f"log line {self.line}: {self.text}"


class Finding(NamedTuple):
    """What a rule saw, and, in a list of findings, one cause with all of its layers.

    Attributes:
        rule: the rule, or the one of several that explains the most time of this cause.
        layers: indices of the layers, empty where it is about the whole engine, or has `about`.
        ms: the ms that the log shows can be saved, never more than the layers take; None: unknown.
        why: a sentence with the names apart.
        advice: what to try.
        evidence: what this rests on.
        ms_kind: of the times that `ms` is derived from; None where `ms` is.
        cause: the key of what a person changes (`causes.CAUSES`).
        touches_ms: the time of its layers in one inference; None: unknown, or no layers.
        rank: its place among the findings of the engine, 1 first; 0 before that is known.
        shown: whether it stands on the first screen.
        unpriced: whether more than `ms` may be saved: the log does not price a part of it.
        about: indices of layers whose time it does not touch, as others may have them.
        also: what to try about another cause of its layers, which has no finding of its own.
    """

    rule: Rule
    layers: tuple[int, ...]
    ms: float | None
    why: Words
    advice: str
    evidence: tuple[Evidence, ...] = ()
    ms_kind: TimeKind | None = None
    cause: str = ""
    touches_ms: float | None = None
    rank: int = 0
    shown: bool = True
    unpriced: bool = False
    about: tuple[int, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def saves_ms(self) -> float | None:
        """The ms that the log shows can be saved, as `ms`; None: unknown."""
        return self.ms

    @property
    def code(self) -> str:
        """The rule's code, as docs/findings.md has it."""
        return self.rule.code

    @property
    def message(self) -> str:
        """`why` as one text."""
        return plain(self.said)

    @property
    def said(self) -> Words:
        """`why`, and what else to try."""
        return (*parts(self.why), *(f"; also: {text}" for text in self.also))

    def __repr__(self) -> str:
        """Returns a short form: `<Finding F02, layer 0, 20.0 µs: from `input`: …>`."""
        parts = [f"{plural(len(self.layers), 'layer')} {some(map(str, self.layers))}"]
        parts = parts if self.layers else [where(self)]
        parts += [] if self.ms is None else [milliseconds(self.ms)]
        why = shorten(visible(self.message), _LONGEST_REASON)
        return f"<Finding {', '.join([self.code, *parts])}: {why}>"


def where(finding: Finding) -> str:
    """Returns how many layers a finding is about, or `the whole engine`."""
    number = len(finding.layers or finding.about)
    return count(number, "layer") if number else "the whole engine"


def saved(findings: Iterable[Finding]) -> float | None:
    """Returns the ms that all these causes together may save; None where nothing is known.

    No layer is in two of them, so that they add up.
    """
    return sum_of_known(finding.ms for finding in findings)
