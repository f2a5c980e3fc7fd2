"""`Limits`: what a new engine may cost over the baseline; and the text of a flag as a fraction."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_FRACTION: Final = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(%?)")


class Limits(NamedTuple):
    """None: that is not looked at. `slowdown`: of the whole engine; `layer_slowdown`: of a group of
    layers, which takes at least `min_layer_ms` on one side; `memory`: growth; all three are
    fractions of the baseline. `reformats`: how many there may be more."""

    slowdown: float | None = 0.03
    layer_slowdown: float | None = None
    min_layer_ms: float = 0.02
    memory: float | None = None
    reformats: int | None = None


def fraction(text: str) -> float:
    """`3%` and `0.03` are 0.03. Raises ValueError; so it does for 1 and more without a sign."""
    match = _FRACTION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a fraction such as 3% or 0.03 is wanted, not {text[:40]!r}")
    value = float(match[1])
    if match[2]:
        return value / 100
    return of_number(value)


def of_number(value: float) -> float:
    """A fraction that is given as a number. Raises ValueError: who gives 3 most likely means 3 %,
    and who gives 1 may."""
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
    """The same with its sign: `+5.2 %`."""
    text = percent(value, beside)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def allowed(limit: float) -> str:
    """A limit as it was given: `3 %`, `0.5 %`."""
    return f"{limit * 100:.6g} %"
