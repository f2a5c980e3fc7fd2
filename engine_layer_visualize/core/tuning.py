"""What a search among build routes tells of itself: its log, and its cache."""

from __future__ import annotations

from typing import NamedTuple


class Iteration(NamedTuple):
    """One build of the search."""

    number: int  # as it is printed
    route: str  # `-match_ragged_mha=on -copy_ppg=off`
    line: int = 0  # where it begins in the log; 0: in the cache alone
    failure: str = ""  # why there is no engine
    gpu_time: float | None = None  # ms, by which the search compares
    compute: float | None = None  # ms of trtexec's summary: the median, else the mean
    accuracy_loss: float | None = None


class Search(NamedTuple):
    """All of a log or of a cache. Of a log without a search: its one route and time."""

    iterations: tuple[Iteration, ...] = ()
    default_route: str | None = None
    best_route: str | None = None  # that the program calls the best
    planned: int | None = None  # how many iterations there were to be
    ended: bool = True  # whether the search came to its end, as far as is known
    route: str = ""  # of the whole log
    compute: float | None = None  # of the whole log
