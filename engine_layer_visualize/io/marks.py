"""A lock for stores without locking: each run leaves a mark that changes while the run lives.

A mark that stays the same is of a run that was killed, or that sleeps: when it wakes, it looks
whether another one has begun before it writes more. Of two runs that begin in the same moment both
may see the other one and stop.
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
_LOOKS: Final = 20  # polls without a change after which a mark counts as dead
_PAUSE: Final = 5  # looks in the time between two changes


class Mark:
    """The mark of this run."""

    def __init__(self, system: Any, root: str) -> None:
        """`system`: of fsspec."""
        self._system, self._folder = system, f"{root}/{FOLDER}"
        self._name = os.urandom(8).hex()
        self._over = threading.Event()
        self._turn = threading.Lock()
        self._count = 0
        self._changed: float | None = None  # None: the run has not begun
        self._taken = False

    def check(self) -> None:
        """Checks that the run may write. Raises OSError where another run took this one for dead.

        A run that slept, or whose store slept, looks as if it were dead.
        """
        if self._slept():
            self._change()
        if self._taken:
            raise OSError("this run was asleep, and another one may have begun")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the mark. Raises ReadError (ELV506) where another run lives, OSError."""
        self._system.makedirs(self._folder, exist_ok=True)
        self._write()
        thread = threading.Thread(target=self._live, daemon=True)
        thread.start()
        try:
            self._wait()
            yield
        finally:
            self._over.set()
            thread.join()
            with suppress(Exception):  # a mark left behind counts as that of a killed run
                self._remove(self._name)

    def _wait(self) -> None:
        """Until all other marks have stayed the same for long, or are gone."""
        left = self._others()
        for _ in range(_LOOKS):
            if not left:
                break
            time.sleep(EVERY / _PAUSE)
            now = self._others()
            if any(now.get(name, data) != data for name, data in left.items()):
                message = "another run writes into this dataset"
                hint = "start this one again when that one has ended"
                where = self._system.unstrip_protocol(self._folder.rpartition("/")[0])
                raise ReadError(Problem(Place(where), "ELV506", message), hint)
            left = {name: data for name, data in left.items() if name in now}
        self.check()  # this run, too, may have slept
        for name in left:
            self._remove(name)

    def _live(self) -> None:
        while not self._taken and not self._over.wait(EVERY):
            with suppress(Exception):  # each store raises its own; the next one may succeed
                self._change()

    def _slept(self) -> bool:
        """Whether others may see no change for so long that one of them begins."""
        return self._changed is not None and time.time() - self._changed > 2 * EVERY

    def _change(self) -> None:
        """Writes the mark anew, unless another run has begun.

        A missing mark: another run removed it. If this run was late, another may have listed the
        folder before this write.
        """
        with self._turn:
            names = self._names()
            self._taken = self._name not in names or (self._slept() and len(names) > 1)
            if not self._taken:
                self._write()

    def _write(self) -> None:
        begun = time.time()
        self._count += 1
        self._system.pipe_file(self._path(self._name), str(self._count).encode())
        self._changed = begun

    def _others(self) -> dict[str, bytes]:
        others = {}
        for name in self._names() - {self._name}:
            with suppress(FileNotFoundError):
                others[name] = bytes(self._system.cat_file(self._path(name)))
        return others

    def _names(self) -> set[str]:
        self._system.invalidate_cache()
        try:
            listed = self._system.ls(self._folder, detail=False)
        except FileNotFoundError:  # stores that have no folders
            return set()
        return {path.rpartition("/")[2] for path in listed}

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._system.rm_file(self._path(name))
