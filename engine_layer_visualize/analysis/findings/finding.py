"""`Finding`: what a rule says of one layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine_layer_visualize.core.words import Words, plain


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on. `line`: of the log, None where none says it."""

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """`log line 12: Precision: FP32+FP16`."""
        return self.text if self.line is None else f"log line {self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason for time that a layer takes. `code`: of the rule, never used for another rule;
    `layer`: its index; `ms`: the layer's time, which is the most that there is to gain, None where
    it is unknown; `why`: names apart from words; `advice`: what to try."""

    code: str
    severity: Literal["hint", "warning", "error"]
    layer: int
    ms: float | None
    why: Words
    advice: str
    evidence: tuple[Evidence, ...] = ()

    def lines(self, advice: bool) -> Iterator[str]:
        """For a tooltip; `advice`: with what to try."""
        yield f"why: {plain(self.why)}"
        if advice:
            yield f"try ({self.code}): {self.advice}"
