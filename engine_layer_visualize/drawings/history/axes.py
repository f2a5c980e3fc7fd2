"""Places values on an axis, and words beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Axis(NamedTuple):
    """A linear axis; its ends are the values of ticks."""

    low: float
    high: float
    step: float  # between two ticks
    start: float  # where its ends lie
    end: float

    def place(self, value: float) -> float:
        """Where a value lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Its ticks, from the lowest."""
        number = round((self.high - self.low) / self.step)
        return [self.low + each * self.step for each in range(number + 1)]


def axis(values: Sequence[float], start: float, end: float, least: float, most: int = 5) -> Axis:
    """An axis that holds all values.

    Args:
        values: What it holds.
        start: Where its lowest value lies.
        end: Where its highest value lies.
        least: The least distance of two ticks.
        most: About how many ticks.
    """
    low, high = min(values), max(values)
    wanted = max((high - low) / most, least)
    scale = 10.0 ** math.floor(math.log10(wanted))
    step = next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= wanted * 0.999)
    bottom = math.floor(low / step + 1e-9) * step
    top = math.ceil(high / step - 1e-9) * step
    return Axis(bottom, top if top > bottom else bottom + step, step, start, end)


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as possible to those wanted, none nearer to another than `gap`."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    placed = [0.0] * len(wanted)
    last = low - gap
    for n in order:
        last = placed[n] = max(wanted[n], last + gap)
    limit = high + gap
    for n in reversed(order):
        limit = placed[n] = min(placed[n], limit - gap)
    return placed


def without_collisions(
    labels: Iterable[tuple[float, float]], gap: float
) -> Iterator[tuple[int, float, float]]:
    """The labels that have room, the first of these first: number, left and right end.

    `labels`: the left and the right end of each, the most important first.
    """
    taken: list[tuple[float, float]] = []
    for number, (left, right) in enumerate(labels):
        if all(right + gap <= start or left >= stop + gap for start, stop in taken):
            taken.append((left, right))
            yield number, left, right
