"""Reports the layers of the most ONNX nodes, and what each ForeignNode holds.

Weights in a layer's name do not count as nodes, nor does what quantises for a layer: the metadata
of records leaves it out, names have it. Of a ForeignNode whose two ends alone are known it is said
that it holds at least these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from engine_layer_visualize.analysis import inside, labels, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Timing
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.reports import rows as cells
from engine_layer_visualize.reports.rows import grid, identity, ms, word
from engine_layer_visualize.trt import names, operators
from engine_layer_visualize.trt.names import DLA
from engine_layer_visualize.trt.operators import QUANTISERS

# What networks are made from, where their layers may have no names.
_UNNAMED = (origin.API, origin.UNKNOWN)
_QUANTISES: Final = "uantizeLinear"
_OPERATORS_IN_CELL = 6  # nodes of a fusion, on a page
_OPERATIONS_ON_PAGE = 30  # inside of a ForeignNode
_SCOPES_ON_PAGE = 16  # of a ForeignNode, on a page


def collect(costs: Costs, top: int) -> JsonValue:
    """The `top` layers with the most ONNX nodes; None where nobody has looked for them."""
    if _unread(costs.engine):
        return None
    unnamed = origin.frontend_of(costs) in _UNNAMED
    sizes = {layer.index: _size(layer, unnamed) for layer in costs.layers}
    fused = [layer for layer in costs.layers if sizes[layer.index] > 1]
    fused.sort(key=lambda layer: -sizes[layer.index])
    rows: list[dict[str, Any]] = []
    for layer in fused[:top]:
        row = _row(layer, costs)
        row["nodes"] = None if _is_range(layer) else sizes[layer.index]
        row["operators"] = {
            name: number for name, number in row["operators"].items() if name not in QUANTISERS
        }
        rows.append(row)
    return plain(rows)


def _size(layer: Layer, unnamed: bool) -> int:
    """How many nodes a layer is known to come from, at least.

    With `unnamed`, the parts of its name may have no name of their own, such as `(Unnamed Layer* 3)
    [Pooling]`: beside others only those count that no parser adds on its own.
    """
    nodes = origin.onnx_nodes_of(layer)
    if _is_range(layer):
        return max(2, len(nodes.ends))
    kinds = labels.node_operators(layer)
    known = len(nodes.all) - sum(kind in QUANTISERS for kind in kinds)
    if not unnamed:
        return known
    parts = names.parts(layer.name)
    if known:
        return known + sum(map(operators.is_unnamed_node, parts))
    return sum(not operators.serves(part) for part in parts)


def _is_range(layer: Layer) -> bool:
    """Whether its name alone tells of its nodes, and that leaves out those between two of them."""
    return any(names.ends(layer.name)) and not origin.onnx_nodes_of(layer).all


def foreign(costs: Costs, top: int) -> JsonValue:
    """Every ForeignNode with its nodes. `nodes` is null where only its ends are known.

    None where nobody has looked for them.
    """
    foreign = [layer for layer in costs.layers if is_myelin(layer) and layer.type != DLA]
    if foreign and _unread(costs.engine):
        return None
    rows: list[JsonValue] = []
    for layer in foreign:
        row = _row(layer, costs)
        row["rows"] = None if layer.time is None else layer.time.parts
        row["kernels"] = _launched(layer.time)
        row["operations"] = [plain(each) for each in inside.operations(layer)]
        row["inside"] = [
            {
                "first": scope.first.path,
                "last": scope.last.path,
                "count": scope.number,
                "nodes": scope.first.nodes,
                "operators": dict(scope.first.operators),
            }
            for scope in labels.alike_contents(labels.parts_of_contents(layer))
        ]
        rows.append(row)
    return rows


def _launched(time: Timing | None) -> int | None:
    """How many kernels a run launches, where the profile counts them; its rows are no kernels."""
    known = time.kernels if time is not None else ()
    return round(sum(kernel.launches for kernel in known)) if known else None


def _unread(engine: Engine) -> bool:
    """Whether no record names nodes, and the facts, which also name them, were not read."""
    return engine.facts is None and not any(layer.onnx_nodes for layer in engine.layers)


def _row(layer: Layer, costs: Costs) -> dict[str, Any]:
    nodes, steps = (
        origin.onnx_nodes_of(layer),
        layer.facts.fused_from if layer.facts is not None else (),
    )
    is_onnx = origin.frontend_of(costs) is origin.ONNX
    return {
        **identity(layer),
        "type": layer.type,
        "nodes": len(nodes.all) or None,
        "onnx_nodes": list(nodes.all) if is_onnx else [],
        "onnx_nodes_from": nodes.source if is_onnx else None,
        "ends": list(nodes.ends),
        "operators": dict(labels.counted_contents(labels.node_operators(layer))),
        "steps": [{**picked(step, "text", "line")} for step in steps],
        "ms": costs.of(layer),
    }


def blocks(rows: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section on fusions as blocks of a page."""
    yield page.Heading("Largest fusions")
    if not rows:
        which = "layer" if page.whole(engine) else "listed layer"
        yield page.Paragraph(f"No {which} is known to come from several {_nodes(engine)}.")
        return
    yield grid(
        rows,
        [
            (f">{_nodes(engine)}", _at_least),
            ("layer", cells.cells_layer("type")),
            ("operators", _kinds),
            (">steps", lambda row: page.word(len(row["steps"]) or None)),
            (">time", ms("ms")),
        ],
    )
    if any(_QUANTISES in str(row["name"]) for row in rows):
        yield page.Paragraph(
            "QuantizeLinear and DequantizeLinear do not count: not every log names them."
        )


