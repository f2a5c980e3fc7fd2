"""What became one layer: the largest fusions, and what is inside each ForeignNode.

takes: an `Engine`
gives: layers by the number of ONNX nodes that became them; every Myelin layer, opened
never: counts a name's weights as nodes, or takes the ends of a ForeignNode for its contents
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine_layer_visualize import measures, onnx_nodes
from engine_layer_visualize.model import Engine, JsonValue, Layer
from engine_layer_visualize.style import operators
from engine_layer_visualize.summary.page import (
    Advice,
    Block,
    Grid,
    Heading,
    Text,
    counted,
    ms,
    rows_of,
    word,
)

_SHOWN = 6  # nodes of a fusion, on a page


def collect(engine: Engine, top: int) -> JsonValue:
    """The `top` largest."""
    source = measures.source(engine)
    fused = [layer for layer in engine.layers if len(onnx_nodes.of(layer).all) > 1]
    fused.sort(key=lambda layer: -len(onnx_nodes.of(layer).all))
    return [_row(layer, measures.cost(layer, source)) for layer in fused[:top]]


def foreign(engine: Engine, top: int) -> JsonValue:
    """Every ForeignNode, and what is inside. `nodes` is null where only its ends are known."""
    source = measures.source(engine)
    rows: list[JsonValue] = []
    for layer in engine.layers:
        if layer.type == "Myelin" or layer.name.startswith("{ForeignNode["):
            row = _row(layer, measures.cost(layer, source))
            row["kernels"] = layer.time.parts if layer.time is not None else None
            rows.append(row)
    return rows


def _row(layer: Layer, took: float | None) -> dict[str, JsonValue]:
    nodes = onnx_nodes.of(layer)
    kinds = Counter(found[0] for node in nodes.all if (found := operators(node)))
    steps: list[JsonValue] = []
    if layer.facts is not None:
        steps = [{"text": step.text, "line": step.line} for step in layer.facts.fused_from]
    return {
        "index": layer.index,
        "line": layer.place.line,
        "name": layer.name,
        "type": layer.type,
        "nodes": None if nodes.ends else len(nodes.all),
        "onnx_nodes": list(nodes.all),
        "onnx_nodes_from": nodes.source,
        "ends": list(nodes.ends),
        "operators": dict(kinds.most_common()),
        "steps": steps,
        "ms": took,
    }


def page(data: JsonValue) -> Iterator[Block]:
    rows = rows_of(data)
    yield Heading("Largest fusions")
    if not rows:
        yield Text("No layer is known to come from several ONNX nodes.")
        return
    yield Grid(
        (">ONNX nodes", "layer", "operators", ">steps", ">time"),
        tuple(
            (
                str(row["nodes"]),
                f"{row['index']} {row['type']}: {row['name']}",
                _kinds(row["operators"]),
                word(len(rows_of(row["steps"])) or None),
                ms(row["ms"]),
            )
            for row in rows
        ),
    )


def foreign_page(data: JsonValue) -> Iterator[Block]:
    rows = rows_of(data)
    if not rows:
        return
    yield Heading("Inside each ForeignNode")
    yield Text(f"{counted(len(rows), 'Myelin layer')}: sub-graphs that TensorRT compiles as one.")
    yield Grid(
        ("layer", ">ONNX nodes", "operators", "from … to", ">kernels", ">time"),
        tuple(
            (
                f"{row['index']} {row['name']}",
                "ends only" if row["ends"] else word(row["nodes"] or None),
                _kinds(row["operators"]),
                _ends(row["ends"] or row["onnx_nodes"]),
                word(row["kernels"]),
                ms(row["ms"]),
            )
            for row in rows
        ),
    )
    if not any(row["nodes"] for row in rows):
        yield Advice(
            "The log does not say what is inside: build with "
            "`--profilingVerbosity=detailed` (TensorRT 8.6 and later)."
        )


def _kinds(data: JsonValue) -> str:
    assert isinstance(data, dict)
    shown = [f"{count} {name}" for name, count in data.items()]
    more = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {more} more" if more > 0 else "") or "–"


def _ends(nodes: JsonValue) -> str:
    assert isinstance(nodes, list)
    if len(nodes) < 2:
        return word(nodes[0] if nodes else None)
    return f"{nodes[0]} … {nodes[-1]}"
