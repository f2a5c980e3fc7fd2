"""Holds an engine with what is computed of it: `Subject` is asked by rules, facts and outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final, TypeVar

from engine_layer_visualize.analysis import kinds, origin, precisions, reformat_reasons, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.peaks import lacks_tensor_cores
from engine_layer_visualize.analysis.scopes import Path, paths
from engine_layer_visualize.analysis.sizes import Extents
from engine_layer_visualize.analysis.times import of_inference, ratio, time_of
from engine_layer_visualize.analysis.work import EngineWork, LayerWork, shapes, work
from engine_layer_visualize.core.build_info import Message, Performance
from engine_layer_visualize.core.layer_facts import Candidates
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Edge, EngineTime, Layer, Tensor, TimeKind
from engine_layer_visualize.trt.names import architecture, without_profile
from engine_layer_visualize.trt.types import canonical, holds_data

_Made = TypeVar("_Made")
_Edges = Mapping["int | None", Sequence[Edge]]  # by the layer's index; None: an end of the engine
QUANTISER: Final = "uantize"  # in the names of Q and DQ
_VOLTA: Final = (7, 0)  # the first compute capability with tensor cores


class Subject:
    """An engine in one optimisation profile; nothing is computed before it is asked for.

    Below stands what is asked of the whole engine, then of the log, of one layer, and of the layers
    beside it. Rules get `in_inference`: its `costs` are times within one inference, its `shown`
    those that outputs print.

    Attributes:
        costs: the times.
        engine: the engine.
        layers: the layers of the optimisation profile, in order.
        facts: build info, empty where it was not read.
        shown: the times that outputs show, in `in_inference` too.
    """

    def __init__(self, costs: Costs, shown: Costs | None = None) -> None:
        self.costs, self.shown = costs, shown or costs
        self.engine, self.layers = self.shown.engine, self.shown.layers
        self.facts = self.engine.known
        self._results: dict[Callable[[Subject], Any], Any] = {}
        self._dtypes: dict[int, str | None] = {}  # by the layer's index, of those asked for

    @property
    def in_inference(self) -> Subject:
        """The same with the times of layers within one inference, which rules look at."""
        return self._scaled or self

    @cached_property
    def _scaled(self) -> Subject | None:  # no cycle: many engines are read without a collection
        if self.shown is not self.costs:
            return None
        costs = of_inference(self.costs)
        return None if costs is self.costs else Subject(costs, self.costs)

    def once(self, compute: Callable[[Subject], _Made]) -> _Made:
        """Calls a function at the first request, and returns that result from then on."""
        if compute not in self._results:
            self._results[compute] = compute(self)
        result: _Made = self._results[compute]
        return result

    # ---- the whole engine --------------------------------------------------------------------

    @cached_property
    def time(self) -> EngineTime:
        """The time of the engine: that of its first optimisation profile."""
        return time_of(self.costs.of_profile(self.costs.profiles[0]))

    @cached_property
    def work(self) -> EngineWork:
        """What its layers compute and move."""
        return work(self.costs)

    @property
    def frontend(self) -> origin.Frontend:
        """What the network was made from, and the words for it and its nodes."""
        return origin.frontend_of(self.costs)

    @property
    def is_onnx(self) -> bool:
        """Whether the log, or names of layers, say that the network is ONNX."""
        return self.frontend is origin.ONNX

    @property
    def reasons(self) -> Mapping[int, reformat_reasons.Reason]:
        """What each reformat changes, and for whom, by the layer's index."""
        return reformat_reasons.of(self.costs)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The path of each layer's scope."""
        return paths(self.engine.layers)

    @cached_property
    def size(self) -> Callable[[Layer], int | None]:
        """A layer -> the bytes that count as its memory.

        It is what it holds where the log tells that of any layer, else what it reads and writes.
        """
        is_told = any(precisions.held(layer) is not None for layer in self.engine.layers)
        return precisions.held if is_told else precisions.moved

    @cached_property
    def multiplying(self) -> tuple[Layer, ...]:
        """Convolutions, deconvolutions and matrix products."""
        return tuple(layer for layer in self.layers if self.multiplies(layer))

    @cached_property
    def convolving(self) -> tuple[Layer, ...]:
        """Convolutions and deconvolutions."""
        return tuple(la for la in self.multiplying if self.operation(la) != "product")

    @cached_property
    def reformats(self) -> tuple[Layer, ...]:
        """Layers that only change a type or a format."""
        return tuple(layer for layer in self.layers if kinds.is_reformat(layer))

    @cached_property
    def has_qdq(self) -> bool:
        """Whether the network has Q/DQ: without them the builder takes Int8 where it is faster."""
        names = ((layer.name, *layer.known.onnx_operators) for layer in self.layers)
        return any(QUANTISER in name for name in chain.from_iterable(names))

    @cached_property
    def version(self) -> tuple[int, ...] | None:
        """TensorRT's version, such as (8, 5, 1); None where the log does not say."""
        return trtexec.version_of(self.engine)

    @cached_property
    def compute_capability(self) -> tuple[int, int] | None:
        """The device's compute capability, such as (8, 6); None where the log does not say."""
        words = self.facts.device.compute_capability if self.facts.device is not None else None
        match = re.match(r"(\d+)\.(\d+)", words or "")
        return (int(match[1]), int(match[2])) if match else None

    @cached_property
    def capability(self) -> tuple[int, int] | None:
        """The least compute capability that the device has; None where nothing tells.

        It is the log's, else that of the newest kernel that runs.
        """
        if self.compute_capability is not None:
            return self.compute_capability
        kernels = (layer.kernel for layer in self.layers)
        return max(filter(None, map(architecture, filter(None, kernels))), default=None)

    @cached_property
    def is_before_volta(self) -> bool:
        """Whether the device has neither tensor cores nor the types of 16 bits that need them.

        By its compute capability, else by the kernels that the log names, if those are enough.
        """
        if self.compute_capability is not None:
            return self.compute_capability < _VOLTA
        return (self.facts.newest_kernels or _VOLTA) < _VOLTA

    @property
    def is_old_jetson(self) -> bool:
        """Whether TensorRT 8.5 is the last one for the device: a Nano, TX1, TX2 or Xavier."""
        return self.compute_capability in {(5, 3), (6, 2), (7, 2)}

    @property
    def has_int8(self) -> bool:
        """Whether the device multiplies INT8 faster than FP16; True where it is unknown."""
        capability = self.compute_capability or (7, 2)
        # Volta's tensor cores have no INT8, those of Blackwell Ultra almost none.
        return capability == (6, 1) or (capability >= (7, 2) and capability != (10, 3))

    @property
    def lacks_tensor_cores(self) -> bool:
        """Whether the device has none, by its name; its compute capability may tell that, too."""
        device = self.facts.device
        return device is not None and lacks_tensor_cores(device.name or "")

    @property
    def of_all(self) -> str:
        """What a share of the time is a fraction of, in words.

        Where the listing lacks layers and no profile has them, that is the listed layers' time;
        where the layers sum to more than an inference, and are scaled to it, that.
        """
        if ratio(self.shown) < 1:
            return "of an inference"
        whole = self.engine.source.complete or self.costs.rows_beyond
        return "of all" if whole else "of the listed layers' time"

    @property
    def performance(self) -> Performance:
        """Trtexec's summary of the run, empty where the log has none."""
        return self.facts.performance or Performance()

    @cached_property
    def has_cuda_graph(self) -> bool:
        """Whether trtexec measured the layers captured in a CUDA graph."""
        return trtexec.has_cuda_graph(self.engine, self.layers)

    # ---- the log -----------------------------------------------------------------------------

    @property
    def by_trtexec(self) -> bool:
        """Whether trtexec built the engine, or may have, where no log of the build tells."""
        facts, has_log = self.facts, self.engine.source.dialect in ("classic", "detailed")
        is_known = bool(facts.command or facts.options)
        return is_known or (not has_log and self.frontend.source in ("onnx", "unknown"))

    def can_add(self, flag: str) -> bool:
        """Whether a flag of trtexec would change the run: it is not on, and the version has it."""
        return trtexec.can_add(self.engine, flag)

    def said(
        self, words: re.Pattern[str], building: bool = False
    ) -> Iterator[tuple[Message, re.Match[str]]]:
        """Yields the log's warnings and errors in which the pattern is found.

        Args:
            words: the pattern.
            building: only messages before the listing count; messages after the listing may belong
                to the next build.
        """
        listed = self.engine.source.first_line
        for message in self.facts.messages:
            if building and message.line > listed:
                continue
            if match := words.search(message.text):
                yield message, match

    # ---- one layer ---------------------------------------------------------------------------

    def ms(self, layer: Layer) -> float | None:
        """Returns a layer's time in ms: measured or, where no layer is measured, estimated."""
        return self.costs.of(layer)

    def kind(self, layer: Layer) -> TimeKind | None:
        """The kind of the layer's time; None where it has none."""
        return self.costs.kind if self.costs.of(layer) is not None else None

    def work_of(self, layer: Layer) -> LayerWork:
        """Returns what a layer computes and moves, and the time that no kernel can beat."""
        return self.work.timed(layer)

    @cached_property
    def by_name(self) -> Mapping[str, Layer]:
        """The layers by name, as messages have it; of equal names the first."""
        return {without_profile(layer.name): layer for layer in reversed(self.layers)}

    def tuned(self, layer: Layer) -> Candidates:
        """Returns what the autotuner tried for a layer, or for the equal one whose time it has."""
        facts = layer.known
        if facts.candidates.combinations or facts.measured_on is None:
            return facts.candidates
        equal = self.by_name.get(without_profile(facts.measured_on))
        return facts.candidates if equal is None or equal.facts is None else equal.facts.candidates

    def dtype(self, layer: Layer) -> str | None:
        """Returns the listings' name of the type that a layer computes in; None: unknown."""
        if layer.index not in self._dtypes:
            self._dtypes[layer.index] = canonical(precisions.of(layer).dtype)
        return self._dtypes[layer.index]

    def longest_first(self, layers: Iterable[Layer]) -> list[Layer]:
        """Returns layers by their times; those without one last."""
        return sorted(layers, key=lambda layer: -(self.ms(layer) or 0.0))

    def operation(self, layer: Layer) -> kinds.Operation | None:
        """Returns what a layer computes: a convolution, a product, pooling …; None: others."""
        return self.costs.once(_operations)[layer.index]

    def multiplies(self, layer: Layer) -> bool:
        """Whether it is a convolution, a deconvolution or a matrix product."""
        return self.operation(layer) in kinds.MULTIPLYING

    def extents(self, layer: Layer) -> Extents | None:
        """Returns the sizes of the convolution or the matrix product that a layer computes."""
        return shapes(self.costs)[layer.index]

    # A layer's operators, by its build info, else by its name; () where unclear.
    operators = staticmethod(origin.onnx_operators)

    @staticmethod
    def nodes(layer: Layer) -> tuple[str, ...]:
        """Returns the names of all ONNX nodes of a layer; () where they are unknown."""
        return origin.onnx_nodes_of(layer).all

    # ---- the graph ---------------------------------------------------------------------------

    @cached_property
    def edges(self) -> Sequence[Edge]:
        """The edges that enter or leave the layers of the profile."""
        if len(self.costs.profiles) == 1:
            return self.engine.graph.edges
        ends = (edge for la in self.layers for edge in self.writes(la) if edge.target is None)
        return (*(edge for la in self.layers for edge in self.reads(la)), *ends)

    def reads(self, layer: Layer) -> Sequence[Edge]:
        """Returns the edges that enter a layer; `source` is None at an input of the engine."""
        read, _ = self.costs.once(_edges)
        return read.get(layer.index, ())

    def writes(self, layer: Layer) -> Sequence[Edge]:
        """Returns the edges that leave a layer; `target` is None at an output of the engine."""
        _, written = self.costs.once(_edges)
        return written.get(layer.index, ())

    def at_input(self, layer: Layer) -> bool:
        """Whether a layer reads an input of the engine."""
        reads, inputs = self.reads(layer), self.costs.once(_inputs)
        return any(edge.source is None and edge.tensor in inputs for edge in reads)

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
        target = self.costs.once(_only_readers).get(layer.index)
        return None if target is None else self.engine.layers[target]

    def computed(self, layer: Layer) -> list[Edge]:
        """Returns the edges that bring a layer what depends on an input.

        They come from no constant, and are no tensor of which nothing is known.
        """
        layers, inputs = self.engine.layers, self.costs.once(_inputs)
        return [
            edge
            for edge in self.reads(layer)
            if (edge.source is None and edge.tensor in inputs)
            or (edge.source is not None and layers[edge.source].type != "Constant")
        ]


def first_data(tensors: Iterable[Tensor]) -> Tensor | None:
    """Returns the first tensor that holds data, not a shape, an index or a mask."""
    return next((tensor for tensor in tensors if holds_data(tensor.dtype)), None)


# ---- what all optimisation profiles share, of which an engine may have hundreds ------------------


def _operations(costs: Costs) -> Sequence[kinds.Operation | None]:
    return tuple(map(kinds.operation_of, costs.engine.layers))


def _inputs(costs: Costs) -> frozenset[str]:
    return frozenset(costs.engine.graph.inputs)


def _edges(costs: Costs) -> tuple[_Edges, _Edges]:
    """Returns the edges that enter each layer, and those that leave it."""
    edges = costs.engine.graph.edges
    read = by_key((edge.target, edge) for edge in edges)
    return read, by_key((edge.source, edge) for edge in edges)


def _only_readers(costs: Costs) -> Mapping[int | None, int | None]:
    """Returns for each layer the one that alone reads what it writes; None: there are others."""
    readers: dict[int | None, int | None] = {}
    for edge in costs.engine.graph.edges:
        if readers.setdefault(edge.source, edge.target) != edge.target:
            readers[edge.source] = None
    return readers
