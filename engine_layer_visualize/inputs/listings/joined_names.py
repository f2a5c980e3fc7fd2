"""Finds tensor names that were read as two and are one.

A listing prints names as they are, and a name may hold a descriptor and a comma. What the builder
says of the layer decides, or there is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Final

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.inputs.listings import ambiguity
from engine_layer_visualize.inputs.listings.ambiguity import UNDECIDED, Parts, Reading, Tuned

_TACTIC: Final = "Tactic: "
_MOST_DOUBTS: Final = 64  # doubtful layers that are looked up in the messages of the builder


def find(
    layers: Sequence[Layer],
    known: Sequence[str],
    tuned: Tuned,
    ends: Callable[[], tuple[int, int] | None],
    old: bool,
) -> tuple[list[str], list[Problem]]:
    """Returns names that were read as two and are one, by the builder's messages, and warnings.

    If one tensor always directly follows another, the two may be one name. The formats that the
    builder tuned decide; else that a tactic follows on no empty name, and its number of inputs and
    outputs. If nothing decides, there is a warning where one of the two is strange, or where one
    name fits that number better.
    """

    def sequences() -> Iterator[list[str]]:
        for layer in layers:
            for tensors in (layer.inputs, layer.outputs):
                yield [tensor.name for tensor in tensors]

    sure = set(known)
    pairs = {(a, b) for a, b in ambiguity.inseparable(sequences) if not (a in sure or b in sure)}
    if not pairs:
        return [], []
    joined: dict[str, None] = {}
    doubts: list[Problem] = []
    apart: set[tuple[str, str]] = set()
    doubted: set[tuple[str, str]] = set()
    for layer, reading, open_ in islice(_doubtful(layers, pairs, old), _MOST_DOUBTS):
        left = ambiguity.fitting([reading], tuned)
        count = len(left)
        if reading in left:
            if tuned(layer.name) is not None:
                apart.update(open_)
                continue
            if whole := _after_nothing(reading, open_):
                joined |= dict.fromkeys(whole)
                continue
            if not any(map(_is_strange, chain(*open_))):
                continue
            count = 2
        doubted.update(open_)
        if count > 1:
            doubts.append(Problem(layer.place, "ELV107", UNDECIDED.format(count)))
        else:
            printed = {*reading.inputs, *reading.outputs}
            texts = (*left[0].inputs, *left[0].outputs)
            joined |= {ambiguity.split(text)[0]: None for text in texts if text not in printed}
    pairs -= apart
    if joined or not pairs:
        return list(joined), doubts
    if whole := _by_ends(layers, doubted & pairs, ends(), old):
        return whole, []
    if not doubts and _by_ends(layers, pairs, ends(), old):
        layer, _, _ = next(_doubtful(layers, pairs, old))
        doubts.append(Problem(layer.place, "ELV107", UNDECIDED.format(2)))
    return [], doubts


def _is_strange(name: str) -> bool:
    """Whether a name holds what parts the fields of a record."""
    return name.startswith(_TACTIC) or ambiguity.holds_comma(name)


def _after_nothing(reading: Reading, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Returns the names that begin with a descriptor, and go on with what looks like a tactic."""
    neighbours = (pair for side in (reading.inputs, reading.outputs) for pair in pairwise(side))
    return [
        f"{first}, {name}"
        for first, second in neighbours
        if ("", name := ambiguity.split(second)[0]) in pairs
        and not ambiguity.split(first)[0]
        and name.startswith(_TACTIC)
    ]


def _by_ends(
    layers: Sequence[Layer], pairs: set[tuple[str, str]], told: tuple[int, int] | None, old: bool
) -> list[str]:
    """Returns names of the engine's inputs and outputs that were read as two and are one.

    They are one if the engine has as many inputs and outputs as the builder printed with them, and
    not without them.

    Args:
        layers: as they were read.
        pairs: names that may be one.
        told: how many inputs and how many outputs the builder told.
        old: whether descriptors are of the older style.
    """

    def name(side: Sequence[Tensor]) -> list[str]:
        names: list[str] = []
        for before, tensor in pairwise((None, *side)):
            assert tensor is not None
            if before is not None and (before.name, tensor.name) in loose:
                names[-1] += f"{_printed(before, old)[len(before.name) :]}, {tensor.name}"
            else:
                names.append(tensor.name)
        return names

    loose: set[tuple[str, str]] = set()
    now = [(name(layer.inputs), name(layer.outputs)) for layer in layers]
    ends = _ends(now)
    if told is None or tuple(map(len, ends)) == told:
        return []
    loose |= {(a, b) for a, b in pairs if any(b in names for names in ends)}
    joined = [(name(layer.inputs), name(layer.outputs)) for layer in layers]
    if tuple(map(len, _ends(joined))) != told:
        return []
    before = {name for sides in now for name in chain(*sides)}
    return list(dict.fromkeys(n for sides in joined for n in chain(*sides) if n not in before))


def _ends(layers: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[set[str], set[str]]:
    """What is read and not written before, and what is written and never read."""
    first: set[str] = set()
    read: set[str] = set()
    written: set[str] = set()
    for inputs, outputs in layers:
        first.update(name for name in inputs if name not in written)
        read.update(inputs)
        written.update(outputs)
    return first, written - read


def _doubtful(
    layers: Sequence[Layer], pairs: set[tuple[str, str]], old: bool
) -> Iterator[tuple[Layer, Reading, list[tuple[str, str]]]]:
    """Yields each layer with tensors that may be one, how it was read, and the pairs of names."""
    for layer in layers if pairs else ():
        sides = layer.inputs, layer.outputs
        named = [pair for side in sides for pair in pairwise(t.name for t in side) if pair in pairs]
        if named:
            inputs, outputs = (tuple(_printed(tensor, old) for tensor in side) for side in sides)
            reading = Reading(Parts(layer.type, layer.name, "", ()), inputs, outputs)
            yield layer, reading, named


def _printed(tensor: Tensor, old: bool) -> str:
    if old:
        return f"{tensor.name}[{tensor.dtype}({tensor.dims})]"
    return f"{tensor.name} ({tensor.dtype}[{tensor.dims}])"
