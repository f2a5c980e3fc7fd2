"""Reads warnings and errors.

Stretches of the log go in; `Message`s come out. `Severe` counts those of an attempt, or of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from engine_layer_visualize.core.build_info import Message
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.inputs.buildlog.prefixes import HARMLESS, MARKS, TRT
from engine_layer_visualize.io.source import decode, line_end, line_start

_SEVERITIES: Final[tuple[tuple[bytes, Severity], ...]] = ((b"W", "warning"), (b"E", "error"))
_MOST_MESSAGES: Final = 100  # of a severity; beyond them few of each kind
_MOST_OF_KIND: Final = 3
_MOST_KINDS: Final = 100
_KIND: Final = 3  # its first words
_LONGEST: Final = 500
_FREQUENT: Final = 1000  # of a letter in a stretch: then a pattern is searched
# The letter of a severity, and what follows on it in the marks.
# e.g. (8-) [W] [TRT] Some words
# e.g. (7) WARNING: Some words
_WARNING: Final = lazy(rb"W[]A]")
# e.g. (8-) [E] [TRT] Some words
# e.g. (7) ERROR: Some words
_ERROR: Final = lazy(rb"E[]R]")


class Severe:
    """Warnings and errors: `counts` of all, and those that are kept, in the log's order."""

    def __init__(self) -> None:
        self.kept: list[Message] = []
        self.counts: dict[Severity, int] = {"warning": 0, "error": 0}
        self._kinds: Counter[tuple[str, ...]] = Counter()

    def add(self, message: Message) -> None:
        """Counts a message. A calibration prints hundreds of one kind, and trtexec's own warnings
        come after them: so a few of each later kind are kept."""
        self.counts[message.severity] += 1
        if self.counts[message.severity] <= _MOST_MESSAGES or self._is_new(message):
            self.kept.append(message)

    def joined(self, other: Severe) -> Severe:
        """Those of both."""
        both = Severe()
        both.kept = sorted((*self.kept, *other.kept), key=attrgetter("line"))
        both.counts = {key: self.counts[key] + other.counts[key] for key in self.counts}
        return both

    def _is_new(self, message: Message) -> bool:
        kind = (message.severity, *message.text.split(maxsplit=_KIND)[:_KIND])
        if kind not in self._kinds and len(self._kinds) == _MOST_KINDS:
            return False
        self._kinds[kind] += 1
        return self._kinds[kind] <= _MOST_OF_KIND


def read(data: bytes, at: int, end: int, line: int) -> list[Message]:
    """The warnings and errors of whole lines, in order; `line` numbers the first."""
    found = [
        message
        for letter, severity in _SEVERITIES
        for message in _of(letter, severity, data, at, end, line)
    ]
    return sorted(found, key=attrgetter("line"))


def _of(
    letter: bytes, severity: Severity, data: bytes, at: int, end: int, line: int
) -> Iterator[Message]:
    place = counted = at
    for found in _letters(data, at, end, letter):
        starts = (found - mark.index(letter) for mark in MARKS[letter])
        marked = [
            (start, mark)
            for start, mark in zip(starts, MARKS[letter])
            if start >= at and data.startswith(mark, start)
        ]
        if found < place or not marked:
            continue
        start, mark = marked[0]
        place = line_end(data, found)
        before = data[line_start(data, start) : start]
        inside = before[-1:].isalnum() or before[-1:] in (b'"', b"'", b"_")  # a program's
        if not inside and not any(word in before for word in HARMLESS):
            line += data.count(b"\n", counted, start)
            counted = start
            words = data[start + len(mark) : place].removeprefix(TRT + b" ")
            yield Message(severity, decode(words[:_LONGEST]).strip(), line)


def _letters(data: bytes, at: int, end: int, letter: bytes) -> Iterator[int]:
    """Where the letter stands as in the marks of its severity: `W]` or `WA`, `E]` or `ER`.

    A rare letter is found at the memory's speed, a pattern at a tenth of it.
    """
    pattern = _WARNING if letter == b"W" else _ERROR
    found = data.find(letter, at, end)
    for _ in range(_FREQUENT):
        if found < 0:
            return
        if pattern.match(data, found):
            yield found
        found = data.find(letter, found + 1, end)
    for match in pattern.finditer(data, found, end) if found >= 0 else ():
        yield match.start()
