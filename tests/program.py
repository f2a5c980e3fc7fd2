"""What the fixtures `program` and `here` of `conftest.py` are."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

Program = Callable[..., "CompletedProcess[str]"]
