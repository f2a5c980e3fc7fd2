"""Makes the values of an engine's fields that are more than an attribute."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine_layer_visualize.analysis import model_nodes
from engine_layer_visualize.analysis.layer_kinds import is_dla_copy
from engine_layer_visualize.core.build_info import DlaUse, Unjoined
from engine_layer_visualize.core.model import Engine, JsonValue, Listing
from engine_layer_visualize.core.performance import Performance, Run
from engine_layer_visualize.fields.objects import picked
from engine_layer_visualize.fields.subject import Subject


def dla(subject: Subject, engine: Engine) -> dict[str, Any] | None:
    """What runs on the DLA, with the time of the copies to it and back."""
    copies = [layer for layer in engine.layers if is_dla_copy(layer)]
    known = engine.facts.dla if engine.facts is not None else None
    if known is None and not copies:
        return None
    ms = subject.costs.sum(copies) if copies else None
    used = known._asdict() if known is not None else dict.fromkeys(DlaUse._fields)
    return {**used, "copies_ms": ms}


def listings(several: Iterable[Listing]) -> list[dict[str, Any]]:
    """Listings without the file, which is the engine's."""
    names = ("dialect", "first_line", "last_line", "state")
    return [picked(listing, *names) for listing in several]


def performance(run: Performance) -> dict[str, Any]:
    """A run, with percentiles by their share."""
    names = ("throughput_qps", "host_walltime_s", "gpu_compute_s", "halves_ms", "line")
    measures = [
        {**row._asdict(), "percentiles": {str(share): ms for share, ms in row.percentiles}}
        for row in run.measures
    ]
    return {**picked(run, *names), "measures": measures}


def runs(several: Iterable[Run]) -> list[dict[str, Any]]:
    """Runs, with the file that each loaded."""
    return [{"loaded": run.engine, "performance": performance(run.performance)} for run in several]


def unjoined(several: Iterable[Unjoined]) -> list[dict[str, Any]]:
    """Kinds of lines that found no layer, with samples."""
    return [
        {
            **picked(kind, "kind", "reason", "count"),
            "samples": [{"line": line, "text": text} for line, text in kind.samples],
        }
        for kind in several
    ]


def in_several_layers(_: Subject, engine: Engine) -> list[JsonValue]:
    """Nodes of the model; none of another network's."""
    engine_nodes = model_nodes.of_engine(engine)
    if engine.onnx is None or engine_nodes is None:
        return []
    nodes = engine.onnx.model.nodes
    return [
        {"node": nodes[number].name, "layers": list(layers)}
        for number, layers in engine_nodes.shared.items()
    ]


def in_no_layer(_: Subject, engine: Engine) -> list[JsonValue] | None:
    """Nodes of the model; None where they are not known."""
    engine_nodes = model_nodes.of_engine(engine)
    if engine_nodes is None or engine_nodes.left is None:
        return None
    return [{"node": node.name, "operator": node.proto.op_type} for node in engine_nodes.left]
