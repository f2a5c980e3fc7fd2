"""Whole lines of a log that are read together, and the numbers of their lines."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.io.source import line_end, line_start, line_words


class Stretch:
    """The lines `data[begin:end]`."""

    __slots__ = ("_line", "_place", "begin", "data", "end", "line")

    def __init__(self, data: bytes, begin: int, end: int, line: int) -> None:
        self.data = data
        self.begin = begin
        self.end = end
        self.line = line  # the number of the first
        self._place, self._line = begin, line  # the place that was asked for last

    def __bool__(self) -> bool:
        return self.begin < self.end

    def number(self, place: int) -> int:
        """The number of the line of a place, counted from the nearest one that is known."""
        if place >= self._place:
            self._line += self.data.count(b"\n", self._place, place)
        elif self._place - place < place - self.begin:
            self._line -= self.data.count(b"\n", place, self._place)
        else:
            self._line = self.line + self.data.count(b"\n", self.begin, place)
        self._place = place
        return self._line

    def part(self, begin: int, end: int) -> Stretch:
        """The lines from one place to another."""
        return Stretch(self.data, begin, end, self.number(begin))

    def find(self, mark: bytes) -> int:
        """Where a mark stands first; -1 where it does not."""
        return self.data.find(mark, self.begin, self.end)

    def places(self, mark: bytes) -> Iterator[int]:
        """Where a mark stands first in each line that has it."""
        place = self.find(mark)
        while place >= 0:
            yield place
            place = self.data.find(mark, line_end(self.data, place), self.end)

    def marked(self, mark: bytes) -> Iterator[tuple[bytes, bytes, int]]:
        """Gives each line with a mark: what stands behind it, what stands before it, the number."""
        for place in self.places(mark):
            words = line_words(self.data[place + len(mark) : line_end(self.data, place)])
            yield words, self.data[line_start(self.data, place) : place], self.number(place)
