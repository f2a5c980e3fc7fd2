"""Finds what belongs together in two sequences: by alignment, by rising places, by equal signs.

The alignment is Needleman and Wunsch's, between anchors where both sequences are long.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final

Score = Callable[[int, int], float]
Pair = tuple[int, int]

GAP: Final = -0.6
_MAX_CELLS_AT_ONCE: Final = 250_000  # cells that are filled at once
_MAX_CELLS: Final = 3_000_000  # cells that are filled at all
_MAX_EDITS: Final = 3_000  # of the long sequences
_MIN_RUN: Final = 3  # equal words in a row that are an anchor


def aligned(a: Sequence[int], b: Sequence[int], score: Score) -> list[Pair]:
    """Positions that belong together, in order. Equal words that begin or end both do."""
    start, stop = 0, min(len(a), len(b))
    if len(a) * len(b) <= _MAX_CELLS_AT_ONCE:
        return _filled(a, b, score)
    while start < stop and a[start] == b[start]:
        start += 1
    end = 0
    while end < stop - start and a[-1 - end] == b[-1 - end]:
        end += 1
    pairs = [(i, i) for i in range(start)]
    pairs += [
        (i + start, j + start)
        for i, j in _between(a[start : len(a) - end], b[start : len(b) - end], score)
    ]
    pairs += [(len(a) - i, len(b) - i) for i in range(end, 0, -1)]
    return pairs


def _between(a: Sequence[int], b: Sequence[int], score: Score) -> Iterator[Pair]:
    """The pairs where both ends differ: anchors are runs of equal words."""
    if len(a) * len(b) <= _MAX_CELLS_AT_ONCE:
        yield from _filled(a, b, score)
        return
    budget = _MAX_CELLS
    start, other_start = 0, 0
    for i, j, length in [*_runs(a, b), (len(a), len(b), 0)]:
        cells = (i - start) * (j - other_start)
        if cells and (cells <= _MAX_CELLS_AT_ONCE or cells <= budget):
            budget -= cells
            yield from (
                (m + start, n + other_start)
                for m, n in _filled(a[start:i], b[other_start:j], score)
            )
        yield from ((i + k, j + k) for k in range(length))
        start, other_start = i + length, j + length


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
        scores_of_word = scores[word]
        now = [GAP * i]
        last = now[0]
        move = bytearray(width + 1)
        for j in range(1, width + 1):
            diagonal = before[j - 1] + scores_of_word[b[j - 1]]
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
    pairs = []
    i, j = len(a), width
    while i and j:
        move_here = moves[i - 1][j]
        if not move_here:
            pairs.append((i - 1, j - 1))
        i -= move_here != 2
        j -= move_here != 1
    return pairs[::-1]


def _runs(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of equal words on a shortest edit path (Myers), as (position, position, length).

    None of them where there are more than `_MAX_EDITS` edits.
    """
    reach = array("l")  # for each diagonal, the last first
    trace = [reach]
    for edits in range(min(len(a) + len(b), _MAX_EDITS) + 1):
        now = array("l", bytes(reach.itemsize * (edits + 1)))
        for diagonal in range(edits + 1):
            down = _goes_down(reach, edits, diagonal)
            x = 0 if not edits else reach[diagonal] if down else reach[diagonal - 1] + 1
            y = x - (2 * diagonal - edits)
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x += 1
                y += 1
            now[diagonal] = x
            if x >= len(a) and y >= len(b):
                return _walked_back(trace, edits, diagonal, x)
        reach = now
        trace.append(now)
    return []


def _goes_down(before: array[int], edits: int, diagonal: int) -> bool:
    """Whether the path to this diagonal leaves out a word of the second sequence."""
    return diagonal == 0 or (diagonal != edits and before[diagonal - 1] < before[diagonal])


def _walked_back(
    trace: list[array[int]], edits: int, diagonal: int, x: int
) -> list[tuple[int, int, int]]:
    """The runs of the path that ends at `x`."""
    runs = []
    for number in range(edits, -1, -1):
        before, down = trace[number], _goes_down(trace[number], number, diagonal)
        start = 0 if not number else before[diagonal] if down else before[diagonal - 1] + 1
        if x - start >= _MIN_RUN:
            runs.append((start, start - (2 * diagonal - number), x - start))
        if number:
            diagonal -= not down
            x = before[diagonal]
    return runs[::-1]


# ---- without scores ----------------------------------------------------------------------------


def rising(pairs: Iterable[Pair]) -> list[Pair]:
    """The longest part of the pairs in which both numbers grow."""
    ends: list[int] = []  # of the best chain of each length
    chain: list[tuple[Pair, int]] = []  # a pair, and the place of the one before it
    last: list[int] = []
    for pair in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        length = bisect_left(ends, pair[1])
        chain.append((pair, last[length - 1] if length else -1))
        ends[length : length + 1] = [pair[1]]
        last[length : length + 1] = [len(chain) - 1]
    longest = []
    place = last[-1] if last else -1
    while place >= 0:
        pair, place = chain[place]
        longest.append(pair)
    return longest[::-1]


def equal(a: Iterable[tuple[Hashable, int]], b: Iterable[tuple[Hashable, int]]) -> Iterator[Pair]:
    """Pairs of things with equal signs, in order, where both sides have as many of them."""
    by_sign: tuple[dict[Hashable, list[int]], ...] = (defaultdict(list), defaultdict(list))
    for signs, signed in zip(by_sign, (a, b)):
        for sign, thing in signed:
            signs[sign].append(thing)
    for sign, mine in by_sign[0].items():
        if len(mine) == len(yours := by_sign[1].get(sign, ())):
            yield from zip(mine, yours)
