"""Tells a function where a build is, while it runs. The build does not wait for it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from engine_layer_visualize.inputs.buildlog.progress import BuilderPhase, Follower, Progress

#: Takes where a build is.
Tell = Callable[[Progress], object]


class Telling(AbstractContextManager["Telling"]):
    """Calls a function each `every` seconds while the context is open, and at its end.

    What the function raises is in `error`, and is raised at the end; it is not called again.
    """

    def __init__(self, tell: Tell | None, every: float) -> None:
        if not every > 0:
            raise ValueError(f"every: seconds are wanted, not {every}")
        self.error: BaseException | None = None
        self._tell, self._every = tell, every
        self._follower = Follower()
        self._phases: dict[str, BuilderPhase] = {}
        self._fresh = deque[bytes]()  # whose two ends are of one thread each
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def feed(self, data: bytes) -> None:
        """Takes whole lines of the log."""
        if self._thread is not None and self._thread.is_alive():  # not in a forked process
            self._fresh.append(data)

    def phase(self, name: str, done: int, steps: int) -> None:
        """Takes how far a phase of the build is; a new one is inside of those that are open."""
        self._phases[name] = BuilderPhase(name, done, steps)

    def finish(self, name: str) -> None:
        """Takes that a phase is over."""
        self._phases.pop(name, None)

    def __enter__(self) -> Telling:
        """Begins to tell."""
        if self._tell is not None:
            self.error = None
            self._over.clear()
            self._thread = threading.Thread(target=self._run, args=(self._tell,), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        """Tells for the last time."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
        if self.error is not None and kind is None:
            raise self.error

    def _run(self, tell: Tell) -> None:
        over = False
        while not over and self.error is None:
            over = self._over.wait(self._every)
            now = time.monotonic()
            data = b"".join(self._fresh.popleft() for _ in range(len(self._fresh)))
            messages = self._follower.read(data, now) if data else ()
            progress = replace(self._follower.at(now), phases=tuple(self._phases.values()))
            try:
                for message in messages:
                    tell(replace(progress, event="warning", message=message))
                tell(replace(progress, event="end") if over else progress)
            except BaseException as error:
                self.error = error
