"""The device waits between layers: they are too short to hide their launches.

**Found**: more than half of the timed layers take less than 5 µs, and all layers together less than
80 % of the time that trtexec measured for the whole engine on the GPU (`GPU Compute Time`). Only
where the layers were measured in a run of their own (`--separateProfileRun`), or in another file,
and where no layers are missing in the listing.

**Why it costs**: each layer is launched by the host. Where a layer is shorter than its launch, the
device idles.

**What to do**: capture the engine in a CUDA graph: then one launch starts all layers. Up to
TensorRT 10.16 trtexec does that with `--useCudaGraph`; from 11 on it does so by itself, unless
`--noCudaGraph` is given. Larger batches and more fusion help, too.

**When to leave it**: where the shapes of the inputs change from one inference to the next: a CUDA
graph holds for one set of shapes.

**Example**:

    GPU Compute Time: min = 0.20 ms, max = 0.25 ms, mean = 0.21 ms, median = 0.21 ms, …

**Versions**: all; needs a profile and trtexec's performance summary.

**Severity**: hint.

**Sources**: TensorRT documentation: CUDA graphs; TensorRT documentation: best practices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.run_conditions import has_cuda_graph, profiled_together
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHORT: Final = 0.5  # of the layers
_BUSY_SHARE: Final = 0.8  # of the time on the GPU
_GRAPH: Final = (
    "capture the engine in a CUDA graph (trtexec: --useCudaGraph), or use larger batches"
)
_BATCH: Final = "use larger batches, or fuse more: a CUDA graph is in use already"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding, about the whole engine."""
    costs, performance = subject.costs, subject.facts.performance
    row = performance.gpu_compute if performance is not None else None
    whole = (row.median or row.mean) if row is not None else None
    if row is None or whole is None or costs.kind != "measured" or not costs.ranked:
        return
    if not subject.engine.source.complete:
        return
    times = [ms for la in costs.timed if runs_kernel(la) and (ms := costs.of(la))]
    short = sum(ms < LAUNCH for ms in times)
    total = max(costs.total or 0.0, costs.whole or 0.0)
    if (
        profiled_together(subject)
        or short <= _LEAST_SHORT * len(times)
        or total >= _BUSY_SHARE * whole
    ):
        return
    why = (
        f"{short:,} of {len(times):,} timed layers are shorter than {milliseconds(LAUNCH)}; "
        f"all take {milliseconds(total)} of {milliseconds(whole)} on the GPU: the rest is spent "
        "between them"
    )
    advice = _BATCH if has_cuda_graph(subject) else _GRAPH
    evidence = [Evidence(f"GPU Compute Time: {milliseconds(whole)}", row.line)]
    yield subject.finding(RULE, (), why, advice, evidence)
