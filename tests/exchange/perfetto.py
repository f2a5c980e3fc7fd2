"""Perfetto's rules for slices of Chrome's JSON, as its importer applies them."""

from collections import defaultdict
from itertools import product
from typing import Any


def nanoseconds(us: float) -> int:
    """It reads a number of µs as a double, multiplies, and drops the rest."""
    return int(us * 1000)


def misplaced(events: list[dict[str, Any]]) -> list[str]:
    """Slices that begin inside another of their thread and end after it: Perfetto drops these.

    Counted in its nanoseconds, and in the numbers as they stand.
    """
    threads = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    found = []
    for slices, read in product(threads.values(), (nanoseconds, float)):
        around: list[float] = []  # ends
        for one in sorted(slices, key=lambda one: read(one["ts"])):
            start = read(one["ts"])
            end = start + read(one["dur"])
            while around and around[-1] <= start:
                around.pop()
            if around and end > around[-1]:
                found.append(one["name"])
            around.append(end)
    return found
