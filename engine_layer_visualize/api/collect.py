"""Keeps the tables of many logs as a dataset: `OUT/<table>/<key>.parquet`, a file for each log.

A log's key is known without reading it. The file of `engines` is written last, and a log without
it is not there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect_sources import Pairing
from engine_layer_visualize.api.collect_workers import TABLES, paths, read_all
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count
from engine_layer_visualize.export import arrow
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.io.atomic_file import alone, is_unfinished

_NAME: Final = re.compile(r"([0-9a-f]{16}(?:-[0-9a-f]{12}){2})\.parquet")
_PATH, _STATE = 16, 29  # where digests of keys end: of the path, of size and time of change


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

    known: int  # logs that were read before
    times: int  # files that hold times
    unread: Sequence[str]  # files of times that were read with no log
    read: int = 0  # logs
    failed: int = 0  # logs that were read, without an engine
    rows: int = 0  # of the logs that were read

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
    folder = os.path.abspath(collect_sources.local(output_dir))
    files = collect_sources.files(map(collect_sources.local, source), folder, listener.problem)
    if os.path.exists(os.path.join(folder, "_manifest")):
        message = "an older program wrote this dataset, and this one cannot add to it"
        hint = "--output_dir names another folder"
        raise ReadError(Problem(Place(output_dir), "ELV507", message), hint)
    for table in SCHEMAS:
        os.makedirs(os.path.join(folder, table), exist_ok=True)
    waiting = f"another run writes into {output_dir}; waiting for its end"
    with alone(Path(folder, ".lock"), lambda: listener.remark(waiting)):
        names = map(_NAME.fullmatch, os.listdir(os.path.join(folder, "engines")))
        there = {name[1] for name in names if name}
        whole = {key for key in there if all(map(arrow.is_whole, paths(folder, key).values()))}
        states = {key[:_STATE] for key in whole}
        items, unread = collect_sources.items(files, states, meta, pair)
        newest = {item.key[:_PATH]: item.key for item in items}
        if lost := sum(key[:_PATH] not in newest for key in there - whole):
            listener.remark(f"damaged files of {count(lost, 'log')} go, which are not read now")
        due = [item for item in items if refresh or item.key not in whole]
        done = Collected(len(items) - len(due), len(files) - len(items), unread)
        ended, size = 0, sum(item.log.size for item in due)
        reading = read_all(due, folder, jobs, scheduler, listener.remark)
        try:
            with closing(reading):
                for item, outcome in reading:
                    for problem in outcome.problems:
                        listener.problem(problem)
                    done.read += 1
                    done.failed += not outcome.engines
                    done.rows += outcome.rows or 0
                    if outcome.rows is not None:
                        whole.add(item.key)
                    ended += item.log.size
                    listener.progress(ended, size)
        finally:
            _tidy(folder, whole, newest)
    return done


def _tidy(folder: str, whole: Collection[str], newest: Mapping[str, str]) -> None:
    """Deletes damaged and unfinished files, and those of logs whose new ones stand.

    Args:
        folder: The dataset.
        whole: The keys of the logs that have all their files.
        newest: The keys of this run's logs, by the digests of their paths.
    """
    for table in TABLES[::-1]:
        for entry in os.scandir(os.path.join(folder, table)):
            if name := _NAME.fullmatch(entry.name):
                new = newest.get(name[1][:_PATH], name[1])
                goes = name[1] not in whole or (new != name[1] and new in whole)
            else:
                goes = is_unfinished(Path(entry.path))
            if goes:
                os.unlink(entry.path)
