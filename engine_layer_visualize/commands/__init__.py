"""Runs the commands, one module each, with their frozen options.

A new command is a module with an entry in `GROUPS` of `arguments`: its docstring is the head of its
help, its `Options` are the flags, frozen, and its `run` takes these and a `Report`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core.problems import Problem, ReadError, Stopped
from engine_layer_visualize.core.text import WIDTH, visible

EXIT_CODES: Final = {
    0: "all was read",
    1: "something could not be read",
    2: "wrong usage",
    3: "nothing to work on",
    4: "an output could not be written",
}
ALL_READ, PARTLY_READ, USAGE, NOTHING, NOT_WRITTEN = EXIT_CODES  # 0 to 4
# Wrong usage that argparse cannot see.
_MISUSED: Final = ("ELV410", "ELV603", "ELV604", "ELV605", "ELV705")
_SHOWN: Final = 20  # problems of one code that are shown without --verbose


class Report:
    """Is told results and problems by a command: this one keeps them, that of `cli` prints them.

    Attributes:
        failures: of inputs of which nothing came.
        written: the files and folders that were written.
        pages: texts of several lines.
        problems: each with what to do about it.
        error: the first reason why nothing came of an input.
        remarks: what is no problem.
        partly_read: the exit code where something could not be read.
    """

    owns_process = False  # whether nothing but the program runs in it
    is_watched = False  # whether a person at a terminal reads the remarks
    keeps_all = True  # else of each code the first error alone

    def __init__(self) -> None:
        self.failures: list[Problem] = []
        self.written: list[str] = []
        self.pages: list[str] = []
        self.problems: dict[Problem, str] = {}
        self.error: ReadError | None = None
        self.remarks: list[str] = []
        self.quiet = self.verbose = False
        self.partly_read = PARTLY_READ
        self._code = ALL_READ
        self._counts: Counter[str] = Counter()

    def show(self, text: str | bytes, asked: bool = True) -> bool:
        """Takes a result; returns whether more is wanted. `asked`: it is what was asked for."""
        assert isinstance(text, str)  # no file is printed
        self.pages.append(text)
        return True

    def say(self, text: str, mark: str = "") -> None:
        """Takes lines about the work; `mark`: what stands out in them."""

    def terminal(self) -> tuple[int, bool]:
        """Returns the width in columns, and whether colours are wanted."""
        return WIDTH, False

    def progress(self, count: int, size: int | None) -> None:
        """Is told that `count` bytes of `size` (None: unknown) are read."""

    def line(self, text: str) -> None:
        """Takes a line of the result."""
        if not self.quiet:
            self.show(visible(text), asked=False)

    def wrote(self, path: str, words: str = "") -> None:
        """Takes the name of a file or a folder that was written, and words about it."""
        self.written.append(path)
        self.line(f"{path}  {words}" if words else path)

    def page(self, text: str) -> None:
        """Takes a text of several lines, in which every name of a log is already escaped."""
        self.show(text.rstrip("\n"))

    def data(self, pieces: Iterable[bytes]) -> None:
        """Prints a file, in pieces, as it is."""
        for piece in pieces:
            if not self.show(piece):
                return

    def problem(self, problem: Problem, hint: str = "") -> None:
        """Takes a problem and what to do about it; the worst one decides the exit code."""
        is_error = problem.severity == "error"
        if is_error:
            self.worst(NOT_WRITTEN if problem.code.startswith("ELV5") else PARTLY_READ)
        elif self.quiet:
            return
        self._counts[problem.code] += 1
        if self.keeps_all or (is_error and self._counts[problem.code] == 1):
            self.problems[problem] = hint
        if self._counts[problem.code] <= _SHOWN or self.verbose:
            lines = f"{problem}\n  {hint}" if hint else str(problem)
            text = "\n".join(map(visible, lines.split("\n")))
            self.say(text, f"{problem.severity}[{problem.code}]")

    def failed(self, error: ReadError) -> None:
        """Takes why nothing came of an input; others may still be worked on."""
        self.problem(error.problem, error.hint)
        self.failures.append(error.problem)
        if self.keeps_all:  # the error holds an engine
            self.error = self.error or error
        if isinstance(error, Stopped):
            self.worst(PARTLY_READ)
        elif isinstance(error, FileNotFoundError) or error.problem.code in _MISUSED:
            self.worst(USAGE)
        elif not error.problem.code.startswith("ELV5"):
            self.worst(NOTHING)

    def remark(self, text: str) -> None:
        """Takes a remark that is no problem of an input, such as why it takes long."""
        self.remarks.append(text)
        if not self.quiet:
            self.say(visible(text))

    def worst(self, code: int) -> None:
        """Makes the program end with this exit code, or a higher one."""
        self._code = max(self._code, code)

    def judged(self, code: int) -> None:
        """Makes the program end with this exit code: a verdict, also of what was read in part."""
        self._code = code if self._code == PARTLY_READ else max(self._code, code)

    def close(self) -> int:
        """Says what was not shown. Returns the exit code."""
        for code, count in self._counts.items():
            if count > _SHOWN and not self.verbose:
                self.say(f"{code}: {count - _SHOWN} more of these; --verbose shows them")
        return self.partly_read if self._code == PARTLY_READ else self._code


class Answer(Exception):
    """A text that is printed in place of a command's result."""

    def __init__(self, text: str, error: str = "", code: int = 0, usage: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.error = error  # what was wrong with the question
        self.code = code  # the exit code
        self.usage = usage  # a line above the error


class Misuse(Answer):
    """A command line is wrong in a way that argparse cannot see; the text says why."""

    def __init__(self, error: str) -> None:
        super().__init__("", error, USAGE)
