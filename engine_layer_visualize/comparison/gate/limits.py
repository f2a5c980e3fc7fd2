"""The limits of a gate, and the text of a flag as a fraction."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_FRACTION: Final = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(%?)")


class Limits(NamedTuple):
    """What a new engine may cost more than the baseline. None: that is not looked at."""

    slowdown: float | None = 0.03  # of the whole engine, as a fraction of the baseline
    layer_slowdown: float | None = None  # of a group of layers, as a fraction
    min_layer_ms: float = 0.02  # a group that takes less on both sides is not judged
    memory: float | None = None  # growth, as a fraction
    reformats: int | None = None  # how many there may be more


def fraction(text: str) -> float:
    """Reads `3%` or `0.03` as 0.03.

    Raises:
        ValueError: it is no fraction, or is 1 or more without a sign.
    """
    match = _FRACTION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a fraction such as 3% or 0.03 is wanted, not {text[:40]!r}")
    value = float(match[1])
    if match[2]:
        return value / 100
    return of_number(value)


def of_number(value: float) -> float:
    """Checks a fraction that is given as a number.

    Raises:
        ValueError: it is 1 or more. Who gives 3 most likely means 3 %, and who gives 1 may.
    """
    if not 0 <= value < float("inf"):
        raise ValueError(f"a limit is a fraction from 0 on, such as 0.03, not {value!r}")
    if value >= 1:
        raise ValueError(
            f"{value:g} is {value:g} times the baseline; write {value:g}%, or {value * 100:g}%"
        )
    return value


def percent(value: float, beside: float | None = None) -> str:
    """`5.2 %`; with so many digits that it reads as another number than `beside`, if it is one."""
    for digits in range(1, 7):
        text = f"{value * 100:.{digits}f} %"
        if beside is None or value == beside or float(text[:-2]) != round(beside * 100, digits):
            break
    return text.replace("-0.0 %", "0.0 %")


def signed(value: float, beside: float | None = None) -> str:
    """`+5.2 %`: percents with their sign."""
    text = percent(value, beside)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def allowed(limit: float) -> str:
    """A limit as it was given: `3 %`, `0.5 %`."""
    return f"{limit * 100:.6g} %"
