"""The sections on fusions: the layers of the most ONNX nodes, and what each ForeignNode holds.

Weights in a layer's name do not count as nodes. Of a ForeignNode whose two ends alone are known it
is said that it holds at least these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from engine_layer_visualize.analysis import contents, frontends, inside_operations, onnx_nodes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Timing
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import plain
from engine_layer_visualize.trt import layer_names

# What networks are made from, where their layers may have no names.
_UNNAMED = (frontends.API, frontends.UNKNOWN)
_SHOWN = 6  # nodes of a fusion, on a page
_OPERATIONS = 30  # inside of a ForeignNode, on a page
_SCOPES = 16  # of a ForeignNode, on a page


def collect(costs: Costs, top: int) -> JsonValue:
    """The `top` layers with the most ONNX nodes; None where nobody has looked for them."""
    if _unread(costs.engine):
        return None
    unnamed = frontends.of(costs) in _UNNAMED
    sizes = {layer.index: _size(layer, unnamed) for layer in costs.layers}
    fused = [layer for layer in costs.layers if sizes[layer.index] > 1]
    fused.sort(key=lambda layer: -sizes[layer.index])
    rows: list[JsonValue] = []
    for layer in fused[:top]:
        row = _row(layer, costs.of(layer))
        row["nodes"] = None if row["ends"] else sizes[layer.index]
        rows.append(row)
    return rows


def _size(layer: Layer, unnamed: bool) -> int:
    """How many nodes it is known to come from. `unnamed`: the parts of its name may have no name of
    their own, such as `(Unnamed Layer* 3) [Pooling]`."""
    nodes = onnx_nodes.of(layer)
    known = len(nodes.all or nodes.ends)
    return known or (len(layer_names.parts(layer.name)) if unnamed else 0)


def foreign(costs: Costs, top: int) -> JsonValue:
    """Every ForeignNode with its nodes. `nodes` is null where only its ends are known.

    None where nobody has looked for them.
    """
    foreign = [layer for layer in costs.layers if is_myelin(layer)]
    if foreign and _unread(costs.engine):
        return None
    rows: list[JsonValue] = []
    for layer in foreign:
        row = _row(layer, costs.of(layer))
        row["rows"] = None if layer.time is None else layer.time.parts
        row["kernels"] = _launched(layer.time)
        row["operations"] = [plain(one) for one in inside_operations.operations(layer)]
        row["inside"] = [
            {
                "first": one.first.path,
                "last": one.last.path,
                "count": one.number,
                "nodes": one.first.nodes,
                "operators": dict(one.first.operators),
            }
            for one in contents.alike(contents.parts(layer))
        ]
        rows.append(row)
    return rows


def _launched(time: Timing | None) -> int | None:
    """How many kernels a run launches, where the profile counts them; its rows are no kernels."""
    known = time.kernels if time is not None else ()
    return round(sum(one.launches for one in known)) if known else None


def _unread(engine: Engine) -> bool:
    """Whether no record names nodes, and build info, which also names them, was not read."""
    return engine.facts is None and not any(layer.onnx_nodes for layer in engine.layers)


def _row(layer: Layer, took: float | None) -> dict[str, JsonValue]:
    nodes = onnx_nodes.of(layer)
    kinds = Counter(filter(None, contents.node_operators(layer)))
    steps: list[JsonValue] = []
    if layer.facts is not None:
        steps = [{"text": step.text, "line": step.line} for step in layer.facts.fused_from]
    return {
        "index": layer.index,
        "line": layer.place.line,
        "name": layer.name,
        "type": layer.type,
        "nodes": len(nodes.all) or None,
        "onnx_nodes": list(nodes.all),
        "onnx_nodes_from": nodes.source,
        "ends": list(nodes.ends),
        "operators": dict(kinds.most_common()),
        "steps": steps,
        "ms": took,
    }


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    rows = page.rows_of(data)
    yield page.Heading("Largest fusions")
    if not rows:
        which = "layer" if page.whole(engine) else "listed layer"
        yield page.Paragraph(f"No {which} is known to come from several {_nodes(engine)}.")
        return
    yield page.Grid(
        (f">{_nodes(engine)}", "layer", "operators", ">steps", ">time"),
        tuple(
            (
                str(row["nodes"] or f"at least {len(_list(row['ends']))}"),
                page.of_layer(row, "type"),
                _kinds(row["operators"]),
                page.word(len(page.rows_of(row["steps"])) or None),
                page.ms(row["ms"]),
            )
            for row in rows
        ),
    )


def foreign_blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    rows = page.rows_of(data)
    if not rows:
        return
    yield page.Heading("Inside each ForeignNode")
    yield page.Paragraph(f"{count(len(rows), 'Myelin layer')}: each is compiled as one piece.")
    counts = [
        (key, head)
        for key, head in (("rows", "rows of the profile"), ("kernels", "kernels"))
        if any(row[key] is not None for row in rows)
    ]
    heads = (f">{head}" for _, head in counts)
    yield page.Grid(
        ("layer", f">{_nodes(engine)}", "operators", "first → last", *heads, ">time"),
        tuple(
            (
                page.of_layer(row),
                "ends only" if row["ends"] else page.word(row["nodes"] or None),
                _kinds(row["operators"]),
                _ends(row["ends"] or row["onnx_nodes"]),
                *(page.word(row[key]) for key, _ in counts),
                page.ms(row["ms"]),
            )
            for row in rows
        ),
    )
    for row in rows:
        yield from _inside(row)
    if not any(row["nodes"] or row["operations"] for row in rows):
        yield page.Advice(
            "The listing does not show what is inside: build with "
            "`--profilingVerbosity=detailed` (TensorRT 8.6 and later)."
        )


def _nodes(engine: page.Data) -> str:
    """`ONNX nodes`, or what else the layers are made of."""
    return f"{frontends.named(str(engine['frontend'])).node}s"


def _inside(row: page.Data) -> Iterator[page.Block]:
    """What runs in a ForeignNode, and the scopes of its nodes."""
    runs = page.rows_of(row["operations"])
    if runs:
        yield page.Paragraph(
            f"What the log tells of inside layer {row['index']}{_sum(runs, row['ms'])}:"
        )
        yield page.Grid(
            ("operation", ">time", "times", "precision", ">tactics", "fastest kernel"),
            tuple(
                (
                    page.called(one["name"]),
                    page.ms(one["ms"]),
                    page.word(one["ms_kind"]),
                    page.word(one["precision"]),
                    page.word(one["tactics"]),
                    page.called(one["kernel"]),
                )
                for one in runs[:_OPERATIONS]
            ),
        ).filled()
        if len(runs) > _OPERATIONS:
            yield page.Paragraph(f"… and {count(len(runs) - _OPERATIONS, 'more operation')}.")
    scopes = page.rows_of(row["inside"])
    if not scopes:
        return
    yield page.Paragraph(f"Inside layer {row['index']}, by scope:")
    yield page.Grid(
        (">count", "scope", ">nodes", "operators of each"),
        tuple(
            (str(one["count"]), _scopes(one), str(one["nodes"]), _kinds(one["operators"]))
            for one in scopes[:_SCOPES]
        ),
    )
    if len(scopes) > _SCOPES:
        yield page.Paragraph(f"… and {count(len(scopes) - _SCOPES, 'more scope')}.")


def _sum(runs: list[page.Data], whole: JsonValue) -> str:
    """` (22.6 µs together, the layer takes 24.5 µs)`; empty where a time is unknown."""
    known = [ms for one in runs if isinstance(ms := one["ms"], float)]
    if len(known) < len(runs) or not isinstance(whole, float):
        return ""
    return f" ({page.ms(math.fsum(known))} together, the layer takes {page.ms(whole)})"


def _scopes(row: page.Data) -> Words:
    """One scope, or the first and the last."""
    first, last = Name(str(row["first"])), Name(str(row["last"]))
    return first if row["count"] == 1 else (first, " … ", last)


def _kinds(data: JsonValue) -> str:
    """`2 Conv, 1 Relu`: operators and how many of each."""
    assert isinstance(data, dict)
    shown = [f"{count} {name}" for name, count in data.items()]
    more = len(shown) - _SHOWN
    return (
        ", ".join(shown[:_SHOWN]) + (f" and {count(more, 'more kind')}" if more > 0 else "") or "–"
    )


def _list(names: JsonValue) -> list[JsonValue]:
    assert isinstance(names, list)
    return names


def _ends(names: JsonValue) -> Words:
    """The first and the last node."""
    nodes = _list(names)
    if not nodes:
        return "–"
    first, last = Name(str(nodes[0])), Name(str(nodes[-1]))
    return (first, " → ", last) if len(nodes) > 1 else first
