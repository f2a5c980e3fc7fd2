"""Switches Python's search for cycles off while large, acyclic values are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Without Python's search for cycles: an engine has none, and each search goes through it all.

    A tenth of the time of reading a large engine; of others' objects it is a delay, no more.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
