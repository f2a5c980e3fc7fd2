"""`Finding`: what a `Rule` found in an engine, and what that rests on."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.model import TimeKind
from engine_layer_visualize.core.reprs import some
from engine_layer_visualize.core.text import milliseconds, plural, shorten, visible
from engine_layer_visualize.core.words import Words, plain

Severity = Literal["hint", "warning", "error"]
SEVERITIES: Final[tuple[Severity, ...]] = ("hint", "warning", "error")  # the worst last
NOISE_MS: Final = 0.001  # of the timer: with less at stake nothing is worth a finding of its own
_LONGEST: Final = 160  # characters of a reason that Python shows


class Rule(NamedTuple):
    """What a finding is an instance of. `code`: a letter and two digits, never used for anything
    else; `name`: the same in words with hyphens; `severity`: hint, warning or error; `summary`: one
    sentence; `sources`: where its trigger and its advice come from."""

    code: str
    name: str
    severity: Severity = "hint"
    summary: str = ""
    sources: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """A fact that a finding rests on. `line`: its line of the log, None where it has none."""

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """`log line 12: Precision: FP32+FP16`."""
        return self.text if self.line is None else f"log line {self.line}: {self.text}"


class Finding(NamedTuple):
    """One cause. `layers`: indices of all layers with this cause, empty where it is the whole
    engine; `ms`: the most that there is to gain, never more than the time of these layers, None
    where it is unknown; `ms_kind`: whether it is measured or estimated, None where `ms` is; `why`:
    a sentence with the names apart; `advice`: what to try; `evidence`: what this rests on."""

    rule: Rule
    layers: tuple[int, ...]
    ms: float | None
    why: Words
    advice: str
    evidence: tuple[Evidence, ...] = ()
    ms_kind: TimeKind | None = None

    @property
    def code(self) -> str:
        """The rule's code, as docs/rules/README.md has it."""
        return self.rule.code

    @property
    def message(self) -> str:
        """`why` as one text."""
        return plain(self.why)

    def __repr__(self) -> str:
        """`<Finding F02, layer 0, 20.0 µs: from `input`: …>`."""
        parts = [f"{plural(len(self.layers), 'layer')} {some(map(str, self.layers))}"]
        parts = parts if self.layers else ["the whole engine"]
        parts += [] if self.ms is None else [milliseconds(self.ms)]
        why = shorten(visible(self.message), _LONGEST)
        return f"<Finding {', '.join([self.code, *parts])}: {why}>"
