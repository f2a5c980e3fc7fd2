"""The manifest of a dataset: which logs were read, and which part holds their rows.

A row counts if the entry of its log names the part that it stands in. An entry is one file, so a
log is in the dataset with all its rows, or with none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.fields.field import TEXT
from engine_layer_visualize.io import marks
from engine_layer_visualize.io.places import Store
from engine_layer_visualize.tables import SCHEMAS
from engine_layer_visualize.tables.schema import VERSION, Column, Schema

FOLDER: Final = "_manifest"
NO_VERSION: Final = "__HIVE_DEFAULT_PARTITION__"  # as readers of such folders spell null
_PART: Final = re.compile(rf"({'|'.join(SCHEMAS)})/trt=([\w.]+)/part-([0-9a-f]+)-(\d+)\.parquet")
# Its entries, what keeps other runs away, and what a killed run left.
_OWN: Final = re.compile(
    rf"{FOLDER}/(?:path-)?[0-9a-f]{{64}}\.json|\.lock|{re.escape(marks.FOLDER)}/\w+"
    r"|(?:.*/)?\..*\.[0-9a-f]{12}",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A log that was read. `key`: names the entry; `build_id`: the SHA-256 of the log, None where
    it could not be opened; `version`: of the program; `profiles`: those read with it, each with its
    SHA-256; `meta`: what its path says; `problem`: the code, where no engine came of it; `part`:
    what its parts are called; `rows`: by version of TensorRT and table."""

    key: str
    build_id: str | None
    path: str
    size: int
    mtime_ns: int | None
    version: str
    profiles: Mapping[str, str]
    meta: Mapping[str, str | None]
    problem: str | None
    part: str
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{FOLDER}/{self.key}.json"


class Part(NamedTuple):
    """A Parquet file. `rows`: how many it has, which its name says."""

    table: str
    trt: str
    id: str
    rows: int

    @property
    def name(self) -> str:
        return f"{self.table}/trt={self.trt}/part-{self.id}-{self.rows}.parquet"


def entries(store: Store, where: str) -> dict[str, Entry]:
    """By their keys. Raises ReadError (ELV507) where a newer program wrote them, OSError."""
    found = {}
    for name, data in store.contents(FOLDER).items():
        if not name.endswith(".json") or "/." in name:
            continue
        try:
            known: dict[str, Any] = json.loads(data)
            schema = int(known.pop("schema"))
            if schema > VERSION:
                message = f"a newer program wrote this dataset: schema {schema}, and not {VERSION}"
                raise ReadError(Problem(Place(where), "ELV507", message))
            entry = Entry(**known)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # the log will be read again
        found[entry.key] = entry
    return found


def put(store: Store, entry: Entry) -> None:
    """A half-written one is as none, its log is read again: so it need not wait for the disk.
    Raises OSError."""
    known = {name: getattr(entry, name) for name in Entry.__slots__}
    with store.writer(entry.name, sync=False) as file:
        file.write(json.dumps({"schema": VERSION, **known}).encode())


def parts(store: Store) -> dict[Part, int]:
    """All parts that are there, listed or not, with their sizes in bytes."""
    found = {}
    for table in SCHEMAS:
        for name, size in store.sizes(table).items():
            if match := _PART.fullmatch(name):
                found[Part(match[1], match[2], match[3], int(match[4]))] = size
    return found


def is_own(name: str) -> bool:
    """Whether a file of a place is called as those of a dataset are."""
    return _OWN.fullmatch(name) is not None or _PART.fullmatch(name) is not None


def lost(known: Iterable[Entry], there: Iterable[Part]) -> frozenset[str]:
    """Keys of entries that name a part that is not there."""
    names = {part[:3] for part in there}
    missing = (one for one in _counts(known) if (one[2], one[1], one[0].part) not in names)
    return frozenset(entry.key for entry, *_ in missing)


class Owned(NamedTuple):
    """What entries say of a part: the sum of their rows, and their logs."""

    rows: int
    builds: frozenset[str | None]


def owned(known: Iterable[Entry]) -> dict[tuple[str, str, str], Owned]:
    """By table, version of TensorRT, and what the part is called."""
    rows: dict[tuple[str, str, str], int] = {}
    builds: dict[tuple[str, str, str], set[str | None]] = {}
    for entry, trt, table, count in _counts(known):
        key = table, trt, entry.part
        rows[key] = rows.get(key, 0) + count
        builds.setdefault(key, set()).add(entry.build_id)
    return {key: Owned(count, frozenset(builds[key])) for key, count in rows.items()}


def _counts(known: Iterable[Entry]) -> Iterator[tuple[Entry, str, str, int]]:
    for entry in known:
        for trt, tables in entry.rows.items():
            for table, count in tables.items():
                yield entry, trt, table, count


def schemas(meta: Sequence[str]) -> dict[str, Schema]:
    """Of all tables, with the columns that paths give."""
    more = tuple(Column(name, TEXT, "as the log's path says") for name in meta)
    return {name: one._replace(columns=(*one.columns, *more)) for name, one in SCHEMAS.items()}
