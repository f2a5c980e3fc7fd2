"""A layer in; what is known of it out, as other people's tools show it.

The keys, their order and their values are the same in every format. Nothing is rounded, and what is
unknown is left out.
"""

from __future__ import annotations

from engine_layer_visualize.analysis import onnx_nodes, precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import EngineWork
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.outputs.data.engine_json import attributes, dump

Fact = str | int | float | list[str]


def of(layer: Layer, costs: Costs, done: EngineWork, name: str = "") -> dict[str, Fact]:
    """`ms`: milliseconds, `build_ms` in its stead where only the builder timed the layers; `gap_ms`
    too; `percent`: of its optimisation profile's time; `bytes` in bytes; `n`: timed runs; `macs`:
    multiplications with additions; `index` from 0, `line` of the log from 1. `name`: the key of the
    layer's name, which stands first; then every further key of its record, as printed, stands last.
    """
    own, share, nodes, time = done.of(layer), costs.share(layer), onnx_nodes.of(layer), layer.time
    known = {
        name: layer.name,
        "index": layer.index,
        "type": layer.type,
        "precision": precisions.of(layer).dtype,
        "kernel": layer.kernel,
        "tactic": layer.tactic,
        "line": layer.place.line,
        "build_ms" if costs.estimated else "ms": costs.of(layer),
        "percent": None if share is None else 100 * share,
        "n": None if time is None else time.n,
        "gap_ms": None if time is None else time.gap_ms,
        "macs": own.macs,
        "bytes": own.bytes,
        "onnx_nodes": list(nodes.all or nodes.ends),
        "onnx_nodes_from": nodes.source,
    }
    record = attributes(layer) if name else {}
    printed = {key: _printed(value) for key, value in record.items() if key not in known}
    told = {**known, **printed}
    return {key: value for key, value in told.items() if key and value not in (None, "", [])}


def _printed(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else dump(value)


def as_text(fact: Fact) -> str:
    """For formats that have texts alone."""
    return ", ".join(fact) if isinstance(fact, list) else str(fact)
