"""Reads the values of flags: each function takes a text, and raises ValueError."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.wrong_values import not_among

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_info import Device
    from engine_layer_visualize.core.peak import Peak


class ListOf:
    """The type of a flag whose value is a list, with commas, of known words."""

    def __init__(
        self, what: str, known: Sequence[str], others: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.what = what  # what a word is called in messages
        self.known = known
        self.others = others  # words that another command knows, each with this command

    def __call__(self, text: str) -> tuple[str, ...]:
        """Returns the words, each once."""
        words = split(text)
        for word in words or [""]:
            if word not in self.known:
                wrong = not_among(self.what, word, self.known)
                if word in self.others:
                    wrong = f"no {self.what} {word!r} here; the command {self.others[word]} has it"
                raise ValueError(wrong)
        return tuple(dict.fromkeys(words))


def split(text: str) -> list[str]:
    """Returns the words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def peak(text: str) -> Peak | None:
    """Returns what the device can do."""
    from engine_layer_visualize.analysis.work import peaks

    return peaks.parse(text)


def device(text: str) -> Device:
    """The GPU of this name. Raises ValueError."""
    from engine_layer_visualize.analysis.work import peaks

    return peaks.device(text)


def port(text: str) -> int:
    """A port of this computer; 0: one that is free."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 1 << 16):
        raise ValueError(f"not a port: {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """Returns a time that a thread can wait for."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= threading.TIMEOUT_MAX:
        raise ValueError(f"not a number of seconds: {text!r}")
    return number


def whole(text: str) -> int:
    """Returns an integer."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a whole number is wanted, not {text[:40]!r}") from None


def number(text: str, least: int = 0) -> int:
    """Returns an integer that is `least` or more."""
    value = whole(text)
    if value < least:
        raise ValueError(f"at least {least}")
    return value


positive: Final = partial(number, least=1)
width: Final = partial(number, least=NARROWEST)  # columns of a report
line: Final = partial(number, least=1 << 18)  # bytes of a line: the size of one read
