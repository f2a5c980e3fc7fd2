"""What the formats of a verdict are told."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MIN_CHARS: Final = 1_000
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/ ]|-(?!-)){0,99}")


class GateOptions(NamedTuple):
    """What the formats of a verdict are told."""

    name: str = "engine"  # of the gate, where one project has several
    max_chars: int = 60_000  # of a comment
    width: int = 100  # columns
    color: bool = False
    full: bool = False  # all groups of layers, and names whole
    version: str = ""  # of this program


def check(options: GateOptions) -> None:
    """Checks the name, which stands in a comment of HTML that nothing in it may end.

    Raises:
        ValueError: the name or the number of characters cannot be used.
    """
    if not _NAME.fullmatch(options.name):
        raise ValueError(
            f"the name of a gate has letters, digits, blanks and `._/-`, not {options.name[:80]!r}"
        )
    if options.max_chars < MIN_CHARS:
        raise ValueError(f"a comment needs {MIN_CHARS:,} characters, not {options.max_chars:,}")
