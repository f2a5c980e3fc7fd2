"""Finds the steps of the optimiser that made each layer, and counts the lines without a layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.assembly.onnx_layers import Found
from engine_layer_visualize.core.build_info import MessageKind, Unjoined
from engine_layer_visualize.core.layer_facts import Step
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.inputs.buildlog.messages.builder_messages import Attempt
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt.layer_names import is_foreign, parts

_SAMPLES: Final = 3

NOT_TAKEN: Final = "of a way to build the network that was not taken"
FUSED: Final = "a candidate that was fused into another layer, or taken apart"
NO_LAYER: Final = "no layer of that name is listed"
_REMOVED: Final = "the layer was removed"


class Rest:
    """Counts lines: `joined` those that name a listed layer, by kind; the others by reason, too."""

    def __init__(self) -> None:
        self.joined: dict[MessageKind, int] = {"timing": 0, "memory": 0, "fusion": 0}
        self._counts: Counter[tuple[MessageKind, str]] = Counter()
        self._samples: dict[tuple[MessageKind, str], list[tuple[int, str]]] = {}

    def add(self, kind: MessageKind, reason: str, line: int, text: str, count: int = 1) -> None:
        """Counts lines that name no listed layer; `line` and `text` are a sample of them."""
        key = kind, reason
        self._counts[key] += count
        samples = self._samples.setdefault(key, [])
        if len(samples) < _SAMPLES:
            samples.append((line, text[:200]))

    def all(self) -> tuple[Unjoined, ...]:
        """The lines that name no listed layer, with at most three samples for each reason."""
        return tuple(
            Unjoined(kind, reason, count, tuple(self._samples[kind, reason]))
            for (kind, reason), count in self._counts.items()
            if count
        )


# ---- fusions ---------------------------------------------------------------------------------


def layers_by_part(layers: Sequence[Layer], nodes: Sequence[Found]) -> dict[str, list[int]]:
    """The layers that each of the network's layers or ONNX nodes became, or is a part of."""
    by_part: dict[str, list[int]] = {}
    for layer, known in zip(layers, nodes):
        inside = known.names if is_foreign(layer.name) else ()
        for part in dict.fromkeys((*parts(layer.name), *inside)):
            by_part.setdefault(part, []).append(layer.index)
    return by_part


def fusions(
    within: Mapping[str, list[int]], taken: Attempt, others: Sequence[Attempt], rest: Rest
) -> Iterator[tuple[int, Step]]:
    """(index of a layer, step of the optimiser that made it), in the log's order.

    `within`: as `layers_by_part` gives it; `taken`: the attempt that the engine came from. Steps
    whose names are in no layer are counted in `rest`.
    """
    for step in taken.steps:
        places = [set(within.get(word, ())) for word in _parts_of(step)]
        indices = set.intersection(*places) if places else set()
        if indices:
            rest.joined["fusion"] += 1
            yield from ((index, step) for index in sorted(indices))
        elif step.rule == "Removing":
            rest.add("fusion", _REMOVED, step.line, step.text)
        else:
            rest.add("fusion", FUSED if any(places) else NO_LAYER, step.line, step.text)
    for step in (step for other in others for step in other.steps):
        rest.add("fusion", NOT_TAKEN, step.line, step.text)
    for attempt in (taken, *others):
        if attempt.lost_steps:
            rest.add("fusion", "beyond what is kept", 0, "", attempt.lost_steps)


def _parts_of(step: Step) -> tuple[str, ...]:
    """The names of the network in a step's words."""
    text = step.text
    if step.rule == "Removing":
        return parts(text.removeprefix("Removing "))
    if step.rule == "Merging":
        return parts(text.removeprefix("Merging layers: "))
    if step.rule == "Replacing":
        return parts(text.removeprefix("Replacing slice ").rpartition(" with copy")[0])
    if step.rule in ("Convert", "Swap"):
        return parts(text.partition(" layer type of ")[2].rpartition(" from ")[0])
    first, _, second = text.partition("Fusing ")[2].partition(" with ")
    return (*parts(first), *parts(second))


# ---- kernels ---------------------------------------------------------------------------------


def kernel_lines(names: Mapping[str, object], attempt: Attempt) -> dict[str, int]:
    """The line `NAME Set Tactic Name: …` of each layer; a host's words may stand before it."""
    lengths = {len(name) for name in names}
    longest = max(lengths, default=0)
    lines: dict[str, int] = {}
    for printed, line in attempt.kernels:
        text = decode(printed)
        start = max(0, len(text) - longest)
        while start >= 0:
            if len(text) - start in lengths and text[start:] in names:
                lines.setdefault(text[start:], line)
                break
            start = text.find(" ", start) + 1 or -1
    return lines
