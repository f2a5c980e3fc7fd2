"""Rules about reformats at the inputs and outputs of an engine."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import Reason, described
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting import formats
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.precision import precision_not_allowed, waiting
from engine_layer_visualize.linting.roles import QUANTISED
from engine_layer_visualize.linting.rules import rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.names import parts, without_profile
from engine_layer_visualize.trt.types import canonical, width

_LEAST_SHARE: Final = 0.01  # of the time of the engine, for reformats of fewer elements
_TYPES_OF_MODEL: Final = (11,)  # from this version on inputs and outputs have the model's types
_CLONE: Final = "_clone_"  # in the name of a node that was cut in several: it serves others, too
_OF_TORCH: Final = ("", "linear", "HWC")  # the formats of its inputs
_DEFAULT: Final = "fp32:chw"  # what trtexec takes without the flag


@rule("F02")
def reformat_at_input(subject: Subject) -> Iterator[Finding]:
    """A reformat stands between an input of the engine and the layers.

    **Found**: a layer of type Reformat reads an input of the engine and writes it in another type
    or memory format. Also where the log does not have the formats, but no plain copy. The network's
    own nodes that run as a Reformat (a Slice, a Cast) do not count. Nor do parts of a
    concatenation, or fewer than 8 elements in less than 1 % of the time.

    **Why it costs**: every inference converts the whole input before the first layer can run.

    **What to do**: feed the input in the type and format that its reader takes (`allowed_formats`
    of the tensor in the API). Up to TensorRT 10.16 trtexec takes both
    (`--inputIOFormats=fp16:chw`). From 11 on it takes the format alone (`--inputIOFormats=chw`),
    and the type is the model's. The advice has the value, with a part for each input, in the
    network's order. Some formats exist only inside an engine: then only the type can be fed.

    **When to leave it**: where the program has only this type and format: it would convert them at
    the same cost.

    **Example**:

        Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv1, Tactic: 0x3e8,
            x[Float(1,3,8,8)] -> r[Half(1,3,8,8)]

    **Versions**: all that list reformats.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issues 2921, 2136, 3976; TensorRT documentation: reformat-free
    network I/O.
    """
    return formats.by_change(subject, "input", _Ends(subject, are_inputs=True).advise)


@rule("F03")
def reformat_at_output(subject: Subject) -> Iterator[Finding]:
    """A reformat stands between the layers and an output of the engine.

    **Found**: a layer of type Reformat writes an output of the engine in another type or memory
    format than its writer's. Or it changes the type in front of a NoOp that hands the output on.
    Also where the log does not have the formats, but no plain copy. The network's own nodes that
    run as a Reformat (a Slice, a Cast) do not count. Nor do reformats that write a part of the
    output, or fewer than 8 elements in less than 1 % of the time.

    **Why it costs**: every inference converts the whole output after the last layer.

    **What to do**: take the output in the type and format that its writer gives (`allowed_formats`
    of the tensor in the API). Up to TensorRT 10.16 trtexec takes both
    (`--outputIOFormats=fp16:chw`). From 11 on it takes the format alone (`--outputIOFormats=chw`),
    and the type is the model's. Where the log has the outputs' order, the advice has the value,
    with a part for each.

    **When to leave it**: where the program needs the output as it is: it would convert it at the
    same cost. And where the format pads channels, and the output is copied to the host with its
    padding.

    **Example**:

        Layer(Reformat): Reformatting CopyNode for Output Tensor 0 to conv9, Tactic: 0x3e8,
            r[Half(1,8,4,4)] -> y[Float(1,8,4,4)]

    **Versions**: all that list reformats.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issues 2921, 2136, 3976; TensorRT documentation: reformat-free
    network I/O.
    """
    return formats.by_change(subject, "output", _Ends(subject, are_inputs=False).advise)


def io_format(words: str) -> str | None:
    """Returns `fp16:hwc8`, as trtexec takes it, for `Half HWC8`.

    None if an input cannot have the type; a format that it cannot have becomes `chw`.
    """
    type_word, _, form = words.partition(" ")
    dtype, order = types.types_of_inputs(type_word), types.formats_of_inputs(form)
    return f"{dtype}:{order or 'chw'}" if dtype else None


class _Ends:
    """The inputs or the outputs of an engine, each with the format that it has and the wanted one.

    trtexec's flag for their types and formats takes a part for each of them, in their order, or one
    for all: what is tried for one is tried for the others, too.
    """

    def __init__(self, subject: Subject, are_inputs: bool) -> None:
        self._subject, self._are_inputs = subject, are_inputs
        self._flag_name = "--inputIOFormats" if are_inputs else "--outputIOFormats"
        self._reasons = formats.reformats(subject, "input" if are_inputs else "output")
        self._wanted: dict[str, str] = {}  # the part of the flag, by the name of the tensor
        for reason in self._reasons:
            for name, needed in self._needed(reason).items():
                self._wanted.setdefault(name, needed)

    def _sides(self, reason: Reason) -> tuple[str, str]:
        """Returns the type and format that an end could have, and the ones that it has."""
        if self._are_inputs:
            return reason.after, reason.before
        return reason.before, reason.after

    def _needed(self, reason: Reason) -> dict[str, str]:
        """Returns the part of the flag that each end needs for this reformat to go."""
        wanted, now = self._sides(reason)
        needed = None if reason.cause == "quantiser" or _stays(wanted, now) else io_format(wanted)
        if needed is None or "untold" in reason.changes:
            return {}
        sides = reason.sources if self._are_inputs else reason.targets
        return {without_profile(side.tensor): needed for side in sides if side.layer is None}

    def advise(self, reason: Reason) -> formats.Try | None:
        """Returns what to try about a reformat; None where there is nothing to try."""
        subject, layer = self._subject, self._subject.engine.layers[reason.layer]
        wanted, now = self._sides(reason)
        dtype, _, form = wanted.partition(" ")
        if _stays(wanted, now) or _is_tiny(subject, layer):
            return None
        # Who allows FP16 has layers that take Half.
        is_wider = (width(dtype) or 0) > (width(now.partition(" ")[0]) or 0)
        if is_wider and (any(subject.once(_in_float)) or waiting(subject)):
            return None
        near = reason.targets if self._are_inputs else reason.sources
        if any(formats.is_lone(subject, other) for other in formats.beside(subject, near)):
            return None  # it should not be quantised
        if reason.cause == "quantiser":
            return self._without_quantiser(reason)
        keeps_type = dtype == now.partition(" ")[0]
        do, how = "feed this input" if self._are_inputs else "take this output", self._how(reason)
        if _is_inner(form) or (subject.frontend.source == "torch" and form not in _OF_TORCH):
            fewer = _fewer_bytes(dtype, now, _padded(layer, form, self._are_inputs))
            ms = subject.ms(layer)
            if keeps_type or not fewer:
                return None
            # So short a reformat takes its time to be launched: fewer bytes hardly shorten it.
            saved = None if ms is not None and ms < LAUNCH else fewer
            return formats.Try(f"{do} as {dtype}{how}: the reformat to {form} stays", saved)
        if canonical(dtype) == "Int8" and canonical(now.partition(" ")[0]) != "Int8":
            return formats.Try(f"{do} as {wanted}{how}, with this tensor's scale")
        padded = _padded(layer, form, self._are_inputs)
        # A copy of more bytes between host and GPU may take longer than the reformat.
        copies = "H2D Latency" if self._are_inputs else "D2H Latency"
        if padded is not None and trtexec.part_of_computing(subject.facts, copies) is not None:
            return formats.Try(f"{do} as {wanted}{how}, kept on the GPU", None, padded)
        return formats.Try(f"{do} as {wanted}{how}", 1.0, padded)

    def _how(self, reason: Reason) -> str:
        """Returns where the type and format of this end are set."""
        subject, frontend = self._subject, self._subject.frontend
        if (subject.version or ()) >= _TYPES_OF_MODEL:  # its flag takes a format alone
            wanted, now = (side.partition(" ")[0] for side in self._sides(reason))
            return "" if wanted == now else f" in {frontend.model}"
        if formats.without_trtexec(subject):
            if frontend.source == "api":
                return " (the tensor's dtype and `allowed_formats`)"
            return " (dtype and format of `torch_tensorrt.Input`)" if self._are_inputs else ""
        needed = self._needed(reason)
        return f" ({self._flag(needed) if needed else f'trtexec: {self._flag_name}'})"

    def _without_quantiser(self, reason: Reason) -> formats.Try | None:
        """Returns how to take a Q or DQ at this end out of the model."""
        wanted, now = self._sides(reason)
        dtype, _, form = wanted.partition(" ")
        own = _cut_nodes(self._subject.engine.layers[reason.layer])
        if canonical(dtype) not in QUANTISED or own & self._serving_others:
            return None
        saved = _fewer_bytes(dtype, now, None) if reason.in_part else 1.0
        if not reason.in_part and not _is_inner(form) and types.vector_width(form) > 1:
            dtype = f"{dtype} ({io_format(wanted)})"
        node, how = "DequantizeLinear", f"dequantise the {dtype} outside"
        if self._are_inputs:
            node, how = "QuantizeLinear", f"feed {dtype} that is quantised"
        model = self._subject.frontend.model
        return formats.Try(f"take the {node} out of {model}, and {how}", saved)

    @cached_property
    def _serving_others(self) -> set[str]:
        """The nodes cut in several that stand elsewhere, too, as far as names tell.

        A node of which the engine has a single part is one: the others are not in sight.
        """
        here = {reason.layer for reason in self._reasons}
        layers: dict[str, set[int]] = defaultdict(set)
        for layer in self._subject.layers:
            for node in _cut_nodes(layer):
                layers[node].add(layer.index)
        return {node for node, own in layers.items() if len(own) < 2 or not own <= here}

    # ---- the flag ----------------------------------------------------------------------------

    @cached_property
    def _now(self) -> Mapping[str, str]:
        """The present part of the flag of each end, by its name, in their order."""
        subject = self._subject
        found: dict[str, str | None] = {}
        for edge in subject.edges:
            end, index = edge.source, edge.target
            if not self._are_inputs:
                end, index = index, end
            name = without_profile(edge.tensor)
            if end is not None or index is None or name in found:
                continue
            layer, reason = subject.engine.layers[index], subject.reasons.get(index)
            tensors = layer.inputs if self._are_inputs else layer.outputs
            words = next((described(each, "") for each in tensors if each.name == edge.tensor), "")
            found[name] = io_format(words if reason is None else self._sides(reason)[1])
        inputs, outputs = subject.costs.once(_names)
        names = inputs if self._are_inputs else outputs
        return {name: found.get(name) or _DEFAULT for name in names}

    def _flag(self, needed: Mapping[str, str]) -> str:
        """Returns the flag, such as `trtexec: --inputIOFormats=fp16:hwc8`.

        Ends in `needed`, and those that other reformats want, get that format; all others keep
        theirs.
        """
        if needed.items() <= self._wanted.items():
            return self._usual_flag
        return self._written({**self._wanted, **needed})

    @cached_property
    def _usual_flag(self) -> str:
        return self._written(self._wanted)

    def _written(self, wanted: Mapping[str, str]) -> str:
        values = [wanted.get(name, now) for name, now in self._now.items()] or [*wanted.values()]
        if len({*values}) == 1:
            return f"trtexec: {self._flag_name}={values[0]}"
        if not self._are_inputs and self._subject.facts.outputs_order != "log":
            return f"trtexec: {self._flag_name}"
        return f"trtexec: {self._flag_name}={','.join(values)}"


def _names(costs: Costs) -> tuple[Mapping[str, None], Mapping[str, None]]:
    """Names of the engine's inputs and outputs, in order; optimisation profiles share them."""
    inputs, outputs = costs.engine.graph.inputs, costs.engine.graph.outputs
    return dict.fromkeys(map(without_profile, inputs)), dict.fromkeys(map(without_profile, outputs))


