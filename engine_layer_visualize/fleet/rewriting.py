"""Writes parts of a dataset anew: without rows that do not count, or several as one.

A new part is whole before an entry names it, and an old one goes when none does. A run that is
killed in between leaves rows twice, of which those that entries name count.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from engine_layer_visualize.fleet import manifest, parquet
from engine_layer_visualize.fleet.manifest import Entry, Owned, Part
from engine_layer_visualize.io.places import Store
from engine_layer_visualize.tables import SCHEMAS

LARGE: Final = 128 << 20  # bytes of a part


def new_id() -> str:
    """Returns what parts are called that are written together."""
    return os.urandom(8).hex()


def tidy(store: Store, known: dict[str, Entry], compact: bool, large: int = LARGE) -> None:
    """Deletes parts that no entry names, and rewrites those that hold other rows, too.

    Args:
        store: Where the dataset is.
        known: Its entries, by keys; changed where parts are rewritten.
        compact: Whether small parts are written together.
        large: How many bytes a part has that is not small.

    Raises:
        OSError: Where it cannot be written.
    """
    for folder in (manifest.FOLDER, *SCHEMAS):
        store.clean(folder)
    there = manifest.parts(store)
    owned = manifest.owned(known.values())
    stale, sizes = set(), defaultdict[str, dict[tuple[str, str], int]](dict)
    named = defaultdict[str, list[Part]](list)
    for part, size in there.items():
        counted = owned.get(part[:3])
        if counted is None:
            store.delete(part.name)
            continue
        if counted.rows != part.rows:
            stale.add(part.id)
        sizes[part.id][part.table, part.trt] = size
        named[part.id].append(part)
    groups = [[id] for id in sorted(stale)]
    if compact:
        single = {entry.part for entry in known.values() if entry.build_id is None}
        whole = {id: files for id, files in sizes.items() if id not in single}
        groups = [group for group in _groups(whole, large) if len(group) > 1 or group[0] in stale]
    by_part = defaultdict[str, list[Entry]](list)
    for entry in known.values():
        by_part[entry.part].append(entry)
    for group in groups:
        old = [part for id in group for part in named[id]]
        _rewrite(store, known, old, owned, [e for id in group for e in by_part[id]])


def _groups(sizes: Mapping[str, Mapping[tuple[str, str], int]], large: int) -> Iterator[list[str]]:
    """Groups parts that together have no file above `large`, unless one alone has."""
    group: list[str] = []
    sums: defaultdict[tuple[str, str], int] = defaultdict(int)
    for id in sorted(sizes):
        if group and any(sums[key] + size > large for key, size in sizes[id].items()):
            yield group
            group, sums = [], defaultdict(int)
        group.append(id)
        for key, size in sizes[id].items():
            sums[key] += size
    if group:
        yield group


def _rewrite(
    store: Store,
    known: dict[str, Entry],
    old: Sequence[Part],
    owned: Mapping[tuple[str, str, str], Owned],
    entries: Iterable[Entry],
) -> None:
    id = new_id()
    files = defaultdict[tuple[str, str], list[Part]](list)
    for part in old:
        files[part.table, part.trt].append(part)
    for (table, trt), parts in files.items():
        rows = sum(owned[part[:3]].rows for part in parts)
        schema = parquet.common(_schema(store, part) for part in parts)
        with store.writer(Part(table, trt, id, rows).name) as file:
            count = parquet.put(file, schema, _counted(store, parts, owned))
            if count != rows:
                raise OSError(f"{table}: {count} rows where the manifest has {rows}")
    for entry in entries:
        known[entry.key] = replace(entry, part=id)
        manifest.put(store, known[entry.key])
    store.settle()  # these logs may be gone, and could not be read again
    for part in old:
        store.delete(part.name)


def _schema(store: Store, part: Part) -> Any:
    with store.reader(part.name) as file:
        return parquet.schema(file)


def _counted(
    store: Store, parts: Iterable[Part], owned: Mapping[tuple[str, str, str], Owned]
) -> Iterator[Any]:
    """Gives the rows that count."""
    for part in parts:
        counted = owned[part[:3]]
        with store.reader(part.name) as file:
            builds = None if counted.rows == part.rows else counted.builds
            yield from parquet.batches(file, builds)
