"""The sections by layer type and by precision: layers, time, share, the slowest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.breakdown import Row, by_precision, by_type
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.precisions import of as precision
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.documents import blocks as page


def types(costs: Costs, top: int) -> JsonValue:
    """A row for each type."""
    return _data("type", by_type(costs))


def precisions(costs: Costs, top: int) -> JsonValue:
    """`tf32`: layers whose kernel takes Float and multiplies in TF32."""
    rows = page.rows_of(_data("precision", by_precision(costs)))
    used = Counter(known.dtype for la in costs.layers if (known := precision(la)).tf32)
    return [{**row, "tf32": used[str(row["precision"])]} for row in rows]


def types_blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    yield from _blocks("By layer type", "type", data, engine)


def precisions_blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    yield from _blocks("By precision", "precision", data, engine)
    for row in page.rows_of(data):
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield page.Paragraph(f"{of_all} {verb} in TF32.")


def _data(key: str, rows: Iterable[Row]) -> list[JsonValue]:
    return [
        {key: r.name, "layers": r.layers, "timed": r.timed, "ms": r.ms, "share": r.share}
        for r in rows
    ]


def _blocks(title: str, key: str, data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    rows = page.rows_of(data)
    timed = any(row["share"] is not None for row in rows)
    known = any(row["ms"] is not None for row in rows)
    partly = any(row["timed"] != row["layers"] for row in rows)
    yield page.Heading(title)
    of = " ".join(filter(None, (">share", str(engine["share_of"] or ""))))
    columns: tuple[str, ...] = (key, ">layers")
    if timed:
        columns += (*([">timed"] if partly else []), *([">time"] if known else []), of)
    yield page.Grid(
        columns,
        tuple(
            (
                page.called(row[key]) if key == "type" else page.word(row[key] or "unknown"),
                str(row["layers"]),
                *([str(row["timed"])] if timed and partly else []),
                *([page.ms(row["ms"])] if known else []),
                *([page.part(row["share"])] if timed else []),
            )
            for row in rows
        ),
    )
    if timed and (rest := engine["rest_words"]):
        yield page.Paragraph(f"{rest}.")
