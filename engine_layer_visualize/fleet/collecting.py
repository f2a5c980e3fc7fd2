"""Plans which logs are read, and writes their rows into a dataset.

Other processes read the logs. What they give is written part by part, and then log by log in the
manifest.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.fleet import inputs, manifest, reading, rewriting
from engine_layer_visualize.fleet.inputs import File, Meta, Pairing
from engine_layer_visualize.fleet.manifest import Entry, Part
from engine_layer_visualize.fleet.processes import Workers
from engine_layer_visualize.fleet.reading import Item, Look, Result
from engine_layer_visualize.io.places import Store, is_url

TASK: Final = 32 << 20  # bytes of logs that are read, and committed, together
LEAST = 1 << 22  # bytes of a task's logs: of a smaller part most is its footer
_TASK_LOGS: Final = 512
_TASK_LOOKS: Final = 64  # files that one task looks at
_PASSING: Final = ("ELV401", "ELV113")  # a disk that failed, a lack of memory
_PROCESS_TASKS: Final = 2  # at least, so that all processes end at about the same time


class Listener(Protocol):
    """Is told what happens."""

    def problem(self, problem: Problem) -> None:
        """Takes a problem of a log."""

    def progress(self, count: int, size: int | None) -> None:
        """Takes how many bytes of logs are done, of all."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a run was asked for."""

    meta: Meta = field(default_factory=Meta)  # what the logs' paths say
    pair: Pairing | None = None  # how files of times are read with their logs
    jobs: int = 1  # for how many processes tasks are cut
    refresh: bool = False  # read again what another version of the program read
    compact: bool = False  # write small parts together
    force: bool = False  # into a folder that holds other files, too


class Outcome(NamedTuple):
    """What a run did."""

    read: int  # logs, but for those that changed meanwhile
    skipped: int  # logs that were known before
    times: int  # files that hold times
    unread: Sequence[str]  # paths of those that belong to no log
    failed: int  # logs without an engine
    rows: int  # of all tables, in the whole dataset


def collect(
    files: Sequence[File], store: Store, where: str, workers: Workers, wishes: Wishes,
    listener: Listener,
) -> Outcome:  # fmt: skip
    """Reads what the dataset lacks.

    Args:
        files: The logs, and files with their times.
        store: Where the dataset is.
        where: The same, for messages.
        workers: Who reads; they are closed at the end.
        wishes: What this run was asked for.
        listener: Is told what happens.

    Raises:
        ReadError: Where the place may not be written to, or a dataset is in use or newer.
        OSError: Where it cannot be written.
    """
    if not wishes.force:
        _check(store, where)
    with closing(workers), store.locked():
        known = manifest.entries(store, where)
        lost = manifest.lost(known.values(), manifest.parts(store))
        plan = _planned(files, known, lost, workers, wishes)
        done, size = 0, sum(item.size for item in plan.items)
        tasks = list(_tasks(plan.items, wishes.jobs))
        columns = tuple(dict.fromkeys(name for item in plan.items for name in item.meta))
        read = failed = 0
        for task, result in workers.run(reading.read, tasks, columns):
            if result is None:
                (item,) = task
                failure = reading.unread(item, "the process that read it died; is memory short?")
                result = reading.failed(item, columns, failure)
            _commit(store, known, result)
            read += len(result.entries)
            failed += sum(entry.problem is not None for entry in result.entries)
            for problem in result.problems:
                listener.problem(problem)
            done += sum(item.size for item in task)
            listener.progress(done, size)
        for key in plan.gone:
            store.delete(known.pop(key).name)
        rewriting.tidy(store, known, wishes.compact)
        rows = sum(count for *_, count in manifest.counts(known.values()))
        return Outcome(read, plan.skipped, plan.times, plan.unread, failed, rows)


def _check(store: Store, where: str) -> None:
    """Raises ReadError (ELV505) where the place holds what no run of this kind has written."""
    if any(map(manifest.is_own, store.names(manifest.FOLDER))):
        return  # a dataset, whatever stands beside it
    for name, size in store.sizes("").items():
        if size and not manifest.is_own(name):
            message = f"this folder is no dataset, and holds {name}; nothing is written into it"
            hint = "--output_dir names another folder, --force writes beside what is there"
            raise ReadError(Problem(Place(where), "ELV505", message), hint)


def _commit(store: Store, known: dict[str, Entry], result: Result) -> None:
    """Writes the parts, then the entries, which never name a part that is not there.

    A log that could not be opened has a part of its own, as its rows bear no name of a build.
    """
    id = rewriting.new_id()
    for (table, trt), (data, rows) in result.parts.items():
        with store.writer(Part(table, trt, id, rows).name) as file:
            file.write(data)
    for entry in result.entries:
        known[entry.key] = replace(entry, part=id)
        manifest.put(store, known[entry.key])


