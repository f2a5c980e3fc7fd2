"""The words that may come first on the command line.

takes: nothing
gives: COMMANDS, the tuple that the command line goes by, and what a command may say (`Report`)
never: prints or exits; that is the command line's
"""

from __future__ import annotations

import argparse
from typing import Final, Protocol

from engine_layer_visualize.core.problems import Problem

# Names of modules: a command's rooms are entered only when it is called.
COMMANDS: Final = ("draw", "summary", "record")
DEFAULT: Final = "draw"


class Report(Protocol):
    """Where a command's words go."""

    def line(self, text: str) -> None:
        """A line of the result."""

    def page(self, text: str) -> None:
        """A page that was set by a room which lets nothing of a log through raw."""

    def terminal(self) -> tuple[int, bool]:
        """How wide a page may be, in columns, and whether colours are wanted."""

    def problem(self, problem: Problem, hint: str = "") -> None:
        """A problem; the worst decides the exit code."""

    def remark(self, text: str) -> None:
        """What whoever waits should know; it is no problem of an input."""

    def progress(self, count: int, size: int | None) -> None:
        """`count` bytes of `size` (None: unknown) are read."""

    def status(self, text: str) -> None:
        """What is being done, where it takes long."""


class Command(Protocol):
    """A module of this package."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the command's own flags."""

    def run(self, options: argparse.Namespace, report: Report) -> None:
        """Does the work. Raises ReadError where nothing can come of it."""
