"""Runs the commands, one module each, with their frozen options.

A new command is a module with the names of `Command`, and an entry in `GROUPS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from engine_layer_visualize.core.text import WIDTH

if TYPE_CHECKING:
    from engine_layer_visualize.commands import flags
    from engine_layer_visualize.core.problems import Problem, ReadError

# The groups of the help. In each, the name of a module -> what is typed, and what it does. A module
# is imported when its command is called.
GROUPS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "see it": {
        "draw": ("LOG [PROFILE]", "draws every engine of a log (without a command: this)"),
        "layers": ("LOG [PROFILE]", "lists layers: all, the slowest, or those that a query finds"),
        "serve": ("[FILE…]", "serves a page on this computer, on which a log is dropped"),
    },
    "why is it slow": {
        "summary": ("LOG [PROFILE]", "prints times, precisions, reformats, memory of every engine"),
        "lint": ("LOG [PROFILE]", "finds what makes an engine slow: why, and what to try"),
        "compare": ("A B", "says how much faster another engine is, and why"),
        "gate": ("BASE NEW [TIMES…]", "fails where a new engine became slower, larger or worse"),
    },
    "data": {
        "table": ("LOG [PROFILE]", "writes CSV, JSON Lines, Parquet, Excel for data tools"),
        "collect": ("SOURCE… -o DIR", "keeps the tables of many logs as one dataset"),
    },
    "make and share": {
        "record": ("MODEL", "builds an ONNX model and keeps the log"),
        "cut": ("LOG --onnx MODEL --layer LAYER", "cuts a layer out of the ONNX model"),
        "anonymise": ("FILE…", "replaces the names and paths in a log, to send it to others"),
        "mcp": ("DIR…", "answers an assistant's questions about logs"),
    },
}
COMMANDS: Final = {name: told for group in GROUPS.values() for name, told in group.items()}
EXIT_CODES: Final = {
    0: "all was read",
    1: "something could not be read",
    2: "wrong usage",
    3: "nothing to work on",
    4: "an output could not be written",
}
# Those of single commands.
FURTHER_CODES: Final[Mapping[str, Mapping[int, str]]] = {
    "lint": {5: "a finding is as severe as --fail_on says, or more"},
    "gate": {
        0: "passed, or unsure with --unsure pass",
        5: "failed, or unsure with --unsure fail",
        6: "not comparable",
        7: "unsure, or read in part",
    },
}
DEFAULT: Final = "draw"
USAGE: Final = 2  # the exit code of a mistake


class Report:
    """Is told results and problems by a command: this one keeps them, `cli` prints them.

    Attributes:
        failures: of inputs of which nothing came.
        written: the files and folders that were written.
        pages: texts of several lines.
        problems: each with what to do about it.
        error: the first reason why nothing came of an input.
        remarks: what is no problem.
    """

    owns_process = False  # whether nothing but the program runs in it

    def __init__(self) -> None:
        self.failures: list[Problem] = []
        self.written: list[str] = []
        self.pages: list[str] = []
        self.problems: dict[Problem, str] = {}
        self.error: ReadError | None = None
        self.remarks: list[str] = []

    def line(self, text: str) -> None:
        """Takes a line of the result."""

    def wrote(self, path: str, words: str = "") -> None:
        """Takes the name of a file or a folder that was written, and words about it."""
        self.written.append(path)

    def page(self, text: str) -> None:
        """Takes a text of several lines, in which every name of a log is already escaped."""
        self.pages.append(text)

    def data(self, pieces: Iterable[bytes]) -> None:
        """Prints a file, in pieces, as it is."""
        raise AssertionError("a file was printed")

    def terminal(self) -> tuple[int, bool]:
        """Returns the width in columns, and whether colours are wanted."""
        return WIDTH, False

    def problem(self, problem: Problem, hint: str = "") -> None:
        """Takes a problem and what to do about it; the worst one decides the exit code."""
        self.problems[problem] = hint

    def failed(self, error: ReadError) -> None:
        """Takes why nothing came of an input; others may still be worked on."""
        self.problem(error.problem, error.hint)
        self.failures.append(error.problem)
        self.error = self.error or error

    def remark(self, text: str) -> None:
        """Takes a remark that is no problem of an input, such as why it takes long."""
        self.remarks.append(text)

    def tip(self, text: str) -> None:
        """Takes what helps a person at a terminal, and no script."""

    def worst(self, code: int) -> None:
        """Makes the program end with this exit code, or a higher one."""

    def judged(self, code: int) -> None:
        """Makes the program end with this exit code: a verdict, also of what was read in part."""

    def progress(self, count: int, size: int | None) -> None:
        """Is told that `count` bytes of `size` (None: unknown) are read."""


class Answer(Exception):
    """A text that is printed in place of a command's result."""

    def __init__(self, text: str, error: str = "", code: int = 0, exits: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.error = error  # what was wrong with the question
        self.code = code  # the exit code
        self.exits = exits  # with SystemExit, as argparse does after a help


class Misuse(Answer):
    """A command line is wrong in a way that argparse cannot see; the text says why."""

    def __init__(self, error: str) -> None:
        super().__init__("", error, USAGE)


class Command(Protocol):
    """A module of this package, whose docstring is the head of its help."""

    Options: type[flags.Options]  # its flags, as a frozen dataclass

    def run(self, options: Any, report: Report) -> None:
        """Does the work. Raises ReadError where there can be no result."""
