"""The types of fixtures that tests ask for, and what they do without a tool."""

import os
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import TypeAlias

import pytest

Program = Callable[..., "CompletedProcess[str]"]
Printed = Callable[..., str]
Ended = Callable[..., "tuple[int, str, str]"]
Capture: TypeAlias = pytest.CaptureFixture[str]
Patch: TypeAlias = pytest.MonkeyPatch


def demand(missing: str) -> None:
    """Leaves a test out where something is missing, but never in CI."""
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
