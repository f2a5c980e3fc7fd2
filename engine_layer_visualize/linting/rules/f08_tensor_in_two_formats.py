"""The readers of one tensor want it in different types or formats.

**Found**: a tensor is reformatted in two or more ways, or it is reformatted for one reader while
another layer reads it as it is. Only reformats that the builder added count, no QuantizeLinears and
other layers of the network. Where the type is the same for all, the channels must be such that one
of the formats needs padding: else there is nothing to try.

**Why it costs**: the tensor is written once more for each type and format beyond the first.

**What to do**: give the branches one precision; or make the tensor's channels a multiple of the
number that the formats keep side by side, so that one format suits all readers.

**Example**:

    Layer(Reformat): r1, Tactic: 0x3e8, a[Half(1,8,4,4)] -> b[Half(1,8:8,4,4)]
    Layer(CaskConvolution): conv1, Tactic: 0x1, b[Half(1,8:8,4,4)] -> c[Half(1,8:8,4,4)]
    Layer(CudaSoftMax): softmax, Tactic: 0x1, a[Half(1,8,4,4)] -> d[Half(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.reformatted_tensors import reformatted
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.memory_formats import vector_width

RULE: Final = Rule(
    "F08",
    "tensor-in-two-formats",
    "hint",
    "The readers of one tensor want it in different types or formats.",
    ("recorded logs",),
)
_AXIS: Final = 1  # of the channels
_PRECISION: Final = "let all readers run in one precision"
_CHANNELS: Final = (
    "make its {channels} channels a multiple of {block}, so that one format suits all readers"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each tensor."""
    for one in reformatted(subject):
        own = [
            (layer, reason)
            for layer, reason in one.reformats
            if reason.is_builders and not reason.in_part
        ]
        ways = dict.fromkeys(reason.after for _, reason in own)
        # A type without a format may be any of that type.
        known = {way for way in ways if " " in way}
        types = {way.partition(" ")[0] for way in ways}
        if max(len(known), len(types)) + bool(ways and one.others) < 2:
            continue
        advice = _advice(own[0], ways, bool(one.others))
        if advice is None:
            continue
        is_read = f"` is {own[0][1].before}; read as {' and '.join(ways)}"
        why: list[str | Name] = ["`", Name(one.tensor), is_read]
        if one.others:
            why += [", and as it is by ", *subject.names(one.others)]
        evidence = [
            Evidence(f"{reason.before} → {reason.after}", layer.place.line) for layer, reason in own
        ]
        yield subject.finding(RULE, [la for la, _ in own], tuple(why), advice, evidence, part=1.0)


def _advice(first: tuple[Layer, Reason], ways: Iterable[str], others: bool) -> str | None:
    """None where all read one type, and the channels fill every format already."""
    layer, reason = first
    read = [*ways, *([reason.before] if others else [])]
    if len({words.partition(" ")[0] for words in read}) > 1:
        return _PRECISION
    shape = layer.inputs[0].shape
    block = max(vector_width(words.partition(" ")[2]) for words in read)
    channels = shape[_AXIS] if len(shape) > _AXIS else 0
    if channels <= 0 or channels % block == 0:
        return None
    return _CHANNELS.format(channels=channels, block=block)
