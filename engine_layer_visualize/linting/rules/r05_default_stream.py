"""The engine runs on CUDA's default stream.

**Found**: the log warns that `enqueueV3()` was called with the default stream.

**Why it costs**: TensorRT then waits for the device more often, to be correct: with it, gaps stand
between kernels, and nothing else runs beside them.

**What to do**: make a stream (`cudaStreamCreateWithFlags` with `cudaStreamNonBlocking`) and hand it
to `enqueueV3` (Python: `execute_async_v3(stream_handle)`).

**Example**:

    [W] [TRT] Using default stream in enqueueV3() may lead to performance issues

**Versions**: TensorRT 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.run_conditions import told
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R05",
    "default-stream",
    "hint",
    "The engine runs on CUDA's default stream.",
    ("messages of TensorRT",),
)
_WORDS: Final = re.compile(r"Using default stream in enqueue\w{0,4}\(\)")
_ADVICE: Final = "make a stream of your own and hand it to enqueueV3 (Python: execute_async_v3)"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    why = "it runs on the default stream: TensorRT waits for the device more often"
    return told(subject, RULE, _WORDS, why, _ADVICE)
