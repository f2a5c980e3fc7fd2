"""Tells what time it was at a line, by the stamps that hosts and loggers write before messages.

Times are microseconds since the first stamp. The clock never goes back: several threads write into
one log.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from engine_layer_visualize.core.patterns import lazy

LONGEST: Final = 200  # bytes before a stamp's end
_SECOND: Final = 1_000_000  # µs
_DAY: Final = 86_400 * _SECOND
# e.g. (8-) [03/24/2023-12:57:38] [V] [TRT] Some words
# e.g. (-7) [12:15:24] [V] [TRT] Some words
# e.g. (ONNX Runtime, TF-TRT) 2024-03-28 13:07:04.7281 [W:onnxruntime:, a.h:83 log] Some words
# and of docker: 2026-11-22T13:07:04.728123456Z [V] Some words
STAMP: Final = lazy(
    rb"(?<!\d)(?:(?P<mdy>\d\d/\d\d/\d{4})-|(?P<iso>\d{4}-\d\d-\d\d)[T ]|(?<=\[))"
    rb"(?P<h>[01]\d|2[0-3]):(?P<m>[0-5]\d):(?P<s>[0-5]\d|60)(?:[.,](?P<part>\d{1,9}))?(?!\d)"
)
# Behind these a stamp is a part of a message.
# e.g. (8-) [V] [TRT] Some words
_IN_MESSAGE: Final = lazy(rb"\[TRT\]|\[V\]|TensorRT\]")


class Clock:
    """What time it is at the line that was read last."""

    def __init__(self) -> None:
        self.now = 0  # µs since the first stamp
        self.begins: str | None = None  # the first stamp; None before any is read
        self.digits = 0  # the most, up to 6, that a stamp has behind the seconds
        self.backwards = 0  # stamps that are earlier than one before
        self._text = b""  # of the last stamp
        self._first = 0
        self._read = 0  # the latest stamp's own time, since the midnight before the first one
        self._date: int | None = None  # of that midnight, where a stamp told it

    def read(self, line: bytes) -> int:
        """What time it is at this line; where it has no stamp, as at the line before."""
        match = STAMP.search(line, 0, LONGEST)
        if match is None or match[0] == self._text or _IN_MESSAGE.search(line, 0, match.start()):
            return self.now
        self._text = match[0]
        part = match["part"] or b""
        seconds = (int(match["h"]) * 60 + int(match["m"])) * 60 + int(match["s"])
        us = seconds * _SECOND + int(part[:6].ljust(6, b"0"))
        # Without a date it is of the day on which it is nearest to the latest one: threads that log
        # around midnight, and a program's own stamps among dated ones.
        days = max(0, round((self._read - us) / _DAY))
        if date_ := _day(match):
            self._date = date_ - days if self._date is None else self._date
            days = date_ - self._date
        us += days * _DAY
        if self.begins is None:
            self.begins, self._first = match[0].decode(), us
        self.backwards += us < self._read
        self._read = max(us, self._read)
        self.digits = max(self.digits, min(6, len(part)))
        self.now = max(self.now, us - self._first)
        return self.now

    def passed(self, since: int, us: int) -> int:
        """It is at least so many µs later than `since`, for the log says how long it took."""
        self.now = max(self.now, since + us)
        return self.now


def _day(match: re.Match[bytes]) -> int:
    """Its number; 0 of a stamp without a date, or with none that can be."""
    try:
        if mdy := match["mdy"]:
            return date(int(mdy[6:]), int(mdy[:2]), int(mdy[3:5])).toordinal()
        if iso := match["iso"]:
            return date.fromisoformat(iso.decode()).toordinal()
    except ValueError:
        pass
    return 0
