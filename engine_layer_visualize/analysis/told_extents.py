"""Finds extents that the listing leaves open, by the shapes of inputs in trtexec's options.

Those of other tensors follow from them. What is not certain, or contradicts what a layer's own
tensors say, is not known.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat, operation_of
from engine_layer_visualize.analysis.sizes import Ints
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.trt import names

# A listing prints a dynamic extent as a negative number: up to TensorRT 8.4 one number for each
# extent, of which equal ones are equal extents; later -1 for all. Other tensors' follow where a
# layer can only give one: convolutions and products keep the batch, element-wise layers all
# extents, a reshape the number of elements.
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


def by_inputs(costs: Costs) -> Told:
    """The layers with the extents that their times are of, else with those of the run."""
    engine, facts = costs.engine, costs.engine.known
    ends = frozenset(engine.graph.inputs)
    reads = [one for layer in engine.layers for one in layer.inputs if one.name in ends]
    if len(costs.profiles) > 1 or not any(map(_is_open, reads)):
        return Told(engine.layers)
    built = trtexec.of_build(facts) if costs.estimated else None
    shapes = built or trtexec.of_run(facts) or {}
    known = _Known({name: shape for name, shape in shapes.items() if name in ends})
    try:
        at = known.read_inputs(reads)
        layers = tuple(map(known.told, engine.layers)) if at else engine.layers
    except _Contradiction:
        return Told(engine.layers)
    return Told(layers, at, not at or built is not None or not costs.estimated)


def _is_open(tensor: Tensor) -> bool:
    return min(tensor.shape, default=0) < 0


class _Known:
    """The extents that are known so far: by tensor, and of the numbers that stand for one."""

    def __init__(self, shapes: dict[str, Ints]) -> None:
        self._shapes = shapes
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
        return layer._replace(inputs=inputs, outputs=tuple(map(self._tensor, layer.outputs)))

    def _tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with the extents that are known of it, by its name or by its numbers."""
        if not _is_open(tensor):
            return tensor
        shape = self._by_numbers(tensor.shape)
        told = self._shapes.get(tensor.name)
        if min(shape) < 0 and told is not None and _may_be(shape, told):
            shape = told
        return tensor._replace(shape=shape)

    def _by_numbers(self, shape: Ints) -> Ints:
        return tuple(self._extents.get(extent, extent) for extent in shape)

    def _learn(self, printed: Ints, shape: Ints) -> None:
        """Takes the extents of a tensor that is printed with open ones."""
        if not _may_be(printed, shape):
            raise _Contradiction
        for number, extent in zip(printed, shape):
            # -1 stands for any extent, others for one each.
            if number < -1 and self._extents.setdefault(number, extent) != extent:
                raise _Contradiction


def _may_be(printed: Ints, shape: Ints) -> bool:
    """Whether a tensor that is printed so may have a shape."""
    agree = all(number < 0 or number == extent for number, extent in zip(printed, shape))
    return len(printed) == len(shape) and agree


def _written(layer: Layer, inputs: Sequence[Tensor], shape: Ints) -> Ints | None:
    """The shape of what a layer writes; None where its inputs do not tell."""
    if not inputs or any(map(_is_open, inputs)):
        return None
    found: Ints | None = None
    read, operation = inputs[0].shape, operation_of(layer)
    ranks = {len(shape), *(len(tensor.shape) for tensor in inputs)}
    if layer.type in ("Shuffle", "NoOp"):
        return _reshaped(read, shape)
    if layer.type in _POINTWISE:
        same_rank = len({len(tensor.shape) for tensor in inputs}) == 1
        found = tuple(map(max, zip(*(tensor.shape for tensor in inputs)))) if same_rank else None
    elif is_reformat(layer) and names.is_reformat(layer.name):
        found = read
    elif operation in ("convolution", "deconvolution", "pooling"):
        found = read[:1] + shape[1:]
    elif operation == "product" and len(ranks) == 1 and min(ranks) > 2:  # of two, none is a batch
        found = (max(tensor.shape[0] for tensor in inputs), *shape[1:])
    fits = found is not None and min(found, default=0) >= 0 and _may_be(shape, found)
    return found if fits else None


def _reshaped(read: Ints, shape: Ints) -> Ints | None:
    """Fills the one open extent of a shape, so that it has as many elements as `read`."""
    elements, others = product(read), product(extent for extent in shape if extent >= 0)
    if sum(extent < 0 for extent in shape) != 1 or not elements or not others:
        return None
    extent, rest = divmod(elements, others)
    return None if rest else tuple(extent if one < 0 else one for one in shape)
