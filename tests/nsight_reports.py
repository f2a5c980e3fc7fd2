"""Reports of Nsight Systems, as `nsys export --type sqlite` writes them, and what must be found.

A test places ranges, calls and work on the GPU; `expected` is kept as they are placed.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

NVTX = "NVTX_EVENTS"
CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
SETS = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
NODES = "CUDA_GRAPH_NODE_EVENTS"
STRINGS = "StringIds"

COLUMNS = {
    STRINGS: "id value",
    "ENUM_NSYS_EVENT_TYPE": "id name label",
    NVTX: "start end eventType rangeId text globalTid endGlobalTid textId domainId",
    CALLS: "start end eventClass globalTid correlationId nameId returnValue",
    KERNELS: "start end deviceId contextId streamId correlationId globalPid demangledName "
    "shortName graphNodeId gridX",
    COPIES: "start end deviceId streamId correlationId globalPid bytes copyKind graphNodeId",
    SETS: "start end deviceId streamId correlationId globalPid value bytes graphNodeId",
    GRAPHS: "start end deviceId graphId graphExecId correlationId globalPid",
    NODES: "start end nameId globalTid graphNodeId originalGraphNodeId",
    "TARGET_INFO_GPU": "id name smCount",
    "META_DATA_EXPORT": "name value",
}
# What reports of 2019 do not have.
LATER = {"textId", "domainId", "graphNodeId", "globalPid", "endGlobalTid", "contextId"}
PUSHED, STARTED, DOMAIN = 59, 60, 75
TENSORRT, MYELIN = 1, 2  # ids of domains
ENQUEUE = "ExecutionContext::enqueue"


def thread(process: int = 77, number: int = 78) -> int:
    return process << 24 | number


class Report:
    """What is placed goes on from `now`, on the host, and `busy`, on the GPU."""

    def __init__(self, *, ids: bool = True) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.expected: dict[str, list[int]] = defaultdict(list)  # ns of each run
        self.now, self.busy = 1_000, 50_000
        self._ids = ids  # texts stand in StringIds
        self._strings: dict[str, int] = {}
        self._called: dict[int, int] = defaultdict(int)
        self._domains: set[tuple[int, int]] = set()

    # ---- one row -------------------------------------------------------------------------------

    def row(self, table: str, **values: Any) -> None:
        self.rows[table].append(values)

    def string(self, text: str) -> int:
        return self._strings.setdefault(text, 100 + len(self._strings))

    def range(
        self, start: int, end: int | None, name: str, of: int, kind: int = PUSHED,
        domain: int = TENSORRT,
    ) -> None:  # fmt: skip
        for number, known in ((TENSORRT, "TensorRT"), (MYELIN, "myelin-exec")):
            if number == domain and (of >> 24, number) not in self._domains:
                self._domains.add((of >> 24, number))
                self.row(NVTX, start=0, eventType=DOMAIN, text=known, globalTid=of, domainId=number)
        text = {"textId": self.string(name)} if self._ids else {"text": name}
        self.row(NVTX, start=start, end=end, eventType=kind, globalTid=of, domainId=domain, **text)

    def call(self, of: int) -> int:
        """A call of the CUDA API; its correlation id, which each process counts from 1."""
        self._called[of >> 24] += 1
        number = self._called[of >> 24]
        self.now += 100
        self.row(CALLS, start=self.now, end=self.now + 50, globalTid=of, correlationId=number)
        self.now += 100
        return number

    def work(
        self, ns: int, call: int, of: int, name: str = "gemm", table: str = KERNELS, **more: Any
    ) -> int:
        """A kernel that runs after everything before it, long after its call has returned. Returns
        for how long nothing ran before it."""
        before = self.busy
        start = self.busy = max(self.busy, self.now + 20_000)
        self.busy += ns
        named = {"demangledName": self.string(f"{name}<float>"), "shortName": self.string(name)}
        self.row(
            table, start=start, end=start + ns, correlationId=call, globalPid=of >> 24 << 24,
            **{"deviceId": 0, "streamId": 7, **(named if table == KERNELS else {}), **more},
        )  # fmt: skip
        return start - before

    # ---- one run -------------------------------------------------------------------------------

    def run(
        self, layers: Mapping[str, Sequence[int]], of: int | None = None, *, counts: bool = True,
        **more: Any,
    ) -> None:  # fmt: skip
        """An enqueue: what each layer launches, in ns. `counts`: a sample is expected of it."""
        of = thread() if of is None else of
        begin = self.now
        for name, kernels in layers.items():
            self.now += 10
            at = self.now
            for ns in kernels:
                self.work(ns, self.call(of), of, **more)
            self.now += 10
            self.range(at, self.now, name, of)
            if counts:
                self.expected[name].append(sum(kernels))
        self.now += 10
        self.range(begin, self.now, ENQUEUE, of)
        self.now += 1_000

    def mean_ms(self, name: str, dropped: int = 0) -> float:
        """What a layer takes, in the runs after the first ones."""
        times = self.expected[name][dropped:]
        return sum(times) / len(times) / 1e6

    # ---- the file ------------------------------------------------------------------------------

    def write(
        self, path: Path, *, lacks: Iterable[str] = (), without: Iterable[str] = (),
        in_order: bool = True,
    ) -> Path:  # fmt: skip
        """`lacks`: tables, `without`: columns that the report does not have."""
        path.unlink(missing_ok=True)
        self.rows[STRINGS] = [{"id": key, "value": text} for text, key in self._strings.items()]
        with sqlite3.connect(path) as database:
            for table, columns in COLUMNS.items():
                if table in lacks or not (self.rows[table] or table in (NVTX, CALLS, STRINGS)):
                    continue
                names = [one for one in columns.split() if one not in set(without)]
                database.execute(f"CREATE TABLE {table}({','.join(map(quoted, names))})")
                rows = self.rows[table]
                if in_order and table not in (STRINGS, NVTX):
                    rows = sorted(rows, key=lambda row: row["start"])
                database.executemany(
                    f"INSERT INTO {table} VALUES({','.join('?' * len(names))})",
                    [[row.get(name) for name in names] for row in rows],
                )
        database.close()
        return path


def quoted(name: str) -> str:
    return f"{name} {'TEXT' if name in ('text', 'value', 'name', 'label') else 'INTEGER'}"


def log_of(*engines: Iterable[str]) -> str:
    """A VERBOSE log of engines of these layers, each reading what the one before it writes."""
    lines = []
    for names in engines:
        lines.append("[V] [TRT] Engine Layer Information:")
        lines += [
            f"Layer({'Myelin' if name.startswith('{Foreign') else 'Conv'}): {name}, Tactic: 0x1, "
            f"t{at} (Half[1,8]) -> t{at + 1} (Half[1,8])"
            for at, name in enumerate(names)
        ]
        lines.append("[V] [TRT] done")
    return "".join(f"{line}\n" for line in lines)