def foreign_blocks(rows: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section on ForeignNodes as blocks of a page."""
    if not rows:
        return
    yield page.Heading("Inside each ForeignNode")
    yield page.Paragraph(f"{count(len(rows), 'Myelin layer')}: each is compiled as one piece.")
    known = {key for row in rows for key in ("rows", "kernels") if row[key] is not None}
    yield grid(
        rows,
        [
            ("layer", cells.cells_layer()),
            (f">{_nodes(engine)}", _number_of_nodes),
            ("operators", _kinds),
            ("first → last", lambda row: _ends(row["ends"] or row["onnx_nodes"] or _named(row))),
            (">rows of the profile", word("rows")) if "rows" in known else None,
            (">kernels", word("kernels")) if "kernels" in known else None,
            (">time", ms("ms")),
        ],
    )
    for row in rows:
        yield from _inside(row)
    if not any(row["nodes"] or row["operations"] for row in rows):
        yield page.Advice(
            "The listing does not show what is inside: build with "
            "`--profilingVerbosity=detailed` (TensorRT 8.6 and later)."
        )


def _nodes(engine: page.Data) -> str:
    """What the layers are made of, such as `ONNX nodes`."""
    return f"{origin.frontend_named(str(engine['frontend'])).node}s"


def _at_least(row: page.Data) -> str:
    known = len(row["ends"])
    return str(row["nodes"] or (f"at least {known}" if known > 1 else "several"))


def _number_of_nodes(row: page.Data) -> str:
    return "ends only" if row["ends"] else page.word(row["nodes"])


def _inside(row: page.Data) -> Iterator[page.Block]:
    """What runs in a ForeignNode, and the scopes of its nodes."""
    runs = row["operations"]
    if runs:
        yield page.Paragraph(
            f"What the log tells of inside layer {row['index']}{_sum(runs, row['ms'])}:"
        )
        heads: tuple[cells.Column, ...] = (
            ("operation", lambda run: page.called(run["name"])),
            (">time", ms("ms")),
            ("times", word("ms_kind")),
            ("precision", word("precision")),
            (">tactics", word("tactics")),
            ("fastest kernel", lambda run: page.called(run["kernel"])),
        )
        yield grid(runs[:_OPERATIONS_ON_PAGE], heads).filled()
        if len(runs) > _OPERATIONS_ON_PAGE:
            more = count(len(runs) - _OPERATIONS_ON_PAGE, "more operation")
            yield page.Paragraph(f"… and {more}.")
    scopes = row["inside"]
    if not scopes:
        return
    yield page.Paragraph(f"Inside layer {row['index']}, by scope:")
    columns = ((">count", word("count")), ("scope", _scopes), (">nodes", word("nodes")))
    yield grid(scopes[:_SCOPES_ON_PAGE], [*columns, ("operators of each", _kinds)])
    if len(scopes) > _SCOPES_ON_PAGE:
        yield page.Paragraph(f"… and {count(len(scopes) - _SCOPES_ON_PAGE, 'more scope')}.")


def _sum(runs: list[page.Data], whole: JsonValue) -> str:
    """` (22.6 µs together, the layer takes 24.5 µs)`; empty where a time is unknown."""
    known = [run["ms"] for run in runs if isinstance(run["ms"], float)]
    if len(known) < len(runs) or not isinstance(whole, float):
        return ""
    return f" ({page.ms(math.fsum(known))} together, the layer takes {page.ms(whole)})"


def _scopes(row: page.Data) -> Words:
    """One scope, or the first and the last."""
    first, last = Name(row["first"]), Name(row["last"])
    return first if row["count"] == 1 else (first, " … ", last)


def _kinds(row: page.Data) -> str:
    """Operators and how many of each, such as `2 Conv, 1 Relu`."""
    kinds = [f"{number} {name}" for name, number in row["operators"].items()]
    more = len(kinds) - _OPERATORS_IN_CELL
    shown = ", ".join(kinds[:_OPERATORS_IN_CELL])
    return (f"{shown} and {count(more, 'more kind')}" if more > 0 else shown) or "–"


def _named(row: page.Data) -> list[str]:
    return [part for end in names.ends(str(row["name"])) for part in end]


def _ends(nodes: list[str]) -> Words:
    """The first and the last node."""
    if not nodes:
        return "–"
    first, last = Name(nodes[0]), Name(nodes[-1])
    return (first, " → ", last) if len(nodes) > 1 else first
