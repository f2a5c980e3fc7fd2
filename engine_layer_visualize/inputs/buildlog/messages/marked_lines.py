"""Finds the lines that hold a mark, and gives what stands before and behind it."""

from __future__ import annotations

from collections.abc import Callable

from engine_layer_visualize.io.source import line_end, line_start, line_words


def each(
    data: bytes,
    at: int,
    end: int,
    line: int,
    mark: bytes,
    take: Callable[[bytes, bytes, int], None],
) -> None:
    """Calls `take(what stands after the mark, what stands before it, line)` for every line."""
    counted = at
    while (found := data.find(mark, at, end)) >= 0:
        line += data.count(b"\n", counted, found)
        counted = found
        at = line_end(data, found)
        after = line_words(data[found + len(mark) : at])
        take(after, data[line_start(data, found) : found], line)
