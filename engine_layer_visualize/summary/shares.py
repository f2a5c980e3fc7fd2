"""Time and count by layer type and by precision.

takes: the `Costs` of an engine
gives: rows of (type or precision, layers, ms, share), the costliest first
never: counts a layer without a time as one that takes none
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from engine_layer_visualize import measures
from engine_layer_visualize.costs import Costs, share
from engine_layer_visualize.model import JsonValue, Layer
from engine_layer_visualize.precisions import of as precision
from engine_layer_visualize.summary.page import (
    Block,
    Data,
    Grid,
    Heading,
    Text,
    ms,
    part,
    rows_of,
    word,
)


def types(costs: Costs, top: int) -> JsonValue:
    return _rows(costs, "type", lambda layer: layer.type or None)


def precisions(costs: Costs, top: int) -> JsonValue:
    """`tf32`: layers whose kernel takes Float and multiplies in TF32."""
    rows = _rows(costs, "precision", measures.precision_of)
    used = Counter(known.dtype for la in costs.layers if (known := precision(la)).tf32)
    return [{**row, "tf32": used[str(row["precision"])]} for row in rows_of(rows)]


def types_page(data: JsonValue, engine: Data) -> Iterator[Block]:
    yield from _page("By layer type", "type", data, engine)


def precisions_page(data: JsonValue, engine: Data) -> Iterator[Block]:
    yield from _page("By precision", "precision", data, engine)
    for row in rows_of(data):
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield Text(f"{of_all} {verb} in TF32.")


def _rows(costs: Costs, key: str, of: Callable[[Layer], str | None]) -> list[JsonValue]:
    groups: dict[str | None, list[Layer]] = defaultdict(list)
    for layer in costs.layers:
        groups[of(layer)].append(layer)
    rows = [
        (name, len(layers), sum(costs.of(la) is not None for la in layers), costs.sum(layers))
        for name, layers in groups.items()
    ]
    rows.sort(key=lambda row: (-(row[3] or 0.0), -row[1], str(row[0])))
    return [
        {key: name, "layers": n, "timed": timed, "ms": took, "share": share(took, costs.whole)}
        for name, n, timed, took in rows
    ]


def _page(title: str, key: str, data: JsonValue, engine: Data) -> Iterator[Block]:
    rows = rows_of(data)
    timed = any(row["ms"] is not None for row in rows)
    partly = any(row["timed"] != row["layers"] for row in rows)
    yield Heading(title)
    of = " ".join(filter(None, (">share", str(engine["share_of"] or ""))))
    columns: tuple[str, ...] = (key, ">layers")
    if timed:
        columns += (*([">timed"] if partly else []), ">time", of)
    yield Grid(
        columns,
        tuple(
            (
                word(row[key] or "unknown"),
                str(row["layers"]),
                *([str(row["timed"])] if timed and partly else []),
                *((ms(row["ms"]), part(row["share"])) if timed else ()),
            )
            for row in rows
        ),
    )
    if timed and (rest := engine["rest_words"]):
        yield Text(f"{rest}.")
