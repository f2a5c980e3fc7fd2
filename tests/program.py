"""What the fixtures of `conftest.py` are that run the program, and what they do without a tool."""

import os
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Program = Callable[..., "CompletedProcess[str]"]
Printed = Callable[..., str]
Ended = Callable[..., "tuple[int, str, str]"]


def demand(missing: str) -> None:
    """Leaves a test out where something is missing, but never in CI."""
    if missing and os.environ.get("CI"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
