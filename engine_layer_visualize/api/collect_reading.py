"""Reads logs, in processes of this machine or on a Dask cluster, and writes their rows.

A process that dies, by a signal or for want of memory, costs the log alone that it was at.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.collect_sources import File
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.numbers import no_collections
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.export import tables as engine_tables
from engine_layer_visualize.export.arrow import parquet_stream, spare_memory
from engine_layer_visualize.export.columns import Column, Row, Schema
from engine_layer_visualize.export.table_files import Files
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.facts.field import TEXT
from engine_layer_visualize.io import decompression
from engine_layer_visualize.io.processes import install_extra
from engine_layer_visualize.linting.subject import Subject

MARK: Final = "engines"  # the table whose file is written last
BUILD: Final = "elv.build_id"  # what the files say of the log, besides its rows
_SMALL: Final[dict[str, Any]] = {  # files, most of which would be about themselves
    "compression": "snappy",
    "store_schema": False,
    "use_dictionary": False,
    "write_statistics": ["build_id"],
}
_PASSING: Final = ("ELV108", "ELV113", "ELV401")  # a disk that failed, a lack of memory
_PATIENCE: Final = 30.0  # seconds
_CLUSTER: Final = 256  # logs that a cluster has at once


class Item(NamedTuple):
    """A log to read."""

    key: str  # names its files
    log: File
    profiles: Sequence[str]
    meta: Mapping[str, str | None]  # what its path says


class Done(NamedTuple):
    """What came of a log."""

    problems: list[Problem]  # errors alone
    build_id: str | None = None  # None: nothing is kept, and the next run reads it again
    engines: int = 0
    rows: int = 0


# ---- one log -------------------------------------------------------------------------------------


def read(item: Item, folder: str) -> Done:
    """Reads a log and writes its files. Raises OSError where these cannot be written."""
    path, engines, failure = item.log.path, 0, None
    problems: list[Problem] = []

    def name(file: str) -> str:
        return item.log.name if file == path else base_name(file)

    try:
        build_id = decompression.of_file(path)
    except OSError as error:
        return Done([_failed(item, "ELV401", f"cannot be read: {reason_of(error)}")])
    with no_collections(), closing(_files(item, folder, build_id)) as files:
        try:
            for engine in Log(path, item.profiles).engines():
                named = engine_words.renamed_files(engine, name)
                problems += [problem for problem in named.problems if problem.severity == "error"]
                files.add(Subject(Costs(named)))
                engines += 1
        except OSError:
            raise
        except ReadError as error:
            place = replace(error.problem.place, file=name(error.problem.place.file))
            message = error.problem.message.replace(path, item.log.name)
            failure = replace(error.problem, place=place, message=message)
        except Exception as error:  # no log ends the run
            message = f"reading it failed: {type(error).__name__}: {error}"[:500]
            failure = _failed(item, "ELV113", message)
        if not item.log.is_unchanged():
            failure = _failed(item, "ELV108", "it was changed while it was read")
        if failure is not None:
            problems.append(failure)
            if failure.code in _PASSING:
                return Done(problems)
            cells = engine_tables.of_problem(failure)
            files.put("problems", [(build_id, None, *cells, *item.meta.values())])
        files.paths[-1].unlink(missing_ok=True)  # of a log that is read again
        rows = sum(written.rows for written in files.finish(sync=False))
    return Done(problems, build_id, engines, rows)


def _failed(item: Item, code: str, message: str) -> Problem:
    return Problem(Place(item.log.name, 1), code, message)


def _files(item: Item, folder: str, build_id: str) -> Files:
    """Begins the files of a log. One that a power cut damages is read again."""
    more = [Column(name, TEXT, "as the log's path says") for name in item.meta]
    cells = tuple(item.meta.values())

    def whole(schema: Schema) -> Schema:
        def rows(subject: Subject) -> Iterable[Row]:
            return (row + cells for row in schema.rows(subject))

        return schema._replace(columns=(*schema.columns, *more), rows=rows)

    tables = [whole(SCHEMAS[name]) for name in sorted(SCHEMAS, key=MARK.__eq__)]
    encoder = partial(parquet_stream, docs=False, said={BUILD: build_id}, **_SMALL)
    return Files("parquet", encoder, Path(folder), tables, (), item.key)


# ---- many logs -----------------------------------------------------------------------------------


def results(
    due: Iterable[Item], folder: str, jobs: int, scheduler: str | None,
    remark: Callable[[str], None],
) -> Generator[tuple[Item, Done], None, None]:  # fmt: skip
    """Reads logs, in any order, and gives what came of each.

    Args:
        due: The logs.
        folder: The dataset.
        jobs: Processes of this machine.
        scheduler: The address of Dask's, which reads in place of them.
        remark: Takes a line where no log is done for a while.

    Raises:
        ReadError: Without Dask, or an answer of its scheduler (ELV502).
        OSError: Where the dataset cannot be written.
    """
    items = iter(due)
    while True:
        workers, window = _processes(jobs), jobs + 1
        if scheduler is not None:
            workers, window = _cluster(scheduler), _CLUSTER
        suspects = yield from _read(items, folder, workers, window, remark)
        for item in suspects:  # one of them ended its process
            for ended in (yield from _read(iter([item]), folder, _processes(1), 1, remark)):
                yield ended, _died(ended)
        if not suspects:
            return


def _read(
    items: Iterator[Item], folder: str, workers: AbstractContextManager[Executor], window: int,
    remark: Callable[[str], None],
) -> Generator[tuple[Item, Done], None, list[Item]]:  # fmt: skip
    """Reads logs, `window` of them at once. Where a process died, it returns the suspects."""
    pending: dict[Future[Done], Item] = {}
    suspects: list[Item] = []
    patience = _PATIENCE
    with workers as executor:
        while True:
            while len(pending) < window and not suspects and (item := next(items, None)):
                try:
                    with _without_main(), _without_ctrl_c():
                        pending[executor.submit(read, item, folder)] = item
                except BrokenExecutor:
                    suspects.append(item)
            if not pending:
                return suspects
            done = wait(pending, patience, FIRST_COMPLETED).done
            if not done:
                names = ", ".join(item.log.name for item in [*pending.values()][:3])
                remark(f"no log was done for {patience:.0f} s; still waiting for {names}")
                patience *= 2
            for future in done:
                item = pending.pop(future)
                try:
                    yield item, future.result()
                except BrokenExecutor:
                    suspects.append(item)
                except Exception as error:
                    if type(error).__name__ != "KilledWorker":  # of Dask: it was tried four times
                        raise
                    yield item, _died(item)


def _died(item: Item) -> Done:
    return Done([_failed(item, "ELV113", "the process that read it died; is memory short?")])


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Starts processes, which end when this one ends, however that happens."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import Pipe, get_context

    theirs, ours = Pipe(duplex=False)
    # A fork would copy the locks of other threads.
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (theirs,))
    try:
        yield executor
    finally:
        ours.close()
        executor.shutdown(cancel_futures=True)
        theirs.close()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Lets Ctrl-C wait: a process that begins meanwhile inherits this, until it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(pipe: Connection) -> None:
    """Prepares a process. It ends when the pipe's other end is closed."""

    def end() -> None:
        with suppress(EOFError, OSError):
            pipe.recv_bytes()
        signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process gets it, too
    Thread(target=end, daemon=True).start()
    spare_memory()


@contextmanager
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


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Joins a cluster of Dask. Raises ReadError (ELV502)."""
    try:
        from distributed import Client

        client = Client(address)
    except ImportError as error:
        message = f"--scheduler needs Dask: {install_extra('dask')}"
        raise ReadError(Problem(Place("--scheduler"), "ELV502", message)) from error
    except (OSError, ValueError) as error:
        message = f"no scheduler of Dask answers: {error}"
        raise ReadError(Problem(Place(address), "ELV502", message)) from error
    with client:
        yield client.get_executor(pure=False)
