"""How far the median of a run may be off, by a moving-block bootstrap of its iterations.

Iterations follow one another with much memory, so blocks of them are drawn, not single ones: blocks
longer than that memory. The median of a resample is found among 256 quantiles of its run. How many
times of a block are at or below each of these is one large integer, with 32 bits a quantile: a
resample is then a sum of a few integers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil, fsum, log
from random import Random
from statistics import fmean
from sys import byteorder
from typing import Final

RESAMPLES: Final = 2_000
KEPT: Final = 50  # values that stand for all resamples
_SEED: Final = 20_211_021
_MIN_BLOCK: Final = 50  # iterations of a block
_MEMORIES: Final = 5  # a block is so many times 1 / (1 - ρ₁), the decay of what a time remembers
_BLOCKS: Final = 100  # of a long run: longer blocks are as good, and fewer draws
_MIN_BLOCKS: Final = 4  # of a short one
_QUANTILES: Final = 256
_PLACES: Final = 4_096  # where a block may begin
_BITS: Final = 32
_MIN_MS: Final = 1e-9  # for what is printed as 0


def deviations(times: Sequence[float]) -> tuple[float, ...]:
    """How far the log of the median may be off, as KEPT equally likely values, sorted and rounded.

    Empty where the run is too short.
    """
    sample = sorted(_of_run(times, RESAMPLES, Random(_SEED)))
    each = len(sample) // KEPT
    means = (fmean(sample[start : start + each]) for start in range(0, each * KEPT, each or 1))
    return tuple(float(f"{mean:.4g}") for mean in means)


def autocorrelation(times: Sequence[float]) -> float:
    """Between a time and the next one, from 0 to 1; single outliers do not hide it."""
    ordered = sorted(times)
    count = len(ordered)
    low, high = ordered[count // 100], ordered[count - 1 - count // 100]
    kept = [min(max(time, low), high) for time in times]
    mean = fmean(kept)
    off = [deviation - mean for deviation in kept]
    square = fsum(deviation * deviation for deviation in off)
    if not square:
        return 0.0
    products = fsum(deviation * after for deviation, after in pairwise(off))
    return min(1.0, max(0.0, products / square))


def block_length(times: Sequence[float]) -> int:
    """Iterations of a block: at least 50 and several 1 / (1 - ρ₁), where the run is that long."""
    count = len(times)
    rest = max(1 - autocorrelation(times), _MEMORIES / count)
    wanted = max(_MIN_BLOCK, ceil(_MEMORIES / rest), count // _BLOCKS)
    return max(1, min(wanted, count // _MIN_BLOCKS))


def _of_run(times: Sequence[float], resamples: int, draw: Random) -> Iterator[float]:
    """The deviation of the log of the median, resample by resample."""
    if len(times) < 2 * _MIN_BLOCKS:
        return
    ordered = sorted(times)
    count = len(ordered)
    picked = {ordered[(count - 1) * part // _QUANTILES] for part in range(_QUANTILES)}
    quantiles = sorted({*picked, ordered[-1]})
    step = max(1, count // _PLACES)
    width = max(1, block_length(times) // step)  # in steps
    blocks = _blocks(times, quantiles, step, width)
    drawn = max(1, round(count / (width * step)))
    half = (drawn * width * step + 1) // 2
    bytes_ = len(quantiles) * _BITS // 8
    logs = [log(max(quantile, _MIN_MS)) for quantile in quantiles]
    middle = logs[bisect_left(quantiles, ordered[(count - 1) // 2])]
    for _ in range(resamples):
        counts = sum(draw.choices(blocks, k=drawn)).to_bytes(bytes_, byteorder)
        place = bisect_left(memoryview(counts).cast("I"), half)
        yield logs[place] - middle


def _blocks(times: Sequence[float], quantiles: Sequence[float], step: int, width: int) -> list[int]:
    """All blocks of `width` steps: how many of its times are at or below each quantile."""
    order = range(len(quantiles)) if byteorder == "little" else range(len(quantiles))[::-1]
    from_here_on = list(accumulate(1 << _BITS * place for place in reversed(order)))[::-1]
    sums, places = 0, [0]
    for number, time in enumerate(times, 1):
        sums += from_here_on[bisect_left(quantiles, time)]
        if number % step == 0:
            places.append(sums)
    return [after - before for before, after in zip(places, places[width:], strict=False)]
