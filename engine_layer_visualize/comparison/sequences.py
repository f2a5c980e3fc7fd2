"""Finds what belongs together in two sequences: by alignment, by rising places, by equal signs."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import inf
from typing import Final

Score = Callable[[int, int], float]
Pair = tuple[int, int]

GAP: Final = -0.6
_MAX_CELLS: Final = 500_000


def aligned(a: Sequence[int], b: Sequence[int], score: Score) -> list[Pair]:
    """Positions that belong together, in order, by Needleman and Wunsch.

    Of long sequences only what is near the diagonal is looked at.
    """
    if not a or not b:
        return []
    words = dict.fromkeys(b)
    scores = {word: {other: score(word, other) for other in words} for word in set(a)}
    width = len(b)
    reach = max(_MAX_CELLS // len(a), width // len(a) + 1)  # of a row, on both sides
    start, row = 0, [GAP * j for j in range(min(width, reach) + 1)]  # from column `start` on
    moves: list[tuple[int, bytearray]] = []  # of each row from a column on
    for i, word in enumerate(a, 1):
        middle = i * width // len(a)
        low, high = max(1, middle - reach), min(width, middle + reach)
        before = row + [-inf] * (high + 1 - start - len(row))
        diagonals, ups = before[low - 1 - start :], before[low - start :]
        row, move, scores_of_word = (
            [last := GAP * i if low == 1 else -inf],
            bytearray(),
            scores[word],
        )
        for diagonal, up, other in zip(diagonals, ups, b[low - 1 : high]):
            diagonal += scores_of_word[other]
            up += GAP
            last += GAP
            if diagonal >= up and diagonal >= last:
                last = diagonal
                move.append(0)
            elif up >= last:
                last = up
                move.append(1)
            else:
                move.append(2)
            row.append(last)
        start = low - 1
        moves.append((low, move))
    pairs = []
    i, j = len(a), width
    while i and j:
        low, move = moves[i - 1]
        move_here = move[j - low]
        if not move_here:
            pairs.append((i - 1, j - 1))
        i -= move_here != 2
        j -= move_here != 1
    return pairs[::-1]


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
