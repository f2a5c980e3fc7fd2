"""Runs tasks in processes of this machine, and gives results as they come.

A process that dies, by a signal or for want of memory, costs its task alone.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Final, Generic, Protocol, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")
_METHOD: Final = "spawn"  # a fork would copy the locks of other threads


class Workers(Protocol):
    """Those who do tasks."""

    def run(
        self, do: Callable[..., R], tasks: Iterable[Sequence[T]], *more: Any
    ) -> Iterator[tuple[Sequence[T], R | None]]:
        """Does tasks in any order.

        Args:
            do: Is called as `do(task, *more)`.
            tasks: Each has one item or more.
            more: What `do` takes besides the task.

        Yields:
            A task and its result. None: the process that did it died; the task then has one item,
            for others are split.
        """

    def close(self) -> None:
        """Ends the processes."""


class Processes:
    """Has processes of this machine do tasks."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._free: list[_Process[Any]] = []
        self._all: set[_Process[Any]] = set()

    def run(
        self, do: Callable[..., R], tasks: Iterable[Sequence[T]], *more: Any
    ) -> Iterator[tuple[Sequence[T], R | None]]:
        """Does the tasks, as `Workers` says."""
        waiting = deque(tasks)
        busy: dict[Connection, _Process[Any]] = {}

        def begin() -> None:
            while waiting and len(busy) < self._jobs:
                process = self._free.pop() if self._free else self._started()
                if process.begin(do, waiting[0], more):
                    process.task = waiting.popleft()
                    busy[process.pipe] = process
                else:
                    self._ended(process)

        begin()
        while busy:
            for pipe in cast("list[Connection]", wait(list(busy))):  # on Windows of another class
                process = busy.pop(pipe)
                task, result = process.task, None
                try:
                    result = pipe.recv()
                except (EOFError, OSError):
                    self._ended(process)
                    if len(task) > 1:
                        waiting.extendleft([item] for item in reversed(task))
                else:
                    self._free.append(process)
                begin()  # while the result is used, the process has its next task
                if result is not None or len(task) == 1:
                    yield task, result

    def _started(self) -> _Process[Any]:
        process: _Process[Any] = _Process()
        self._all.add(process)
        return process

    def _ended(self, process: _Process[Any]) -> None:
        self._all.discard(process)
        process.end()

    def close(self) -> None:
        """Ends the processes."""
        for process in self._all:
            process.end()
        self._all.clear()
        self._free.clear()


class _Process(Generic[T]):
    """One process, and the task that it does."""

    def __init__(self) -> None:
        context = get_context(_METHOD)
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other,), daemon=True)
        with _without_main():
            self._process.start()
        other.close()
        self.task: Sequence[T] = ()

    def begin(self, do: Callable[..., Any], task: Sequence[T], more: tuple[Any, ...]) -> bool:
        """Gives the process a task. Returns whether it still lives."""
        try:
            self.pipe.send((do, task, more))
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Ends the process."""
        self.pipe.close()
        self._process.kill()
        self._process.join()
        self._process.close()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keeps a process that starts from running the program's main file.

    A program on stdin has none, and another one may call `collect` once more.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _work(pipe: Connection) -> None:
    """Does tasks until the pipe is closed: at the end of the process that started this one."""
    from engine_layer_visualize.tables.arrow import spare_memory

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process gets it, too
    spare_memory()
    with contextlib.suppress(EOFError, OSError):
        while True:
            do, task, more = pipe.recv()
            pipe.send(do(task, *more))
