"""A layer's measured time is far from the builder's.

**Found**: the time that the builder measured for a layer's tactic, and the time in the profile,
differ by more than a factor of 2 and by more than 20 µs.

**Why it costs**: it costs nothing itself. The builder chose tactics by times that do not hold where
the engine runs, or the profile was taken under other conditions.

**What to do**: lock the clocks of the GPU for the build and the profile (`nvidia-smi -lgc`; on
Jetson `jetson_clocks`). Where the profile is of another run than the build: use the same GPU for
both, and profile with the shapes that the optimisation profile is best at (`opt`). Where layers
that take most of the time agree with the builder within a fifth, it is none of these, which change
the times of all: then go by the measured times.

**Example**:

    Fastest Tactic: 0x1 Time: 0.05
    conv1: 0.2 ms in the profile

**Versions**: all logs with timings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.analysis.work.peaks import is_integrated
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "T10",
    "estimate-vs-profile",
    "hint",
    "A layer's measured time is far from the builder's.",
    ("NVIDIA/TensorRT issue 3085",),
)
_FACTOR: Final = 2
_LEAST_MS: Final = 0.02
_AGREES: Final = 1.2  # at most, one time by the other
_ALONE: Final = (
    "go by the measured times: the layers that take most of the time agree with the builder, so it "
    "is neither the clocks nor the GPU"
)
_ELSEWHERE: Final = ", use one GPU for the build and the profile, and profile with the `opt` shapes"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the layers that are slower, one for those that are faster."""
    if subject.costs.kind != "measured":
        return
    device = subject.facts.device
    integrated = device is not None and is_integrated(device.compute_capability)
    advice = f"lock the clocks ({'jetson_clocks' if integrated else 'nvidia-smi -lgc'})"
    if not any(run.engine is None for run in subject.facts.runs):  # else the build's own run
        advice += _ELSEWHERE
    slower: list[Layer] = []
    faster: list[Layer] = []
    agreeing = compared = 0.0
    for layer in subject.layers:
        ms, build = subject.ms(layer), subject.known(layer).build_ms
        if ms is None or build is None or not runs_kernel(layer):
            continue
        compared += ms
        agreeing += ms * (max(ms, build) <= _AGREES * min(ms, build))
        if abs(ms - build) > _LEAST_MS:
            if ms > _FACTOR * build:
                slower.append(layer)
            elif build > _FACTOR * ms:
                faster.append(layer)
    advice = _ALONE if agreeing * 2 > compared else advice
    for layers, word in ((slower, "above"), (faster, "below")):
        if layers:
            evidence = [
                Evidence(
                    f"{layer.name}: {milliseconds(subject.ms(layer) or 0.0)} measured, "
                    f"{milliseconds(subject.known(layer).build_ms or 0.0)} by the builder",
                    dict(subject.known(layer).lines).get("build_ms"),
                )
                for layer in layers[:3]
            ]
            verb = plural(len(layers), "is", "are")
            words = f" {verb} measured far {word} the builder's time, by more than a factor of 2"
            why = (*subject.names(layers), words)
            yield subject.finding(RULE, layers, why, advice, evidence, part=None)
