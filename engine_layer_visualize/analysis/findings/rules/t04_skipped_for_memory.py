"""Tactics were left out for want of workspace.

**Found**: while a layer was timed, the builder skipped tactics that asked for more scratch memory
than the workspace has.

**Why it costs**: the tactics were never timed; one of them may be the fastest.

**What to do**: build with a larger workspace: `--memPoolSize=workspace:` of trtexec in MiB, or
`set_memory_pool_limit`. The advice has the amount that the largest skipped tactic asked for. Where
that is more than the GPU has, nothing can be done.

**Example**:

    Tactic: 0x4 skipped. Scratch requested: 7527202816, available: 1073741824

**Versions**: all verbose logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count

RULE: Final = Rule(
    "T04",
    "skipped-for-memory",
    "warning",
    "Tactics were left out for want of workspace.",
    (
        "NVIDIA/TensorRT issues 4136, 749",
        "DeepStream-Yolo issue 55",
        "NVIDIA/TensorRT-LLM issue 493",
    ),
)
_MIB: Final = 1 << 20
_POOLS: Final = (8, 4)  # the first version whose trtexec has --memPoolSize
_ENOUGH_FOR: Final = 0.5  # of the layers: then a smaller workspace is named
_SMALLER: Final = 2  # by this factor at least
_WORTH: Final = 1 << 30  # bytes: nobody saves less


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers: the workspace is one."""
    layers = [layer for layer in subject.layers if subject.known(layer).candidates.skipped]
    if not layers:
        return
    skipped = sum(subject.known(layer).candidates.skipped for layer in layers)
    asked = [_asked(subject, layer) for layer in layers]
    words = f": {count(skipped, 'tactic')} skipped for want of workspace"
    most = max(asked)
    words += f", the largest asked for {amount(most)}" if most else ""
    evidence = [
        Evidence(
            f"{layer.name}: {subject.known(layer).candidates.skipped} skipped",
            dict(subject.known(layer).lines).get("candidates"),
        )
        for layer in layers[:3]
    ]
    evidence += [Evidence(one.text, one.line) for one in subject.facts.advised[:1]]
    why = (*subject.names(layers), words)
    yield subject.finding(RULE, layers, why, _advice(subject, asked), evidence, part=None)


def _asked(subject: Subject, layer: Layer) -> int:
    return subject.known(layer).candidates.scratch or 0


def _advice(subject: Subject, asked: list[int]) -> str:
    device = subject.facts.device
    has = device.memory_mib * _MIB if device is not None and device.memory_mib else None
    fit = [one for one in asked if one and (has is None or one < has)]
    if any(asked) and not fit:
        return f"the GPU has {amount(has or 0)}: use another GPU, or leave it"
    old = subject.version is not None and subject.version < _POOLS
    flag = "--workspace=" if old else "--memPoolSize=workspace:"
    if not fit:
        return f"build with a larger workspace (trtexec: {flag}MiB)"
    sizes = sorted(fit)
    most = sizes[-1]
    less = [size for size in sizes if size * _SMALLER < most]
    if most >= _WORTH and len(less) >= _ENOUGH_FOR * len(sizes):
        words = f"is enough for {len(less)} of {count(len(asked), 'layer')}, "
        words += f"{_mib(most)} for {'all' if len(fit) == len(asked) else len(fit)}"
        return f"build with a larger workspace (trtexec: {flag}{_mib(less[-1])}, in MiB, {words})"
    return f"build with a larger workspace (trtexec: {flag}{_mib(most)}, in MiB)"


def _mib(size: int) -> int:
    return -(-size // _MIB)
