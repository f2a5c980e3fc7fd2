"""The commands, one module each: parsed flags in; files and lines of text out.

A new command is a module with `add_arguments` and `run`, and an entry in `COMMANDS`.
"""

from __future__ import annotations

import argparse
from typing import Final, Protocol

from engine_layer_visualize.core.problems import Problem, ReadError

# Name of the module -> its line in --help. The module is imported only when it is called.
COMMANDS: Final = {
    "draw": "draw every engine of a log (without a command: this)",
    "summary": "print time, precisions, reformats, fusions, memory and autotuning of every engine",
    "record": "build an ONNX model and keep the log that the other commands read",
}
DEFAULT: Final = "draw"


class Report(Protocol):
    """Where a command reports results and problems to be printed."""

    def line(self, text: str) -> None:
        """A line of the result."""

    def page(self, text: str) -> None:
        """A text of several lines, in which every name of a log is already escaped."""

    def terminal(self) -> tuple[int, bool]:
        """The width in columns, and whether colours are wanted."""

    def problem(self, problem: Problem, hint: str = "") -> None:
        """A problem and what to do about it; the worst one decides the exit code."""

    def failed(self, error: ReadError) -> None:
        """An input of which nothing came; others may still be worked on."""

    def remark(self, text: str) -> None:
        """A remark that is no problem of an input, such as why it takes long."""

    def progress(self, count: int, size: int | None) -> None:
        """`count` bytes of `size` (None: unknown) are read."""

    def status(self, text: str) -> None:
        """What is done now, where it takes long."""


class Command(Protocol):
    """A module of this package."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the command's own flags."""

    def run(self, options: argparse.Namespace, report: Report) -> None:
        """Does the work. Raises ReadError where there can be no result."""
