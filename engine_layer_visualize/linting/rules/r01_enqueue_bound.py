"""The host enqueues the engine more slowly than the GPU computes it.

**Found**: the median of trtexec's `Enqueue Time` is more than 0.8 times that of its `GPU Compute
Time`, or trtexec warns of it. Of several runs the last counts. Silent where the layers were
profiled in the same run: the profiler makes the enqueueing wait for the GPU.

**Why it costs**: the GPU waits for the host. Throughput is that of the host's calls, and faster
kernels gain nothing.

**What to do**: capture the engine in a CUDA graph: one call starts all kernels. Up to TensorRT
10.16 trtexec does that with `--useCudaGraph`; from 11 on it does so by itself, unless
`--noCudaGraph` is given. Where that is in use or impossible (dynamic control flow): a larger batch,
or several streams (`--infStreams` in all versions since 8.6).

**When to leave it**: where the program that uses the engine captures it in a CUDA graph itself:
trtexec's run does not show that.

**Example**:

    Enqueue Time: min = 0.4 ms, max = 0.9 ms, mean = 0.5 ms, median = 0.5 ms
    GPU Compute Time: min = 0.5 ms, max = 0.6 ms, mean = 0.55 ms, median = 0.55 ms

**Versions**: trtexec 8.0 and later.

**Severity**: warning.

**Sources**: trtexec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import percent
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.run_conditions import (
    MOST_LINES,
    has_cuda_graph,
    of_last_run,
    part_of_computing,
    profiled_together,
)
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_WARNED: Final = re.compile("Throughput may be bound by Enqueue Time")
LEAST_RATIO: Final = 0.8  # of the GPU's time: trtexec's own threshold
_GRAPH: Final = "use a CUDA graph (trtexec: --useCudaGraph)"
_HAS_GRAPH: Final = (
    "a CUDA graph is in use already: a larger batch, or several streams (trtexec: --infStreams)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the last run."""
    lines = of_last_run(subject, _WARNED)
    how, enqueueing = "", part_of_computing(subject, "Enqueue Time")
    if enqueueing is not None and enqueueing.part > LEAST_RATIO:
        lines += enqueueing.lines
        how = f": enqueueing takes {percent(enqueueing.part)} of the time that the GPU computes"
    if lines and not profiled_together(subject):  # else the profiler makes enqueueing wait
        advice = _HAS_GRAPH if has_cuda_graph(subject) else _GRAPH
        why = f"throughput is bound by the host{how}"
        yield subject.finding(RULE, (), why, advice, lines[:MOST_LINES])
