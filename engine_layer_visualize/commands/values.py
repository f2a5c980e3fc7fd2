"""Reads the values of flags: each function takes a text, and raises ValueError where it is none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.text import not_among

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_info import Device
    from engine_layer_visualize.core.options import Peak


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


def folder(text: str) -> str:
    """Returns the name of a folder, which is not that of a picture."""
    if text.endswith((".dot", ".svg", ".png", ".html")) and not os.path.isdir(text):
        raise ValueError(f"a folder is wanted, for the file of each engine: {text}")
    return text


def peak(text: str) -> Peak | None:
    """Returns what the device can do."""
    from engine_layer_visualize.analysis import peaks

    return peaks.parse(text)


def device(text: str) -> Device:
    """The GPU of this name. Raises ValueError."""
    from engine_layer_visualize.analysis import peaks

    return peaks.device(text)


def seconds(text: str) -> float:
    """Returns a time that a thread can wait for."""
    import threading

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


def number(text: str, least: int = 0, most: int | None = None) -> int:
    """Returns an integer that is `least` or more, and at most `most`."""
    value = whole(text)
    if value < least:
        raise ValueError(f"at least {least}")
    if most is not None and value > most:
        raise ValueError(f"at most {most}")
    return value


def codes(text: str) -> tuple[str, ...]:
    """Returns codes of rules, or starts of codes, such as `P,F02`."""
    words = split(text)
    if not words:
        raise ValueError("codes of rules are wanted, such as P,F02")
    return tuple(dict.fromkeys(map(_code, words)))


def _code(word: str) -> str:
    """Reads a rule's code, its name, or the start of codes."""
    from engine_layer_visualize.linting.causes import retired
    from engine_layer_visualize.linting.rules import all_rules, nearest_rule

    rules, start = all_rules(), word.upper()
    if start and any(code.startswith(start) for code in rules):
        return start
    names = {entry.rule.name: code for code, entry in rules.items()}
    if word.lower() in names:
        return names[word.lower()]
    if former := [code for code, _ in retired(word)]:
        return former[0] if len(former) == 1 else start
    near = nearest_rule(word)
    instead = f"did you mean {near}?" if near else "docs/findings.md lists all"
    raise ValueError(f"no rule {word[:80]!r}; {instead}")


def milliseconds(text: str) -> float:
    """Returns a number of milliseconds."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(f"a number of milliseconds, such as 0.01 is wanted, not {text[:80]!r}")
    return number


port: Final = partial(number, most=(1 << 16) - 1)  # of this computer; 0: one that is free
positive: Final = partial(number, least=1)
width: Final = partial(number, least=NARROWEST)  # columns of a report
