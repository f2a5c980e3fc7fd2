"""Runs other programs as children, without a shell.

A program and its arguments go in; out comes a child in a session of its own. It ends together with
its own children, and does not outlive whoever waits for it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import Any


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts `command`; `options` are Popen's pipes and environment. Raises OSError."""
    assert not isinstance(command, str)
    # A session of its own: what a wrapper starts ends with it, see `end`.
    return subprocess.Popen(list(command), start_new_session=os.name == "posix", **options)


def end(child: subprocess.Popen[bytes]) -> None:
    """Kills it and what it started, and waits for it."""
    kill(child)
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):  # what was not yet written to a child that is gone
                pipe.close()
    child.wait()


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kills it and what it started; for another thread than the one that reads from it."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
