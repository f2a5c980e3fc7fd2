"""Decides which logs are read into a dataset, and which of its files go.

A log's files are called by a key: digests of its path, of its size and time of change, and of all
else that its rows depend on. So what was read is known without reading it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Final, Protocol

from engine_layer_visualize.api import collect_reading, collect_sources
from engine_layer_visualize.api.collect_reading import BUILD, MARK, Item
from engine_layer_visualize.api.collect_sources import File, Pairing
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count
from engine_layer_visualize.export.arrow import is_whole
from engine_layer_visualize.export.columns import VERSION
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.io.atomic_file import alone, is_unfinished, save
from engine_layer_visualize.reading import file_kinds

_NAME: Final = re.compile(r"([0-9a-f]{16}(?:-[0-9a-f]{12}){2})\.parquet")
_PATH, _STATE = 16, 29  # where a key's digests end: of the path, of size and time of change
_COPY: Final = "elv.copy"  # in a file of `engines` without rows: another log has them
_Keys = dict[str, str]  # with the SHA-256 of their logs


class Listener(Protocol):
    """Is told what happens."""

    def problem(self, problem: Problem) -> None:
        """Takes a problem of a log."""

    def remark(self, text: str) -> None:
        """Takes what is no problem of a log."""

    def progress(self, count: int, size: int | None) -> None:
        """Takes how many bytes of logs are done, of all."""


@dataclass(slots=True)
class Collected:
    """What a run did."""

    read: int = 0  # logs
    known: int = 0  # logs that were read before
    failed: int = 0  # logs that were read, without an engine
    times: int = 0  # files that hold times
    rows: int = 0  # of the logs that were read
    unread: list[str] = field(default_factory=list)  # files of times that were read with no log

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
        problem = Problem(Place(output_dir), "ELV507", message)
        raise ReadError(problem, "--output_dir names another folder")
    for table in SCHEMAS:
        os.makedirs(os.path.join(folder, table), exist_ok=True)
    waiting = f"another run writes into {output_dir}; waiting for its end"
    with alone(Path(folder, ".lock"), lambda: listener.remark(waiting)):
        whole, copies, damaged = _there(folder)
        items = list(_items(files, {key[:_STATE] for key in (*whole, *copies)}, meta, pair, done))
        newest = {item.key[:_PATH]: item.key for item in items}
        kept = {id for key, id in whole.items() if newest.get(key[:_PATH], key) == key}
        known = whole.keys() | {key for key, id in copies.items() if id in kept}
        items = [item for item in items if refresh or item.key not in known]
        done.known = len(newest) - len(items)
        if lost := sum(key[:_PATH] not in newest for key in damaged):
            listener.remark(f"damaged files of {count(lost, 'log')} go, which are not read now")
        ended, size = 0, sum(item.log.size for item in items)
        jobs = jobs or os.cpu_count() or 1
        run = collect_reading.results(items, folder, jobs, scheduler, listener.remark)
        try:
            with closing(run) as results:
                for item, came in results:
                    done.read += 1
                    done.failed += not came.engines
                    done.rows += came.rows
                    for problem in came.problems:
                        listener.problem(problem)
                    if came.build_id is not None:
                        whole[item.key] = came.build_id
                    ended += item.log.size
                    listener.progress(ended, size)
        finally:
            _tidy(folder, whole, copies, newest)
    return done


# ---- what is read --------------------------------------------------------------------------------


def _there(folder: str) -> tuple[_Keys, _Keys, list[str]]:
    """Finds the logs all of whose files are whole, copies of such logs, and the keys of others."""
    from pyarrow.parquet import read_metadata

    whole, copies, damaged = {}, {}, []
    for name in filter(None, map(_NAME.fullmatch, os.listdir(os.path.join(folder, MARK)))):
        try:
            said = read_metadata(os.path.join(folder, MARK, name[0])).metadata
            id = said[BUILD.encode()].decode()
        except (OSError, ValueError, KeyError, TypeError):
            said = {}
        if _COPY.encode() in said:
            copies[name[1]] = id
        elif said and all(is_whole(Path(folder, table, name[0])) for table in SCHEMAS):
            whole[name[1]] = id
        else:
            damaged.append(name[1])
    return whole, copies, damaged


def _items(
    files: Sequence[File], known: Container[str], meta: re.Pattern[str] | None,
    pair: Pairing | None, done: Collected,
) -> Iterator[Item]:  # fmt: skip
    """Gives all logs, with their times. `known`: what keys of logs that were read begin with."""
    for _, group in groupby(files, lambda file: os.path.dirname(file.path)):
        logs: list[File] = []
        times: list[File] = []
        for file in group:
            is_log = _start(file) in known or not file_kinds.has_times_alone(file.path)
            (logs if is_log else times).append(file)
        pairs, left = collect_sources.paired(logs, times, pair)
        done.times += len(times)
        done.unread += (file.given for file in left)
        for log in logs:
            profiles, said = pairs.get(log, ()), collect_sources.said(meta, log.given)
            key = f"{_start(log)}-{_digest(6, VERSION, said, *map(_start, profiles))}"
            yield Item(key, log, [profile.path for profile in profiles], said)


def _start(file: File) -> str:
    """Returns what the keys of a file begin with."""
    return f"{_digest(8, file.path)}-{_digest(6, file.size, file.mtime_ns)}"


def _digest(size: int, *parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=size).hexdigest()


# ---- what goes -----------------------------------------------------------------------------------


def _tidy(folder: str, whole: _Keys, copies: _Keys, newest: Mapping[str, str]) -> None:
    """Deletes files of logs whose new ones stand, rows of copies, and what is unfinished.

    Of the logs with one content, the first of this run has the rows.

    Args:
        folder: The dataset.
        whole: The logs that have all their files.
        copies: The logs of which another one has the rows.
        newest: The keys of this run's logs, by the digests of their paths.
    """
    known = {**copies, **whole}
    first: dict[str, str] = {}  # by SHA-256
    rank = {key: number for number, key in enumerate(newest.values())}
    needed = {id for key, id in copies.items() if key not in whole}
    for key in sorted(known, key=lambda key: (rank.get(key, len(rank)), key)):
        new = newest.get(key[:_PATH], key)
        if new != key and new in known and whole.get(key) not in needed:
            del known[key]
        elif key in whole and first.setdefault(whole[key], key) != key:
            _keep_as_copy(Path(folder, MARK, f"{key}.parquet"), whole[key])
    for table in SCHEMAS:  # `engines` first
        keys = known if table == MARK else set(first.values())
        for entry in os.scandir(os.path.join(folder, table)):
            name = _NAME.fullmatch(entry.name)
            if is_unfinished(Path(entry.path)) if name is None else name[1] not in keys:
                os.unlink(entry.path)


def _keep_as_copy(path: Path, id: str) -> None:
    """Takes the rows out of a file of `engines`."""
    from pyarrow.parquet import ParquetWriter, read_schema

    file = BytesIO()
    with ParquetWriter(file, read_schema(path), store_schema=False) as writer:
        writer.add_key_value_metadata({BUILD: id, _COPY: "1"})
    save(path, [file.getvalue()])
