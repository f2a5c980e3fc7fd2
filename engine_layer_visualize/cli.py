"""The command line.

takes: argv
gives: calls, lines on stdout, problems on stderr, and the exit code
never: reads or draws; it is the only room that prints, and the only one that exits
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import argparse

    from engine_layer_visualize.commands import Command
    from engine_layer_visualize.errors import Problem

_ALL_READ, _PARTLY_READ, _USAGE, _NOTHING, _NOT_WRITTEN = 0, 1, 2, 3, 4
_MISUSED: Final = ("ELV603", "ELV604")  # what argparse cannot know
_SAME: Final = 20  # problems of one code that are shown without --verbose
_WIDTH: Final = 140  # columns of a page that no terminal shows
_QUIET_SECONDS: Final = 1.0  # before a progress bar is worth its lines


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; `argv` without the program's name. Returns the exit code."""
    # Python would look through all that was imported for cycles, several times, and find none.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _main(sys.argv[1:] if argv is None else argv)
    finally:
        if collecting:
            gc.enable()


def _main(argv: Sequence[str]) -> int:
    arguments = [_with_underscores(argument) for argument in argv]
    if arguments == ["--version"]:
        print(f"engine_layer_visualize {_version()}")
        return _ALL_READ
    from engine_layer_visualize.errors import ReadError, Stopped

    options, command = _parsed(arguments)
    report = _Terminal(options.quiet, options.verbose)
    try:
        command.run(options, report)
    except ReadError as error:
        report.problem(error.problem, error.hint)
        if isinstance(error, Stopped):
            report.worst(_PARTLY_READ)
        elif error.problem.code in _MISUSED:
            report.worst(_USAGE)
        elif not error.problem.code.startswith("ELV5"):
            report.worst(_NOTHING)
    except KeyboardInterrupt:
        report.close()
        print("interrupted", file=sys.stderr)
        return 130
    return report.close()


class _Terminal:
    """Says what a command has to say, and remembers the worst of it."""

    def __init__(self, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._code = _ALL_READ
        self._counts: Counter[str] = Counter()
        self._started = time.monotonic()
        self._bar: Any = None

    def line(self, text: str) -> None:
        self._stop_bar()
        if not self._quiet:
            self._print(_safe(text))

    def page(self, text: str) -> None:
        self._stop_bar()
        if not self._quiet:
            self._print(text.rstrip("\n"))

    def terminal(self) -> tuple[int, bool]:
        if not sys.stdout.isatty():
            return _WIDTH, False
        from shutil import get_terminal_size

        return get_terminal_size().columns, not os.environ.get("NO_COLOR")

    def _print(self, text: str) -> None:
        try:
            print(_encodable(text), flush=True)
        except BrokenPipeError:  # `| head`: nobody reads on, but the files are wanted
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def problem(self, problem: Problem, hint: str = "") -> None:
        self._stop_bar()
        if problem.severity == "error":
            self.worst(_NOT_WRITTEN if problem.code.startswith("ELV5") else _PARTLY_READ)
        elif self._quiet:
            return
        self._counts[problem.code] += 1
        if self._counts[problem.code] <= _SAME or self._verbose:
            print(_safe(str(problem)), file=sys.stderr)
            if hint:
                print(_safe(f"  {hint}"), file=sys.stderr)

    def worst(self, code: int) -> None:
        self._code = max(self._code, code)

    def progress(self, count: int, size: int | None) -> None:
        if self._bar is None:
            if self._quiet or time.monotonic() - self._started < _QUIET_SECONDS:
                return
            if not sys.stderr.isatty():
                return
            self._bar = _bar(size)
        self._bar.update(0, completed=count)

    def status(self, text: str) -> None:
        if self._bar is None:
            if self._quiet or time.monotonic() - self._started < _QUIET_SECONDS:
                return
            if not sys.stderr.isatty():
                return
            self._bar = _spinner()
        self._bar.update(_safe(text))

    def close(self) -> int:
        self._stop_bar()
        for code, count in self._counts.items():
            if count > _SAME and not self._verbose:
                more = f"{code}: {count - _SAME} more of these; --verbose shows them"
                print(more, file=sys.stderr)
        return self._code

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._started = None, time.monotonic()


def _spinner() -> Any:
    from rich.console import Console
    from rich.status import Status

    spinner = Status("", console=Console(stderr=True))
    spinner.start()
    return spinner


def _bar(size: int | None) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    bar = Progress(
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task("reading", total=size)
    bar.start()
    return bar


def _parsed(arguments: list[str]) -> tuple[argparse.Namespace, Command]:
    import argparse
    from importlib import import_module

    from engine_layer_visualize.commands import COMMANDS, DEFAULT

    word = arguments[0] if arguments and not arguments[0].startswith("-") else None
    if word is not None:
        arguments = arguments[1:]
    name = word or DEFAULT
    parser = argparse.ArgumentParser(
        prog="engine_layer_visualize" + (f" {word}" if word in COMMANDS else ""),
        description="Draws the TensorRT engines of a VERBOSE build log, with the layers' times.",
        epilog=f"Commands, as a first word: {', '.join(COMMANDS)} (without one: {DEFAULT}). "
        "Every flag may be spelled with _ or with -. Exit codes: 0 all read, 1 drawn but "
        "something could not be read, 2 usage, 3 nothing to draw, 4 output not written.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    parser.add_argument("--strict", action="store_true", help="stop at the first error")
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--verbose", action="store_true", help="show every problem")
    if name not in COMMANDS:
        parser.error(f"no command {_safe(name)!r}; there are {', '.join(COMMANDS)}")
    command: Command = import_module(f"engine_layer_visualize.commands.{name}")
    command.add_arguments(parser)
    return parser.parse_args(arguments), command


def _with_underscores(argument: str) -> str:
    """`--log-file=a-b` -> `--log_file=a-b`."""
    if not argument.startswith("--"):
        return argument
    flag, equals, value = argument.partition("=")
    return "--" + flag[2:].replace("-", "_") + equals + value


def _safe(text: str) -> str:
    """Text of a log for a terminal: nothing of it is acted on, nothing fails to encode."""
    from engine_layer_visualize.errors import visible

    return _encodable("\n".join(map(visible, text.split("\n"))))


def _encodable(text: str) -> str:
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _version() -> str:
    from engine_layer_visualize import __version__

    return __version__
