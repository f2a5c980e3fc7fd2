"""Reports layers, time and share by layer type and by precision, the slowest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.breakdown import Row, by_precision, by_type
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import waits_for_dla
from engine_layer_visualize.analysis.precisions import of as precision
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import picked
from engine_layer_visualize.reports.summary.cells import Column, grid, ms, part, word


def types(costs: Costs, top: int) -> JsonValue:
    """A row for each type, with the slowest of all layers that wait for the DLA, if it is one."""
    slowest = next(filter(waits_for_dla, costs.ranking), None)
    waits = {slowest.type or None: slowest.name} if slowest is not None else {}
    rows = by_type(costs)
    made = page.rows_of(_data("type", rows))
    return [{**data, "waits": waits.get(row.name)} for row, data in zip(rows, made)]


def precisions(costs: Costs, top: int) -> JsonValue:
    """A row for each precision, with the number of its layers that multiply in TF32."""
    rows = page.rows_of(_data("precision", by_precision(costs)))
    used = Counter(known.dtype for la in costs.layers if (known := precision(la)).tf32)
    return [{**row, "tf32": used[str(row["precision"])]} for row in rows]


def types_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section on types as blocks of a page."""
    name: Column = ("type", lambda row: page.called(row["type"]))
    yield from _blocks("By layer type", name, data, engine)
    for row in data:
        if row["waits"]:
            holds = (
                " holds a wait for the DLA: it is not that of copying alone, nor is the DLA's own"
            )
            yield page.Paragraph(("The time of ", Name(row["waits"]), holds, " all that it took."))


def precisions_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section on precisions as blocks of a page."""
    name: Column = ("precision", lambda row: row["precision"] or "unknown")
    yield from _blocks("By precision", name, data, engine)
    for row in data:
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield page.Paragraph(f"{of_all} {verb} in TF32.")


def _data(key: str, rows: Iterable[Row]) -> list[JsonValue]:
    return [{key: row.name, **picked(row, "layers", "timed", "ms", "share")} for row in rows]


def _blocks(
    title: str, name: Column, rows: list[page.Data], engine: page.Data
) -> Iterator[page.Block]:
    timed = any(row["share"] is not None for row in rows)
    known = any(row["ms"] is not None for row in rows)
    partly = any(row["timed"] != row["layers"] for row in rows)
    yield page.Heading(title)
    yield grid(
        rows,
        [
            name,
            (">layers", word("layers")),
            (">timed", word("timed")) if timed and partly else None,
            (">time", ms("ms")) if known else None,
            (f">share {engine['share_of']}".rstrip(), part("share")) if timed else None,
        ],
    )
    if timed and (rest := engine["rest_words"]):
        yield page.Paragraph(f"{rest}.")
