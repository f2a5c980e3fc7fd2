"""The types of flags: the text of a value in, the value out, or what argparse reports."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.wrong_values import not_among

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_info import Device
    from engine_layer_visualize.core.peak import Peak


class ListOf:
    """The type of a flag whose value is a list, with commas, of known words. `others`: words that
    another command knows, each with it."""

    def __init__(
        self, what: str, known: Sequence[str], others: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.what, self.known, self.others = what, known, others

    def __call__(self, text: str) -> tuple[str, ...]:
        """The words, each once. Raises what argparse reports."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        for word in words or [""]:
            if word not in self.known:
                wrong = not_among(self.what, word, self.known)
                if word in self.others:
                    wrong = f"no {self.what} {word!r} here; the command {self.others[word]} has it"
                raise argparse.ArgumentTypeError(wrong)
        return tuple(dict.fromkeys(words))


def peak(text: str) -> Peak | None:
    """What the device can do. Raises what argparse reports."""
    from engine_layer_visualize.analysis.work import peaks

    try:
        return peaks.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def device(text: str) -> Device:
    """The GPU of this name. Raises what argparse reports."""
    from engine_layer_visualize.analysis.work import peaks

    try:
        return peaks.device(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def whole(text: str) -> int:
    """The value of a flag, an integer. Raises what argparse reports."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a whole number is wanted, not {text[:40]!r}") from None


def number(text: str, least: int = 0) -> int:
    """The same, from `least` on."""
    found = whole(text)
    if found < least:
        raise argparse.ArgumentTypeError(f"at least {least}")
    return found


def positive(text: str) -> int:
    """The value of a flag, an integer from 1 on. Raises what argparse reports."""
    return number(text, 1)


def width(text: str) -> int:
    """The columns of a report. Raises what argparse reports."""
    return number(text, NARROWEST)


def line(text: str) -> int:
    """The bytes of a line. Raises what argparse reports."""
    return number(text, 1 << 18)  # the size of one read
