"""What goes wrong, as values: `Problem` travels beside the data, `ReadError` ends the reading.

All codes stand here, each with its severity and its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from engine_layer_visualize.core.text import shorten, visible

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_timeline import BuildTimeline

Severity = Literal["error", "warning"]
_REPR_WIDTH: Final = 160  # characters of a problem that Python shows

# The closed list of codes. A code is never given a second meaning, and never reused.
CODES: Final[dict[str, tuple[Severity, str]]] = {
    "ELV101": ("error", "layer record without a tactic"),
    "ELV102": ("error", "tensor without a descriptor"),
    "ELV103": ("error", "layer record without an arrow"),
    "ELV104": ("error", "unreadable layer record"),
    "ELV105": ("error", "header without records"),
    "ELV106": ("warning", "records without a header"),
    "ELV107": ("warning", "line with two readings"),
    "ELV108": ("error", "input cut short"),
    "ELV109": ("error", "line longer than the limit"),
    "ELV111": ("warning", "layer names alone"),
    "ELV112": ("error", "more layers than the limit"),
    "ELV113": ("error", "reading ended by a failure"),
    "ELV114": ("error", "listing cut"),
    "ELV115": ("warning", "part of a listing"),
    "ELV201": ("error", "unusable profile"),
    "ELV202": ("error", "profile matches no layer"),
    "ELV203": ("warning", "profile rows without a layer"),
    "ELV204": ("error", "profile row with an unreadable time"),
    "ELV205": ("warning", "profile fits several engines"),
    "ELV206": ("warning", "second profile of one engine"),
    "ELV207": ("warning", "file without times"),
    "ELV208": ("error", "unusable times of iterations"),
    "ELV209": ("error", "profile of too few layers"),
    "ELV210": ("error", "profile table cut"),
    "ELV211": ("warning", "layers timed by kernels"),
    "ELV212": ("error", "unusable numbers of tensors"),
    "ELV213": ("warning", "numbers of no tensor"),
    "ELV214": ("error", "unusable tuning cache"),
    "ELV301": ("warning", "tensor that no listed layer writes"),
    "ELV401": ("error", "input cannot be opened"),
    "ELV402": ("error", "not a VERBOSE log"),
    "ELV403": ("error", "engine loaded, not built"),
    "ELV404": ("error", "build failed"),
    "ELV405": ("error", "not text"),
    "ELV406": ("error", "no such engine"),
    "ELV407": ("error", "no such layer"),
    "ELV408": ("error", "no such optimisation profile"),
    "ELV409": ("warning", "no such type of layer"),
    "ELV410": ("error", "not a query"),
    "ELV411": ("error", "no times to draw"),
    "ELV412": ("error", "build without an end"),
    "ELV413": ("error", "listing left out of the log"),
    "ELV501": ("error", "output cannot be written"),
    "ELV502": ("error", "no renderer"),
    "ELV503": ("error", "rendering failed"),
    "ELV504": ("warning", "engine too large for one picture"),
    "ELV505": ("error", "file of others in the place of an output"),
    "ELV506": ("error", "dataset in use"),
    "ELV507": ("error", "dataset of a newer program"),
    "ELV601": ("error", "no builder"),
    "ELV602": ("error", "build failed"),
    "ELV603": ("error", "not a shape"),
    "ELV604": ("error", "model in the way of the build's files"),
    "ELV605": ("error", "no place for the result"),
    "ELV606": ("error", "nothing to compare"),
    "ELV607": ("error", "layer that cannot be cut out"),
    "ELV701": ("error", "unusable settings"),
    "ELV702": ("error", "not a baseline"),
    "ELV703": ("warning", "another network"),
    "ELV704": ("warning", "times that cannot be compared"),
    "ELV705": ("error", "not a snapshot"),
    "ELV706": ("warning", "work of no layer"),
    "ELV707": ("warning", "no plan"),
    "ELV708": ("error", "unusable extension"),
    "ELV801": ("error", "not an ONNX model"),
    "ELV802": ("warning", "model of another network"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A position in an input: `line` and `column` count from 1 (characters, not bytes).

    `line` is 0 where there is none: of an output, a flag, a program.
    """

    file: str
    line: int = 0
    column: int = 1

    def __str__(self) -> str:
        return visible(self.file) + (f":{self.line}:{self.column}" if self.line else "")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read (`error`) or that a reader should know (`warning`)."""

    #: Where it is.
    place: Place
    #: One of docs/problems.md.
    code: str
    #: What it is, in words.
    message: str
    #: At most ±40 characters of the line around the column; may be empty.
    excerpt: str = ""
    #: The 0-based offset of the column in the excerpt.
    caret: int = 0
    #: What should have stood there, in words; may be empty.
    expected: str = ""

    @property
    def severity(self) -> Severity:
        """The severity that `CODES` has for the code."""
        return CODES[self.code][0]

    def __str__(self) -> str:
        head = f"{self.place}: {self.severity}[{self.code}]: {visible(self.message)}"
        if not self.excerpt:
            return head
        expected = f" expected {visible(self.expected)}" if self.expected else ""
        return f"{head}\n  {self.excerpt}\n  {' ' * self.caret}^{expected}"

    def __repr__(self) -> str:
        """`<Problem build.log:7:25: error[ELV102]: tensor without a descriptor>`."""
        return f"<Problem {shorten(str(replace(self, excerpt='')), _REPR_WIDTH)}>"


def reason_of(error: Exception) -> str:
    """Why the system refuses, in lower case."""
    return (getattr(error, "strerror", None) or str(error)).lower()


class ReadError(Exception):
    """Nothing can come of this input.

    Args:
        problem: why.
        hint: what to run instead, where that is known.
    """

    def __init__(self, problem: Problem, hint: str = "") -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.hint = hint
        # When what happened in a build that gave no engine; None where that was not asked for.
        self.timeline: BuildTimeline | None = None


class Stopped(ReadError):
    """The first error, where a caller asked to stop there (`--strict`)."""
