"""Knows which logs of a dataset were read, and which part holds their rows.

A row counts if the entry of its log names the part that it stands in. An entry is one file, so a
log is in the dataset with all its rows, or with none.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
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
    """A log that was read."""

    key: str  # names the entry
    build_id: str | None  # the SHA-256 of the log, None where it could not be opened
    path: str
    size: int
    mtime_ns: int | None
    version: str  # of the program
    profiles: Mapping[str, str]  # those read with it, each with its SHA-256
    meta: Mapping[str, str | None]  # what its path says
    problem: str | None  # the code, where no engine came of it
    part: str  # what its parts are called
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by TensorRT and table

    @property
    def name(self) -> str:
        """Its file."""
        return f"{FOLDER}/{self.key}.json"


class Part(NamedTuple):
    """A Parquet file, as its name tells."""

    table: str
    trt: str  # the version of TensorRT
    id: str  # of all parts that were written together
    rows: int  # how many it has

    @property
    def name(self) -> str:
        """Its file."""
        return f"{self.table}/trt={self.trt}/part-{self.id}-{self.rows}.parquet"


def entries(store: Store, where: str) -> dict[str, Entry]:
    """Reads the entries, by their keys.

    Raises:
        ReadError: Where a newer program wrote them (ELV507).
        OSError: Where they cannot be read.
    """
    known = {}
    for name, data in store.contents(FOLDER).items():
        if not name.endswith(".json") or "/." in name:
            continue
        try:
            values: dict[str, Any] = json.loads(data)
            schema = int(values.pop("schema"))
            if schema > VERSION:
                message = f"a newer program wrote this dataset: schema {schema}, and not {VERSION}"
                raise ReadError(Problem(Place(where), "ELV507", message))
            entry = Entry(**values)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # the log will be read again
        known[entry.key] = entry
    return known


def put(store: Store, entry: Entry) -> None:
    """Writes an entry. Raises OSError.

    A half-written one counts for nothing, and its log is read again: so it need not wait for the
    disk.
    """
    values = {name: getattr(entry, name) for name in Entry.__slots__}
    with store.writer(entry.name, sync=False) as file:
        file.write(json.dumps({"schema": VERSION, **values}).encode())


def parts(store: Store) -> dict[Part, int]:
    """Finds all parts that are there, listed or not, with their sizes in bytes."""
    sizes = {}
    for table in SCHEMAS:
        for name, size in store.sizes(table).items():
            if match := _PART.fullmatch(name):
                sizes[Part(match[1], match[2], match[3], int(match[4]))] = size
    return sizes


def is_own(name: str) -> bool:
    """Returns whether a file is called as those of a dataset are."""
    return _OWN.fullmatch(name) is not None or _PART.fullmatch(name) is not None


def lost(known: Iterable[Entry], there: Iterable[Part]) -> frozenset[str]:
    """Returns the keys of entries that name a part that is not there."""
    names = {part[:3] for part in there}
    return frozenset(
        entry.key for entry, trt, table, _ in counts(known) if (table, trt, entry.part) not in names
    )


class Owned(NamedTuple):
    """What entries say of a part: the sum of their rows, and their logs."""

    rows: int
    builds: frozenset[str | None]


def owned(known: Iterable[Entry]) -> dict[tuple[str, str, str], Owned]:
    """Sums entries up, by table, version of TensorRT, and what the part is called."""
    rows: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    builds: defaultdict[tuple[str, str, str], set[str | None]] = defaultdict(set)
    for entry, trt, table, count in counts(known):
        key = table, trt, entry.part
        rows[key] += count
        builds[key].add(entry.build_id)
    return {key: Owned(count, frozenset(builds[key])) for key, count in rows.items()}


def counts(known: Iterable[Entry]) -> Iterator[tuple[Entry, str, str, int]]:
    """Gives the rows of each log: its entry, version of TensorRT, table and their number."""
    for entry in known:
        for trt, tables in entry.rows.items():
            for table, count in tables.items():
                yield entry, trt, table, count


def schemas(meta: Sequence[str]) -> dict[str, Schema]:
    """Returns the schemas of all tables, with the columns that paths give."""
    more = tuple(Column(name, TEXT, "as the log's path says") for name in meta)
    return {
        name: schema._replace(columns=(*schema.columns, *more)) for name, schema in SCHEMAS.items()
    }
