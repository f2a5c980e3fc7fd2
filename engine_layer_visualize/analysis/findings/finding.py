"""`Finding`: what a `Rule` found in an engine, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from engine_layer_visualize.core.words import Words, plain


class Rule(NamedTuple):
    """`code`: a letter and two digits, never used for anything else; `name`: the same in words
    with hyphens."""

    code: str
    name: str
    severity: Literal["hint", "warning", "error"] = "hint"


class Evidence(NamedTuple):
    """A fact that a finding rests on. `line`: its line of the log, None where it has none."""

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """`log line 12: Precision: FP32+FP16`."""
        return self.text if self.line is None else f"log line {self.line}: {self.text}"


class Finding(NamedTuple):
    """One cause of time. `layers`: indices of all layers with this cause, empty where it is the
    whole engine; `ms`: the most that there is to gain, never more than the time of these layers,
    of the kind of the `Costs`, None where it is unknown; `why`: a sentence with the names apart;
    `advice`: what to try."""

    rule: Rule
    layers: tuple[int, ...]
    ms: float | None
    why: Words
    advice: str
    evidence: tuple[Evidence, ...] = ()

    def lines(self, advice: bool) -> Iterator[str]:
        """Lines of a tooltip; `advice`: with what to try."""
        yield f"why: {plain(self.why)}"
        if advice:
            yield f"try ({self.rule.code}): {self.advice}"
