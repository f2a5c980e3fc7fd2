"""The layers of the profile do not sum to what the engine takes.

**Found**: the sum of the profile differs by more than 20 % from trtexec's `GPU Compute Time`, from
its mean and from its median.

**Why it costs**: the shares of the layers are those of another run than the one that counts.
Profiling waits after each layer, and keeps layers from running in parallel; without it, gaps
between kernels count.

**What to do**: decide by the end-to-end time, and use the profile to see which layer takes it. Make
both in one go, at the same shapes and clocks: `--exportProfile=prof.json --separateProfileRun`.

**Example**:

    GPU Compute Time: min = 1.9 ms, max = 2.1 ms, mean = 2.0 ms, median = 2.0 ms
    Σ of the profile: 2.9 ms

**Versions**: trtexec 8.0 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.run_conditions import profiled_apart
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R04",
    "sum-vs-latency",
    "hint",
    "The layers of the profile do not sum to what the engine takes.",
    ("trtexec: notes of its performance summary",),
)
_FAR: Final = 0.2
_PARALLEL: Final = re.compile(r"engine uses \d+ auxiliary streams")
_DECIDE: Final = "decide by the end-to-end time; measure both at the same shapes and clocks"
_APART: Final = f"{_DECIDE} (trtexec: --exportProfile=prof.json --separateProfileRun)"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    performance = subject.facts.performance
    compute = performance.gpu_compute if performance is not None else None
    whole = subject.costs.whole
    if compute is None or whole is None or subject.costs.kind != "measured":
        return
    took = [ms for ms in (compute.mean, compute.median) if ms]
    if not took or any(abs(whole - ms) <= _FAR * ms for ms in took):
        return
    nearest = min(took, key=lambda ms: abs(whole - ms))
    more = "more" if whole > nearest else "less"
    why = f"the profile sums to {milliseconds(whole)}, the GPU computes {milliseconds(nearest)}: "
    why += f"{percent(abs(whole - nearest) / nearest)} {more}"
    lines = [Evidence(f"GPU Compute Time: {milliseconds(nearest)}", compute.line)]
    lines += subject.lines(_PARALLEL)[:1]
    advice = _DECIDE if profiled_apart(subject) else _APART
    yield subject.finding(RULE, (), why, advice, lines)
