"""Puts extents that the log tells in place of those that a listing leaves open.

A listing prints a dynamic extent as a negative number: up to TensorRT 8.4 one number for each
extent, of which equal ones are equal extents; later -1 for all. With the shapes of the inputs the
extents of other tensors follow where a layer can only give one: convolutions and products keep the
batch, element-wise layers all extents, a reshape the number of elements.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import input_shapes, operations
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.layer_times import LayerTimes
from engine_layer_visualize.analysis.work.records import Ints
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.trt.layer_names import COPY

_UNKNOWN: Final = -1
_RESHAPES: Final = frozenset({"Shuffle", "NoOp"})
_POINTWISE: Final = frozenset({"PointWise", "PointWiseV2", "ElementWise", "Activation", "Scale"})


class InputShape(NamedTuple):
    """An input with an extent that the listing leaves open, and the shape that it had."""

    name: str
    shape: Ints


class Told(NamedTuple):
    """The layers of an engine, with the extents that the log tells.

    Attributes:
        layers: all of them, in order.
        at: the inputs whose shapes the listing leaves open; empty: no extent is taken from it.
        of_times: whether the layers' times are of these extents, too.
    """

    layers: tuple[Layer, ...]
    at: tuple[InputShape, ...] = ()
    of_times: bool = True


class _Contradiction(Exception):
    """Raised where an extent has two values: then nothing is certain."""


def of(times: LayerTimes) -> Told:
    """The layers with the extents that their times are of, else with those of the run."""
    engine, facts = times.engine, times.engine.facts
    if len(times.profiles) > 1 or facts is None or not facts.options:
        return Told(engine.layers)
    names = frozenset(engine.graph.inputs)
    if not any(_is_open(tensor) for tensor in _reads(engine.layers, names)):
        return Told(engine.layers)
    built = input_shapes.of_build(facts) if times.estimated else None
    shapes = built or input_shapes.of_run(facts)
    if shapes is None:
        return Told(engine.layers)
    known = _Known({name: shape for name, shape in shapes.items() if name in names})
    try:
        at = known.read_inputs(_reads(engine.layers, names))
        layers = tuple(map(known.told, engine.layers))
    except _Contradiction:
        return Told(engine.layers)
    if not at:
        return Told(engine.layers)
    return Told(layers, at, built is not None or not times.estimated)


def _reads(layers: Iterable[Layer], names: frozenset[str]) -> Iterator[Tensor]:
    return (tensor for layer in layers for tensor in layer.inputs if tensor.name in names)


def _is_open(tensor: Tensor) -> bool:
    return any(extent < 0 for extent in tensor.shape)


class _Known:
    """The extents that are known so far: by tensor, and of the numbers that stand for one."""

    def __init__(self, shapes: input_shapes.Shapes) -> None:
        self._shapes = dict(shapes)
        self._extents: dict[int, int] = {}

    def read_inputs(self, tensors: Iterable[Tensor]) -> tuple[InputShape, ...]:
        """Takes the extents of the inputs, and returns the inputs that leave one open."""
        at: dict[str, InputShape] = {}
        for tensor in tensors:
            shape = self._shapes.get(tensor.name)
            if shape is not None and _is_open(tensor):
                self._learn(tensor.shape, shape)
                at[tensor.name] = InputShape(tensor.name, shape)
        return tuple(at.values())

    def told(self, layer: Layer) -> Layer:
        """A layer with the extents that are known."""
        if not any(map(_is_open, (*layer.inputs, *layer.outputs))):
            return layer
        inputs = tuple(map(self._tensor, layer.inputs))
        for tensor in layer.outputs:  # another writer may give a tensor another shape
            self._shapes.pop(tensor.name, None)
        for tensor in layer.outputs:
            shape = self._by_numbers(tensor.shape)
            if min(shape, default=0) < 0:
                shape = _written(layer, inputs, shape) or shape
            if min(shape, default=0) >= 0:
                self._learn(tensor.shape, shape)
                self._shapes[tensor.name] = shape
        outputs = tuple(map(self._tensor, layer.outputs))
        return dataclasses.replace(layer, inputs=inputs, outputs=outputs)

    def _tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with the extents that are known of it, by its name or by its numbers."""
        if not _is_open(tensor):
            return tensor
        shape = self._by_numbers(tensor.shape)
        told = self._shapes.get(tensor.name)
        if min(shape) < 0 and told is not None and _may_be(shape, told):
            shape = told
        return dataclasses.replace(tensor, shape=shape)

    def _by_numbers(self, shape: Ints) -> Ints:
        return tuple(self._extents.get(extent, extent) for extent in shape)

    def _learn(self, printed: Ints, shape: Ints) -> None:
        """Takes the extents of a tensor that is printed with open ones."""
        if not _may_be(printed, shape):
            raise _Contradiction
        for number, extent in zip(printed, shape):
            if number < _UNKNOWN and self._extents.setdefault(number, extent) != extent:
                raise _Contradiction


def _may_be(printed: Ints, shape: Ints) -> bool:
    """Whether a tensor that is printed so may have a shape."""
    return len(printed) == len(shape) and all(
        number < 0 or number == extent for number, extent in zip(printed, shape)
    )


def _written(layer: Layer, inputs: tuple[Tensor, ...], shape: Ints) -> Ints | None:
    """The shape of what a layer writes; None where its inputs do not tell."""
    if not inputs or any(map(_is_open, inputs)):
        return None
    read = inputs[0].shape
    if layer.type in _RESHAPES:
        return _reshaped(read, shape)
    if layer.type in _POINTWISE:
        return _fitting(_broadcast([tensor.shape for tensor in inputs]), shape)
    if is_reformat(layer) and layer.name.startswith(COPY):
        return _fitting(read, shape)
    operation = operations.of(layer)
    if operation in ("convolution", "deconvolution", "pooling"):
        return _fitting((read[0], *shape[1:]), shape)
    ranks = {len(one) for one in (*(tensor.shape for tensor in inputs), shape)}
    if operation == "product" and len(ranks) == 1 and min(ranks) > 2:  # of two, none is a batch
        return _fitting((max(tensor.shape[0] for tensor in inputs), *shape[1:]), shape)
    return None


def _fitting(found: Ints | None, printed: Ints) -> Ints | None:
    return found if found is not None and min(found) >= 0 and _may_be(printed, found) else None


def _reshaped(read: Ints, shape: Ints) -> Ints | None:
    """Fills the one open extent of a shape, so that it has as many elements as `read`."""
    elements, others = product(read), product(extent for extent in shape if extent >= 0)
    if sum(extent < 0 for extent in shape) != 1 or not elements or not others:
        return None
    extent, rest = divmod(elements, others)
    return None if rest else tuple(extent if one < 0 else one for one in shape)


def _broadcast(shapes: list[Ints]) -> Ints | None:
    """The shape of an element-wise operation on tensors of one rank."""
    if len({len(shape) for shape in shapes}) != 1:
        return None
    return tuple(map(max, zip(*shapes)))
