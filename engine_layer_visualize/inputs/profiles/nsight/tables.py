"""Opens the tables of a report, read-only.

A report is a stranger's file. Only plain tables are read (a view or a virtual table runs what its
author wrote), no column that is computed, and a row no longer than a limit.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.io.source import decode

NVTX: Final = "NVTX_EVENTS"
CALLS: Final = "CUPTI_ACTIVITY_KIND_RUNTIME"
KERNELS: Final = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES: Final = "CUPTI_ACTIVITY_KIND_MEMCPY"
SETS: Final = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS: Final = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
NODES: Final = "CUDA_GRAPH_NODE_EVENTS"
STRINGS: Final = "StringIds"
EVENT_TYPES: Final = "ENUM_NSYS_EVENT_TYPE"

_READ: Final = (NVTX, CALLS, KERNELS, COPIES, SETS, GRAPHS, NODES, STRINGS, EVENT_TYPES)
_VALUE_BYTES: Final = 1 << 24  # bytes of a value; a name of a kernel reaches thousands
_CACHE: Final = "-16000"  # KiB of pages
_PRAGMAS: Final = ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0")


class Report:
    """An open database. Its methods raise sqlite3.Error where the file is damaged."""

    def __init__(self, path: Path) -> None:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._database = sqlite3.connect(uri, uri=True)
        if sys.version_info >= (3, 11):
            self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
        self._database.text_factory = decode
        try:
            for pragma in (*_PRAGMAS, f"cache_size={_CACHE}"):
                self._database.execute(f"PRAGMA {pragma}")
            self._columns = {name: frozenset(self._stored(name)) for name in self._tables()}
        except sqlite3.Error:
            self._database.close()
            raise

    def __enter__(self) -> Report:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _tables(self) -> list[str]:
        named = ",".join("?" * len(_READ))
        plain = "type = 'table' AND sql LIKE 'CREATE TABLE%'"
        query = f"SELECT name FROM sqlite_master WHERE {plain} AND name IN ({named})"
        return [name for (name,) in self._database.execute(query, _READ)]

    def _stored(self, table: str) -> Iterator[str]:
        for column in self._database.execute(f"PRAGMA table_xinfo({table})"):
            if column[6] == 0:  # neither computed nor hidden
                yield column[1]

    def has(self, table: str, *columns: str) -> bool:
        """Whether the table is there, with all of these columns."""
        return table in self._columns and self._columns[table].issuperset(columns)

    def known(self, table: str, *columns: str) -> str:
        """The first of these columns that the table has, as an expression; NULL without any.

        If the table has several of them, each row gives the first that is not NULL.
        """
        there = [name for name in columns if name in self._columns.get(table, ())]
        return f"COALESCE({','.join(there)})" if len(there) > 1 else (there or ["NULL"])[0]

    def rows(
        self, table: str, columns: Iterable[str], where: str = "1", order: str = ""
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a table one after another.

        Args:
            table: its name.
            columns: expressions of SQL.
            where: a condition of SQL.
            order: of SQL; without it the rows come as they stand in the file.
        """
        ordered = f" ORDER BY {order}" if order else ""
        query = f"SELECT {','.join(columns)} FROM {table} WHERE {where}{ordered}"
        return self._database.execute(query)

    def strings(self, wanted: set[int]) -> dict[int, str]:
        """The texts of these ids."""
        if not self.has(STRINGS, "id", "value") or not wanted:
            return {}
        rows = self.rows(STRINGS, ("id", "value"))
        return {number: str(value) for number, value in rows if number in wanted}