def _tasks(items: Sequence[Item], jobs: int) -> Iterator[list[Item]]:
    """Cuts logs into tasks: as many logs as make a part worth while, and as much per process."""
    total = sum(item.size for item in items)
    shares = max(_PROCESS_TASKS, -(-total // (TASK * jobs)))
    size = max(LEAST, total / (jobs * shares))
    task: list[Item] = []
    before, end = 0, size
    for item in items:
        lone, middle = item.build_id is None, before + item.size / 2
        if task and (middle > end or len(task) >= _TASK_LOGS or lone):
            yield task
            task = []
        while middle > end:
            end += size
        task.append(item)
        before += item.size
        if lone:
            yield task
            task = []
    if task:
        yield task


# ---- plan ----------------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """What a run does."""

    items: list[Item]  # logs to read
    gone: list[str]  # keys of entries about files that could not be opened, and now can
    skipped: int  # logs that were known before
    times: int  # files that hold times
    unread: list[str]  # paths of those that belong to no log


def _planned(
    files: Sequence[File], known: dict[str, Entry], lost: Container[str], workers: Workers,
    wishes: Wishes,
) -> _Plan:  # fmt: skip
    """Plans what is read: each content once, under the first of its paths.

    Args:
        files: All that was named.
        known: What the dataset has, by keys.
        lost: The keys of entries whose rows are gone.
        workers: Look at the files.
        wishes: What this run was asked for.
    """
    same = {(e.path, e.size, e.mtime_ns or 0): e for e in known.values() if e.build_id}
    seen: dict[str, Look] = {}
    for file in files:
        unchanged = same.get((file.path, file.size or 0, file.mtime_ns or -1))
        if unchanged is not None:
            seen[file.path] = Look(file.path, unchanged.build_id)
    unseen = [file.path for file in files if file.path not in seen]
    cut = [unseen[start : start + _TASK_LOOKS] for start in range(0, len(unseen), _TASK_LOOKS)]
    for task, looks in workers.run(reading.looks, cut):
        for look in looks if looks is not None else [Look(path, None) for path in task]:
            seen[look.path] = look
    times = [file.path for file in files if seen[file.path].times]
    logs = [file for file in files if not seen[file.path].times]
    pairs, left = inputs.paired([file.path for file in logs], times, wishes.pair or "stem")
    opened = (_nameless(file.path) for file in files if seen[file.path].sha256 is not None)
    gone = [key for key in opened if key in known]
    items: dict[str, Item] = {}
    read: set[str] = set()  # SHA-256 of files of times
    skipped = 0
    for file in logs:
        sha256 = seen[file.path].sha256
        key = sha256 or _nameless(file.path)
        old = known.get(key)
        # What this run was not asked for stays as it was.
        profiles = {path: seen[path].sha256 or "" for path in pairs.get(file.path, ())}
        if not wishes.pair:
            before = old.profiles.items() if old is not None else ()
            profiles = {path: hash for path, hash in before if os.path.exists(path)}
        read.update(profiles.values())
        meta = wishes.meta.of(file.path) if wishes.meta.names or old is None else old.meta
        item = Item(
            path=file.path,
            name=file.name,
            key=key,
            build_id=sha256,
            size=file.size or 0,
            mtime_ns=file.mtime_ns,
            profiles=profiles,
            meta=meta,
        )
        due = old is None or old.key in lost or _is_due(item, old, wishes, seen)
        if due and item.key not in items:
            items[item.key] = item
        else:
            skipped += 1
    unread = left if wishes.pair else [path for path in times if seen[path].sha256 not in read]
    return _Plan(list(items.values()), gone, skipped, len(times), unread)


def _nameless(path: str) -> str:
    """Returns the key of a log that cannot be opened."""
    return "path-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


def _is_due(item: Item, old: Entry, wishes: Wishes, seen: Mapping[str, Look]) -> bool:
    """Returns whether a log that was read is to be read again."""
    if wishes.refresh and old.version != __version__:
        return True
    if item.build_id is None or old.problem in _PASSING:  # somebody may have mended it
        return True
    if item.path != old.path:
        look = seen.get(old.path)
        if look.sha256 == item.key if look is not None else _is_another(old.path, item.path):
            return False
    return old.meta != item.meta or (wishes.pair is not None and old.profiles != item.profiles)


def _is_another(old: str, path: str) -> bool:
    """Returns whether a log lies under its old path, too, and not under another name of it."""
    if is_url(old) or is_url(path):
        return True
    try:
        return not os.path.samefile(old, path)
    except OSError:  # it was moved
        return False
