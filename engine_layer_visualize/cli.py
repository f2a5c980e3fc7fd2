"""The command line: takes argv, calls one command, and returns the exit code.

Only this module prints: results on stdout, problems and progress on stderr.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

if TYPE_CHECKING:
    import argparse

    from engine_layer_visualize.commands import Command
    from engine_layer_visualize.core.problems import Problem

_ALL_READ, _PARTLY_READ, _USAGE, _NOTHING, _NOT_WRITTEN = 0, 1, 2, 3, 4
_MISUSED: Final = ("ELV603", "ELV604")  # wrong usage that argparse cannot see
_SAME: Final = 20  # problems of one code that are shown without --verbose
_WIDTH: Final = 140  # columns of a page that no terminal shows
_QUIET_SECONDS: Final = 1.0  # before a progress bar appears


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; `argv` without the program's name. Returns the exit code."""
    # The garbage collector would search all imported modules several times and free nothing.
    collecting = gc.isenabled()
    gc.disable()
    handled = _handle_signals()
    try:
        return _main(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt as error:  # all that was open is closed by now
        _put(sys.stderr, "ended" if isinstance(error, _Ended) else "interrupted")
        return 128 + (error.number if isinstance(error, _Ended) else signal.SIGINT)
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
        _flush()
        if collecting:
            gc.enable()


def _main(argv: Sequence[str]) -> int:
    end = argv.index("--") if "--" in argv else len(argv)  # no flag stands after it
    arguments = [*map(_with_underscores, argv[:end]), *argv[end:]]
    if arguments == ["--version"]:
        lost = _put(sys.stdout, f"engine_layer_visualize {_version()}")
        return _NOT_WRITTEN if lost and not isinstance(lost, BrokenPipeError) else _ALL_READ
    from engine_layer_visualize.core.problems import ReadError, Stopped

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
        raise
    return report.close()


class _Ended(KeyboardInterrupt):
    """A signal other than the keyboard's ends the program."""

    number: int = 0


def _handle_signals() -> list[int]:
    """Turns the signals that end a process into an exception, so that half-written files go."""

    def end(number: int, frame: object) -> NoReturn:
        error = _Ended()
        error.number = number
        raise error

    found = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    # Not one that is ignored (nohup), or that the calling program handles.
    handled = [n for n in found if n is not None and signal.getsignal(n) is signal.SIG_DFL]
    try:
        for number in handled:
            signal.signal(number, end)
    except ValueError:  # only the main thread gets signals
        return []
    return handled


class _Terminal:
    """The `Report` of a terminal; it keeps the worst exit code."""

    def __init__(self, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._code = _ALL_READ
        self._counts: Counter[str] = Counter()
        self._started = time.monotonic()
        self._bar: Any = None

    def line(self, text: str) -> None:
        self._stop_bar()
        if not self._quiet:
            self._print(_line(text))

    def page(self, text: str) -> None:
        self._stop_bar()
        if self._quiet:
            return
        if sys.stdout is None:  # there is no stdout to write a page to
            self._full(OSError(errno.EBADF, os.strerror(errno.EBADF)))
        else:
            self._print(text.rstrip("\n"))

    def terminal(self) -> tuple[int, bool]:
        from shutil import get_terminal_size

        shown = sys.stdout is not None and sys.stdout.isatty()
        # As Python does: COLUMNS, then the terminal; a stream that is none has a width of ours.
        asked = os.environ.get("COLUMNS", "").isdecimal()
        width = get_terminal_size((_WIDTH, 24)).columns if shown or asked else _WIDTH
        return width, shown and not os.environ.get("NO_COLOR")

    def _print(self, text: str) -> None:
        error = _put(sys.stdout, text)
        if error is not None and not isinstance(error, BrokenPipeError):
            self._full(error)

    def _full(self, error: OSError) -> None:
        """Reports that stdout cannot be written."""
        from pathlib import Path

        from engine_layer_visualize.io.atomic_file import cannot_write

        self.problem(cannot_write(Path("<stdout>"), error).problem)

    def problem(self, problem: Problem, hint: str = "") -> None:
        self._stop_bar()
        if problem.severity == "error":
            self.worst(_NOT_WRITTEN if problem.code.startswith("ELV5") else _PARTLY_READ)
        elif self._quiet:
            return
        self._counts[problem.code] += 1
        if self._counts[problem.code] <= _SAME or self._verbose:
            _put(sys.stderr, _safe(str(problem)))
            if hint:
                _put(sys.stderr, _safe(f"  {hint}"))

    def remark(self, text: str) -> None:
        self._stop_bar()
        if not self._quiet:
            _put(sys.stderr, _line(text))

    def worst(self, code: int) -> None:
        self._code = max(self._code, code)

    def progress(self, count: int, size: int | None) -> None:
        if self._bar is None and self._bar_is_due():
            self._bar = _bar(size)
        if self._bar is not None:
            self._bar.update(0, completed=count)

    def status(self, text: str) -> None:
        if self._bar is None and self._bar_is_due():
            self._bar = _spinner()
        if self._bar is not None:
            self._bar.update(_line(text))

    def _bar_is_due(self) -> bool:
        if self._quiet or time.monotonic() - self._started < _QUIET_SECONDS:
            return False
        return sys.stderr is not None and sys.stderr.isatty()

    def close(self) -> int:
        self._stop_bar()
        for code, count in self._counts.items():
            if count > _SAME and not self._verbose:
                more = f"{code}: {count - _SAME} more of these; --verbose shows them"
                _put(sys.stderr, more)
        return self._code

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._started = None, time.monotonic()


def _put(stream: TextIO | None, text: str) -> OSError | None:
    """Prints lines. A stream that fails is closed; the error is returned, once."""
    if stream is None:  # it was closed before we began
        return None
    try:
        print(_encodable(text), file=stream, flush=True)
    except OSError as error:  # `| head` ended; the files are still to be written
        _close(stream)
        return error
    return None


def _flush() -> None:
    """Flushes what argparse printed: at its own end Python would print the error of it."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            _close(stream)


def _close(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _spinner() -> Any:
    from rich.console import Console
    from rich.status import Status

    spinner = Status("", console=Console(stderr=True))
    spinner.start()
    return spinner


def _bar(size: int | None) -> Any:
    from rich import console, progress

    bar = progress.Progress(
        progress.TextColumn("reading"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
        transient=True,
    )
    bar.add_task("reading", total=size)
    bar.start()
    return bar


def _parsed(arguments: list[str]) -> tuple[argparse.Namespace, Command]:
    """The flags' values, and the command. Only that command's module is imported."""
    import argparse
    from importlib import import_module

    from engine_layer_visualize.commands import COMMANDS, DEFAULT

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            super().error(_line(message))  # it repeats what it was given

    notes = (
        f"The first word is the command: {', '.join(COMMANDS)}; without one it is {DEFAULT}. "
        "Every flag may be written with _ or with -. Exit codes: 0 everything was read, 1 the "
        "engine was drawn but something could not be read, 2 wrong usage, 3 nothing to draw, "
        "4 an output could not be written."
    )
    program = "engine_layer_visualize"
    top = Parser(
        prog=program,
        usage=f"{program} [COMMAND] --log_file FILE [flags]",
        description="Draws the TensorRT engines of a VERBOSE build log, with the layers' times.",
        epilog=notes,
        allow_abbrev=False,
    )
    words = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", prog=program)
    parsers = {
        name: words.add_parser(name, help=text, description=text, epilog=notes, allow_abbrev=False)
        for name, text in COMMANDS.items()
    }
    name = arguments[0] if arguments and arguments[0] in COMMANDS else DEFAULT
    parser = parsers[name] if arguments[:1] == [name] else top
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    parser.add_argument("--strict", action="store_true", help="stop at the first error")
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument("--verbose", action="store_true", help="print every problem")
    command: Command = import_module(f"engine_layer_visualize.commands.{name}")
    command.add_arguments(parser)
    options = parser.parse_args(arguments if parser is top else arguments[1:])
    if parser is top and options.command:
        parser.error(f"the command {options.command} must be the first word")
    return options, command


def _with_underscores(argument: str) -> str:
    """`--log-file=a-b` -> `--log_file=a-b`."""
    if not argument.startswith("--"):
        return argument
    flag, equals, value = argument.partition("=")
    return "--" + flag[2:].replace("-", "_") + equals + value


def _safe(text: str) -> str:
    """Lines of a log for a terminal: no control character acts, every character is encodable."""
    from engine_layer_visualize.core.text import visible

    return _encodable("\n".join(map(visible, text.split("\n"))))


def _line(text: str) -> str:
    """One line for a terminal, even where a path holds line breaks."""
    from engine_layer_visualize.core.text import visible

    return visible(text)


def _encodable(text: str) -> str:
    """`text` with escapes for characters that stdout cannot encode."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _version() -> str:
    from engine_layer_visualize import __version__

    return __version__
