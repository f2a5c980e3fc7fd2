"""How much of a log is kept at most, which of its numbers are believed, means against waiting.

`lazy` compiles a pattern when it is first used; `no_collections` lets Python collect no garbage.
Beside them stand sums of what may be unknown, and lists by key.
"""

import gc
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, AnyStr, Final, TypeVar, cast

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

LAYERS: Final = 1_000_000  # of a log

# ---- of a network ----
NAMES: Final = 100_000  # of one kind; a network has some thousands
MODEL_TEXT: Final = 32 << 20  # characters of a model's different names
MODEL_EDGES: Final = 1_000_000  # a node's tensors, all nodes of a model together
MODEL_STEPS: Final = 10_000_000  # of all walks through a model
NESTED: Final = 64  # nodes in the subgraphs of nodes
EXTENTS: Final = 8  # of a tensor, as TensorRT has
DIMS: Final = 200  # characters of a shape; 8 extents have fewer

# ---- of a build ----
SEGMENTS: Final = 10_000  # builds and runs of a log, and spans of timings of a build
ATTEMPTS: Final = 64  # to build a network
STRATEGIES: Final = 1_000  # lines that tell of them
COUNTS: Final = 1_000  # engines of a build whose layers are counted
TOTALS: Final = 64  # of memory
CHOSEN: Final = 1 << 10  # combinations of formats of one name
OPERATIONS: Final = 1_000  # of one timing of a ForeignNode
DIGITS: Final = 19  # of a size in bytes
IDLE: Final = 10_000  # lines that say nothing and are known again
IDLE_BYTES: Final = 500  # of one of them

# ---- of a run of trtexec ----
OPTIONS: Final = 1_024  # options, and as many phases, sections, measures
VALUE: Final = 2_000  # characters of an option
AVERAGES: Final = 1 << 20  # of a run
CLOCK, SMS, BUS_BITS, MEMORY = 100.0, 10_000, 1_000_000, 1_000_000_000  # more has no device

# ---- of messages ----
MESSAGES: Final = 100  # of a severity; beyond them few of each kind
OF_KIND: Final = 3
KINDS: Final = 100
MESSAGE: Final = 500  # bytes or characters; an error may list a whole graph
WEIGHTS: Final = 2_000  # bytes of the names of weights that a warning is about
ERROR_PREFIX: Final = 1 << 10  # bytes before the words of an error
STEP_LINE: Final = 1 << 10  # bytes of a line that tells where a build is


LEAST: Final = 1e-9
MOST: Final = 1e9
TOO_MANY: Final = 1 << 63  # of an extent, and of elements


def plausible(number: float) -> bool:
    """Whether a time (ms, s), a clock (GHz), a size (MiB), a rate or a percentage may be so."""
    return LEAST <= number <= MOST or number == 0


def nearly_all(part: int, whole: int) -> bool:
    """Whether seven of eight are in the part, or all but one of five and more; also of none."""
    return part * 8 >= whole * 7 or (part == whole - 1 and part > 3)


def sum_of_known(values: Iterable[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def sum_of_all(values: Iterable[float | None]) -> float | None:
    """The sum; None where one is not known."""
    each = list(values)
    known = [value for value in each if value is not None]
    return math.fsum(known) if len(known) == len(each) else None


def product(extents: Iterable[int | None]) -> int | None:
    """The product; None where an extent is unknown, or where no memory holds so many."""
    whole = 1
    for extent in extents:
        if extent is None:
            return None
        whole *= extent
        if abs(whole) >= TOO_MANY:
            return None
    return whole


def by_key(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """The values of each key; keys and values stand in the order in which they come."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, as far as its methods are concerned."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._source: tuple[Any, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Keeps the method of the compiled pattern, so that it is looked up once."""
        if name.startswith("_"):  # what `copy` asks for; a pattern has no such method
            raise AttributeError(name)
        method = getattr(re.compile(*self._source), name)
        setattr(self, name, method)
        return method


@contextmanager
def no_collections() -> Iterator[None]:
    """Stops Python's search for cycles: an engine has none, and each search goes through all of it.

    That is a tenth of the time of reading a large engine. Cycles of others are found later.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
