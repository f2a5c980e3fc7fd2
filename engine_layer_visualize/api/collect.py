"""Keeps the tables of many logs as a dataset: `OUT/<table>/<key>.parquet`, a file for each log.

A key is made of digests of the log's path, of its size and time of change, and of all else that
its rows depend on: so what was read is known without reading it. The file of `engines` is written
last, and a log without it is not there.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect_sources import Item, Pairing
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.numbers import no_collections
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name, count
from engine_layer_visualize.export import arrow
from engine_layer_visualize.export.columns import Column, Row
from engine_layer_visualize.export.tables import SCHEMAS, of_problem
from engine_layer_visualize.facts.engine_words import renamed_files
from engine_layer_visualize.facts.field import TEXT
from engine_layer_visualize.io import decompression
from engine_layer_visualize.io.atomic_file import alone, is_unfinished, save
from engine_layer_visualize.io.processes import install_extra
from engine_layer_visualize.linting.subject import Subject

_TABLES: Final = sorted(SCHEMAS, key="engines".__eq__)  # in the order of their files
_NAME: Final = re.compile(r"([0-9a-f]{16}(?:-[0-9a-f]{12}){2})\.parquet")
_PATH, _STATE = 16, 29  # where digests of keys end: of the path, of size and time of change
_SMALL: Final[dict[str, Any]] = {  # most of such a file would be about itself
    "compression": "snappy",
    "store_schema": False,
    "use_dictionary": False,
    "write_statistics": ["build_id"],
}
_PASSING: Final = ("ELV108", "ELV113", "ELV401")  # a disk that failed, a lack of memory
_PATIENCE: Final = 30.0  # seconds
_CLUSTER: Final = 256  # logs that a cluster has at once


class Listener(Protocol):
    """Is told what happens."""

    def problem(self, problem: Problem) -> None:
        """Takes a problem of a log."""

    def remark(self, text: str) -> None:
        """Takes what is no problem of a log."""

    def progress(self, count: int, size: int | None) -> None:
        """Takes how many bytes of logs are done, of all."""


class Done(NamedTuple):
    """What came of a log."""

    problems: list[Problem]  # errors alone
    rows: int | None = None  # None: nothing is kept, and the next run reads it again
    engines: int = 0


@dataclass(slots=True)
class Collected:
    """What a run did."""

    read: int = 0  # logs
    known: int = 0  # logs that were read before
    failed: int = 0  # logs that were read, without an engine
    times: int = 0  # files that hold times
    rows: int = 0  # of the logs that were read
    unread: Sequence[str] = ()  # files of times that were read with no log

    def __str__(self) -> str:
        said = [f"{count(self.read, 'log')} read", f"{self.known:,} known before"]
        said += [f"{self.failed:,} without an engine"] * bool(self.failed)
        said += [f"{count(self.times, 'file')} of times"] * bool(self.times)
        return ", ".join([*said, count(self.rows, "row")])


def collect(
    source: Sequence[str], output_dir: str, listener: Listener, *,
    meta: re.Pattern[str] | None = None, pair: Pairing | None = None, refresh: bool = False,
    jobs: int | None = None, scheduler: str | None = None,
) -> Collected:  # fmt: skip
    """Reads the logs that a dataset lacks.

    Args:
        source: Folders, patterns, files and lists.
        output_dir: The dataset.
        listener: Is told what happens.
        meta: Its groups, found in the logs' paths, become columns.
        pair: How files of times are read with their logs; None: not at all.
        refresh: Whether to read again what is known.
        jobs: Processes that read; None: one for each core.
        scheduler: The address of a Dask cluster's, which reads in place of them.

    Raises:
        ValueError: Where a URL is given.
        ReadError: Where there is nothing to read, or the dataset is of an older program.
        OSError: Where the dataset cannot be written.
    """
    folder, done = os.path.abspath(collect_sources.local(output_dir)), Collected()
    files = collect_sources.files(map(collect_sources.local, source), folder, listener.problem)
    if os.path.exists(os.path.join(folder, "_manifest")):
        message = "an older program wrote this dataset, and this one cannot add to it"
        hint = "--output_dir names another folder"
        raise ReadError(Problem(Place(output_dir), "ELV507", message), hint)
    for table in SCHEMAS:
        os.makedirs(os.path.join(folder, table), exist_ok=True)
    waiting = f"another run writes into {output_dir}; waiting for its end"
    with alone(Path(folder, ".lock"), lambda: listener.remark(waiting)):
        keys = [name[1] for name in map(_NAME.fullmatch, os.listdir(f"{folder}/engines")) if name]
        files_of = {key: [f"{folder}/{table}/{key}.parquet" for table in SCHEMAS] for key in keys}
        known = {key for key, paths in files_of.items() if all(map(arrow.is_whole, paths))}
        starts = {key[:_STATE] for key in known}
        items, done.times, done.unread = collect_sources.items(files, starts, meta, pair)
        newest = {item.key[:_PATH]: item.key for item in items}
        if lost := sum(key[:_PATH] not in newest for key in {*keys} - known):
            listener.remark(f"damaged files of {count(lost, 'log')} go, which are not read now")
        items = [item for item in items if refresh or item.key not in known]
        done.known = len(newest) - len(items)
        ended, size = 0, sum(item.log.size for item in items)
        try:
            with closing(results(items, folder, jobs, scheduler, listener.remark)) as came:
                for item, result in came:
                    done.read += 1
                    done.failed += not result.engines
                    for problem in result.problems:
                        listener.problem(problem)
                    if result.rows is not None:
                        done.rows += result.rows
                        known.add(item.key)
                    ended += item.log.size
                    listener.progress(ended, size)
        finally:
            _tidy(folder, known, newest)
    return done


def _tidy(folder: str, known: Container[str], newest: Mapping[str, str]) -> None:
    """Deletes damaged and unfinished files, and those of logs whose new ones stand.

    Args:
        folder: The dataset.
        known: The keys of the logs that have all their files.
        newest: The keys of this run's logs, by the digests of their paths.
    """
    for table in reversed(_TABLES):
        for entry in os.scandir(os.path.join(folder, table)):
            if name := _NAME.fullmatch(entry.name):
                new = newest.get(name[1][:_PATH], name[1])
                goes = name[1] not in known or (new != name[1] and new in known)
            else:
                goes = is_unfinished(Path(entry.path))
            if goes:
                os.unlink(entry.path)


def read(item: Item, folder: str) -> Done:
    """Reads a log and writes its files. Raises OSError where these cannot be written."""
    path, engines, failure, build_id = item.log.path, 0, None, None
    problems: list[Problem] = []
    files = _Files(item)

    def name(file: str) -> str:
        return item.log.name if file == path else base_name(file)

    with no_collections():
        try:
            for engine in Log(path, item.profiles).engines():
                named = renamed_files(engine, name)
                problems += [problem for problem in named.problems if problem.severity == "error"]
                subject = Subject(Costs(named))
                for table, schema in SCHEMAS.items():
                    files.put(table, schema.rows_of(subject))
                engines += 1
        except ReadError as error:
            place = replace(error.problem.place, file=name(error.problem.place.file))
            message = error.problem.message.replace(path, item.log.name)
            failure = replace(error.problem, place=place, message=message)
            with suppress(OSError):
                build_id = decompression.of_file(path)
        except Exception as error:  # no log ends the run
            message = f"reading it failed: {type(error).__name__}: {error}"[:500]
            failure = _failed(item, "ELV113", message)
        if not item.log.is_unchanged():
            failure = _failed(item, "ELV108", "it was changed while it was read")
        if failure is not None:
            problems.append(failure)
            if failure.code in _PASSING:
                return Done(problems)
            files.put("problems", [(build_id, None, *of_problem(failure))])
        files.write(folder)
    return Done(problems, files.rows, engines)


class _Files:
    """The files of a log, which are in memory until all of it is read."""

    def __init__(self, item: Item) -> None:
        self.rows, self._key = 0, item.key
        self._columns, self._cells = tuple(item.meta), tuple(item.meta.values())
        self._open: dict[str, tuple[BytesIO, arrow.Stream]] = {}

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Takes rows of a table."""
        if whole := [row + self._cells for row in rows]:
            if table not in self._open:
                file = BytesIO()
                self._open[table] = file, _stream(file, _schema(table, self._columns))
            self._open[table][1].add(whole)
            self.rows += len(whole)

    def write(self, folder: str) -> None:
        """Writes them. One that a power cut damages is read again: so none is synchronised."""
        Path(folder, "engines", f"{self._key}.parquet").unlink(missing_ok=True)
        for table in _TABLES:
            data = _empty(table, self._columns)
            if table in self._open:
                file, stream = self._open[table]
                stream.end()
                data = file.getvalue()
            save(Path(folder, table, f"{self._key}.parquet"), [data], sync=False)


