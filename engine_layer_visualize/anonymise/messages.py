"""The messages of TensorRT that stay, with other names in them.

A message's bytes go in; it comes out with other names, or None where it is none of these. A new
message that the reader takes something from goes into `_WITH_NAMES` or `_WITHOUT`.
"""

from __future__ import annotations

import builtins
import re
from typing import Final

from engine_layer_visualize.anonymise import vocabulary
from engine_layer_visualize.anonymise.names import Names
from engine_layer_visualize.inputs.buildlog.build_end import RAISED, stop_words

PROSE: Final = vocabulary.PROSE | vocabulary.RECORDS

# `*` stands for names and numbers, `%` for a kernel, `~` for the words of a sentence. The first of
# these that fits is taken: its longest part must be there, all others may be.
_WITH_NAMES: Final = (
    "Timing Runner: *",
    "* profiling completed in * seconds. Fastest Tactic: * Time: *",
    "* Set Tactic Name: % Tactic: *",
    "Tactic Name: % Tactic: * Time: *",
    " skipped. Scratch requested: *, available: *",
    "Fastest Tactic: * Time: *",
    "Chose Runner Type: * Tactic: *",
    "Autotuning format combination: *",
    "Autotuning Reformat:*",
    "Computing costs for *",
    " got cached result: *, tactic *",
    "Skipping *: No valid tactics for *",
    " has no valid tactics for this config, skipping",
    " has no valid tactics~",
    " Host Persistent: * Device Persistent: * Scratch Memory: *",
    " Weights: * HostPersistent: * DevicePersistent: *",
    "Fusing *",
    "Removing *",
    "Merging layers: *",
    "Replacing slice * with copy*",
    "Input Tensor * is unused or used only at compile-time~",
    "Convert layer type of *",
    "Swap the layer type of *",
    "(Sparsity) Found * layer(s) eligible to use sparse tactics:*",
    "(Sparsity) Chose * layer(s) using sparse tactics:*",
    "(Sparsity) Layers eligible for sparse math:*",
    "(Sparsity) TRT inference plan picked sparse implementation for layers:*",
    "Could not read timing cache from: *. A new ~",
    "For layer * a non-conforming implementation ~",
    "No implementation of layer * obeys the requested constraints ~",
    "Missing scale and zero-point for tensor *, expect fall back to ~",
    "Missing dynamic range for tensor *, expect fall back to ~",
    "Default DLA is enabled but layer * is not supported on DLA, falling back to GPU.",
    "Detected layernorm nodes in FP16: *",
    "Weights [name=*] had the following issues when converted to *",
    "Dynamic dimensions required for input: *, but no shapes were provided. "
    "Automatically overriding shape to: *",
    "Shape missing for input with dynamic shape: *Automatically setting shape to: *",
    "Static check for parsing node: *",
    "Parsing node: *",
    "Searching for input: *",
    "Registering layer: * required by ONNX-TRT",
    "Registering layer: * for ONNX node: *",
    "Registering tensor: * for ONNX tensor: *",
    "Importing initializer: *",
    "] inputs: *",
    "] outputs: *",
    "ForeignNode {* metadata:*",
    "Adding network input: * with dtype: *, dimensions: *",
    "Marking * as output: *",
    "Adding reformat layer: *",
    "Created input binding for * with dimensions *",
    "Created output binding for * with dimensions *",
    "Input binding for * with dimensions * and type * is created.",
    "Output binding for * with dimensions * and type * is created.",
)
_SLOT: Final = re.compile(r"([*%~])")


class _Form:
    """A message: its parts, each with what follows it."""

    __slots__ = ("mark", "parts")

    def __init__(self, text: str) -> None:
        pieces = _SLOT.split(text.removeprefix("*"))
        self.parts = tuple(
            (part.encode(), slot) for part, slot in zip(pieces[::2], (*pieces[1::2], "*")) if part
        )
        self.mark = max((part for part, _ in self.parts), key=len)


_FORMS: Final = tuple(map(_Form, _WITH_NAMES))
# They hold no names.
_WITHOUT: Final = re.compile(
    rb"Engine Layer Information:|Layers?(?: Information)?:[ \t\r]*$|Bindings:[ \t\r]*$"
    rb"|I/O Tensors:|Engine Metadata:|=== [\w ]{1,60} ===|=== Profile \(\d+ iterations? ?\) ==="
    rb"|Time ?\(ms\) +Avg\.|(?:Total|Max) [\w ]{1,30} Memory: \d|Peak memory usage of "
    rb"|Skipped printing memory information|(?:After [\w -]{1,80}|Original): \d+ layers"
    rb"|backend strategy \d| completed in \d|Graph optimization time: |Engine built in \d"
    rb"|Parse time: |Deleting timing cache: |Loaded \d+ (?:bytes of )?timing cache"
    rb"|(?:Local|Global) timing cache in use|TensorRT version: \d|Computing costs|Computing reform"
    rb"|Skipping tactic \S+ due to |[Ss]ome tactics do not have sufficient workspace"
    rb"|(?:in|de)creasing the workspace size|memPoolSize=workspace:|Setting workspace to \d"
    rb"|Loaded engine size|Deserialization required|Traceback \(most recent call last\):"
    rb"|Detected \d+ inputs and \d"
)
# They tell the version, whatever else stands on their line.
_VERSION: Final = re.compile(
    rb"libnvinfer\w{0,64}\.so\.\d{1,3}\.\d{1,3}\.\d{1,3}"
    rb"|builder: tensorrt_rtx \d{1,3}(?:\.\d{1,4}){1,3}"
)
# e.g. (8-) Tactic: 0x0f Time: 0.0123
TIMED: Final = rb"Tactic: (?:0x[0-9a-fA-F]+|-?\d+) [Tt]ime:? (?:[-+.\deE]+|inf|nan)[ \t\r]*"
_TACTIC: Final = re.compile(TIMED + rb"$")


def renamed(text: bytes, names: Names) -> bytes | None:
    """The message with other names; None where it is not known."""
    for form in _FORMS:
        if form.mark in text:
            return _filled(text, form, names)
    if match := _TACTIC.search(text):
        return names.renamed(text[: match.start()]) + match[0]
    if _WITHOUT.search(text):
        return names.prose(text, PROSE)
    if match := RAISED.match(text):
        kind = match[0] if hasattr(builtins, match[0].decode()) else b"Exception"
        return kind + names.prose(text[match.end() :], PROSE)
    version = _VERSION.search(text)
    return version[0] if version else stop_words(text)


def _filled(text: bytes, form: _Form, names: Names) -> bytes:
    found: list[bytes] = []
    slot = "*"
    for part, following in form.parts:
        before, there, rest = text.partition(part)
        if there:
            found += (_slot(before, slot, names), there)
            text, slot = rest, following
    found.append(_slot(text, slot, names))
    return b"".join(found)


def _slot(text: bytes, slot: str, names: Names) -> bytes:
    if slot == "%":
        return names.kernel(text)
    return names.prose(text, PROSE) if slot == "~" else names.renamed(text)
