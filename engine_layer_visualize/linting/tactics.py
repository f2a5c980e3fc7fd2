"""Rules about kernels that could not be taken: with more workspace, on the DLA."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine_layer_visualize.analysis import kinds, trtexec
from engine_layer_visualize.core.layer_facts import Candidates
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count, plural
from engine_layer_visualize.core.words import Words, joined
from engine_layer_visualize.linting.finding import Evidence, Finding
from engine_layer_visualize.linting.rules import finding, named, record, rule
from engine_layer_visualize.linting.subject import Subject

_MOST_LINES: Final = 3  # of the log, as evidence
_MIB: Final = 1 << 20
_LEAST_WORTH: Final = 1 << 30  # bytes: nobody saves less
_FAR_SLOWER: Final = 2
# cuDNN has other tactics in its place (-7: Cuda…); Myelin's is told as skipped, then timed and run.
_NO_LOSS: Final = ("CudnnConvolution", "CudaConvolution", "Myelin")
# e.g. (8.4-) [I] Memory Pools: workspace: 0.000976562 MiB, dlaSRAM: default
_WORKSPACE: Final = lazy(r"\bworkspace: (\d{1,12}(?:\.\d{1,12})?) MiB")


@rule("T04")
def skipped_for_memory(subject: Subject) -> Iterator[Finding]:
    """Tactics were left out for want of workspace.

    **Found**: while a layer was timed, the builder skipped tactics that asked for more scratch
    memory than the workspace has. Silent where the other tactics of that implementation took more
    than twice as long as the chosen one. Silent about cuDNN's convolutions: their large tactics are
    Fourier transforms, which took five times as long. Silent about a ForeignNode, whose only tactic
    is told as skipped, then timed and run.

    **Why it costs**: the tactics were never timed; one of them may be the fastest.

    **What to do**: build with a larger workspace: `--memPoolSize=workspace:` of trtexec in MiB
    (`--workspace=` before TensorRT 8.4.1), or `set_memory_pool_limit`. This holds up to TensorRT
    10.16 and from 11 on. The advice has the amount that the largest skipped tactic asked for. Where
    the build limits the workspace to less than 1 GiB, take that limit off.

    **When to leave it**: where the largest skipped tactic asked for more than the GPU has, or other
    programs need it.

    **Example**:

        Tactic: 0x4 skipped. Scratch requested: 7527202816, available: 1073741824

    **Versions**: all verbose logs.

    **Severity**: warning.

    **Sources**: NVIDIA/TensorRT issues 4136, 749; DeepStream-Yolo issue 55; NVIDIA/TensorRT-LLM
    issue 493.
    """
    layers = [
        la for la in subject.layers if kinds.runs_kernel(la) and _may_gain(la.known.candidates)
    ]
    tuned = [layer.known.candidates for layer in layers]
    skipped, asked = [*map(_skipped, tuned)], [each.scratch or 0 for each in tuned]
    if not layers or not (advice := _workspace_advice(subject, asked)):
        return
    every = sum(cost.skipped for cost in subject.facts.runners)
    of = f" of {every:,}" if every > sum(skipped) else ""
    words = f": {sum(skipped):,}{of} {plural(every, 'tactic')} skipped for want of workspace"
    words += f", the largest asked for {amount(max(asked))}" if any(asked) else ""
    evidence = [
        Evidence(f"{layer.name}: {number} skipped", dict(layer.known.lines).get("candidates"))
        for layer, number in zip(layers[:_MOST_LINES], skipped)
    ]
    evidence += [Evidence(advised.text, advised.line) for advised in subject.facts.advised[:1]]
    yield finding(subject, layers, (*named(layers), words), advice, evidence)


def _may_gain(tuned: Candidates) -> bool:
    """Whether tactics were skipped, and those beside them were not far slower than the chosen."""
    chosen, beside = tuned.chosen, tuned.beside
    slower = chosen is not None and beside is not None and beside > _FAR_SLOWER * chosen.ms
    return _skipped(tuned) > 0 and not slower


def _skipped(tuned: Candidates) -> int:
    """Returns how many tactics were skipped, without those that are no loss."""
    no_loss = sum(each.skipped for each in tuned.runners if each.runner in _NO_LOSS)
    return (tuned.skipped or 0) - no_loss


def _workspace_advice(subject: Subject, asked: Sequence[int]) -> str:
    device = subject.facts.device
    has = device.memory_mib * _MIB if device is not None and device.memory_mib else None
    fit = sorted(size for size in asked if size and (has is None or size < has))
    if any(asked) and not fit:
        return ""  # the GPU has less
    match = _WORKSPACE.search(trtexec.option(subject.facts, "Memory Pools"))
    if match is not None and (limit := float(match[1]) * _MIB) < _LEAST_WORTH:
        return f"the build limits the workspace to {amount(limit)}: take that limit off"
    flag = f"build with a larger workspace (trtexec: {trtexec.workspace_flag(subject.engine)}"
    if not fit:
        return f"{flag}N, in MiB)"
    return f"{flag}{-(-fit[-1] // _MIB)}, in MiB)"


_LEAST_CHANGES: Final = 3
_FALLBACK: Final = lazy(r"fall(?:s|ing)? back to GPU", re.IGNORECASE)
_ONE_RUN: Final = (
    "let the DLA have one run of layers (trtexec: --layerDeviceTypes), or replace the layers that "
    "it cannot run"
)


@rule("H06")
def dla_ping_pong(subject: Subject) -> Iterator[Finding]:
    """The engine goes back and forth between GPU and DLA.

    **Found**: layers alternate between GPU and DLA three times or more, or the log says that layers
    fall back to the GPU.

    **Why it costs**: each change of the device waits for the other one and needs reformats to the
    DLA's memory formats and back. What could be saved is the time of copies that hold no such wait:
    the others last as long as the DLA computes.

    **What to do**: give the DLA one run of layers, and the GPU the rest (`--layerDeviceTypes` of
    trtexec). The flag is the same up to TensorRT 10.16 and from 11 on. Replace layers that the DLA
    cannot run, or change their parameters to ones that it supports. Give inputs and outputs of the
    DLA in its formats (`dla_linear`, `chw32`).

    **When to leave it**: where the DLA is meant to free the GPU, and the engine's own time does not
    matter.

    **Example**:

        Default DLA is enabled but layer /up/Resize is not supported on DLA, falling back to GPU.

    **Versions**: all with a DLA.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issues 3820, 2319, 3438.
    """
    running = [la for la in subject.layers if kinds.runs_kernel(la) and not kinds.is_reformat(la)]
    on_dla = [layer for layer in running if _on_dla(subject, layer)]
    changes = sum(a != b for a, b in pairwise(_on_dla(subject, layer) for layer in running))
    fallen = [layer for layer in running if layer.known.device_reason]
    messages = subject.lines(_FALLBACK)
    if changes < _LEAST_CHANGES and not messages and not fallen:
        return
    copies = {layer.index: layer for layer in subject.layers if kinds.is_dla_copy(layer)}
    for layer in on_dla:
        for near in (*subject.writers(layer), *subject.readers(layer)):
            if kinds.is_reformat(near) or kinds.is_dla_copy(near):
                copies[near.index] = near
    why: list[Words] = [count(changes, "change") + " between GPU and DLA"] if on_dla else []
    if fallen:
        run = plural(len(fallen), "runs", "run")
        why.append((*named(fallen), f" {run} on the GPU: the DLA cannot"))
    elif messages:
        why.append(f"{count(len(messages), 'message')} of a fallback to the GPU")
    # A wait is as long as the DLA computes: fewer copies do not shorten it.
    ms = subject.costs.sum(la for la in copies.values() if not kinds.waits_for_dla(la))
    if subject.costs.sum(filter(kinds.waits_for_dla, copies.values())):
        why.append("the times of some copies hold the waits for the DLA")
    told = [*map(_fallen, fallen)] or messages
    evidence = told[:_MOST_LINES] or [record(layer) for layer in on_dla[:_MOST_LINES]]
    layers = [*on_dla, *copies.values(), *fallen]
    yield finding(subject, layers, joined("; ", why), _ONE_RUN, evidence, ms=ms)


def _on_dla(subject: Subject, layer: Layer) -> bool:
    return layer.known.device == "DLA" or layer.type.casefold().startswith("dla")


def _fallen(layer: Layer) -> Evidence:
    known = layer.known
    return Evidence(known.device_reason or "", dict(known.lines).get("device_reason"))
