"""Runs other programs as children, and lets signals wait."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

if TYPE_CHECKING:
    import subprocess


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts `command`; `options` are Popen's pipes and environment. Raises OSError."""
    import subprocess  # slow to import

    assert not isinstance(command, str)
    # In a new session: `kill` then also ends what a wrapper script starts.
    return subprocess.Popen(list(command), start_new_session=os.name == "posix", **options)


@contextmanager
def running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A child, whose stdout has its stderr, too. An exception ends it, with all that it started.

    A signal that comes while the child is started is handled when it can be ended.

    Raises:
        ReadError: it cannot be started (ELV601).
    """
    from subprocess import DEVNULL, PIPE, STDOUT

    child = None
    try:
        with signals_wait():
            try:
                child = start(command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
            except OSError as error:
                problem = Problem(Place(command[0]), "ELV601", f"not started: {reason_of(error)}")
                raise ReadError(problem) from error
        yield child
    except BaseException:
        if child is not None:
            kill(child)
            child.wait()
        raise
    finally:
        if child is not None and child.stdout is not None:
            child.stdout.close()


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kills the process group; safe to call from another thread than the reader's."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()


_ALL: Final = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_wait(names: Sequence[str] = _ALL, *, twice_ends: bool = False) -> Iterator[None]:
    """Calls Python's handlers of signals after the block, not within it.

    Args:
        names: the signals that wait.
        twice_ends: whether a second signal ends the process at once.
    """
    import threading  # slow to import

    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only
        return
    came: list[int] = []
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    held = {number: old for number in numbers if callable(old := signal.getsignal(number))}

    def handle(number: int, _: FrameType | None) -> None:
        if came and twice_ends:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        came.append(number)

    for number in held:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in held.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
