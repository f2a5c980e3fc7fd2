"""Takes away the colours of a terminal that a logger put around its lines, and no others.

A log without an escape character needs nothing of this.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.prefixes import LONGEST, OWN, OWN_WORDS

_ESCAPE: Final = b"\x1b"
_COLOR: Final = rb"\x1b\[[0-9;]{0,32}[mK]"
_COLORS: Final = lazy(rb"(?:" + _COLOR + rb")+")
_COLORS_AT_END: Final = lazy(rb"(?:" + _COLOR + rb")+[ \t\r]*\Z")
# What a line holds between its colours is not empty here, or a run of colours could be split in
# every way; a line of colours alone has no such part.
_PAINTED_LINE: Final = lazy(rb"\n(?:%b)+(?:([^\x1b\n]+)(?:%b)+)?(?=\n|\Z)" % (_COLOR, _COLOR))
_PAINTED_WORDS: Final = lazy(
    rb"\n(?:%b)+((?:%b)+)(?:%b)+([^\x1b\n]*)(?=\n|\Z)" % (_COLOR, OWN_WORDS, _COLOR)
)
_OFF: Final = lazy(rb"\x1b\[0?m")
_WORDS: Final = lazy(rb"(?:" + OWN_WORDS + rb"|" + _COLOR + rb")*")


def _message(line: bytes, begin: int) -> int:
    """Where the message begins, behind its logger's words, which begin at `begin`.

    A colour right behind them is theirs if one stands before, or if the line ends in one.
    """
    words = _WORDS.match(line, begin)
    end = begin if words is None else words.end()
    last = _at_end(line[:end])
    if last is None or _ESCAPE in line[: last.start()] or _at_end(line):
        return end
    return last.start()


def is_colored(head: bytes) -> bool:
    """Whether its logger colours the lines: a name may hold a colour as well."""
    if _ESCAPE not in head:
        return False
    painted = plain = 0
    for line in head.split(b"\n"):
        if _ESCAPE in line and (words := OWN.search(line, 0, LONGEST)):
            is_painted = _ESCAPE in line[: _message(line, words.start())]
            painted, plain = painted + is_painted, plain + (not is_painted)
    return painted > 0 and painted >= plain


def uncolored(data: bytes) -> bytes:
    """The lines without their colours; nearly all are of the two forms that a pattern finds."""
    if _ESCAPE not in data:
        return data
    data = _PAINTED_WORDS.sub(rb"\n\1\2", _PAINTED_LINE.sub(rb"\n\1", b"\n" + data))[1:]
    if _ESCAPE not in data:
        return data
    lines = data.split(b"\n")
    return b"\n".join([_colorless(line) if _ESCAPE in line else line for line in lines])


def _colorless(line: bytes) -> bytes:
    """Takes away the colours around a line, and around what its logger wrote before the message."""
    words = OWN.search(line, 0, LONGEST)
    if words is not None:
        begin = _message(line, words.start())
        if _ESCAPE in line[:begin]:
            line = _COLORS.sub(b"", line[:begin]) + line[begin:]
        elif begin > words.start():  # what follows is a message's, or a name's
            return line
        return unended(line)
    start, ended = _COLORS.match(line), unended(line)
    if start is None:
        return ended
    if ended is line:  # its start alone is painted
        return _OFF.sub(b"", line[start.end() : LONGEST], count=1) + line[LONGEST:]
    return ended[start.end() :]


def unended(line: bytes) -> bytes:
    """Takes away the colours at the end."""
    end = _at_end(line)
    return line if end is None else line[: end.start()]


def _at_end(line: bytes) -> re.Match[bytes] | None:
    """The colours at the end; None where there are none."""
    return _COLORS_AT_END.search(line, max(0, len(line) - LONGEST))
