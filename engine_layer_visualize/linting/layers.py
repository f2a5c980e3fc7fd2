"""Answers what rules ask of one layer and of its place in the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from engine_layer_visualize.analysis import origin, precisions
from engine_layer_visualize.analysis import precisions as higher_precision
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import MULTIPLYING, Operation, runs_kernel
from engine_layer_visualize.analysis.sizes import Extents
from engine_layer_visualize.core.layer_facts import Candidates, LayerFacts
from engine_layer_visualize.core.model import Edge, Engine, JsonValue, Layer, Tensor
from engine_layer_visualize.linting.engines import WholeEngine, of_inference
from engine_layer_visualize.trt.types import canonical, holds_data

_NO_LAYER_FACTS = LayerFacts()


class LayersOfEngine:
    """The layers of an engine in one optimisation profile.

    Attributes:
        costs: the times in this profile, as they are in one inference.
        profiled: the same as they were measured.
        engine: the engine.
        layers: the layers of the profile, in order.
    """

    def __init__(self, costs: Costs, whole: WholeEngine | None = None) -> None:
        self.profiled = costs
        self.costs = of_inference(costs)
        self.engine: Engine = costs.engine
        self.layers: tuple[Layer, ...] = costs.layers
        is_same = whole is not None and self.costs is costs  # else it has times of its own
        self._whole = whole if whole is not None and is_same else WholeEngine(self.costs)

    # ---- one layer ---------------------------------------------------------------------------

    def ms(self, layer: Layer) -> float | None:
        """Returns a layer's time in ms: measured or, where no layer is measured, estimated."""
        return self.costs.of(layer)

    def share(self, layer: Layer) -> float | None:
        """Returns a layer's share of the engine's time, from 0 to 1."""
        return self.costs.share(layer)

    @staticmethod
    def known(layer: Layer) -> LayerFacts:
        """Returns build info of a layer, empty where there is none."""
        return layer.facts or _NO_LAYER_FACTS

    def tuned(self, layer: Layer) -> Candidates:
        """Returns what the autotuner tried for a layer, or for the equal one whose time it has."""
        return higher_precision.tuned(layer, self._by_name)

    @staticmethod
    def dtype(layer: Layer) -> str | None:
        """Returns the listings' name of the type that a layer computes in; None: unknown."""
        return canonical(precisions.of(layer).dtype)

    @staticmethod
    def data_input(layer: Layer) -> Tensor | None:
        """Returns the first tensor read that holds data, not a shape, an index or a mask."""
        return _data(layer.inputs)

    @staticmethod
    def data_output(layer: Layer) -> Tensor | None:
        """Returns the first tensor written that holds data."""
        return _data(layer.outputs)

    @staticmethod
    def attribute(layer: Layer, key: str) -> JsonValue:
        """Returns a further key of a detailed record; None where it has none of this name."""
        for name, value in layer.attributes:
            if name == key:
                return value
        return None

    def operation(self, layer: Layer) -> Operation | None:
        """Returns what a layer computes: a convolution, a product, pooling …; None: others."""
        return self._whole.operations[layer.index]

    def extents(self, layer: Layer) -> Extents | None:
        """Returns the sizes of the convolution or the matrix product that a layer computes."""
        return self._whole.extents(layer)

    def multiplies(self, layer: Layer) -> bool:
        """Whether it is a convolution, a deconvolution or a matrix product."""
        return self._whole.operations[layer.index] in MULTIPLYING

    @staticmethod
    def operators(layer: Layer) -> tuple[str, ...]:
        """Returns a layer's operators, by its build info, else by its name; () where unclear."""
        return origin.onnx_nodes_operators(layer)

    @staticmethod
    def nodes(layer: Layer) -> tuple[str, ...]:
        """Returns the names of all ONNX nodes of a layer; () where they are unknown."""
        return origin.onnx_nodes_of(layer).all

    def runs_alone(self, layer: Layer, operator: str) -> bool:
        """Whether a layer runs a kernel for ONNX nodes of this operator alone."""
        known = layer.facts.onnx_operators if layer.facts is not None else ()
        if operator not in known and (operator not in layer.name or (all(known) and known)):
            return False  # most layers
        return {*self.operators(layer)} == {operator} and runs_kernel(layer)

    # ---- the graph ---------------------------------------------------------------------------

    def reads(self, layer: Layer) -> Sequence[Edge]:
        """Returns the edges that enter a layer; `source` is None at an input of the engine."""
        return self._whole.read.get(layer.index, ())

    def writes(self, layer: Layer) -> Sequence[Edge]:
        """Returns the edges that leave a layer; `target` is None at an output of the engine."""
        return self._whole.written.get(layer.index, ())

    def at_input(self, layer: Layer) -> bool:
        """Whether a layer reads an input of the engine."""
        return any(
            edge.source is None and edge.tensor in self._whole.inputs for edge in self.reads(layer)
        )

    @property
    def edges(self) -> Sequence[Edge]:
        """The edges that enter or leave the layers of the profile."""
        return self._whole.edges(self.costs.profile)

    def writers(self, layer: Layer) -> list[Layer]:
        """Returns the layers that write what a layer reads, each once."""
        indices = dict.fromkeys(edge.source for edge in self.reads(layer))
        return [self.engine.layers[index] for index in indices if index is not None]

    def readers(self, layer: Layer) -> list[Layer]:
        """Returns the layers that read what a layer writes, each once."""
        indices = dict.fromkeys(edge.target for edge in self.writes(layer))
        return [self.engine.layers[index] for index in indices if index is not None]

    def only_reader(self, layer: Layer) -> Layer | None:
        """Returns the layer that alone reads what a layer writes.

        None where the layer writes an output of the engine, and where layers are missing in the
        listing: they may read it.
        """
        if not self.engine.source.complete:
            return None
        target = self._whole.only_readers.get(layer.index)
        return None if target is None else self.engine.layers[target]

    def computed(self, layer: Layer) -> list[Edge]:
        """Returns the edges that bring a layer what depends on an input.

        They come from no constant, and are no tensor of which nothing is known.
        """
        layers, inputs = self.engine.layers, self._whole.inputs
        return [
            edge
            for edge in self.reads(layer)
            if (edge.source is None and edge.tensor in inputs)
            or (edge.source is not None and layers[edge.source].type != "Constant")
        ]

    @cached_property
    def _by_name(self) -> Mapping[str, Layer]:
        """The layers by name; messages name them without their optimisation profile."""
        return higher_precision.named_higher(self.layers)


def _data(tensors: Sequence[Tensor]) -> Tensor | None:
    for tensor in tensors:
        if holds_data(tensor.dtype):
            return tensor
    return None
