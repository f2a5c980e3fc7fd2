"""Two sequences of small integers and a score for each pair of them in; pairs of positions out.

Needleman and Wunsch's alignment, between anchors where both sequences are long.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Final

Score = Callable[[int, int], float]
Pair = tuple[int, int]

GAP: Final = -0.6
_SMALL: Final = 250_000  # cells that are filled at once
_LARGE: Final = 3_000_000  # cells that are filled at all
_EDITS: Final = 3_000  # of the long sequences
_RUN: Final = 3  # equal words in a row that are an anchor


def aligned(a: Sequence[int], b: Sequence[int], score: Score) -> list[Pair]:
    """Positions that belong together, in order. Equal words that begin or end both do."""
    start, stop = 0, min(len(a), len(b))
    if len(a) * len(b) <= _SMALL:
        return _filled(a, b, score)
    while start < stop and a[start] == b[start]:
        start += 1
    end = 0
    while end < stop - start and a[-1 - end] == b[-1 - end]:
        end += 1
    found = [(i, i) for i in range(start)]
    found += [
        (i + start, j + start)
        for i, j in _between(a[start : len(a) - end], b[start : len(b) - end], score)
    ]
    found += [(len(a) - i, len(b) - i) for i in range(end, 0, -1)]
    return found


def _between(a: Sequence[int], b: Sequence[int], score: Score) -> Iterator[Pair]:
    """The same for what differs at both ends: anchors are runs of equal words."""
    if len(a) * len(b) <= _SMALL:
        yield from _filled(a, b, score)
        return
    budget = _LARGE
    at, other = 0, 0
    for i, j, length in [*_runs(a, b), (len(a), len(b), 0)]:
        cells = (i - at) * (j - other)
        if cells and (cells <= _SMALL or cells <= budget):
            budget -= cells
            yield from ((m + at, n + other) for m, n in _filled(a[at:i], b[other:j], score))
        yield from ((i + k, j + k) for k in range(length))
        at, other = i + length, j + length


def _filled(a: Sequence[int], b: Sequence[int], score: Score) -> list[Pair]:
    """Needleman and Wunsch. Of equal alignments the one that pairs the most."""
    if not a or not b:
        return []
    words = dict.fromkeys(b)
    scores = {word: {other: score(word, other) for other in words} for word in set(a)}
    width = len(b)
    before = [GAP * j for j in range(width + 1)]
    moves = []
    for i, word in enumerate(a, 1):
        own = scores[word]
        now = [GAP * i]
        last = now[0]
        move = bytearray(width + 1)
        for j in range(1, width + 1):
            diagonal = before[j - 1] + own[b[j - 1]]
            up = before[j] + GAP
            last += GAP
            if diagonal >= up and diagonal >= last:
                last = diagonal
            elif up >= last:
                last = up
                move[j] = 1
            else:
                move[j] = 2
            now.append(last)
        before = now
        moves.append(move)
    found = []
    i, j = len(a), width
    while i and j:
        move_here = moves[i - 1][j]
        if not move_here:
            found.append((i - 1, j - 1))
        i -= move_here != 2
        j -= move_here != 1
    return found[::-1]


def _runs(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of equal words on a shortest edit path (Myers), as (position, position, length).

    None of them where there are more than `_EDITS` edits.
    """
    reach = array("l")  # for each diagonal, the last first
    trace = [reach]
    for edits in range(min(len(a) + len(b), _EDITS) + 1):
        now = array("l", bytes(reach.itemsize * (edits + 1)))
        for at in range(edits + 1):
            down = _goes_down(reach, edits, at)
            x = 0 if not edits else reach[at] if down else reach[at - 1] + 1
            y = x - (2 * at - edits)
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x += 1
                y += 1
            now[at] = x
            if x >= len(a) and y >= len(b):
                return _walked_back(trace, edits, at, x)
        reach = now
        trace.append(now)
    return []


def _goes_down(before: array[int], edits: int, at: int) -> bool:
    """Whether the path to this diagonal leaves out a word of the second sequence."""
    return at == 0 or (at != edits and before[at - 1] < before[at])


def _walked_back(
    trace: list[array[int]], edits: int, at: int, x: int
) -> list[tuple[int, int, int]]:
    """The runs of the path that ends at `x`."""
    found = []
    for number in range(edits, -1, -1):
        before, down = trace[number], _goes_down(trace[number], number, at)
        start = 0 if not number else before[at] if down else before[at - 1] + 1
        if x - start >= _RUN:
            found.append((start, start - (2 * at - number), x - start))
        if number:
            at -= not down
            x = before[at]
    return found[::-1]
