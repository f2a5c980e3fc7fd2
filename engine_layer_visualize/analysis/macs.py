"""Counts the multiplications of a layer, with extents that the log tells where they are open."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds, onnx_lines, sizes, trtexec
from engine_layer_visualize.analysis.extents import NO_KERNEL
from engine_layer_visualize.analysis.kinds import is_myelin, is_reformat
from engine_layer_visualize.analysis.onnx_lines import Model
from engine_layer_visualize.analysis.sizes import (
    ON_DLA,
    Convolution,
    Extents,
    Ints,
    Product,
    Several,
    Unknown,
)
from engine_layer_visualize.analysis.times import LayerTimes
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.trt.names import COPY, DLA, profile_of

# ---- puts extents that the log tells in place of those that a listing leaves open ---------------

# A listing prints a dynamic extent as a negative number: up to TensorRT 8.4 one number for each
# extent, of which equal ones are equal extents; later -1 for all. With the shapes of the inputs
# the
# extents of other tensors follow where a layer can only give one: convolutions and products keep
# the
# batch, element-wise layers all extents, a reshape the number of elements.


# ---- counts the multiplications with additions (MACs) of a layer --------------------------------

# Convolutions and matrix products alone count. What may multiply inside of a layer without being
# listed is unknown, never 0: then the answer is a text, which says why.

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


def told_extents_of(times: LayerTimes) -> Told:
    """The layers with the extents that their times are of, else with those of the run."""
    engine, facts = times.engine, times.engine.facts
    if len(times.profiles) > 1 or facts is None or not facts.options:
        return Told(engine.layers)
    names = frozenset(engine.graph.inputs)
    if not any(_is_open(tensor) for tensor in _reads(engine.layers, names)):
        return Told(engine.layers)
    built = trtexec.of_build(facts) if times.estimated else None
    shapes = built or trtexec.of_run(facts)
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

    def __init__(self, shapes: trtexec.Shapes) -> None:
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
    operation = kinds.operation_of(layer)
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


_SYMBOLIC: Final = "an extent is symbolic or unknown"
_IMPLICIT: Final = "the batch is implicit: the listing does not print it"
# Types of layers that multiply no matrices; in Myelin, such as `memset`, they are in lower case.
_WITHOUT: Final = re.compile(
    r"reformat|pool|constant|shuffle|elementwise|pointwise|activation|scale|unary|reduce|softmax"
    r"|topk|gather|scatter|slice|resize|padding|concat|copy|select|shape|cast|fill|nonzero|nms"
    r"|quantize|trainstation|assert|identity|noop|onehot|squeeze|transpose|lrn|cumulative"
    r"|\A(?:add|sub|mul|div|and|or|not|less|greater|equal|cjmp|jmp|memset|signal|wait|comm_\w+)\Z",
    re.IGNORECASE,
)


def of(layer: Layer, extents: Extents | None, model: Model) -> int | str:
    """The number, or why it is unknown.

    `model` is what the log's ONNX lines tell; a model that was given knows better than a record.
    """
    if model.owners and (several := sizes.multiplying_nodes_of(layer)):
        own = model.own_macs(layer, len(several))
        if own is not None:
            return own
    if isinstance(extents, Unknown):
        return extents.why
    if isinstance(extents, Product):
        found = product(extents[:4])
        if found is None and extents.m is None and _all_known(layer):
            return _IMPLICIT
        return _SYMBOLIC if found is None else found
    if isinstance(extents, Convolution):
        return _convolution(extents)
    if isinstance(extents, Several):
        each = [_convolution(one) for one in extents.parts]
        known = [one for one in each if isinstance(one, int)]
        return sum(known) if len(known) == len(each) else _SYMBOLIC
    if not may_multiply(layer):
        return 0
    several = sizes.multiplying_nodes_of(layer)
    if not several and sizes.operators_of(layer):
        return 0
    found = model.macs(layer, len(several)) if several and is_myelin(layer) else None
    return _hidden(layer) if found is None else found


def _all_known(layer: Layer) -> bool:
    """Whether no extent that its record prints is symbolic."""
    return min(n for tensor in (*layer.inputs, *layer.outputs) for n in (0, *tensor.shape)) == 0


def model(engine: Engine) -> Model:
    """What the log's ONNX lines tell of an engine."""
    named = [layer for layer in engine.layers if layer.facts is not None and layer.facts.products]
    told = onnx_lines.model(engine, filter(may_multiply, named))
    given = engine.onnx is not None and engine.onnx.same and engine.onnx.same_batch
    return told._replace(owners=_owners(named)) if given else told


def _owners(layers: Iterable[Layer]) -> dict[tuple[str, str], int]:
    """The one layer that computes each node that multiplies; None where several may.

    Nodes come with their optimisation profiles. Other layers may pad the node's input, or add its
    bias.
    """
    users: dict[tuple[str, str], list[Layer]] = {}
    for layer in layers:
        for node in layer.facts.products if layer.facts is not None else ():
            users.setdefault((profile_of(layer.name), node.node), []).append(layer)
    owners = {}
    for key, named in users.items():
        able = [layer for layer in named if may_multiply(layer)]
        able = [layer for layer in able if not sizes.sums_products(layer)] or able
        if len(able) == 1:
            owners[key] = able[0].index
    return owners


def _convolution(convolution: Convolution) -> int | str:
    """Each weight once for each place of the output; of a deconvolution, of the input."""
    places = convolution.before if convolution.transposed else convolution.after
    each = product((convolution.batch, *places, convolution.channels, convolution.filters))
    if each is None:
        return _SYMBOLIC
    if convolution.kernel is None or convolution.groups is None:
        return NO_KERNEL
    macs = product((each, *convolution.kernel))
    return _SYMBOLIC if macs is None else macs // convolution.groups


def may_multiply(layer: Layer) -> bool:
    """Whether neither a layer's type nor its kernel's name excludes a product."""
    if layer.raw is not None or is_myelin(layer):
        return True
    return not (_is_without(layer.type) or sizes.has_no_products(layer))


@lru_cache(maxsize=1 << 10)
def _is_without(type: str) -> bool:
    return _WITHOUT.search(type) is not None and "plugin" not in type.casefold()


def _hidden(layer: Layer) -> str:
    """Why nothing is known of a layer that is neither convolution nor product by its record."""
    if layer.raw is not None:
        return "its record could not be read"
    if layer.type == DLA:
        return ON_DLA
    if is_myelin(layer):
        return "Myelin compiled it, and the listing does not show what is inside"
    if layer.type.startswith("Plugin"):
        return "the listing does not show what a plugin computes"
    if not layer.type:
        return "no record gives its type"
    return f"it is not known what a layer of type {layer.type} computes"
