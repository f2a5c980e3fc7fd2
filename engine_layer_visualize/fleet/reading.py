"""Some logs in; the rows of all tables, as Parquet, and an entry for each log out.

It runs in any process, on any machine: it writes no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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

_RELEASE: Final = re.compile(r"\d{1,4}\.\d{1,4}")


@dataclass(frozen=True, slots=True)
class Item:
    """A log to read. `name`: as rows call it; `build_id`: None where it could not be opened."""

    path: str
    name: str
    key: str
    build_id: str | None
    size: int
    mtime_ns: int | None
    profiles: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class Result:
    """`parts`: files, by table and version of TensorRT, with their numbers of rows; `entries`:
    still without a part's name; `problems`: of logs, errors alone."""

    parts: dict[tuple[str, str], tuple[bytes, int]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Look:
    """A first look at a file. `sha256`: None where it cannot be read; `times`: it is no log."""

    path: str
    sha256: str | None
    times: bool = False


def looks(paths: Sequence[str]) -> list[Look]:
    """At each file."""
    return [_look(path) for path in paths]


def _look(path: str) -> Look:
    try:
        with local(path) as (file, sha256):
            return Look(path, sha256 or sha256_of(file), file_kinds.has_times_alone(str(file)))
    except Exception:  # each store raises its own; reading it says what is wrong
        return Look(path, None)


# ---- rows ----------------------------------------------------------------------------------------


def read(items: Sequence[Item], meta: Sequence[str]) -> Result:
    """The rows of some logs. `meta`: the columns that paths give."""
    with no_collections():
        return _read(items, meta)


def _read(items: Sequence[Item], meta: Sequence[str]) -> Result:
    result, rows = Result(), _Rows(meta)
    for item in items:
        counts: dict[str, dict[str, int]] = {}
        cells = tuple(item.meta.get(name) for name in meta)
        failure = None
        try:
            for trt, table, found in _rows(item, result):
                count = rows.add(table, trt, (row + cells for row in found))
                if count:
                    own = counts.setdefault(trt, {})
                    own[table] = own.get(table, 0) + count
        except Changed:
            result.problems.append(
                Problem(Place(item.name, 1), "ELV108", "it was changed while it was read")
            )
            continue  # its rows have no entry: the next run reads it again
        except ReadError as error:
            failure = error.problem
        except Exception as error:  # no log ends the run
            failure = unread(item, f"reading it failed: {type(error).__name__}: {error}"[:500])
        if failure is not None:
            row = problem_row(item, failure)
            rows.add("problems", NO_VERSION, [row + cells])
            own = counts.setdefault(NO_VERSION, {})
            own["problems"] = own.get("problems", 0) + 1
            result.problems.append(failure)
        code = failure.code if failure is not None else None
        result.entries.append(entry(item, code, counts))
    result.parts = rows.files()
    return result


class Changed(Exception):
    """A log is another one than a moment ago."""


def unread(item: Item, message: str) -> Problem:
    """A log that no reader survives."""
    return Problem(Place(item.name, 1), "ELV113", message)


def failed(item: Item, meta: Sequence[str], failure: Problem) -> Result:
    """What is known of a log that ended the process that read it."""
    rows = _Rows(meta)
    row = problem_row(item, failure) + tuple(item.meta.get(name) for name in meta)
    rows.add("problems", NO_VERSION, [row])
    own = entry(item, failure.code, {NO_VERSION: {"problems": 1}})
    return Result(rows.files(), [own], [failure])


def entry(item: Item, code: str | None, rows: Mapping[str, Mapping[str, int]]) -> Entry:
    return Entry(
        key=item.key,
        build_id=item.build_id,
        path=item.path,
        size=item.size,
        mtime_ns=item.mtime_ns,
        version=__version__,
        profiles=item.profiles,
        meta=item.meta,
        problem=code,
        part="",
        rows=rows,
    )


def problem_row(item: Item, problem: Problem) -> Row:
    """Of a log of which nothing came."""
    place = problem.place
    where = item.name, place.line or None, place.column if place.line else None
    return item.build_id, None, *where, problem.severity, problem.code, problem.message


def _rows(item: Item, result: Result) -> Iterator[tuple[str, str, Iterator[Row]]]:
    """The rows of each table about each engine. Raises ReadError, Changed."""
    with local(item.path) as (file, sha256):
        if sha256 is not None and sha256 != item.build_id:
            raise Changed
        paths = []
        for profile in item.profiles:
            if is_url(profile):
                raise ReadError(unread(item, "the times of a URL cannot be paired"))
            paths.append(profile)
        try:
            log = Log(str(file), paths)
        except ReadError as error:
            raise ReadError(_named(error.problem, str(file), item.name)) from error

        def name(path: str) -> str:
            return item.name if path == log.name else base_name(path)

        for engine in log.engines():
            if sha256 is None and engine.build_id != item.build_id:
                raise Changed
            named = file_names.renamed(engine, name)
            result.problems += [one for one in named.problems if one.severity == "error"]
            subject = Subject(Costs(named))
            release = _RELEASE.match(engine.tensorrt or "")
            for table, schema in SCHEMAS.items():
                yield (release[0] if release else NO_VERSION), table, schema.rows_of(subject)


def _named(problem: Problem, path: str, name: str) -> Problem:
    from dataclasses import replace

    place = problem.place
    file = name if place.file == path else base_name(place.file)
    message = problem.message.replace(path, name)
    return replace(problem, place=replace(place, file=file), message=message)


class _Rows:
    """Rows that come log by log, held as Arrow has them."""

    def __init__(self, meta: Sequence[str]) -> None:
        self._schemas = schemas(meta)
        self._made: dict[str, Any] = {}
        self._pending: dict[tuple[str, str], list[Row]] = {}
        self._batches: dict[tuple[str, str], list[Any]] = {}

    def add(self, table: str, trt: str, rows: Iterator[Row] | list[Row]) -> int:
        """How many there were."""
        found = list(rows)  # all of them, or none where one cannot be made
        pending = self._pending.setdefault((table, trt), [])
        pending.extend(found)
        if len(pending) >= arrow.BATCH:
            self._flush(table, trt)
        return len(found)

    def _flush(self, table: str, trt: str) -> None:
        schema = self._schemas[table]
        if table not in self._made:
            about = About((), __version__)
            self._made[table] = arrow.schema(schema, about, docs=False)  # they are half of a file
        rows = self._pending[table, trt]
        batches = self._batches.setdefault((table, trt), [])
        batches.extend(arrow.batches(schema, rows, self._made[table]))
        rows.clear()

    def files(self) -> dict[tuple[str, str], tuple[bytes, int]]:
        """The Parquet files, with their numbers of rows."""
        found = {}
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
            found[table, trt] = file.getvalue(), whole.num_rows
        return found
