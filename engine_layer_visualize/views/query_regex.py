"""Compiles a query's regular expression, or says which of its characters cannot stand there.

Python's and the page's languages differ: what means the same in both is allowed, and no more.
`viewer/query_regex.js` is the twin.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.views.query_language import LIMITS, PATTERNS

_PIECE: Final = re.compile(PATTERNS["regex"])
_REPEATED: Final = ("(", "(?:")  # brackets that may be


def fault(source: str) -> int | None:
    """Where the first piece is that cannot stand there; None: there is none."""
    opened: list[tuple[int, str]] = []
    offset, repeatable = 0, False
    while offset < len(source):
        if (match := _PIECE.match(source, offset)) is None:
            return offset
        place, opening, closing, bar, repetition, several, *_ = match.groups()
        behind = any(sign.startswith("(?<") for _, sign in opened)  # as wide wherever it stands
        if (repetition and not repeatable) or (behind and (repetition or bar)):
            return offset
        if (repetition or several) and not _compiles(f"x{match[0]}"):  # `{3,1}`, `[z-a]`
            return offset
        if (closing and not opened) or (opening and len(opened) == LIMITS["deepest"]):
            return offset
        repeatable = not (place or opening or bar or repetition)
        if opening:
            opened.append((offset, opening))
        if closing:
            repeatable = opened.pop()[1] in _REPEATED
        offset = match.end()
    return opened[-1][0] if opened else None


def compiled(source: str) -> re.Pattern[str]:
    """Capitals do not count. Of one without a fault."""
    return re.compile(source, re.IGNORECASE)


def _compiles(source: str) -> bool:
    try:
        re.compile(source)
    except re.error:
        return False
    return True
