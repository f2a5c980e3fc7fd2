"""Walks a JSON text from value to value, so that a large one is never objects all at once.

It knows the line of each value, and where and why a text is no JSON.
"""

import json
import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.io.source import Source

_BLANK: Final = lazy(r"[ \t\r\n]*")
_NO_UTF8: Final = lazy("[\udc80-\udcff]")  # how Python keeps a byte that is none
# Some versions write raw control characters into strings.
PLAIN: Final = json.JSONDecoder(strict=False)
# What is no finite number stays the text that it is: JSON has no other.
EXACT: Final = json.JSONDecoder(
    strict=False,
    parse_constant=str,
    parse_float=lambda text: number if math.isfinite(number := float(text)) else text,
)
UNREADABLE: Final = (ValueError, RecursionError)  # ValueError: also a number of too many digits


def finite(value: JsonValue, per: int = 1) -> float | None:
    """The number, divided by `per`, if it is one, finite and not below 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = value / per
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def measured(value: JsonValue, per: int = 1) -> float | None:
    """The finite number, if it can be measured."""
    number = finite(value, per)
    return number if number is not None and limits.plausible(number) else None


def text_of(source: Source) -> str:
    """A whole source as JSON, in which bytes that are no UTF-8 are told (ELV117), and spelled.

    Raises ReadError (ELV109), as `Source.text`.
    """
    data = source.whole()
    try:
        return data.decode()
    except UnicodeDecodeError as wrong:
        byte, line = f"{data[wrong.start]:02x}", data.count(b"\n", 0, wrong.start) + 1
        message = f"the byte 0x{byte} is no UTF-8: read as `\\x{byte}`"
        source.problems.append(Problem(Place(source.name, line), "ELV117", message))
        text = data.decode("utf-8", "surrogateescape")
        return _NO_UTF8.sub(lambda each: f"\\\\x{ord(each[0]) - 0xDC00:02x}", text)


class Walk:
    """A position in a text. What raises, raises one of UNREADABLE."""

    def __init__(self, text: str, file: str, decoder: json.JSONDecoder = EXACT) -> None:
        self._text, self._file, self._decoder = text, file, decoder
        self.at, self._began = 0, 0  # where the next value is, and the last one
        self._line, self._counted = 1, 0

    def go(self, at: int) -> None:
        """Goes on to a value further down."""
        self.at = self._began = at

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here; the caller walks past each value."""
        self._expect("{")
        while not self._accept("}"):
            key = self.value()
            if not isinstance(key, str):
                raise json.JSONDecodeError("expecting a key in quotes", self._text, self.at)
            self._expect(":")
            yield key
            if not self._accept(","):
                self._expect("}")
                return

    def elements(self) -> Iterator[JsonValue]:
        """The values of the list that begins here."""
        self._expect("[")
        while not self._accept("]"):
            yield self.value()
            if not self._accept(","):
                self._expect("]")
                return

    def value(self) -> JsonValue:
        """The next value, whole."""
        self._skip()
        self._began = self.at
        value: JsonValue
        value, self.at = self._decoder.raw_decode(self._text, self.at)
        return value

    def starts(self, mark: str) -> bool:
        """Whether the next value begins so."""
        self._skip()
        return self._text.startswith(mark, self.at)

    def end(self) -> None:
        """Raises where something follows the last value."""
        self._skip()
        if self.at < len(self._text):
            raise json.JSONDecodeError("extra data", self._text, self.at)

    @property
    def line(self) -> int:
        """The line where the last value began."""
        self._line += self._text.count("\n", self._counted, self._began)
        self._counted = self._began
        return self._line

    def problem(self, code: str, words: str, error: Exception) -> Problem:
        """The problem, with `words`, the reason, and the place."""
        offset = getattr(error, "pos", self.at)
        start = self._text.rfind("\n", 0, offset) + 1
        place = Place(self._file, self._text.count("\n", 0, offset) + 1, offset - start + 1)
        end = self._text.find("\n", offset)
        line = self._text[start : end if end >= 0 else len(self._text)]
        why = getattr(error, "msg", "nested too deeply, or a number too long").lower()
        return Problem(place, code, f"{words}: {why}", *excerpt(line, offset - start + 1))

    def is_cut(self, error: Exception) -> bool:
        """Whether the text ends too early, as a file that was cut does."""
        offset = getattr(error, "pos", self.at)
        return "Unterminated" in str(error) or offset >= len(self._text.rstrip())

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self.at)
        assert match is not None
        self.at = match.end()

    def _accept(self, mark: str) -> bool:
        if self.starts(mark):
            self.at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise json.JSONDecodeError(f"expecting '{mark}'", self._text, self.at)
