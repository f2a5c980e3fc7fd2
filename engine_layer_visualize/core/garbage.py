"""Work without Python's search for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
