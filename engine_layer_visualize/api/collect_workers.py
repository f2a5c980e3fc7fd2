"""Reads logs in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from multiprocessing import connection
from threading import Thread
from types import ModuleType
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.api.collect_sources import Item
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.export.arrow import spare_memory
from engine_layer_visualize.io.processes import install_extra

_PATIENCE: Final = 30.0  # seconds
_CLUSTER: Final = 256  # logs that a cluster has at once


class Outcome(NamedTuple):
    """What came of a log."""

    problems: Sequence[Problem]  # errors alone
    rows: int | None = None  # None: nothing is kept, and the next run reads it again
    engines: int = 0


# What reads, and how many logs it has at once.
Workers: TypeAlias = AbstractContextManager[tuple[Executor, int]]
Reader: TypeAlias = Callable[[Item], Outcome]


def read_all(
    items: Iterable[Item], read: Reader, workers: Callable[[], Workers],
    remark: Callable[[str], None],
) -> Generator[tuple[Item, Outcome], None, None]:  # fmt: skip
    """Reads logs, in any order, and gives what came of each.

    A process that dies, by a signal or for want of memory, costs the log alone that it was at.

    Args:
        items: The logs.
        read: Reads one.
        workers: Where that is done.
        remark: Takes a line where no log is done for a while.

    Raises:
        ReadError: Without Dask, or an answer of its scheduler (ELV502).
        OSError: Where the dataset cannot be written.
    """
    rest = iter(items)
    while suspects := (yield from _read(rest, read, workers(), remark)):
        for item in suspects:
            if (yield from _read(iter([item]), read, processes(1), remark)):
                yield item, _died(item)


def _read(
    items: Iterator[Item], read: Reader, workers: Workers, remark: Callable[[str], None]
) -> Generator[tuple[Item, Outcome], None, list[Item]]:
    """Reads logs until a process dies. Returns those of which one may have ended it."""
    pending: dict[Future[Outcome], Item] = {}
    suspects: list[Item] = []
    patience = _PATIENCE
    with workers as (executor, most):
        while True:
            for item in islice(items, 0 if suspects else most - len(pending)):
                try:
                    with _undisturbed():
                        pending[executor.submit(read, item)] = item
                except BrokenExecutor:
                    suspects.append(item)
            if not pending:
                return suspects
            done = wait(pending, patience, FIRST_COMPLETED).done
            if not done:
                names = ", ".join(item.log.name for item in islice(pending.values(), 3))
                remark(f"no log was done for {patience:.0f} s; still waiting for {names}")
                patience *= 2
            for future in done:
                item, error = pending.pop(future), future.exception()
                if isinstance(error, BrokenExecutor):
                    suspects.append(item)
                elif type(error).__name__ == "KilledWorker":  # of Dask: it was tried four times
                    yield item, _died(item)
                else:
                    yield item, future.result()


def _died(item: Item) -> Outcome:
    return Outcome([item.problem("ELV113", "the process that read it died; is memory short?")])


@contextmanager
def processes(jobs: int) -> Iterator[tuple[Executor, int]]:
    """Starts processes, which end when this one ends, however that happens."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import Pipe, get_context

    theirs, ours = Pipe(duplex=False)
    # A fork would copy the locks of other threads.
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), _prepare, (theirs,))
    with theirs, executor, ours:
        yield executor, jobs + 1


def _prepare(pipe: connection.Connection) -> None:
    """Prepares a process. It ends when the pipe's other end is closed."""

    def end() -> None:
        connection.wait([pipe])
        signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process gets it, too
    Thread(target=end, daemon=True).start()
    spare_memory()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keeps the main file, and Ctrl-C until it is ignored, from processes that start.

    A program on stdin has no such file, and another one may call `collect` once more.
    """
    main, mask = sys.modules["__main__"], getattr(signal, "pthread_sigmask", None)
    before = mask and mask(signal.SIG_BLOCK, {signal.SIGINT})  # not on Windows
    try:
        sys.modules["__main__"] = ModuleType("__main__")
        yield
    finally:
        sys.modules["__main__"] = main  # first: a Ctrl-C that waited is raised below
        if mask:
            mask(signal.SIG_SETMASK, before)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Joins a cluster of Dask. Raises ReadError (ELV502)."""
    try:
        from distributed import Client

        client = Client(address)
    except (ImportError, OSError, ValueError) as error:
        place, message = address, f"no scheduler of Dask answers: {error}"
        if isinstance(error, ImportError):
            place, message = "--scheduler", f"--scheduler needs Dask: {install_extra('dask')}"
        raise ReadError(Problem(Place(place), "ELV502", message)) from error
    with client:
        yield client.get_executor(pure=False), _CLUSTER
