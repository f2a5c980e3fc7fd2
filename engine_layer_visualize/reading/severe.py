"""Reads warnings and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.build_info import Message
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.reading.hosts import HARMLESS, MARKS, TRT
from engine_layer_visualize.reading.markers import Stretch, Told

_SEVERITIES: Final[tuple[tuple[bytes, Severity], ...]] = ((b"W", "warning"), (b"E", "error"))
_WORDS_OF_KIND: Final = 3  # its first words
_FREQUENT: Final = 1000  # of a letter in a stretch: then a pattern is searched
# VERBOSE lines that tell what a warning is about: the values in front of it, the names behind it.
_CLAMPED: Final = (b"was clamped", b"were clamped")
_VALUE: Final = b"Weight at index "
# e.g. (8.2-8.6) [V] [TRT] Importing initializer: onnx::Add_1
# e.g. (8.4) [V] [TRT] Constant_256 [Constant] inputs:
_CONSTANT: Final = lazy(rb"Importing initializer: .*|[^] ][^]]* \[Constant\] inputs:")
_AFFECTED: Final = b"affected by this issue"
_LIST: Final = b"List of affected weights: "
# The letter of a severity, and what follows on it in the marks.
# e.g. (8-) [W] [TRT] Some words
# e.g. (7) WARNING: Some words
_WARNING: Final = lazy(rb"W[]A]")
# e.g. (8-) [E] [TRT] Some words
# e.g. (7) ERROR: Some words
_ERROR: Final = lazy(rb"E[]R]")


class Severe(Told):
    """Warnings and errors: `counts` of all, and those that are kept, in the log's order."""

    def __init__(self) -> None:
        self.kept: list[Message] = []
        self.counts: dict[Severity, int] = {"warning": 0, "error": 0}
        self._kinds: Counter[tuple[str, ...]] = Counter()

    def add(self, message: Message) -> None:
        """Counts a message.

        A calibration prints hundreds of one kind, and trtexec's own warnings come after them: so a
        few of each later kind are kept.
        """
        self.counts[message.severity] += 1
        if self.counts[message.severity] <= limits.MESSAGES or self._is_new(message):
            self.kept.append(message)

    def joined(self, after: Severe) -> Severe:
        """The warnings and errors of both."""
        both = Severe()
        both.kept = sorted((*self.kept, *after.kept), key=attrgetter("line"))
        both.counts = {key: self.counts[key] + after.counts[key] for key in self.counts}
        return both

    def _is_new(self, message: Message) -> bool:
        kind = (message.severity, *message.text.split(maxsplit=_WORDS_OF_KIND)[:_WORDS_OF_KIND])
        if kind not in self._kinds and len(self._kinds) == limits.KINDS:
            return False
        self._kinds[kind] += 1
        return self._kinds[kind] <= limits.OF_KIND


def read(stretch: Stretch) -> list[Message]:
    """The warnings and errors, in the log's order."""
    messages = [
        message
        for letter, severity in _SEVERITIES
        for message in _of_severity(letter, severity, stretch)
    ]
    return sorted(messages, key=attrgetter("line"))


def _of_severity(letter: bytes, severity: Severity, stretch: Stretch) -> Iterator[Message]:
    data, end = stretch.data, stretch.begin
    for place in _letters(data, stretch.begin, stretch.end, letter):
        starts = (place - mark.index(letter) for mark in MARKS[letter])
        marked = [
            (start, mark)
            for start, mark in zip(starts, MARKS[letter])
            if start >= stretch.begin and data.startswith(mark, start)
        ]
        if place < end or not marked:
            continue
        start, mark = marked[0]
        end = line_end(data, place)
        before = data[line_start(data, start) : start]
        inside = before[-1:].isalnum() or before[-1:] in (b'"', b"'", b"_")  # a program's
        if not inside and not any(word in before for word in HARMLESS):
            words = data[start + len(mark) : end].removeprefix(TRT + b" ")
            text = decode(words[: limits.MESSAGE]).strip()
            if words.rstrip().endswith(_CLAMPED):
                text += _values(data, line_start(data, start))
            elif _AFFECTED in words:
                text += _names(data, end)
            yield Message(severity, text, stretch.number(start))


def _values(data: bytes, end: int) -> str:
    """What stands in front of the warning that ends there: each value once, and whose it is."""
    values = dict[bytes, None]()
    for _ in range(min(limits.LINES_BEFORE, end)):
        start = line_start(data, end - 1) if end else 0
        _, there, words = data[start:end].partition(_VALUE)
        if not there:
            match = _CONSTANT.search(data, start, end) if values else None
            whose = (match[0],) if match else ()
            told = (*whose, *(_VALUE + value for value in values))
            return "".join(f" {decode(one[: limits.MESSAGE])}" for one in told)
        values[words.rstrip()] = None
        end = start
    return ""


def _names(data: bytes, end: int) -> str:
    """The names of weights in the line behind the one that ends there."""
    _, there, words = data[end : line_end(data, end)].partition(_LIST)
    return f" {decode((there + words)[: limits.WEIGHTS]).strip()}" if there else ""


def _letters(data: bytes, begin: int, end: int, letter: bytes) -> Iterator[int]:
    """Where the letter stands as in the marks of its severity: `W]` or `WA`, `E]` or `ER`.

    A rare letter is found at the memory's speed, a pattern at a tenth of it.
    """
    pattern = _WARNING if letter == b"W" else _ERROR
    place = data.find(letter, begin, end)
    for _ in range(_FREQUENT):
        if place < 0:
            return
        if pattern.match(data, place):
            yield place
        place = data.find(letter, place + 1, end)
    for match in pattern.finditer(data, place, end) if place >= 0 else ():
        yield match.start()
