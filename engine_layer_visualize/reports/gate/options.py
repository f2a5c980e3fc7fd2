"""`GateOptions`: what the formats of a verdict are told."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

FEWEST_CHARS: Final = 1_000
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/ ]|-(?!-)){0,99}")


class GateOptions(NamedTuple):
    """`name`: of the gate, where one project has several; `max_chars`: of a comment; `width`:
    columns; `full`: all groups of layers, and names whole; `version`: of this program."""

    name: str = "engine"
    max_chars: int = 60_000
    width: int = 100
    color: bool = False
    full: bool = False
    version: str = ""


def check(options: GateOptions) -> None:
    """Raises ValueError. The name stands in a comment of HTML, which nothing in it may end."""
    if not _NAME.fullmatch(options.name):
        raise ValueError(
            f"the name of a gate has letters, digits, blanks and `._/-`, not {options.name[:80]!r}"
        )
    if options.max_chars < FEWEST_CHARS:
        raise ValueError(f"a comment needs {FEWEST_CHARS:,} characters, not {options.max_chars:,}")
