"""Rules about reformats at the inputs and outputs of an engine."""

import math
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.linting import formats
from engine_layer_visualize.linting.precision import precision_not_allowed, waiting
from engine_layer_visualize.linting.roles import QUANTISED
from engine_layer_visualize.linting.rules import Finding, rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.names import parts, without_profile

_CLONE: Final = "_clone_"  # in the name of a node that was cut in several: it serves others, too
_OF_VOLUMES: Final = {"hwc8": "dhwc8", "chw32": "cdhw32"}
_OF_TORCH: Final = ("", "linear", "HWC")  # the formats of its inputs


@rule("F02")
def reformat_at_input(subject: Subject) -> Iterator[Finding]:
    """A reformat stands between an input of the engine and the layers.

    **Found**: a layer of type Reformat reads an input of the engine and writes it in another type
    or memory format. The network's own nodes that run as a Reformat (a Slice, a Cast) do not count.
    Nor do parts of a concatenation, or fewer than 8 elements in less than 1 % of the time.

    **Why it costs**: every inference converts the whole input before the first layer can run.

    **What to do**: feed the input in the type and format that its reader takes (`allowed_formats`
    of the tensor in the API). Up to TensorRT 10.16 trtexec takes both
    (`--inputIOFormats=fp16:chw`). From 11 on it takes the format alone (`--inputIOFormats=chw`),
    and the type is the model's. The advice has the input's part of the flag, which takes one for
    each, in the network's order. Some formats exist only inside an engine: then only the type can
    be fed.

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
    return formats.by_change(subject, "input", partial(_advise, True, subject))


@rule("F03")
def reformat_at_output(subject: Subject) -> Iterator[Finding]:
    """A reformat stands between the layers and an output of the engine.

    **Found**: a layer of type Reformat writes an output of the engine in another type or memory
    format than its writer's. Or it changes the type in front of a NoOp that hands the output on.
    The network's own nodes that run as a Reformat (a Slice, a Cast) do not count. Nor do fewer than
    8 elements in less than 1 % of the time. One that writes a part of the output counts where all
    parts were timed in the format that it reads.

    **Why it costs**: every inference converts the whole output after the last layer.

    **What to do**: take the output in the type and format that its writer gives (`allowed_formats`
    of the tensor in the API). Up to TensorRT 10.16 trtexec takes both
    (`--outputIOFormats=fp16:chw`). From 11 on it takes the format alone (`--outputIOFormats=chw`),
    and the type is the model's. The advice has the output's part of the flag, which takes one for
    each, in the network's order.

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
    return formats.by_change(subject, "output", partial(_advise, False, subject))


def io_format(words: str, rank: int = 4) -> str | None:
    """Returns `fp16:hwc8`, as trtexec takes it, for `Half HWC8`.

    None if an input cannot have the type; a format that it cannot have becomes `chw`.
    """
    type_word, _, form = words.partition(" ")
    dtype, order = types.types_of_inputs(type_word), types.FORMATS_OF_INPUTS.get(form)
    if rank == 5:
        order = _OF_VOLUMES.get(order or "", order)
    return f"{dtype}:{order or 'chw'}" if dtype else None


def _advise(are_inputs: bool, subject: Subject, reason: Reason) -> formats.Try | None:
    """Returns what to try about a reformat at an input or output; None where there is nothing."""
    fed = subject.once(_fed) if are_inputs else {}
    if any(fed.get(end.tensor, reason.after) != reason.after for end in reason.sources):
        return None
    return _try(are_inputs, subject, reason)


def _try(are_inputs: bool, subject: Subject, reason: Reason) -> formats.Try | None:
    """Returns the same, whatever else reads the input."""
    layer = subject.engine.layers[reason.layer]
    wanted, now = (reason.after, reason.before) if are_inputs else (reason.before, reason.after)
    (dtype, _, form), (other, _, _) = wanted.partition(" "), now.partition(" ")
    bits, bits_now = types.width(dtype) or 0, types.width(other) or 0
    is_inner = bool(form) and form not in types.FORMATS_OF_INPUTS  # no end can have it
    if (is_inner and dtype == other) or _is_tiny(subject, layer):
        return None
    back = (subject.reasons.get(one.index) for one in formats.beside(subject, reason.targets))
    if not are_inputs and any(one is None or one.after != reason.before for one in back):
        return None  # they need it as it is
    # Who allows FP16 has layers that take Half.
    if bits > bits_now and (any(subject.once(_in_float)) or subject.once(waiting)):
        return None
    near = reason.targets if are_inputs else reason.sources
    if any(formats.is_lone(subject, each) for each in formats.beside(subject, near)):
        return None  # it should not be quantised
    if reason.cause == "quantiser":
        node = layer.name.partition(_CLONE)[0]
        if types.canonical(dtype) not in QUANTISED or node in subject.once(_serving_others):
            return None
        in_form = types.vector_width(form) > 1 and not (reason.in_part or is_inner)
        what = f"{dtype} ({io_format(wanted, len(layer.outputs[0].shape))})" if in_form else dtype
        operator, how = "DequantizeLinear", f"dequantise the {what} outside"
        if are_inputs:
            operator, how = "QuantizeLinear", f"feed {what} that is quantised"
        advice = f"take the {operator} out of {subject.frontend.model}, and {how}"
        return formats.Try(advice, _saved(bits, bits_now) if reason.in_part else 1.0)
    do = "feed this input as" if are_inputs else "take this output as"
    how = _how(are_inputs, subject, wanted, now, len(layer.outputs[0].shape))
    padded = _padded((layer.inputs if are_inputs else layer.outputs)[0], form)
    if is_inner or (subject.frontend.source == "torch" and form not in _OF_TORCH):
        if dtype == other or 0 < bits_now <= bits:
            return None
        # So short a reformat takes its time to be launched: fewer bytes hardly shorten it.
        ms = subject.ms(layer)
        saved = None if ms is not None and ms < LAUNCH else _saved(bits, bits_now, padded)
        return formats.Try(f"{do} {dtype}{how}: the reformat to {form} stays", saved)
    if types.canonical(dtype) == "Int8" and types.canonical(other) != "Int8":
        return formats.Try(f"{do} {wanted}{how}, with this tensor's scale")
    # A copy of more bytes between host and GPU may take longer than the reformat.
    copies = "H2D Latency" if are_inputs else "D2H Latency"
    if padded > 1 and trtexec.part_of_computing(subject.facts, copies) is not None:
        return formats.Try(f"{do} {wanted}{how}, kept on the GPU", None)
    return formats.Try(f"{do} {wanted}{how}")


