"""Reads some lines of a file of any length, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine_layer_visualize.io.source import Source, decode


class Line(NamedTuple):
    """A line of a file, without its end."""

    number: int  # from 1, over the unpacked file
    text: str  # its start, where it is longer than was asked for
    length: int  # bytes


def between(path: str, first: int, last: int, longest: int) -> Iterator[Line]:
    """Yields lines of a file, packed or not, and reads no further than the last of them.

    Args:
        path: the file.
        first: the number of the first line, from 1.
        last: the number of the last line.
        longest: bytes that are kept of a line.

    Raises:
        ReadError: ELV401, where there is nothing to open.
    """
    number, kept, length = 1, b"", 0
    for chunk in Source(path).chunks():
        start = 0
        if number < first:
            ends = chunk.count(b"\n")
            if number + ends < first:  # all of it stands before
                number += ends
                continue
        while start < len(chunk):
            end = chunk.find(b"\n", start)
            stop = len(chunk) if end < 0 else end
            if number >= first:
                kept += chunk[start : min(stop, start + longest - len(kept))]
                length += stop - start
            if end < 0:
                break
            if number >= first:
                yield Line(number, decode(kept), length)
            number, kept, length, start = number + 1, b"", 0, end + 1
            if number > last:
                return
    if length and number >= first:
        yield Line(number, decode(kept), length)
