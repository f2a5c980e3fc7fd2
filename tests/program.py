"""What the fixtures of `conftest.py` are that run the program."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

Program = Callable[..., "CompletedProcess[str]"]
Printed = Callable[..., str]
Ended = Callable[..., "tuple[int, str, str]"]
