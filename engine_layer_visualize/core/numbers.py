"""Which numbers of a log are believed, and two means against the time of Python itself."""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, AnyStr, Final, cast

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
