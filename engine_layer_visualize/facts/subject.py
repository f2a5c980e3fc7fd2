"""Holds an engine with its costs, work, scopes and findings, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from engine_layer_visualize import linting as findings
from engine_layer_visualize.analysis import origin, scopes
from engine_layer_visualize.analysis.costs import Costs, engine_time, time_of
from engine_layer_visualize.analysis.precisions import size_of
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.analysis.work import EngineWork
from engine_layer_visualize.core.model import EngineTime, Layer, TimeKind
from engine_layer_visualize.linting.engines import WholeEngine
from engine_layer_visualize.linting.finding import Finding


class Subject:
    """An engine with all that outputs ask of it; `costs` are the times that its tables show."""

    def __init__(self, costs: Costs) -> None:
        self.costs, self.engine = costs, costs.engine
        self.build_id = costs.engine.build_id
        self._whole = WholeEngine(costs)

    @cached_property
    def time(self) -> EngineTime:
        """The time of the engine: the means of its first optimisation profile."""
        costs = self.costs
        same = costs.statistic == "mean" and costs.profile == costs.profiles[0]
        return time_of(costs) if same else engine_time(self.engine)

    @property
    def work(self) -> EngineWork:
        """What its layers compute and move."""
        return self._whole.work

    @cached_property
    def paths(self) -> tuple[scopes.Path, ...]:
        """The path of each layer's scope."""
        return scopes.paths(self.engine.layers)

    @cached_property
    def size(self) -> Callable[[Layer], int | None]:
        """A layer -> the bytes that count as its memory."""
        return size_of(self.engine.layers)

    @property
    def node(self) -> str:
        """What a layer is made of: `ONNX node`, `PyTorch operation`."""
        return origin.frontend_of(self.costs).node

    @property
    def is_onnx(self) -> bool:
        """Whether the log, or names of layers, say that the network is ONNX."""
        return origin.frontend_of(self.costs) is origin.ONNX

    @property
    def reasons(self) -> Mapping[int, Reason]:
        """The reason of each reformat, by the layer's index."""
        return self._whole.reasons

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What may be wrong with it, of the optimisation profile that its costs are of."""
        return findings.of(self.costs, whole=self._whole)

    def kind(self, layer: Layer) -> TimeKind | None:
        """The kind of the layer's time; None where it has none."""
        return self.costs.kind if self.costs.of(layer) is not None else None
