"""The GPU's time varies from query to query.

**Found**: trtexec warns that the GPU compute time is unstable, with a coefficient of variation of
more than 2.5 %. Of several runs the last counts.

**Why it costs**: differences between two engines, or two layers, that are smaller than that are
noise.

**What to do**: lock the clocks (`nvidia-smi --lock-gpu-clocks`, on a Jetson `jetson_clocks`),
measure longer (`--duration`, `--warmUp`), add `--useSpinWait` where it is not on already, and leave
the GPU to this program alone.

**Example**:

    [W] * GPU compute time is unstable, with coefficient of variance = 5.08%.

**Versions**: trtexec 8.2 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.run_conditions import of_last_run, spins
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R03",
    "unstable",
    "warning",
    "The GPU's time varies from query to query.",
    ("trtexec", "NVIDIA/TensorRT issues 2289, 4382"),
)
_WARNED: Final = re.compile(
    r"GPU compute time is unstable, with coefficient of varia\w{1,8} = (\d{1,6}(?:\.\d{1,9})?)"
)
_MOST: Final = 2.5  # per cent
_ADVICE: Final = (
    "lock the GPU's clocks (nvidia-smi --lock-gpu-clocks; Jetson: jetson_clocks), measure longer "
    "(trtexec: --warmUp, --duration)"
)
_SPIN: Final = ", add --useSpinWait"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the last run."""
    for line in of_last_run(subject, _WARNED):
        match = _WARNED.search(line.text)
        if match is not None and float(match[1]) > _MOST:
            why = f"the GPU's time varies: its coefficient of variation is {float(match[1]):.3g} %"
            advice = _ADVICE if spins(subject) else _ADVICE + _SPIN
            yield subject.finding(RULE, (), why, advice, [line])
            return
