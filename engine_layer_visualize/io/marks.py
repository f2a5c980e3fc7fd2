"""A lock for places that have none: each run leaves a mark there that changes while the run lives.

A mark that stays the same is of a run that was killed. Of two runs that begin in the same moment
both may see the other one and stop.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError

FOLDER: Final = ".running"
EVERY: Final = 5.0  # seconds between two changes
PATIENCE: Final = 20.0  # seconds after which a mark that stays the same is of no run


class Mark:
    """That of this run."""

    def __init__(self, system: Any, root: str) -> None:
        """`system`: of fsspec."""
        self._system, self._folder = system, f"{root}/{FOLDER}"
        self._path = f"{self._folder}/{os.urandom(8).hex()}"
        self._over = threading.Event()
        self._taken = False

    def check(self) -> None:
        """Raises OSError where another run took this one for dead, as it slept too long."""
        if self._taken:
            raise OSError("this run was asleep, and another one has begun")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises ReadError (ELV506) where another run lives, OSError."""
        self._system.makedirs(self._folder, exist_ok=True)
        self._write(0)
        thread = threading.Thread(target=self._live, daemon=True)
        thread.start()
        try:
            self._wait()
            yield
        finally:
            self._over.set()
            thread.join()
            self._remove(self._path)

    def _wait(self) -> None:
        """Until all other marks have stayed the same for long, or are gone."""
        first, end = self._others(), time.monotonic() + PATIENCE
        while (now := self._others()) and now.keys() & first.keys() and time.monotonic() < end:
            if any(now.get(path, data) != data for path, data in first.items()):
                message = "another run writes into this dataset"
                hint = "start this one again when that one has ended"
                where = self._system.unstrip_protocol(self._folder.rpartition("/")[0])
                raise ReadError(Problem(Place(where), "ELV506", message), hint)
            time.sleep(EVERY / 5)
        for path in first:
            self._remove(path)

    def _live(self) -> None:
        count = 0
        while not self._over.wait(EVERY):
            count += 1
            with suppress(OSError):  # the next one may succeed
                if not self._exists():
                    self._taken = True
                    return
                self._write(count)

    def _others(self) -> dict[str, bytes]:
        self._system.invalidate_cache()
        found = {}
        for path in self._system.ls(self._folder, detail=False):
            if path.rpartition("/")[2] != self._path.rpartition("/")[2]:
                with suppress(FileNotFoundError):
                    found[path] = bytes(self._system.cat_file(path))
        return found

    def _exists(self) -> bool:
        self._system.invalidate_cache()
        return bool(self._system.exists(self._path))

    def _write(self, count: int) -> None:
        self._system.pipe_file(self._path, str(count).encode())

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._system.rm_file(path)