def _in_float(subject: Subject) -> list[Finding]:
    return list(precision_not_allowed(subject))


def _is_inner(form: str) -> bool:
    """Whether an input or output cannot have a format."""
    return bool(form) and types.formats_of_inputs(form) is None


def _stays(words: str, other: str) -> bool:
    """Whether an input or output can have only the type, and has it."""
    type_word, _, form = words.partition(" ")
    return _is_inner(form) and type_word == other.partition(" ")[0]


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a reformat is of few elements, and takes a small part of the time or an unknown."""
    share = subject.costs.share(layer)
    is_small = 0 < math.prod(layer.outputs[0].shape) < 8
    return is_small and (share is None or share < _LEAST_SHARE)


def _cut_nodes(layer: Layer) -> set[str]:
    """Returns the nodes cut in several of which a layer's name has a part."""
    if _CLONE not in layer.name:  # most names
        return set()
    return {name.partition(_CLONE)[0] for name in parts(layer.name) if _CLONE in name}


def _fewer_bytes(type_word: str, other: str, padded: tuple[int, int] | None) -> float:
    """Returns the part of its bytes that a reformat saves where both sides have one type.

    It is 0 where this type has no fewer bits. `padded`: the channels, and those with padding, of
    the side that has the type now.
    """
    less, more = width(type_word), width(other.partition(" ")[0])
    if not less or not more:
        return 1.0
    channels, whole = padded or (1, 1)
    return max(0.0, (more - less) / (more + less * whole / channels))


def _padded(layer: Layer, form: str, is_input: bool) -> tuple[int, int] | None:
    """Returns the channels without and with padding, such as 3 and 8; None if none are added."""
    shape, block = (layer.inputs if is_input else layer.outputs)[0].shape, types.vector_width(form)
    if block == 1 or len(shape) <= 1 or shape[1] <= 0:
        return None
    channels = shape[1]
    whole = -(-channels // block) * block
    return (channels, whole) if whole > channels else None
