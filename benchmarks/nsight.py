"""Makes a report of Nsight Systems of any size: runs of 100 layers with two kernels each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

LAYERS: Final = 100
_KERNELS: Final = 2  # of a layer
_THREAD: Final = 77 << 24 | 78
_TABLES: Final = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
    globalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
    shortName INTEGER, graphNodeId INTEGER);
"""
_RANGE: Final = "INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, NULL, ?, ?, 1)"
_CALL: Final = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, ?, ?, 5, 0)"
_KERNEL: Final = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 7, ?, ?, ?, ?, NULL)"
_STEP: Final = 500  # ns from one call to the next

Row = tuple[int, ...]


def log(path: Path) -> Path:
    """Of the engine that ran."""
    layer = "Layer(Conv): layer{0}, Tactic: 0x1, t{0} (Half[1,8]) -> t{1} (Half[1,8])\n"
    lines = "".join(layer.format(at, at + 1) for at in range(LAYERS))
    path.write_text(f"[TRT] [V] Engine Layer Information:\n{lines}", "utf-8")
    return path


def report(path: Path, kernels: int) -> Path:
    """So many kernels, and nearly twice as many rows beside them."""
    with sqlite3.connect(path) as database:
        database.executescript(f"PRAGMA journal_mode=OFF; {_TABLES}")
        database.execute("INSERT INTO StringIds VALUES(1, 'ExecutionContext::enqueue')")
        for at in range(LAYERS):
            names = (10 + at, f"layer{at}", 1000 + at, f"kernel{at}")
            database.execute("INSERT INTO StringIds VALUES(?, ?), (?, ?)", names)
        domain = "INSERT INTO NVTX_EVENTS VALUES(0, NULL, 75, 'TensorRT', ?, NULL, 1)"
        database.execute(domain, (_THREAD,))
        for ranges, calls, launched in islice(_runs(), kernels // LAYERS // _KERNELS):
            database.executemany(_RANGE, ranges)
            database.executemany(_CALL, calls)
            database.executemany(_KERNEL, launched)
    database.close()
    return path


def _runs() -> Iterator[tuple[list[Row], list[Row], list[Row]]]:
    """Ranges, calls and kernels of one run after another."""
    random, now, busy, call = Random(1), 1_000, 20_000, 0
    while True:
        begin = now
        ranges: list[Row] = []
        calls: list[Row] = []
        kernels: list[Row] = []
        for layer in range(LAYERS):
            start = now = now + _STEP
            for _ in range(_KERNELS):
                call, now = call + 1, now + _STEP
                calls.append((now, now + 400, _THREAD, call))
                start_of, took = max(busy, now + 9_000), random.randrange(1_000, 9_000)
                busy, name = start_of + took, 1000 + layer
                kernels.append((start_of, busy, call, 77 << 24, name, name))
            ranges.append((start, now + 450, _THREAD, 10 + layer))
        now = max(now + 1_000, busy - 5_000)
        ranges.insert(0, (begin, now - 100, _THREAD, 1))
        yield ranges, calls, kernels
