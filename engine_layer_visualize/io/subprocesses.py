"""Runs other programs as children, without a shell.

A child is ended together with all that it started.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from engine_layer_visualize.io.waiting_signals import signals_wait


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts `command`; `options` are Popen's pipes and environment. Raises OSError."""
    assert not isinstance(command, str)
    # In a new session: `end` then also ends what a wrapper script starts.
    return subprocess.Popen(list(command), start_new_session=os.name == "posix", **options)


@contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A child that an exception ends, with all that it started. Raises OSError.

    A signal that comes while the child is started is handled when it can be ended.
    """
    child = None
    try:
        with signals_wait():
            child = start(command, **options)
        yield child
    except BaseException:
        if child is not None:
            end(child)
        raise
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def end(child: subprocess.Popen[bytes]) -> None:
    """Kills the process group, closes the pipes and waits for the child."""
    kill(child)
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):  # what was not yet written to a child that is gone
                pipe.close()
    child.wait()


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kills the process group; safe to call from another thread than the reader's."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
