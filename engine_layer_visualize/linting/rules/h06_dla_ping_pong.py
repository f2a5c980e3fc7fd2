"""The engine goes back and forth between GPU and DLA.

**Found**: layers alternate between GPU and DLA three times or more, or the log says of layers that
they fall back to the GPU.

**Why it costs**: each change of the device waits for the other one and needs reformats to the DLA's
memory formats and back. What could be saved is the time of copies that hold no such wait: the
others last as long as the DLA computes.

**What to do**: move the cut: let the DLA have one run of layers, and the GPU the rest
(`--layerDeviceTypes` of trtexec). The flag is the same up to TensorRT 10.16 and from 11 on. Replace
layers that the DLA cannot run, or change their parameters to ones that it supports. Give inputs and
outputs of the DLA in its formats (`dla_linear`, `chw32`).

**When to leave it**: where the DLA is meant to free the GPU for other work, and the engine's own
time does not matter.

**Example**:

    Default DLA is enabled but layer /up/Resize is not supported on DLA, falling back to GPU.

**Versions**: all with a DLA.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issues 3820, 2319, 3438.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from engine_layer_visualize.analysis.kinds import (
    is_dla_copy,
    is_reformat,
    runs_kernel,
    waits_for_dla,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.core.words import Words, joined
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.rule import finding, named, record
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_CHANGES: Final = 3
_FALLBACK: Final = re.compile(r"fall(?:s|ing)? back to GPU", re.IGNORECASE)
_ADVICE: Final = (
    "let the DLA have one run of layers (trtexec: --layerDeviceTypes), or replace the layers that "
    "it cannot run"
)
_MOST_LINES: Final = 3  # of the log, as evidence


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    running = [la for la in subject.layers if runs_kernel(la) and not is_reformat(la)]
    on_dla = [layer for layer in running if _on_dla(subject, layer)]
    changes = sum(a != b for a, b in pairwise(layer in on_dla for layer in running))
    fallen = [layer for layer in running if subject.known(layer).device_reason]
    messages = [message for message, _ in subject.said(_FALLBACK)]
    if changes < _LEAST_CHANGES and not messages and not fallen:
        return
    beside = {
        neighbour.index: neighbour
        for layer in on_dla
        for neighbour in (*subject.writers(layer), *subject.readers(layer))
        if is_reformat(neighbour) or is_dla_copy(neighbour)
    }
    copies = {layer.index: layer for layer in subject.layers if is_dla_copy(layer)} | beside
    told = [_reason(subject, layer) for layer in fallen[:_MOST_LINES]]
    told = told or [Evidence(message.text, message.line) for message in messages[:_MOST_LINES]]
    why: list[Words] = [count(changes, "change") + " between GPU and DLA"] if on_dla else []
    if fallen:
        run = plural(len(fallen), "runs", "run")
        why.append((*named(fallen), f" {run} on the GPU: the DLA cannot"))
    elif messages:
        why.append(f"{count(len(messages), 'message')} of a fallback to the GPU")
    # A wait is as long as the DLA computes: fewer copies do not shorten it.
    ms = subject.costs.sum(la for la in copies.values() if not waits_for_dla(la))
    if subject.costs.sum(filter(waits_for_dla, copies.values())):
        why.append("the times of some copies hold the waits for the DLA")
    evidence = told or [record(layer) for layer in on_dla[:_MOST_LINES]]
    layers = [*on_dla, *copies.values(), *fallen]
    yield finding(subject, RULE, layers, joined("; ", why), _ADVICE, evidence, ms=ms)


def _on_dla(subject: Subject, layer: Layer) -> bool:
    return subject.known(layer).device == "DLA" or layer.type.casefold().startswith("dla")


def _reason(subject: Subject, layer: Layer) -> Evidence:
    known = subject.known(layer)
    return Evidence(known.device_reason or "", dict(known.lines).get("device_reason"))
