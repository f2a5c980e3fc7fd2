"""Where a layer comes from: the network's nodes, and the steps of the optimiser.

takes: the layers of an engine, and the account of its build
gives: their ONNX nodes, the fusions that made them; `Rest`, which counts the lines without a layer
never: gives a step to a layer that does not hold all that the step names
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from engine_layer_visualize.chronicle import Account
from engine_layer_visualize.fused_names import is_foreign, parts, without_profile
from engine_layer_visualize.knowledge import Kind, Step, Unjoined
from engine_layer_visualize.mentions import Attempt
from engine_layer_visualize.model import Layer
from engine_layer_visualize.source import decode

_SAMPLES: Final = 3
_ENTRY_END: Final = re.compile(r"[\x1e\x1f]|(?<=\])(?=\[ONNX Layer: )")
_WEIGHTS: Final = (".weight", ".weights", ".bias")  # quantised ones stand in a name like nodes
_SUFFIX: Final = re.compile(r"_(?:quantize_scale_node|clone_\d{1,6})\Z")

NOT_TAKEN: Final = "of a way to build the network that was not taken"
FUSED: Final = "a candidate that was fused into another layer, or taken apart"
NO_LAYER: Final = "no layer of that name is listed"
_FOLDED: Final = "folded away: no listed layer bears these names"
_REMOVED: Final = "the layer was removed"

Nodes: TypeAlias = tuple[tuple[str, ...], "int | None"]  # names, and the line that tells them


class Rest:
    """Lines that found no layer: counts and a few samples, by kind and reason."""

    def __init__(self) -> None:
        self.joined: dict[Kind, int] = {"timing": 0, "memory": 0, "fusion": 0}
        self._counts: dict[tuple[Kind, str], int] = {}
        self._samples: dict[tuple[Kind, str], list[tuple[int, str]]] = {}

    def add(self, kind: Kind, reason: str, line: int, text: str, count: int = 1) -> None:
        key = kind, reason
        self._counts[key] = self._counts.get(key, 0) + count
        samples = self._samples.setdefault(key, [])
        if len(samples) < _SAMPLES:
            samples.append((line, text[:200]))

    def all(self) -> tuple[Unjoined, ...]:
        return tuple(
            Unjoined(kind, reason, count, tuple(self._samples[kind, reason]))
            for (kind, reason), count in self._counts.items()
            if count
        )


# ---- ONNX nodes ------------------------------------------------------------------------------


def onnx_nodes(layers: Sequence[Layer], account: Account) -> list[Nodes]:
    """The ONNX nodes of each layer."""
    metadata = {
        without_profile(decode(name)): (_entries(decode(found.words)), found.line)
        for name, found in account.autotuning.metadata.items()
        if found.words
    }
    return [_nodes(layer, metadata, account.definition.onnx) for layer in layers]


def _entries(words: str) -> tuple[str, ...]:
    """`[ONNX Layer: a][ONNX Layer: b | body (Loop)]` -> a, b."""
    entries = (entry for entry in _ENTRY_END.split(words) if entry)
    names = (entry.removeprefix("[ONNX Layer: ").removesuffix("]") for entry in entries)
    return tuple(name.partition(" | ")[0] for name in names)


def _nodes(
    layer: Layer, metadata: Mapping[str, Nodes], onnx: Mapping[str, tuple[str, int]]
) -> Nodes:
    if layer.onnx_nodes:
        return layer.onnx_nodes, layer.place.line
    name = without_profile(layer.name)
    if name in metadata:
        return metadata[name]
    found: dict[str, int] = {}
    for part in parts(name):
        registered = onnx.get(part) or onnx.get(_original(part))
        if registered is not None:
            found.setdefault(registered[0] or part, registered[1])
        elif not onnx and not part.startswith("(Unnamed Layer*") and not part.endswith(_WEIGHTS):
            found.setdefault(_original(part), layer.place.line)
    return tuple(found), next(iter(found.values()), None)


def _original(part: str) -> str:
    """Without what the builder adds to a name that it uses again."""
    return part[:-32] + _SUFFIX.sub("", part[-32:])


# ---- fusions ---------------------------------------------------------------------------------


def whereabouts(layers: Sequence[Layer], nodes: Sequence[Nodes]) -> dict[str, list[int]]:
    """In which layers a name of the network is."""
    found: dict[str, list[int]] = {}
    for layer, (words, _) in zip(layers, nodes):
        inside = words if is_foreign(layer.name) else ()
        for part in dict.fromkeys((*parts(layer.name), *inside)):
            found.setdefault(part, []).append(layer.index)
    return found


def fusions(
    within: Mapping[str, list[int]], attempts: Sequence[Attempt], taken: Attempt, rest: Rest
) -> Iterator[tuple[int, Step]]:
    """(layer, step) in the log's order."""
    for attempt in attempts:
        for step in attempt.steps:
            places = [set(within.get(word, ())) for word in _parts_of(step)]
            indices = set.intersection(*places) if places else set()
            if indices:
                rest.joined["fusion"] += 1
                yield from ((index, step) for index in sorted(indices))
            elif attempt is not taken and taken.steps:
                rest.add("fusion", NOT_TAKEN, step.line, step.text)
            elif step.rule == "Removing":
                rest.add("fusion", _REMOVED, step.line, step.text)
            else:
                rest.add("fusion", FUSED if any(places) else _FOLDED, step.line, step.text)
        if attempt.lost_steps:
            rest.add("fusion", "beyond what is kept", 0, "", attempt.lost_steps)


def _parts_of(step: Step) -> tuple[str, ...]:
    """The names of the network in a step's words."""
    text = step.text
    if step.rule == "Removing":
        return parts(text.removeprefix("Removing "))
    if step.rule == "Merging":
        return parts(text.removeprefix("Merging layers: "))
    if step.rule in ("Convert", "Swap"):
        return parts(text.partition(" layer type of ")[2].rpartition(" from ")[0])
    first, _, second = text.partition("Fusing ")[2].partition(" with ")
    return (*parts(first), *parts(second))


# ---- kernels ---------------------------------------------------------------------------------


def kernel_lines(names: Mapping[str, object], attempt: Attempt) -> dict[str, int]:
    """Where `NAME Set Tactic Name: …` stands after the choice; a host's words are before it."""
    lengths = {len(name) for name in names}
    longest = max(lengths, default=0)
    found: dict[str, int] = {}
    for printed, line in attempt.kernels:
        text = decode(printed)
        at = max(0, len(text) - longest)
        while at >= 0:
            if len(text) - at in lengths and text[at:] in names:
                found.setdefault(text[at:], line)
                break
            at = text.find(" ", at) + 1 or -1
    return found
