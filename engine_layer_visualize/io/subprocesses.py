"""Runs other programs as children, without a shell.

A program and its arguments go in; out comes a running child. It is ended together with all that it
started.
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
    # In a new session: `end` then also ends what a wrapper script starts.
    return subprocess.Popen(list(command), start_new_session=os.name == "posix", **options)


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
