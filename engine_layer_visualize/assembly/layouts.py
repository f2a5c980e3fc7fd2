"""Decides which of several timings of a tactic are a layer's: those of the formats it runs in.

Several are left where the log does not tell the formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.reading.tactics import Chosen
from engine_layer_visualize.trt.types import dtype_and_strides, split

# A dtype, and the strides that are 1 or of vectors (`1:8` in `Half(64,1:8,8,1)`): for each its
# place, whether it is 1, and the vector's size as text.
Layout: TypeAlias = tuple[str, tuple[tuple[int, bool, str], ...]]

# Behind the strides of a tensor that is a part of a larger one, since TensorRT 8.6.
_LONG: Final = " long-strided"
_ROUNDS: Final = 4  # along a chain of layers whose formats are in doubt


class Option(NamedTuple):
    """A timing of the layer's tactic. `formats`: as printed."""

    tactic: str
    runner: str
    formats: str
    chosen: Chosen


def settle(
    layers: Sequence[Layer],
    options: Mapping[int, Sequence[Option]],
    ends: Mapping[str, Iterable[str]],
) -> dict[int, list[Option]]:
    """Keeps the options of each layer that are of its types and its layouts.

    A tensor has one layout: what a reformat, or the layer that writes it, may give it must be what
    its readers take. `ends`: the formats that inputs and outputs of the network may have.
    """
    known = {name: frozenset(filter(None, map(_layout, some))) for name, some in ends.items()}
    left: dict[int, list[Option]] = {}
    for index, some in options.items():
        layer = layers[index]
        typed = [
            option
            for option in some
            if all(t.dtype in (None, layout[0]) for t, layout in _tensors(layer, option.formats))
        ]
        if typed:
            left[index] = typed
    for _ in range(_ROUNDS):
        before = dict(known)
        for index in left:
            left[index] = _narrowed(layers[index], left[index], known)
        if known == before:
            break
    return left


def _narrowed(
    layer: Layer, options: list[Option], known: dict[str, frozenset[Layout]]
) -> list[Option]:
    """The options that contradict least of what is known; `known` is narrowed by them in turn."""
    if len(options) > 1:
        costs = [
            sum(
                layout not in known.get(tensor.name, (layout,))
                for tensor, layout in _tensors(layer, option.formats)
            )
            for option in options
        ]
        options = [option for option, cost in zip(options, costs) if cost == min(costs)]
    possible: dict[str, set[Layout]] = {}
    for option in options:
        for tensor, layout in _tensors(layer, option.formats):
            possible.setdefault(tensor.name, set()).add(layout)
    for name, layouts in possible.items():
        known[name] = known.get(name, frozenset(layouts)) & layouts or frozenset(layouts)
    return options


def _tensors(layer: Layer, formats: str) -> Iterator[tuple[Tensor, Layout]]:
    """The layer's tensors with the layouts that the formats give them."""
    for tensors, side in zip((layer.inputs, layer.outputs), _sides(formats)):
        for tensor, (_, layout) in zip(tensors, side) if len(tensors) == len(side) else ():
            if layout is not None:
                yield tensor, layout


@lru_cache(maxsize=1024)
def _sides(formats: str) -> list[list[tuple[str, Layout | None]]]:
    """What is read and what is written, in words and as layouts: `Half(8,1) -> Half(8,1)`."""
    read, _, written = formats.partition(" where ")[0].partition(" -> ")
    return [[(text.strip(), _layout(text)) for text in split(side)] for side in (read, written)]


def _layout(strides: str) -> Layout | None:
    """`Half(64,1:8,8,1)` as a Layout; None where it is something else."""
    parts = dtype_and_strides(strides.strip().removesuffix(_LONG))
    if parts is None:
        return None
    steps = []
    for place, stride in enumerate(parts[1]):
        step, _, vector = stride.partition(":")
        if step == "1" or vector:
            steps.append((place, step == "1", vector))
    return parts[0], tuple(steps)
