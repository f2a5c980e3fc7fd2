"""The types of fixtures that tests ask for, and what they do without a tool."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, TypeAlias

import pytest

Program = Callable[..., "CompletedProcess[str]"]
Printed = Callable[..., str]
Ended = Callable[..., "tuple[int, str, str]"]
Capture: TypeAlias = pytest.CaptureFixture[str]
Patch: TypeAlias = pytest.MonkeyPatch


def ran(words: Sequence[str | Path], **more: Any) -> CompletedProcess[str]:
    """What a process printed, once it has ended, in whatever way."""
    return subprocess.run(words, **{"capture_output": True, "text": True, "check": False, **more})


def demand(missing: str) -> None:
    """Leaves a test out where something is missing, but never in CI."""
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
