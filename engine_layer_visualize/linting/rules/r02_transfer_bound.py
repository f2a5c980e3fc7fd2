"""Copying inputs or outputs takes a quarter of the time of computing, or more.

**Found**: the median of trtexec's `H2D Latency` or `D2H Latency` is at least a quarter of that of
its `GPU Compute Time`, or trtexec warns of it. Of several runs the last counts. Silent where the
throughput shows that the GPU computes all the time: then the copies are hidden behind it.

**Why it costs**: every inference waits for its copies. Where they take longer than computing, the
throughput is that of the bus, and faster kernels gain nothing.

**What to do**: keep inputs and outputs on the GPU where they are made or used there. Else use
pinned memory, overlap copies with computing (several streams), and copy smaller types.

**When to leave it**: where the program has its inputs and outputs on the GPU: it does not copy what
trtexec copied. Up to TensorRT 10.16 trtexec measures without copies with `--noDataTransfers`; from
11 on it copies only with `--includeDataTransfers`.

**Example**:

    H2D Latency: min = 1.1 ms, max = 1.3 ms, mean = 1.2 ms, median = 1.2 ms
    GPU Compute Time: min = 0.9 ms, max = 1.1 ms, mean = 1.0 ms, median = 1.0 ms

**Versions**: trtexec 8.0 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import percent
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.run_conditions import Ratio, of_last_run, ratio
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R02",
    "transfer-bound",
    "warning",
    "Copying inputs or outputs takes a quarter of the time of computing, or more.",
    ("trtexec",),
)
_ROWS: Final = (
    ("H2D Latency", "inputs to the GPU", "host-to-device"),
    ("D2H Latency", "outputs from the GPU", "device-to-host"),
)
_LEAST_RATIO: Final = 0.25  # of the time of computing
_BUSY_SHARE: Final = 0.95  # of the time
_ADVICE: Final = (
    "keep inputs and outputs on the GPU, send smaller types, or copy from pinned memory while the "
    "GPU computes"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the last run."""
    rows: list[Evidence] = []
    warnings: list[Evidence] = []
    slow = []
    for name, what, words in _ROWS:
        warned = of_last_run(subject, re.compile(f"Throughput may be bound by {words} transfers"))
        row = ratio(subject, name)
        slower = row.lines if row is not None and row.part >= _LEAST_RATIO else ()
        if warned or slower:
            slow.append(f"copying the {what} takes {_times(row)}")
        rows += slower
        warnings += warned
    if slow and (warnings or not _is_hidden(subject)):
        why = " and ".join(slow)
        yield subject.finding(RULE, (), why, _ADVICE, dict.fromkeys([*rows, *warnings]))


def _is_hidden(subject: Subject) -> bool:
    """Whether the GPU computes nearly all the time: copies of other inferences run beside it."""
    performance = subject.facts.performance
    row = performance.gpu_compute if performance is not None else None
    if performance is None or row is None or not row.mean or not performance.throughput_qps:
        return False
    return performance.throughput_qps * row.mean / 1e3 >= _BUSY_SHARE


def _times(row: Ratio | None) -> str:
    """Returns `27.1 times as long as computing`; without such a row what trtexec warns of."""
    if row is None or row.part < _LEAST_RATIO:
        return "so long that it may bound the throughput, as trtexec warns"
    if row.part < 1:
        return f"{percent(row.part)} of the time of computing"
    return f"{row.part:.3g} times as long as computing"
