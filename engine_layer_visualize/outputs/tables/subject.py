"""What the rows of an engine's tables are made from: each question is answered once."""

from __future__ import annotations

from functools import cached_property

from engine_layer_visualize.analysis import findings, scopes
from engine_layer_visualize.analysis.costs import Costs, engine_time
from engine_layer_visualize.analysis.findings.finding import Finding
from engine_layer_visualize.analysis.reformat_reasons import Reason, reasons
from engine_layer_visualize.analysis.work import EngineWork, work
from engine_layer_visualize.core.model import EngineTime, Layer, TimeKind


class Subject:
    """An engine. `costs`: the times that its tables show; `build_id`: of its log."""

    def __init__(self, costs: Costs) -> None:
        self.costs, self.engine = costs, costs.engine
        self.build_id = costs.engine.build_id

    @cached_property
    def time(self) -> EngineTime:
        return engine_time(self.engine)

    @cached_property
    def work(self) -> EngineWork:
        return work(self.costs)

    @cached_property
    def paths(self) -> tuple[scopes.Path, ...]:
        """Of each layer that of its scope."""
        return scopes.paths(self.engine.layers)

    @cached_property
    def reasons(self) -> dict[int, Reason]:
        """Of each reformat, by the layer's index."""
        return reasons(self.engine)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return findings.of(self.costs)

    def kind(self, layer: Layer) -> TimeKind | None:
        """Of the layer's time; None where it has none."""
        return self.costs.kind if self.costs.of(layer) is not None else None
