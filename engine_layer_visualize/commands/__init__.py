"""Runs the commands, one module each, with their frozen options.

A new command is a module with the names of `Command`, and an entry in `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from engine_layer_visualize.core.problems import Problem, ReadError

if TYPE_CHECKING:
    from engine_layer_visualize.commands import flags

# The groups of the help. In each, the name of a module -> what it does. A module is imported when
# its command is called.
GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "see it": {
        "draw": "draws every engine of a log (without a command: this)",
        "serve": "serves a page on this computer, on which a log is dropped",
    },
    "why is it slow": {
        "summary": "prints times, precisions, reformats, memory of every engine",
        "lint": "finds what makes an engine slow: why, and what to try",
        "compare": "says how much faster another engine is, and why",
        "gate": "fails where a new engine became slower, larger or worse",
    },
    "data": {
        "table": "writes CSV, JSON Lines, Parquet, Excel for data tools",
        "collect": "keeps the tables of many logs as one dataset",
    },
    "make and share": {
        "record": "builds an ONNX model and keeps the log",
        "cut": "cuts a layer out of the ONNX model, to be timed alone",
        "anonymise": "replaces the names and paths in a log, to send it to others",
        "mcp": "answers an assistant's questions about logs",
    },
}
COMMANDS: Final = {name: does for group in GROUPS.values() for name, does in group.items()}
DEFAULT: Final = "draw"


class Report(Protocol):
    """Where a command reports results and problems to be printed."""

    failures: list[Problem]  # of inputs of which nothing came
    owns_process: bool  # whether nothing but the program runs in it

    def line(self, text: str) -> None:
        """Prints a line of the result."""

    def wrote(self, path: str, words: str = "") -> None:
        """Prints the name of a file or a folder that was written, and words about it."""

    def page(self, text: str) -> None:
        """Prints a text of several lines, in which every name of a log is already escaped."""

    def data(self, pieces: Iterable[bytes]) -> None:
        """Prints a file, in pieces, as it is."""

    def terminal(self) -> tuple[int, bool]:
        """Returns the width in columns, and whether colours are wanted."""

    def problem(self, problem: Problem, hint: str = "") -> None:
        """Prints a problem and what to do about it; the worst one decides the exit code."""

    def failed(self, error: ReadError) -> None:
        """Prints why nothing came of an input; others may still be worked on."""

    def remark(self, text: str) -> None:
        """Prints a remark that is no problem of an input, such as why it takes long."""

    def worst(self, code: int) -> None:
        """Makes the program end with this exit code, or a higher one."""

    def progress(self, count: int, size: int | None) -> None:
        """Shows that `count` bytes of `size` (None: unknown) are read."""


class Answer(Exception):
    """A text that is printed in place of a command's result."""

    def __init__(self, text: str, error: str = "", code: int = 0, exits: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.error = error  # what was wrong with the question
        self.code = code  # the exit code
        self.exits = exits  # with SystemExit, as argparse does after a help


class Command(Protocol):
    """A module of this package."""

    ABOUT: str  # sentences on what it does
    EXAMPLES: tuple[str, str]  # the words of two command lines that work
    EXIT_CODES: Mapping[int, str]  # what those mean that it can end with
    Options: type[flags.Options]  # its flags, as a frozen dataclass

    def run(self, options: Any, report: Report) -> None:
        """Does the work. Raises ReadError where there can be no result."""
