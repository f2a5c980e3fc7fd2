"""Reads logs into files of a dataset, in processes of this machine or on a Dask cluster."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from io import BytesIO
from itertools import islice
from multiprocessing import connection
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.collect_sources import Item
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.numbers import no_collections
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.export import arrow
from engine_layer_visualize.export.columns import Column
from engine_layer_visualize.export.tables import SCHEMAS, of_problem
from engine_layer_visualize.facts.engine_words import renamed_files
from engine_layer_visualize.facts.field import TEXT
from engine_layer_visualize.io import decompression
from engine_layer_visualize.io.atomic_file import save
from engine_layer_visualize.io.processes import install_extra
from engine_layer_visualize.linting.subject import Subject

TABLES: Final = [*(table for table in SCHEMAS if table != "engines"), "engines"]  # as written
_PASSING: Final = ("ELV108", "ELV113", "ELV401")  # a disk that failed, a lack of memory
_PATIENCE: Final = 30.0  # seconds
_CLUSTER: Final = 256  # logs that a cluster has at once


class Outcome(NamedTuple):
    """What came of a log."""

    problems: list[Problem]  # errors alone
    rows: int | None = None  # None: nothing is kept, and the next run reads it again
    engines: int = 0


# What reads, and how many logs it has at once.
_Workers: TypeAlias = AbstractContextManager[tuple[Executor, int]]
_Outcome: TypeAlias = tuple[Item, Outcome]


def read_all(
    items: Iterable[Item], folder: str, jobs: int | None, scheduler: str | None,
    remark: Callable[[str], None],
) -> Generator[_Outcome, None, None]:  # fmt: skip
    """Reads logs, in any order, and gives what came of each.

    A process that dies, by a signal or for want of memory, costs the log alone that it was at.

    Args:
        items: The logs.
        folder: The dataset.
        jobs: Processes; None: one for each core.
        scheduler: The address of Dask's, which reads in place of these.
        remark: Takes a line where no log is done for a while.

    Raises:
        ReadError: Without Dask, or an answer of its scheduler (ELV502).
        OSError: Where the dataset cannot be written.
    """
    rest, workers = iter(items), partial(_processes, jobs or os.cpu_count() or 1)
    if scheduler is not None:
        workers = partial(_cluster, scheduler)
    while suspects := (yield from _read(rest, folder, workers(), remark)):
        for item in suspects:
            if (yield from _read(iter([item]), folder, _processes(1), remark)):
                yield item, _died(item)


def _read(
    items: Iterator[Item], folder: str, workers: _Workers, remark: Callable[[str], None]
) -> Generator[_Outcome, None, list[Item]]:
    """Reads logs until a process dies. Returns those of which one may have ended it."""
    pending: dict[Future[Outcome], Item] = {}
    suspects: list[Item] = []
    patience = _PATIENCE
    with workers as (executor, most):
        while True:
            for item in islice(items, 0 if suspects else most - len(pending)):
                try:
                    with _undisturbed():
                        pending[executor.submit(read_log, item, folder)] = item
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
def _processes(jobs: int) -> Iterator[tuple[Executor, int]]:
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
    arrow.spare_memory()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keeps the main file, and Ctrl-C until it is ignored, from processes that start.

    A program on stdin has no such file, and another one may call `collect` once more.
    """
    main, before = sys.modules["__main__"], None
    try:
        sys.modules["__main__"] = ModuleType("__main__")
        if hasattr(signal, "pthread_sigmask"):  # not on Windows
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        sys.modules["__main__"] = main  # first: a Ctrl-C that waited is raised below
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
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


@no_collections()
def read_log(item: Item, folder: str) -> Outcome:
    """Reads a log and writes its files. Raises OSError where these cannot be written."""
    log, engines = item.log, 0
    columns, cells = tuple(item.meta), tuple(item.meta.values())
    batches: dict[str, list[Any]] = {table: [] for table in TABLES}
    problems: list[Problem] = []
    failure = build_id = None

    def name(file: str) -> str:
        return log.name if file == log.path else base_name(file)

    try:
        for engine in Log(log.path, item.profiles).engines():
            named = renamed_files(engine, name)
            problems += [problem for problem in named.problems if problem.severity == "error"]
            subject = Subject(Costs(named))
            for table, schema in SCHEMAS.items():
                found = (row + cells for row in schema.rows_of(subject))
                batches[table] += arrow.batches(found, _schema(table, columns))
            engines += 1
    except ReadError as error:
        place, message = error.problem.place, error.problem.message.replace(log.path, log.name)
        failure = replace(
            error.problem, place=replace(place, file=name(place.file)), message=message
        )
        with suppress(OSError):
            build_id = decompression.of_file(log.path)
    except Exception as error:  # no log ends the run
        message = f"reading it failed: {type(error).__name__}: {error}"[:500]
        failure = item.problem("ELV113", message)
    if not log.is_unchanged():
        failure = item.problem("ELV108", "it was changed while it was read")
    if failure is not None:
        problems.append(failure)
        if failure.code in _PASSING:
            return Outcome(problems)
        row = (build_id, None, *of_problem(failure), *cells)
        batches["problems"] += arrow.batches([row], _schema("problems", columns))
    try:
        data = {
            table: _parquet(_schema(table, columns), several) if several else _empty(table, columns)
            for table, several in batches.items()
        }
    except Exception as error:  # such as a lack of memory
        message = f"writing its tables failed: {type(error).__name__}: {error}"[:500]
        return Outcome([*problems, item.problem("ELV113", message)])
    files = paths(folder, item.key)
    files["engines"].unlink(missing_ok=True)
    for table, path in files.items():
        save(path, [data[table]], sync=False)  # one that a power cut damages is read again
    rows = sum(batch.num_rows for several in batches.values() for batch in several)
    return Outcome(problems, rows, engines)


def paths(folder: str, key: str) -> dict[str, Path]:
    """Returns the files of a log by their tables, in the order in which they are written."""
    return {table: Path(folder, table, f"{key}.parquet") for table in TABLES}


@cache
def _schema(table: str, more: Sequence[str]) -> Any:
    """Returns the `pyarrow.Schema` of a table with more columns."""
    columns = (*SCHEMAS[table].columns, *(Column(name, TEXT, "") for name in more))
    return arrow.schema(SCHEMAS[table]._replace(columns=columns), (), docs=False)


@cache
def _empty(table: str, more: Sequence[str]) -> bytes:
    """Returns a file without rows, which is the same for each log."""
    return _parquet(_schema(table, more), [])


def _parquet(schema: Any, batches: Sequence[Any]) -> bytes:
    """Returns a file of record batches that is small: most of one would be about itself."""
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    file = BytesIO()
    small = {"compression": "snappy", "store_schema": False, "use_dictionary": False}
    with ParquetWriter(file, schema, write_statistics=["build_id"], **small) as writer:
        if batches:
            writer.write_table(Table.from_batches(batches, schema))
    return file.getvalue()
