"""Layers that ran above the lowest precision that the build allowed.

takes: the `Costs` of an engine
gives: those layers, and the log's own words on why, where it has some
never: blames a layer that cannot compute in less, or guesses why
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import measures, precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.outputs.report.page import (
    Advice,
    Block,
    Data,
    Grid,
    Heading,
    Text,
    ms,
    of_layer,
    part,
    rows_of,
    word,
)
from engine_layer_visualize.trt.data_types import bits

# They move or shape data, or hold it; they take the type that they get.
_PASSIVE: Final = frozenset(
    """
    Constant NoOp Reformat MyelinReformat Shuffle Slice Gather Concat Concatenation Resize
    ShapeHostToDevice DeviceToShapeHost TrainStation Identity Shape copy signal wait
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


def collect(costs: Costs, top: int) -> JsonValue:
    engine = costs.engine
    allowed = engine.facts.precisions if engine.facts is not None else ()
    widths = [width for name in allowed if (width := bits(name)) is not None]
    if not widths:
        return {"allowed": list(allowed), "layers": [], "computing": 0, "unknown": 0}
    rows: list[JsonValue] = []
    for layer in costs.layers:
        own = bits(measures.precision_of(layer))
        if own is None or own <= min(widths) or layer.type in _PASSIVE:
            continue
        took = costs.of(layer)
        rows.append(
            {
                "index": layer.index,
                "line": layer.place.line,
                "name": layer.name,
                "type": layer.type,
                "precision": measures.precision_of(layer),
                "why": layer.facts.precision_note if layer.facts is not None else None,
                "ms": took,
                "share": costs.share(layer),
            }
        )
    computing = [layer for layer in costs.layers if layer.type not in _PASSIVE]
    unknown = sum(precisions.of(layer).dtype is None for layer in computing)
    return {
        "allowed": list(allowed),
        "layers": rows,
        "computing": len(computing),
        "unknown": unknown,
    }


def page(data: JsonValue, engine: Data) -> Iterator[Block]:
    assert isinstance(data, dict)
    allowed = data["allowed"]
    assert isinstance(allowed, list)
    rows = rows_of(data["layers"])
    yield Heading("Above the lowest precision that the build allowed")
    names = ", ".join(map(str, allowed))
    if not allowed:
        yield Advice(
            "The log does not say which precisions the build allowed: trtexec prints its "
            "`=== Build Options ===` at the start of its log."
        )
    elif not rows:
        yield Text(f"None{_known(data)}: the build allowed {names}.")
    else:
        more = count(len(rows), "layer takes", "layers take")
        higher = f"{more} a higher one than the lowest of these{_known(data)}"
        yield Text(f"The build allowed {names}; {higher}.")
        yield Grid(
            (">time", ">share", "layer", "precision", "why"),
            tuple(
                (
                    ms(row["ms"]),
                    part(row["share"]),
                    of_layer(row, "type"),
                    word(row["precision"]),
                    word(row["why"] or "the log does not say"),
                )
                for row in sorted(rows, key=_cost)[:_SHOWN]
            ),
        )
        if len(rows) > _SHOWN:
            yield Text(f"… and {len(rows) - _SHOWN} more; --format json has all.")


_SHOWN: Final = 20


def _known(data: Data) -> str:
    """Of how many layers that compute the precision is known, where it is not of all."""
    unknown, computing = data["unknown"], data["computing"]
    if not isinstance(unknown, int) or not isinstance(computing, int) or not unknown:
        return ""
    return f" (of {computing - unknown} of {computing} computing layers the precision is known)"


def _cost(row: dict[str, JsonValue]) -> float:
    return -row["ms"] if isinstance(row["ms"], float) else 0.0
