"""Tactics were left out for want of workspace.

**Found**: while a layer was timed, the builder skipped tactics that asked for more scratch memory
than the workspace has. Not where the other tactics of the same implementation took more than twice
as long as the chosen one, and not of cuDNN's convolutions: what asks for much there are Fourier
transforms, which took five times as long and more where they ran. Nor of a ForeignNode, whose only
tactic is told as skipped, then timed and run.

**Why it costs**: the tactics were never timed; one of them may be the fastest.

**What to do**: build with a larger workspace: `--memPoolSize=workspace:` of trtexec in MiB
(`--workspace=` before TensorRT 8.4.1), or `set_memory_pool_limit`. `--memPoolSize` is the same
up to TensorRT 10.16 and from 11 on. The advice has the amount that the largest skipped tactic asked
for. Where the build limits the workspace to less than 1 GiB, take that limit off.

**When to leave it**: where the largest skipped tactic asked for more than the GPU has, or where
other programs need that memory.

**Example**:

    Tactic: 0x4 skipped. Scratch requested: 7527202816, available: 1073741824

**Versions**: all verbose logs.

**Severity**: warning.

**Sources**: NVIDIA/TensorRT issues 4136, 749; DeepStream-Yolo issue 55; NVIDIA/TensorRT-LLM issue
493.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.core.layer_facts import Candidates
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_MIB: Final = 1 << 20
_ENOUGH_LAYERS: Final = 0.5  # of the layers: then a smaller workspace is named
_LEAST_FACTOR: Final = 2  # by this factor at least
_LEAST_WORTH: Final = 1 << 30  # bytes: nobody saves less
_FAR_SLOWER: Final = 2
# cuDNN has other tactics in its place; Myelin's is told as skipped, then timed and run.
_NO_LOSS: Final = ("CudnnConvolution", "Myelin")
# e.g. (8.4-) [I] Memory Pools: workspace: 0.000976562 MiB, dlaSRAM: default
_WORKSPACE: Final = re.compile(r"\bworkspace: (\d{1,12}(?:\.\d{1,12})?) MiB")


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all layers: the workspace is one."""
    layers = [la for la in subject.layers if _may_gain(subject.known(la).candidates)]
    if not layers:
        return
    skipped = sum(_skipped(subject.known(layer).candidates) for layer in layers)
    asked = [_asked(subject, layer) for layer in layers]
    words = f": {count(skipped, 'tactic')} skipped for want of workspace"
    most = max(asked)
    words += f", the largest asked for {amount(most)}" if most else ""
    evidence = [
        Evidence(
            f"{layer.name}: {_skipped(subject.known(layer).candidates)} skipped",
            dict(subject.known(layer).lines).get("candidates"),
        )
        for layer in layers[:3]
    ]
    evidence += [Evidence(advised.text, advised.line) for advised in subject.facts.advised[:1]]
    why = (*named(layers), words)
    yield finding(subject, RULE, layers, why, _advice(subject, asked), evidence, part=None)


def _may_gain(tuned: Candidates) -> bool:
    """Whether tactics were skipped, and those beside them were not far slower than the chosen."""
    chosen, beside = tuned.chosen, tuned.beside
    slower = chosen is not None and beside is not None and beside > _FAR_SLOWER * chosen.ms
    return _skipped(tuned) > 0 and not slower


def _skipped(tuned: Candidates) -> int:
    """Returns how many tactics were skipped, without those that are no loss."""
    no_loss = sum(each.skipped for each in tuned.runners if each.runner in _NO_LOSS)
    return (tuned.skipped or 0) - no_loss


def _asked(subject: Subject, layer: Layer) -> int:
    return subject.known(layer).candidates.scratch or 0


def _advice(subject: Subject, asked: list[int]) -> str:
    device = subject.facts.device
    has = device.memory_mib * _MIB if device is not None and device.memory_mib else None
    fit = [size for size in asked if size and (has is None or size < has)]
    if any(asked) and not fit:
        return f"the GPU has {amount(has or 0)}: use another GPU, or leave it"
    limit = _limit(subject)
    if limit is not None and limit < _LEAST_WORTH:
        return f"the build limits the workspace to {amount(limit)}: take that limit off"
    flag = trtexec.workspace_flag(subject.engine)
    if not fit:
        return f"build with a larger workspace (trtexec: {flag}MiB)"
    sizes = sorted(fit)
    most = sizes[-1]
    less = [size for size in sizes if size * _LEAST_FACTOR < most]
    if most >= _LEAST_WORTH and len(less) >= _ENOUGH_LAYERS * len(sizes):
        words = f"is enough for {len(less)} of {count(len(asked), 'layer')}, "
        words += f"{_mib(most)} for {'all' if len(fit) == len(asked) else len(fit)}"
        return f"build with a larger workspace (trtexec: {flag}{_mib(less[-1])}, in MiB, {words})"
    return f"build with a larger workspace (trtexec: {flag}{_mib(most)}, in MiB)"


def _limit(subject: Subject) -> float | None:
    """Returns the bytes of workspace that trtexec was told to allow; None: it was told nothing."""
    option = subject.option("Memory Pools")
    match = _WORKSPACE.search(option.value) if option is not None else None
    return None if match is None else float(match[1]) * _MIB


def _mib(size: int) -> int:
    return -(-size // _MIB)
