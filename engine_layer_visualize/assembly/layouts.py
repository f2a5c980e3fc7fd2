"""Decides which of several timings of a tactic is a layer's: that of the formats it runs in.

Layers go in, and for each the timings of its tactic by formats; one timing for each layer comes
out. The tensors' layouts decide; only where they leave several, the fastest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.inputs.buildlog.messages.autotuning_counts import Chosen
from engine_layer_visualize.trt.memory_formats import dtype_and_strides, split

# A dtype, and the strides that are 1 or of vectors (`1:8` in `Half(64,1:8,8,1)`): for each its
# place, whether it is 1, and the vector's size as text.
Layout: TypeAlias = tuple[str, tuple[tuple[int, bool, str], ...]]

_VECTOR: Final = re.compile(r":(\d+)")
_ROUNDS: Final = 4  # along a chain of layers whose formats are in doubt


class Option(NamedTuple):
    """A timing of the layer's tactic. `formats`: as printed."""

    tactic: str
    runner: str
    formats: str
    chosen: Chosen


def settle(layers: Sequence[Layer], options: Mapping[int, Sequence[Option]]) -> dict[int, Option]:
    """The timing of each layer that has options: of its types, its implementation, its layouts.

    A tensor has one layout: what a reformat, or the layer that writes it, may give it must be what
    its readers take. Where that leaves several, the fastest: the builder chose it among these, too.
    """
    known = _of_reformats(layers)
    vectors = any(":" in tensor.dims for layer in layers for tensor in layer.outputs)
    left = {i: _likely(layers[i], some, vectors) for i, some in options.items() if some}
    for _ in range(_ROUNDS):
        before = dict(known)
        for index in left:
            left[index] = _narrowed(layers[index], left[index], known)
        if known == before:
            break
    return {index: min(some, key=lambda option: option.chosen.ms) for index, some in left.items()}


def _of_reformats(layers: Iterable[Layer]) -> dict[str, frozenset[Layout]]:
    """The layouts of the tensors that reformats read and write, by the tensor's name."""
    known: dict[str, frozenset[Layout]] = {}
    for layer in layers:
        attributes = dict(layer.attributes)
        for tensors, key in ((layer.inputs, "ReformatFrom"), (layer.outputs, "ReformatTo")):
            if key in attributes and (layout := _layout(str(attributes[key]))) is not None:
                known.update((tensor.name, frozenset((layout,))) for tensor in tensors)
    return known


def _narrowed(
    layer: Layer, options: list[Option], known: dict[str, frozenset[Layout]]
) -> list[Option]:
    """The options that contradict least of what is known; `known` is narrowed by them in turn."""
    if len(options) > 1:
        contradictions = [_contradictions(layer, option.formats, known) for option in options]
        least = min(contradictions)
        options = [one for one, number in zip(options, contradictions) if number == least]
    possible: dict[str, set[Layout]] = {}
    for option in options:
        for tensor, layout in _tensors(layer, option.formats):
            possible.setdefault(tensor.name, set()).add(layout)
    for name, layouts in possible.items():
        known[name] = known.get(name, frozenset(layouts)) & layouts or frozenset(layouts)
    return options


def _likely(layer: Layer, options: Sequence[Option], vectors: bool) -> list[Option]:
    """Those of the layer's types, and of these those of its implementation; all where none is.

    `vectors`: the listing prints which tensors are stored in vectors.
    """
    dtypes = [[t.dtype for t in side] for side in (layer.inputs, layer.outputs)]

    def strangeness(option: Option) -> tuple[bool, bool, int]:
        sides = [[layout and layout[0] for layout in side] for side in _sides(option.formats)]
        differ = vectors and sum(
            _VECTOR.findall(tensor.dims) != [size for _, _, size in layout[1] if size]
            for tensor, layout in _tensors(layer, option.formats)
        )
        return sides != dtypes, option.runner != layer.type, differ

    least = min(map(strangeness, options))
    return [option for option in options if strangeness(option) == least]


def _contradictions(layer: Layer, formats: str, known: Mapping[str, frozenset[Layout]]) -> int:
    """How many tensors cannot have the layouts that these formats give them."""
    return sum(
        layout not in known.get(tensor.name, (layout,))
        for tensor, layout in _tensors(layer, formats)
    )


def _tensors(layer: Layer, formats: str) -> Iterator[tuple[Tensor, Layout]]:
    """The layer's tensors with the layouts that the formats give them."""
    for tensors, side in zip((layer.inputs, layer.outputs), _sides(formats)):
        for tensor, layout in zip(tensors, side) if len(tensors) == len(side) else ():
            if layout is not None:
                yield tensor, layout


@lru_cache(maxsize=1024)
def _sides(formats: str) -> tuple[tuple[Layout | None, ...], ...]:
    """The layouts that are read and that are written: `Half(8,1), Half(8,1) -> Half(8,1)`."""
    left, _, right = formats.partition(" where ")[0].partition(" -> ")
    return tuple(tuple(map(_layout, split(side))) for side in (left, right))


def _layout(strides: str) -> Layout | None:
    """`Half(64,1:8,8,1)` as a Layout; None where it is something else."""
    found = dtype_and_strides(strides.strip())
    if found is None:
        return None
    steps = []
    for place, stride in enumerate(found[1]):
        step, _, vector = stride.partition(":")
        if step == "1" or vector:
            steps.append((place, step == "1", vector))
    return found[0], tuple(steps)
