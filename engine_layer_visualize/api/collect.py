"""Keeps the tables of many logs as a dataset, `OUT/<table>/<key>.parquet`, in processes.

A log's key is known without reading it. A table without rows of a log has no file of it. The file
of `engines` is there always, is written last, and names the others: a log without it is not there.
"""

import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache, partial
from io import BytesIO
from itertools import islice
from multiprocessing import connection
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect_sources import Item
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.limits import no_collections
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name, count, plural
from engine_layer_visualize.export import columns, table_files
from engine_layer_visualize.export.tables import SCHEMAS, of_problem
from engine_layer_visualize.facts.sentences import renamed_file, renamed_files
from engine_layer_visualize.io import input_files
from engine_layer_visualize.io.atomic_file import alone, is_unfinished, save
from engine_layer_visualize.linting.subject import Subject

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
    while suspects := (yield from _read_some(rest, read, workers(), remark)):
        for item in suspects:
            if (yield from _read_some(iter([item]), read, processes(1), remark)):
                yield item, _died(item)


def _read_some(
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
    table_files.spare_memory()


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
            place, message = "--scheduler", "--scheduler needs Dask: pip install distributed"
        raise ReadError(Problem(Place(place), "ELV502", message)) from error
    with client:
        yield client.get_executor(pure=False), _CLUSTER


_TABLES: Final = [*(table for table in SCHEMAS if table != "engines"), "engines"]  # as written
_NAMED: Final = "elv.tables"  # in the file of `engines`: which tables have rows of the log
_NAME: Final = re.compile(r"([0-9a-f]{16}(?:-[0-9a-f]{12}){2})\.parquet")
_PATH, _STATE = 16, 29  # where digests of keys end: of the path, of size and time of change
_PASSING: Final = ("ELV108", "ELV401")  # the next run may read what could not be read


def collect(
    source: Sequence[str], output_dir: str, listener: Any, *,
    refresh: bool = False, jobs: int | None = None, scheduler: str | None = None,
) -> str:  # fmt: skip
    """Reads the logs that a dataset lacks, and says in words what was done.

    Args:
        source: Folders, patterns and files.
        output_dir: The dataset.
        listener: Is told what happens, as a `Report` of commands: `problem`, `remark`, `progress`.
        refresh: Whether to read again what is known.
        jobs: Processes that read; None: one for each core.
        scheduler: The address of a Dask scheduler, whose cluster reads in their place.

    Raises:
        ValueError: Where a URL is given.
        ReadError: Where there is nothing to read.
        OSError: Where the dataset cannot be written.
    """
    folder = os.path.abspath(collect_sources.local(output_dir))
    files = collect_sources.files([*map(collect_sources.local, source)], folder, listener.problem)
    _begin(folder)
    waiting = f"another run writes into {output_dir}; waiting for its end"
    with alone(Path(folder, ".lock"), lambda: listener.remark(waiting)):
        names = map(_NAME.fullmatch, os.listdir(os.path.join(folder, "engines")))
        there = {name[1] for name in names if name}
        whole = {key for key in there if _is_whole(folder, key)}
        items, unread = collect_sources.items(files, {key[:_STATE] for key in whole})
        newest = {item.key[:_PATH]: item.key for item in items}
        if lost := sum(key[:_PATH] not in newest for key in there - whole):
            listener.remark(f"damaged files of {count(lost, 'log')} go, which are not read now")
        due = [item for item in items if refresh or item.key not in whole]
        if unread:
            several = f"{count(len(unread), 'file')} of times, such as {unread[0]}"
            why = "times of layers go to the log of their stem, else to the folder's only log"
            listener.remark(f"{several}, {plural(len(unread), 'fits', 'fit')} no log: {why}")
        failed = rows = ended = 0
        size = sum(item.log.size for item in due)
        own = partial(processes, jobs or os.cpu_count() or 1)
        workers = partial(cluster, scheduler) if scheduler else own
        read = partial(read_log, folder=folder)
        try:
            with closing(read_all(due, read, workers, listener.remark)) as outcomes:
                for item, outcome in outcomes:
                    for problem in outcome.problems:
                        listener.problem(problem)
                    failed += not outcome.engines
                    rows += outcome.rows or 0
                    if outcome.rows is not None:
                        whole.add(item.key)
                    ended += item.log.size
                    listener.progress(ended, size)
        finally:
            _tidy(folder, whole, newest)
    said = [f"{count(len(due), 'log')} read", f"{len(items) - len(due):,} known before"]
    said += [f"{failed:,} without an engine"] * bool(failed)
    return ", ".join([*said, count(rows, "row")])


def _begin(folder: str) -> None:
    """Makes the folders, each with a file without rows: so no reader finds one without files."""
    for table in _TABLES:
        path = Path(folder, table, "empty.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not table_files.is_whole(path):
            save(path, [_parquet(table, [])])


def _is_whole(folder: str, key: str) -> bool:
    """Returns whether all files of a log are there, and none is cut.

    Older versions also wrote tables that are gone: their files are not looked at.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    files = _paths(folder, key)
    try:
        tables = read_metadata(files["engines"]).metadata[_NAMED.encode()].decode().split()
    except (OSError, ArrowException, TypeError, KeyError):
        return False
    return all(table_files.is_whole(files[table]) for table in tables if table in files)


def _tidy(folder: str, whole: Collection[str], newest: Mapping[str, str]) -> None:
    """Deletes damaged and unfinished files, and those of logs whose new ones stand.

    Args:
        folder: The dataset.
        whole: The keys of the logs that have all their files.
        newest: The keys of this run's logs, by the digests of their paths.
    """
    news = {key: newest.get(key[:_PATH], key) for key in whole}
    keep = {key for key, new in news.items() if new == key or new not in whole}
    for table in reversed(_TABLES):
        for entry in os.scandir(os.path.join(folder, table)):
            name = _NAME.fullmatch(entry.name)
            if name[1] not in keep if name else is_unfinished(Path(entry.path)):
                os.unlink(entry.path)


# ---- one log -------------------------------------------------------------------------------------


@no_collections()
def read_log(item: Item, folder: str) -> Outcome:
    """Reads a log and writes its files. Raises OSError where these cannot be written."""
    try:
        outcome, tables = _read(item)
    except Exception as error:  # no log ends the run
        message = f"reading it failed: {type(error).__name__}: {error}"[:500]
        return Outcome([item.problem("ELV113", message)])
    if outcome.rows is not None:
        files = _paths(folder, item.key)
        files["engines"].unlink(missing_ok=True)
        for table, path in files.items():
            if table in tables:
                save(path, [tables[table]], sync=False)  # what a power cut damages is read again
            else:
                path.unlink(missing_ok=True)
    return outcome


def _read(item: Item) -> tuple[Outcome, Mapping[str, bytes]]:
    """Returns what came of a log, and its files by their tables."""
    log, engines, failure = item.log, 0, None
    batches: dict[str, list[Any]] = {table: [] for table in _TABLES}
    problems: list[Problem] = []

    def name(file: str) -> str:
        return log.name if file == log.path else base_name(file)

    try:
        for engine in Log(log.path, item.profiles).engines():
            named = renamed_files(engine, name)
            problems += [problem for problem in named.problems if problem.severity == "error"]
            subject = Subject(Costs(named))
            for table, schema in SCHEMAS.items():
                batches[table] += columns.batches(schema.rows_of(subject), _schema(table))
            engines += 1
    except ReadError as error:
        failure = renamed_file(error.problem, name)
        failure = failure._replace(message=failure.message.replace(log.path, log.name))
    if not log.is_unchanged():
        failure = item.problem("ELV108", "it was changed while it was read")
    if failure is not None:
        problems.append(failure)
        if failure.code in _PASSING:
            return Outcome(problems), {}
        row = (input_files.of_file(log.path), None, *of_problem(failure))
        batches["problems"] += columns.batches([row], _schema("problems"))
    files = {table: _parquet(table, several) for table, several in batches.items() if several}
    files["engines"] = _parquet("engines", batches["engines"], " ".join(files))
    rows = sum(batch.num_rows for several in batches.values() for batch in several)
    return Outcome(problems, rows, engines), files


def _paths(folder: str, key: str) -> dict[str, Path]:
    """Returns where the files of a log are by their tables, in the order of writing."""
    return {table: Path(folder, table, f"{key}.parquet") for table in _TABLES}


@cache
def _schema(table: str) -> Any:
    """Returns the `pyarrow.Schema` of a table."""
    return columns.schema(SCHEMAS[table], (), docs=False)


def _parquet(table: str, batches: Sequence[Any], tables: str = "") -> bytes:
    """Returns a file of record batches that is small: most of one would be about itself.

    `tables`: what a file of `engines` names.
    """
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    file, schema = BytesIO(), _schema(table)
    small = {"compression": "snappy", "store_schema": False, "use_dictionary": False}
    with ParquetWriter(file, schema, write_statistics=["build_id"], **small) as writer:
        if batches:
            writer.write_table(Table.from_batches(batches, schema))
        writer.add_key_value_metadata({_NAMED: tables})
    return file.getvalue()
