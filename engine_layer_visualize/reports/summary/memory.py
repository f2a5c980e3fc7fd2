"""Reports memory in bytes: the log's totals, and the layers that hold the most."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import picked, plain
from engine_layer_visualize.reports.summary import cells
from engine_layer_visualize.reports.summary.cells import grid

_PARTS = ("host_persistent", "device_persistent", "scratch", "weights")


def collect(costs: Costs, top: int) -> JsonValue:
    """The log's totals, and the `top` layers."""
    facts = costs.engine.facts or EngineFacts()
    layers = sorted(costs.engine.layers, key=lambda layer: -_held(layer))
    rows: list[JsonValue] = [
        {
            "index": layer.index,
            "line": _line(layer),
            **picked(layer, "name", "type"),
            **picked(layer.facts.memory, *_PARTS),
        }
        for layer in layers[:top]
        if _held(layer) and layer.facts is not None and layer.facts.memory is not None
    ]
    return {
        "totals": plain(facts.totals),
        **picked(facts, "peak_cpu_mib", "peak_gpu_mib"),
        "layers": rows,
    }


def _held(layer: Layer) -> int:
    memory = layer.facts.memory if layer.facts is not None else None
    return sum(getattr(memory, part) or 0 for part in _PARTS) if memory is not None else 0


def _line(layer: Layer) -> int | None:
    return dict(layer.facts.lines).get("memory") if layer.facts is not None else None


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    totals, rows = page.rows_of(data["totals"]), page.rows_of(data["layers"])
    yield page.Heading("Memory")
    if not totals and not rows:
        yield page.Advice("No memory messages of the build: its whole VERBOSE log has them.")
        return
    if totals or data["peak_gpu_mib"] is not None:
        sizes = [(total["name"], _bytes(total["bytes"])) for total in totals]
        for word in ("gpu", "cpu"):
            if (peak := data[f"peak_{word}_mib"]) is not None:
                sizes.append((f"Peak of TensorRT's allocators, {word.upper()}", f"{peak} MiB"))
        yield page.Grid(("total", ">size"), tuple(sizes))
    if rows:
        parts = ((f">{part.replace('_', ' ')}", _size(part)) for part in _PARTS)
        yield grid(rows, [("layer", cells.layer()), *parts])


def _size(key: str) -> cells.Cell:
    return lambda row: _bytes(row[key])


def _bytes(value: int | None) -> str:
    return "–" if value is None else amount(value)
