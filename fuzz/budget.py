"""Checks that eight times as much text costs about eight times as much time and memory.

Work over a text, and a text that can grow, in; the measured costs of a short and a long text out.
Costs are compared only with each other, never with a clock.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Final

from engine_layer_visualize.core.limits import no_collections

TIMES_LONGER: Final = 8
_POWER: Final = 1.2
TIMES_COST: Final = TIMES_LONGER**_POWER  # a quadratic reader costs 64 times as much
MEASURABLE: Final = 0.02  # seconds
_LEAST: Final = 0.001  # seconds: less is noise, and hides a quadratic cost of so little
LARGEST: Final = 1 << 18  # characters of the short text
_ROOM: Final = 4 << 20  # bytes that are no cost: buffers, and what is loaded once
_TRIES: Final = 3

Work = Callable[[str], object]
Grown = Callable[[int], str]  # about so many characters


def cost(run: Callable[[], object]) -> float:
    """Processor time of one run; a second one could find its answer kept. Without collections of
    garbage, which go through all that other tests have left in the process."""
    with no_collections():
        start = time.process_time()
        run()
        return time.process_time() - start


def linear(prepared: Callable[[int], Callable[[], object]], few: int, many: int) -> None:
    """AssertionError where the time of what was prepared grows faster than its size to the power
    of 1.2. The time of `few` should be a millisecond or more. A busy machine gets other tries, at
    larger sizes: `few` may fit a cache that `many` does not, and only growth goes on."""
    for _ in range(_TRIES + 1):
        short, long = cost(prepared(few)), cost(prepared(many))
        if long < (many / few) ** _POWER * max(short, _LEAST):
            return
        few, many = 2 * few, 2 * many
    raise AssertionError(f"{short:.3f} s, then {long:.3f} s for {many / few:g} times as much")


def in_time(work: Work, text: Grown) -> None:
    """AssertionError where time grows faster than the text."""

    def prepared(size: int) -> Callable[[], object]:
        return partial(work, text(size))

    prepared(1)()  # what is loaded once is no part of the cost
    size = 1 << 12
    while cost(prepared(size)) < MEASURABLE and size < LARGEST:
        size *= 2
    linear(prepared, size, size * TIMES_LONGER)


def peak(work: Work, text: str) -> int:
    """The most that was allocated during one run, in bytes."""
    tracemalloc.start()
    try:
        work(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def in_memory(work: Work, text: Grown, size: int = 1 << 15) -> None:
    """AssertionError where memory grows faster than the text."""
    work(text(1))
    short, long = peak(work, text(size)), peak(work, text(size * TIMES_LONGER))
    bound = TIMES_COST * max(short, _ROOM / TIMES_COST)
    assert long < bound, f"{short} bytes, then {long} for {TIMES_LONGER} times as much"
