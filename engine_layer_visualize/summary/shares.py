"""Time and count by layer type and by precision.

takes: an `Engine`
gives: rows of (type or precision, layers, ms, share), the costliest first
never: counts a layer without a time as one that takes none
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from engine_layer_visualize import measures
from engine_layer_visualize.model import Engine, JsonValue, Layer
from engine_layer_visualize.precisions import of as precision
from engine_layer_visualize.summary.page import Block, Grid, Heading, Text, ms, part, rows_of, word


def types(engine: Engine, top: int) -> JsonValue:
    return _rows(engine, "type", lambda layer: layer.type or None)


def precisions(engine: Engine, top: int) -> JsonValue:
    """`tf32`: layers whose kernel takes Float and multiplies in TF32."""
    rows = _rows(engine, "precision", measures.precision_of)
    used = Counter(known.dtype for la in engine.layers if (known := precision(la)).tf32)
    return [{**row, "tf32": used[str(row["precision"])]} for row in rows_of(rows)]


def types_page(data: JsonValue) -> Iterator[Block]:
    yield from _page("By layer type", "type", data)


def precisions_page(data: JsonValue) -> Iterator[Block]:
    yield from _page("By precision", "precision", data)
    for row in rows_of(data):
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield Text(f"{of_all} {verb} in TF32.")


def _rows(engine: Engine, key: str, of: Callable[[Layer], str | None]) -> list[JsonValue]:
    groups: dict[str | None, list[Layer]] = defaultdict(list)
    for layer in engine.layers:
        groups[of(layer)].append(layer)
    source = measures.source(engine)
    whole = measures.total(engine.layers, source)
    rows = []
    for name, layers in groups.items():
        took = measures.total(layers, source)
        rows.append((name, len(layers), took, measures.share(took, whole)))
    rows.sort(key=lambda row: (-(row[2] or 0.0), -row[1], str(row[0])))
    return [{key: name, "layers": n, "ms": took, "share": share} for name, n, took, share in rows]


def _page(title: str, key: str, data: JsonValue) -> Iterator[Block]:
    rows = rows_of(data)
    timed = any(row["ms"] is not None for row in rows)
    yield Heading(title)
    columns = (key, ">layers", ">time", ">share") if timed else (key, ">layers")
    yield Grid(
        columns,
        tuple(
            (word(row[key] or "not told"), str(row["layers"]), ms(row["ms"]), part(row["share"]))[
                : len(columns)
            ]
            for row in rows
        ),
    )
