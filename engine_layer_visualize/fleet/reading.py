"""Reads logs into rows of all tables, as Parquet, and an entry for each log.

It runs in any process, on any machine: it writes no file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.garbage import no_collections
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.fields import file_names
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.fleet.manifest import NO_VERSION, Entry, schemas
from engine_layer_visualize.fleet.parquet import writer
from engine_layer_visualize.inputs import file_kinds
from engine_layer_visualize.io.places import is_url, local, sha256_of
from engine_layer_visualize.pipeline import Log
from engine_layer_visualize.tables import SCHEMAS, arrow
from engine_layer_visualize.tables.files import About
from engine_layer_visualize.tables.schema import Row

_Counts = defaultdict[str, Counter[str]]  # rows by version of TensorRT and table
_RELEASE: Final = re.compile(r"\d{1,4}\.\d{1,4}")


@dataclass(frozen=True, slots=True)
class Item:
    """A log to read."""

    path: str
    name: str  # as rows call it
    key: str  # of its entry
    build_id: str | None  # None where it could not be opened
    size: int
    mtime_ns: int | None
    profiles: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class Result:
    """What came of some logs."""

    # By table and version of TensorRT: a file, and its number of rows.
    parts: dict[tuple[str, str], tuple[bytes, int]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)  # still without a part's name
    problems: list[Problem] = field(default_factory=list)  # errors alone


@dataclass(frozen=True, slots=True)
class Look:
    """A first look at a file."""

    path: str
    sha256: str | None  # None where it cannot be read
    times: bool = False  # whether it has times, and is no log


def looks(paths: Sequence[str]) -> list[Look]:
    """Looks at each file."""
    return [_look(path) for path in paths]


def _look(path: str) -> Look:
    try:
        with local(path) as (file, sha256):
            return Look(path, sha256 or sha256_of(file), file_kinds.has_times_alone(str(file)))
    except Exception:  # each store raises its own; reading it says what is wrong
        return Look(path, None)


# ---- rows ----------------------------------------------------------------------------------------


def read(items: Sequence[Item], meta: Sequence[str]) -> Result:
    """Reads the rows of some logs. `meta`: the columns that paths give."""
    with no_collections():
        result, rows = Result(), _Rows(meta)
        for item in items:
            _read(item, rows, result)
        result.parts = rows.files()
        return result


def _read(item: Item, rows: _Rows, result: Result) -> None:
    counts = _Counts(Counter)
    try:
        for trt, table, found in _tables(item, result):
            if count := rows.add(table, trt, found, item):
                counts[trt][table] += count
    except _Changed:  # its rows have no entry: the next run reads it again
        message = "it was changed while it was read"
        result.problems.append(Problem(Place(item.name, 1), "ELV108", message))
    except ReadError as error:
        _add(item, error.problem, counts, rows, result)
    except Exception as error:  # no log ends the run
        message = f"reading it failed: {type(error).__name__}: {error}"[:500]
        _add(item, unread(item, message), counts, rows, result)
    else:
        _add(item, None, counts, rows, result)


def _add(
    item: Item,
    failure: Problem | None,
    counts: _Counts,
    rows: _Rows,
    result: Result,
) -> None:
    """Adds the entry of a log. `counts`: its rows; `failure`: why there is no engine."""
    if failure is not None:
        place = failure.place
        where = item.name, place.line or None, place.column if place.line else None
        row = (item.build_id, None, *where, failure.severity, failure.code, failure.message)
        rows.add("problems", NO_VERSION, [row], item)
        counts[NO_VERSION]["problems"] += 1
        result.problems.append(failure)
    result.entries.append(
        Entry(
            key=item.key,
            build_id=item.build_id,
            path=item.path,
            size=item.size,
            mtime_ns=item.mtime_ns,
            version=__version__,
            profiles=item.profiles,
            meta=item.meta,
            problem=None if failure is None else failure.code,
            part="",
            rows=counts,
        )
    )


class _Changed(Exception):
    """A log is another one than a moment ago."""


def unread(item: Item, message: str) -> Problem:
    """Returns the problem of a log that no reader survives."""
    return Problem(Place(item.name, 1), "ELV113", message)


def failed(item: Item, meta: Sequence[str], failure: Problem) -> Result:
    """Returns what is known of a log that ended the process that read it."""
    result, rows = Result(), _Rows(meta)
    _add(item, failure, _Counts(Counter), rows, result)
    result.parts = rows.files()
    return result


def _tables(item: Item, result: Result) -> Iterator[tuple[str, str, Iterator[Row]]]:
    """Gives the version of TensorRT, a table and its rows about each engine.

    Raises:
        ReadError: Where there is no engine.
        _Changed: Where the log is another one than it was.
    """
    with local(item.path) as (file, sha256):
        if sha256 is not None and sha256 != item.build_id:
            raise _Changed
        if any(map(is_url, item.profiles)):
            raise ReadError(unread(item, "the times of a URL cannot be paired"))
        try:
            log = Log(str(file), list(item.profiles))
        except ReadError as error:
            raise ReadError(_named(error.problem, str(file), item.name)) from error

        def name(path: str) -> str:
            return item.name if path == log.name else base_name(path)

        for engine in log.engines():
            if sha256 is None and engine.build_id != item.build_id:
                raise _Changed
            named = file_names.renamed(engine, name)
            result.problems += [found for found in named.problems if found.severity == "error"]
            subject = Subject(Costs(named))
            release = _RELEASE.match(engine.tensorrt or "")
            for table, schema in SCHEMAS.items():
                yield (release[0] if release else NO_VERSION), table, schema.rows_of(subject)


def _named(problem: Problem, path: str, name: str) -> Problem:
    """Calls the log `name` in a problem."""
    place = problem.place
    file = name if place.file == path else base_name(place.file)
    message = problem.message.replace(path, name)
    return replace(problem, place=replace(place, file=file), message=message)


class _Rows:
    """Holds rows that come log by log, as Arrow has them."""

    def __init__(self, meta: Sequence[str]) -> None:
        self._meta = meta
        self._schemas = schemas(meta)
        self._made: dict[str, Any] = {}
        self._pending: dict[tuple[str, str], list[Row]] = {}
        self._batches: dict[tuple[str, str], list[Any]] = {}

    def add(self, table: str, trt: str, rows: Iterable[Row], item: Item) -> int:
        """Adds rows of a log, with what its path says. Returns how many there were."""
        cells = tuple(item.meta.get(name) for name in self._meta)
        whole = [row + cells for row in rows]  # all of them, or none where one cannot be made
        pending = self._pending.setdefault((table, trt), [])
        pending.extend(whole)
        if len(pending) >= arrow.BATCH:
            self._flush(table, trt)
        return len(whole)

    def _flush(self, table: str, trt: str) -> None:
        if table not in self._made:
            schema, about = self._schemas[table], About((), __version__)
            self._made[table] = arrow.schema(schema, about, docs=False)  # they are half of a file
        rows = self._pending[table, trt]
        batches = self._batches.setdefault((table, trt), [])
        batches.extend(arrow.batches(rows, self._made[table]))
        rows.clear()

    def files(self) -> dict[tuple[str, str], tuple[bytes, int]]:
        """Writes the Parquet files. Returns them with their numbers of rows."""
        files = {}
        pa = arrow.library()
        for table, trt in list(self._pending):
            self._flush(table, trt)
            batches = self._batches.pop((table, trt))
            if not batches:
                continue
            file = BytesIO()
            whole = pa.Table.from_batches(batches, schema=self._made[table])
            with writer(file, self._made[table]) as out:
                out.write_table(whole)
            files[table, trt] = file.getvalue(), whole.num_rows
        return files