def _fed(subject: Subject) -> dict[str, str]:
    """The one type and format in which each input is worth most: that of its longest reformats.

    Only those count that can be avoided.
    """
    took: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    every = formats.reformats(subject, "input")
    for reason in (one for one in every if _try(True, subject, one)):
        ms = subject.ms(subject.engine.layers[reason.layer]) or 0.0
        for end in reason.sources:
            took[end.tensor][reason.after] += ms
    return {tensor: max(words, key=words.__getitem__) for tensor, words in took.items()}


def _serving_others(subject: Subject) -> set[str]:
    """The nodes cut in several that stand elsewhere, too, as far as names tell.

    A node of which the engine has a single part is one: the others are not in sight.
    """
    here = {reason.layer for kind in formats.AT_ENDS for reason in formats.reformats(subject, kind)}
    layers: dict[str, set[int]] = defaultdict(set)
    for layer in subject.layers:
        for part in parts(layer.name) if _CLONE in layer.name else ():
            node, is_cut, _ = part.partition(_CLONE)
            if is_cut:
                layers[node].add(layer.index)
    return {node for node, own in layers.items() if len(own) < 2 or not own <= here}


def _how(are_inputs: bool, subject: Subject, wanted: str, now: str, rank: int) -> str:
    """Returns where the type and format of an end are set."""
    frontend = subject.frontend
    # From 11 on inputs and outputs have the model's types: the flag takes a format alone.
    if (subject.version or ()) >= (11,):
        is_kept = wanted.partition(" ")[0] == now.partition(" ")[0]
        return "" if is_kept else f" in {frontend.model}"
    if formats.without_trtexec(subject):
        if frontend.source == "api":
            return " (the tensor's dtype and `allowed_formats`)"
        return " (dtype and format of `torch_tensorrt.Input`)" if are_inputs else ""
    flag = "--inputIOFormats" if are_inputs else "--outputIOFormats"
    if (value := io_format(wanted, rank)) is None:
        return f" (trtexec: {flag})"
    # Of several it takes a part for each, in the network's order, or one for all.
    is_whole = subject.once(_are_alike)[0 if are_inputs else 1]
    return f" (trtexec: {flag}={value if is_whole else f'…,{value},…'})"


def _are_alike(subject: Subject) -> list[bool]:
    """Whether all inputs, and all outputs, could have one type and format; or there is one."""
    alike = []
    for kind, number in zip(formats.AT_ENDS, subject.costs.once(_counts)):
        is_input, reasons = kind == "input", formats.reformats(subject, kind)
        words = {each.after if is_input else each.before for each in reasons}
        near = (end for each in reasons for end in (each.sources if is_input else each.targets))
        ends = {without_profile(end.tensor) for end in near if end.layer is None}
        alike.append(number == 1 or (len(words) == 1 and len(ends) == number))
    return alike


def _counts(costs: Costs) -> tuple[int, int]:
    """Returns the numbers of inputs and outputs; optimisation profiles share them."""
    graph = costs.engine.graph
    return len({*map(without_profile, graph.inputs)}), len({*map(without_profile, graph.outputs)})


def _in_float(subject: Subject) -> list[Finding]:
    return list(precision_not_allowed(subject))


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a reformat is of few elements, and takes a small part of the time or an unknown."""
    share = subject.costs.share(layer)
    shape = layer.outputs[0].shape
    is_small = min(shape, default=1) > 0 and math.prod(shape) < 8
    return is_small and (share is None or share < 0.01)


def _saved(bits: int, now: int, padded: float = 1.0) -> float:
    """Returns the part of its bytes that a reformat saves where both sides have so many bits."""
    return max(0.0, (now - bits) / (now + bits * padded)) if bits and now else 1.0


def _padded(tensor: Tensor, form: str) -> float:
    """Returns how many times as many channels as a tensor a format has."""
    channels, block = tensor.shape[1] if len(tensor.shape) > 1 else 0, types.vector_width(form)
    return -(-channels // block) * block / channels if channels > 0 else 1.0
