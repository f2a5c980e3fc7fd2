"""Layers were not timed, because a CUDA graph was captured.

**Found**: the log says that layer timing was skipped in the capture of a CUDA graph, or could not
be collected, and no layer has a measured time. The message is about one inference, the captured
one: silent where trtexec profiled the layers in a run of their own (`--separateProfileRun`).

**Why it costs**: the layers have no measured times.

**What to do**: profile without `--useCudaGraph`; measure the end-to-end time with it, in a run of
its own (`--separateProfileRun`).

**Example**:

    [W] [TRT] Skip layer timing collection in CUDA graph capture mode.

**Versions**: TensorRT 8 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.run_conditions import profiled_apart, told
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R10",
    "graph-hides-layers",
    "warning",
    "Layers were not timed, because a CUDA graph was captured.",
    ("messages of TensorRT",),
)
_WORDS: Final = re.compile(
    "Skip layer timing collection in CUDA graph|Failed to collect layer timing"
)
_ADVICE: Final = (
    "profile without --useCudaGraph, and measure the end-to-end time in a run of its own "
    "(trtexec: --separateProfileRun)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    if subject.costs.kind == "measured" or profiled_apart(subject):
        return iter(())
    return told(subject, RULE, _WORDS, "layers were not timed while a CUDA graph ran", _ADVICE)
