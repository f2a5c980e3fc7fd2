"""What goes wrong, as values: `Problem`, `ReadError`, and what the codes mean."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

import re
from functools import cache
from typing import Final, Literal, NamedTuple, cast

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.text import shorten, visible

# `explanations.md` is the closed list of codes, each with its severity and its meaning, of which
# `python docs/generate.py` makes docs/reference.md. A code is never given a second meaning,
# and never reused.
Severity = Literal["error", "warning"]
_SECTION: Final = lazy(
    r"^## (ELV\d{3}) (error|warning): (.+)\n\n(.*)\n\n((?: {4}.*\n)+)\n(.*)\n", re.MULTILINE
)
_LINK: Final = lazy(r"\[([^]]*)\]\([^)]*\)")


class Explanation(NamedTuple):
    """What the code of a problem means, in sentences of Markdown that may hold links."""

    severity: Severity
    title: str  # in a few words
    meaning: str
    example: str  # the message of such a problem, as it is printed
    remedy: str

    def without_links(self) -> "Explanation":
        """The explanation as a terminal shows it."""
        meaning, remedy = (_LINK.sub(r"\1", text) for text in (self.meaning, self.remedy))
        return self._replace(meaning=meaning, remedy=remedy)


@cache
def explanations() -> dict[str, Explanation]:
    """The explanations of all codes."""
    from pkgutil import get_data  # slow to import
    from textwrap import dedent

    text = get_data(__package__, "explanations.md")  # a package may lie in a zip file
    assert text is not None
    return {
        code: Explanation(
            cast(Severity, severity), title, meaning, dedent(example).rstrip(), remedy
        )
        for code, severity, title, meaning, example, remedy in _SECTION.findall(text.decode())
    }


_REPR_WIDTH: Final = 160  # characters of a problem that Python shows


class Place(NamedTuple):
    """A position in an input: `line` and `column` count from 1 (characters, not bytes).

    `line` is 0 where there is none: of an output, a flag, a program.
    """

    file: str
    line: int = 0
    column: int = 1

    def __str__(self) -> str:
        return visible(self.file) + (f":{self.line}:{self.column}" if self.line else "")


class Problem(NamedTuple):
    """Something that could not be read (`error`) or that a reader should know (`warning`)."""

    #: Where it is.
    place: Place
    #: One of docs/reference.md.
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
        """The severity that `explanations.md` has for the code."""
        return explanations()[self.code].severity

    def __str__(self) -> str:
        head = f"{self.place}: {self.severity}[{self.code}]: {visible(self.message)}"
        if not self.excerpt:
            return head
        expected = f" expected {visible(self.expected)}" if self.expected else ""
        return f"{head}\n  {self.excerpt}\n  {' ' * self.caret}^{expected}"

    def __repr__(self) -> str:
        """`<Problem build.log:7:25: error[ELV102]: tensor without a descriptor>`."""
        return f"<Problem {shorten(str(self._replace(excerpt='')), _REPR_WIDTH)}>"


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


class MissingFileError(ReadError, FileNotFoundError):
    """A file that was named is not there."""


class Stopped(ReadError):
    """The first error, where a caller asked to stop there (`--strict`)."""
