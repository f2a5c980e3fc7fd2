"""Runs the program: calls the command that argv names, and returns the exit code.

Only this module prints: results on stdout, problems and progress on stderr.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

from engine_layer_visualize.commands import PARTLY_READ, Answer, Report
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.io.input_files import must_exist

if TYPE_CHECKING:
    from engine_layer_visualize.commands.flags import Options

_STYLES: Final = {"error": "1;31", "warning": "33"}  # bold red, yellow
_QUIET_SECONDS: Final = 1.0  # before a progress bar appears
_MOMENT: Final = 0.01  # seconds until a signal that was swallowed is sent again


def main(
    argv: Sequence[str] | None = None, read: Callable[[int, int | None], None] | None = None
) -> int:
    """Runs the program; `argv` without the program's name. Returns the exit code.

    `read` is told the bytes read so far, and all there are (None: unknown).
    """
    # The garbage collector would search all imported modules several times and free nothing.
    collecting = gc.isenabled()
    gc.disable()
    handled = _handle_signals()
    unraisable, sys.unraisablehook = sys.unraisablehook, _signal_again
    try:
        return _main(sys.argv[1:] if argv is None else argv, _Terminal(argv is None, read))
    except KeyboardInterrupt as error:  # all that was open is closed by now
        _put(sys.stderr, "ended" if isinstance(error, _Ended) else "interrupted")
        return 128 + (error.args[0] if isinstance(error, _Ended) else signal.SIGINT)
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
        sys.unraisablehook = unraisable
        if collecting and argv is not None:  # else the process ends
            gc.enable()


def _main(argv: Sequence[str], report: _Terminal) -> int:
    end = argv.index("--") if "--" in argv else len(argv)  # no flag stands after it
    arguments = [*map(_with_underscores, argv[:end]), *argv[end:]]
    try:
        if arguments in (["--version"], ["-V"]):
            raise Answer(f"engine_layer_visualize {__version__}")
        from engine_layer_visualize.commands.arguments import parsed

        options, command = parsed(arguments)
        report.begin(options, getattr(command, "PARTLY_READ", PARTLY_READ))
        must_exist(options.files_read)
        for problem in options.told:
            report.problem(problem)
        command.run(options, report)
    except Answer as answer:
        report.answer(answer)
    except ReadError as error:
        report.failed(error)
    except KeyboardInterrupt:
        report.close()
        raise
    return report.close()


class _Ended(KeyboardInterrupt):
    """A signal other than the keyboard's ends the program. Its argument is the signal."""


def _handle_signals() -> list[int]:
    """Turns the signals that end a process into an exception, so that half-written files go."""

    def end(number: int, frame: object) -> NoReturn:
        raise _Ended(number)

    known = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    # Not one that is ignored (nohup), or that the calling program handles.
    handled = [n for n in known if n is not None and signal.getsignal(n) is signal.SIG_DFL]
    try:
        for number in handled:
            signal.signal(number, end)
    except ValueError:  # only the main thread gets signals
        return []
    return handled


def _signal_again(lost: Any) -> None:
    """Sends a signal once more where a callback, such as a weak reference's, swallowed it."""
    error = lost.exc_value
    if not isinstance(error, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import threading

    number = error.args[0] if isinstance(error, _Ended) else signal.SIGINT
    again = threading.Timer(_MOMENT, signal.raise_signal, (number,))
    again.daemon = True
    again.start()


class _Terminal(Report):
    """Prints what commands report."""

    keeps_all = False

    def __init__(self, owns_process: bool, read: Callable[[int, int | None], None] | None) -> None:
        super().__init__()
        self.owns_process, self._read = owns_process, read
        self._started = time.monotonic()
        self._bar: Any = None

    def begin(self, options: Options, partly_read: int) -> None:
        """Takes what is known once the words of the command line are read."""
        self.quiet, self.verbose, self.partly_read = options.quiet, options.verbose, partly_read
        self.is_watched = not self.quiet and sys.stderr is not None and sys.stderr.isatty()

    def answer(self, answer: Answer) -> None:
        """Prints what a flag such as --explain says, or what is wrong with the command line."""
        if answer.error:
            self.say(f"{answer.usage}engine_layer_visualize: error: {visible(answer.error)}")
        if answer.text:
            self.show(answer.text, asked=False)
        self.worst(answer.code)

    def show(self, text: str | bytes, asked: bool = True) -> bool:
        """Whether it could be printed; if not, that is reported, where it was asked for."""
        self._stop_bar()
        error = None if sys.stdout is None and not asked else _put(sys.stdout, text)
        if error is not None and not isinstance(error, BrokenPipeError):
            from engine_layer_visualize.io.atomic_file import cannot_write

            self.problem(cannot_write("<stdout>", error).problem)
        return error is None

    def say(self, text: str, mark: str = "") -> None:
        self._stop_bar()
        if mark and _colored(sys.stderr):
            style = _STYLES[mark.partition("[")[0]]
            text = text.replace(mark, f"\x1b[{style}m{mark}\x1b[0m", 1)
        _put(sys.stderr, text)

    def terminal(self) -> tuple[int, bool]:
        from engine_layer_visualize.documents.terminal import columns

        return columns(), _colored(sys.stdout)

    def progress(self, count: int, size: int | None) -> None:
        if self._read is not None:
            self._read(count, size)
        waited = time.monotonic() - self._started >= _QUIET_SECONDS
        if self._bar is None and waited and self.is_watched:
            self._bar = _bar(size)
        if self._bar is not None:
            self._bar.update(0, completed=count)

    def close(self) -> int:
        self._stop_bar()
        return super().close()

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._started = None, time.monotonic()


def _put(stream: TextIO | None, text: str | bytes) -> OSError | None:
    """Prints lines, or bytes as they are. A stream that fails is closed; the error is returned."""
    if stream is None:  # it was closed before we began
        return OSError(errno.EBADF, os.strerror(errno.EBADF))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        if isinstance(text, bytes):
            stream.buffer.write(text)
            stream.flush()
        else:
            text = text.encode(encoding, "backslashreplace").decode(encoding)
            print(text, file=stream, flush=True)
    except OSError as error:  # `| head` ended; the files are still to be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def _colored(stream: TextIO | None) -> bool:
    """Decides as rich whether to colour: FORCE_COLOR, NO_COLOR, TERM=dumb, else a terminal."""
    if stream is None or not (os.environ.get("FORCE_COLOR") or stream.isatty()):
        return False  # rich would say so, too, but takes long to be imported
    from rich.console import Console

    console = Console(file=stream)
    return console.color_system is not None and not console.no_color


def _bar(size: int | None) -> Any:
    from rich import progress
    from rich.console import Console

    of_bytes = progress.DownloadColumn(), progress.TransferSpeedColumn()
    columns = progress.BarColumn(), *of_bytes, progress.TimeRemainingColumn()
    bar = progress.Progress("reading", *columns, console=Console(stderr=True), transient=True)
    bar.add_task("reading", total=size)
    bar.start()
    return bar


def _with_underscores(argument: str) -> str:
    """Returns `--log_file=a-b` of `--log-file=a-b`."""
    if not argument.startswith("--"):
        return argument
    flag, equals, value = argument.partition("=")
    return "--" + flag[2:].replace("-", "_") + equals + value
