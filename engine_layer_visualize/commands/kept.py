"""Keeps what a command reports, for callers that are no terminal: Python, `mcp`."""

from __future__ import annotations

from collections.abc import Iterable

from engine_layer_visualize.core.options import WIDTH
from engine_layer_visualize.core.problems import Problem, ReadError


class Kept:
    """A `Report` that prints nothing.

    Attributes:
        written: the files and folders that were written.
        pages: texts of several lines.
        problems: each with what to do about it.
        error: the first reason why nothing came of an input.
    """

    owns_process = False

    def __init__(self) -> None:
        self.failures: list[Problem] = []
        self.written: list[str] = []
        self.pages: list[str] = []
        self.problems: dict[Problem, str] = {}
        self.error: ReadError | None = None

    def wrote(self, path: str, words: str = "") -> None:
        """Keeps the name of a file or a folder."""
        self.written.append(path)

    def page(self, text: str) -> None:
        """Keeps a text."""
        self.pages.append(text)

    def remark(self, text: str) -> None:
        """Nobody looks."""

    line = remark

    def data(self, pieces: Iterable[bytes]) -> None:
        """Is never called: such a command prints no file."""
        raise AssertionError("a file was printed")

    def terminal(self) -> tuple[int, bool]:
        """Returns what there is without a terminal."""
        return WIDTH, False

    def problem(self, problem: Problem, hint: str = "") -> None:
        """Keeps a problem, once."""
        self.problems[problem] = hint

    def failed(self, error: ReadError) -> None:
        """Keeps why nothing came of an input."""
        self.problem(error.problem, error.hint)
        self.failures.append(error.problem)
        self.error = self.error or error

    def worst(self, code: int) -> None:
        """An exit code is for a shell."""

    def progress(self, count: int, size: int | None) -> None:
        """Nobody looks."""
