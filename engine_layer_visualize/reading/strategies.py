"""Reads which ways to build an engine were tried, and which one was kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.core.limits import lazy

# TensorRT 10 may build a network with several backend strategies, one after the other; it keeps the
# engine whose inference time it estimates to be the least.
MARK: Final = b" backend strategy "
# e.g. (8.6-) Building graph using backend strategy 4
# e.g. (10) Use backend strategy 4 with estimated inference time (0.3344) as the initial choice.
# e.g. (10) Chose this engine with backend strategy 3 since its estimated inference time (0.31)
# e.g. (10) Skip backend strategy 2since its estimated inference time (0.33) is not faster than
_LINE: Final = lazy(
    rb"(Building graph using|Use|Chose this engine with|Skip) backend strategy (\d{1,9})"
    rb"(?: ?(?:with|since its) estimated inference time \((\d[\d.e+-]{0,22})\))?"
)
BUILDING: Final = b"Building graph using"


class Strategy(NamedTuple):
    """A line about a strategy: its attempt `begins`, or it was `kept` or not.

    `inference_ms`: as the builder estimates it; None where the line does not say.
    """

    line: int
    number: int
    begins: bool
    kept: bool
    inference_ms: float | None


def of(text: bytes, line: int) -> Strategy | None:
    """What a line says of a strategy; None where it says nothing."""
    match = _LINE.search(text)
    if match is None:
        return None
    try:
        ms = None if match[3] is None else float(match[3])
    except ValueError:
        ms = None
    return Strategy(line, int(match[2]), match[1] == BUILDING, match[1] != b"Skip", ms)


def undecided(told: Sequence[Strategy]) -> bool:
    """Whether there were several attempts, and the log does not say which one was kept."""
    return sum(strategy.begins for strategy in told) > 1 and not rejected(told)


def outside(line: int, shut: Iterable[tuple[int, int | None]]) -> bool:
    """Whether a line is of no attempt that `rejected` gives."""
    return not any(first <= line <= (last or line) for first, last in shut)


def rejected(told: Iterable[Strategy]) -> list[tuple[int, int | None]]:
    """The first and the last line of each attempt whose engine was not kept; None: up to the end.

    Nothing where the log does not say which one was kept.
    """
    begun: list[tuple[Strategy, int | None]] = []
    kept = None
    for strategy in told:
        if strategy.begins:
            if begun:
                begun[-1] = begun[-1][0], strategy.line - 1
            begun.append((strategy, None))
        elif strategy.kept:
            kept = next((b for b, _ in reversed(begun) if b.number == strategy.number), kept)
    return [(b.line, last) for b, last in begun if b is not kept] if kept is not None else []
