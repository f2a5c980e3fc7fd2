"""Layers that ran above the lowest precision that the build allowed.

takes: the `Costs` of an engine
gives: those layers, and the log's own words on why, where it has some
never: blames a layer that cannot compute in less, or guesses why
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize import measures
from engine_layer_visualize.costs import Costs
from engine_layer_visualize.model import JsonValue
from engine_layer_visualize.summary.page import (
    Advice,
    Block,
    Data,
    Grid,
    Heading,
    Text,
    counted,
    ms,
    of_layer,
    part,
    rows_of,
    word,
)

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
    widths = [width for name in allowed if (width := measures.bits(name)) is not None]
    if not widths:
        return {"allowed": list(allowed), "layers": []}
    rows: list[JsonValue] = []
    for layer in costs.layers:
        own = measures.bits(measures.precision_of(layer))
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
    return {"allowed": list(allowed), "layers": rows}


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
        yield Text(f"None: the build allowed {names}; every layer that computes takes the lowest.")
    else:
        more = counted(len(rows), "layer takes", "layers take")
        yield Text(f"The build allowed {names}; {more} a higher one than the lowest of these.")
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


def _cost(row: dict[str, JsonValue]) -> float:
    return -row["ms"] if isinstance(row["ms"], float) else 0.0
