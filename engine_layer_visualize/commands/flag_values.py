"""The types of flags: the text of a value in, the value out, or what argparse reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.outputs.options import NARROWEST

if TYPE_CHECKING:
    from engine_layer_visualize.core.peak import Peak


class ListOf:
    """The type of a flag whose value is a list, with commas, of known words."""

    def __init__(self, what: str, known: Sequence[str]) -> None:
        self.what, self.known = what, known

    def __call__(self, text: str) -> tuple[str, ...]:
        """The words, each once. Raises what argparse reports."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        for word in words or [""]:
            if word not in self.known:
                raise argparse.ArgumentTypeError(not_among(self.what, word, self.known))
        return tuple(dict.fromkeys(words))


def peak(text: str) -> Peak | None:
    """What the device can do. Raises what argparse reports."""
    from engine_layer_visualize.analysis.work import peaks

    try:
        return peaks.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def number(text: str) -> int:
    """The value of a flag, an integer from 0 on. Raises what argparse reports."""
    found = int(text)
    if found < 0:
        raise argparse.ArgumentTypeError("at least 0")
    return found


def positive(text: str) -> int:
    """The value of a flag, an integer from 1 on. Raises what argparse reports."""
    found = int(text)
    if found < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return found


def width(text: str) -> int:
    """The columns of a report. Raises what argparse reports."""
    number = positive(text)
    if number < NARROWEST:
        raise argparse.ArgumentTypeError(f"at least {NARROWEST}")
    return number


def line(text: str) -> int:
    """The bytes of a line. Raises what argparse reports."""
    number = int(text)
    if number < 1 << 18:  # the size of one read
        raise argparse.ArgumentTypeError("at least 262144")
    return number