def _stream(file: BinaryIO, schema: Any) -> arrow.Stream:
    from pyarrow.parquet import ParquetWriter

    return arrow.Stream(ParquetWriter(file, schema, **_SMALL), schema)


@cache
def _schema(table: str, more: Sequence[str]) -> Any:
    """Returns the `pyarrow.Schema` of a table with more columns."""
    columns = (*SCHEMAS[table].columns, *(Column(name, TEXT, "") for name in more))
    return arrow.schema(SCHEMAS[table]._replace(columns=columns), (), docs=False)


@cache
def _empty(table: str, more: Sequence[str]) -> bytes:
    """Returns a file without rows, which is the same for each log."""
    _stream(file := BytesIO(), _schema(table, more)).end()
    return file.getvalue()


def results(
    due: Iterable[Item], folder: str, jobs: int | None, scheduler: str | None,
    remark: Callable[[str], None],
) -> Generator[tuple[Item, Done], None, None]:  # fmt: skip
    """Reads logs, in any order, and gives what came of each.

    A process that dies, by a signal or for want of memory, costs the log alone that it was at.

    `scheduler` is the address of Dask's, which reads in place of `jobs` processes of this machine;
    `remark` takes a line where no log is done for a while.

    Raises:
        ReadError: Without Dask, or an answer of its scheduler (ELV502).
        OSError: Where the dataset cannot be written.
    """
    items, jobs = iter(due), jobs or os.cpu_count() or 1
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
                    with _beginning():
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


def _failed(item: Item, code: str, message: str) -> Problem:
    return Problem(Place(item.log.name, 1), code, message)


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


def _begin(pipe: Connection) -> None:
    """Prepares a process. It ends when the pipe's other end is closed."""

    def end() -> None:
        with suppress(EOFError, OSError):
            pipe.recv_bytes()
        signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process gets it, too
    Thread(target=end, daemon=True).start()
    arrow.spare_memory()


@contextmanager
def _beginning() -> Iterator[None]:
    """Keeps the main file, and Ctrl-C until it is ignored, from processes that begin.

    A program on stdin has no such file, and another one may call `collect` once more.
    """
    main, before = sys.modules["__main__"], None
    sys.modules["__main__"] = ModuleType("__main__")
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sys.modules["__main__"] = main


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
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
        yield client.get_executor(pure=False)
