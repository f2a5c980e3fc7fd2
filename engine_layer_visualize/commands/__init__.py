"""The commands, one module each: parsed flags in; files and lines of text out.

A new command is a module with the names of `Command`, and an entry in `COMMANDS`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from engine_layer_visualize.core.problems import Problem, ReadError

# Name of the module -> its line in the list of commands. The module is imported when it is called.
COMMANDS: Final = {
    "draw": "draws every engine of a log (without a command: this)",
    "summary": "prints times, precisions, reformats, fusions, memory, autotuning of every engine",
    "lint": "finds what makes an engine slow: why, what to try, and how much is at stake",
    "compare": "says how much faster another engine is, and why",
    "gate": "fails where a new engine became slower, larger or worse",
    "snapshot": "keeps of an engine what gate compares a later build with",
    "table": "writes CSV, JSON Lines, Parquet, Excel for data tools",
    "collect": "keeps the tables of many logs as one dataset",
    "cut": "cuts a layer out of the ONNX model, to be timed alone",
    "anonymise": "replaces the names and paths in a log, so that it can be sent to others",
    "record": "builds an ONNX model and keeps the log that the other commands read",
}
DEFAULT: Final = "draw"


class Report(Protocol):
    """Where a command reports results and problems to be printed. `failures`: problems of inputs
    of which nothing came; `owns_process`: nothing but the program runs in it."""

    failures: list[Problem]
    owns_process: bool

    def line(self, text: str) -> None:
        """A line of the result."""

    def page(self, text: str) -> None:
        """A text of several lines, in which every name of a log is already escaped."""

    def data(self, pieces: Iterable[bytes]) -> None:
        """A file, in pieces, as it is."""

    def terminal(self) -> tuple[int, bool]:
        """The width in columns, and whether colours are wanted."""

    def problem(self, problem: Problem, hint: str = "") -> None:
        """A problem and what to do about it; the worst one decides the exit code."""

    def failed(self, error: ReadError) -> None:
        """An input of which nothing came; others may still be worked on."""

    def remark(self, text: str) -> None:
        """A remark that is no problem of an input, such as why it takes long."""

    def worst(self, code: int) -> None:
        """The program ends with this exit code, or a higher one."""

    def progress(self, count: int, size: int | None) -> None:
        """`count` bytes of `size` (None: unknown) are read."""

    def status(self, text: str) -> None:
        """What is done now, where it takes long."""


class Answer(Exception):
    """A text that is printed in place of a command's result.

    `error`: what was wrong with the question, then `code` is the exit code. `exits`: with
    SystemExit, as argparse does after a help.
    """

    def __init__(self, text: str, error: str = "", code: int = 0, exits: bool = False) -> None:
        super().__init__(text)
        self.text, self.error, self.code, self.exits = text, error, code, exits


class Command(Protocol):
    """A module of this package.

    For its help: `ABOUT`, sentences on what it does; `EXAMPLES`, the words of two command lines
    that work; `EXIT_CODES`, what those mean that it can end with.
    """

    ABOUT: str
    EXAMPLES: tuple[str, str]
    EXIT_CODES: Mapping[int, str]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the command's own flags."""

    def run(self, options: argparse.Namespace, report: Report) -> None:
        """Does the work. Raises ReadError where there can be no result."""
