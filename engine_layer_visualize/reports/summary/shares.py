"""Reports layers, time and share by layer type and by precision, the slowest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.breakdown import Row, by_precision, by_type
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import waits_for_dla
from engine_layer_visualize.analysis.precisions import of as precision
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import picked

_SHOWN: Final = 4  # types, or precisions, of a line; the rest is counted


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
    """The line on types, and what to know of it, as blocks of a page."""
    yield from _line("By layer type", "type", data, engine)
    for row in data:
        if row["waits"]:
            holds = (
                " holds a wait for the DLA: it is not that of copying alone, nor is the DLA's own"
            )
            yield page.Paragraph(("The time of ", Name(row["waits"]), holds, " all that it took."))


def precisions_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The line on precisions, and what to know of it, as blocks of a page."""
    yield from _line("By precision", "precision", data, engine)
    for row in data:
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield page.Paragraph(f"{of_all} {verb} in TF32.")


def _data(key: str, rows: Iterable[Row]) -> list[JsonValue]:
    return [{key: row.name, **picked(row, "layers", "timed", "ms", "share")} for row in rows]


def _line(title: str, key: str, rows: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """`By precision: Int8 2.1 ms (80.8 %), Float 0.4 ms (15.4 %)`; untimed: how many layers."""
    if not rows:
        return
    timed = any(row["share"] is not None for row in rows)
    of = f", shares {engine['share_of']}" if timed and engine["share_of"] else ""
    shown = [_words(row, key) for row in rows[:_SHOWN]]
    more = len(rows) - len(shown)
    rest = f" and {more} more" if more else ""
    yield page.Paragraph((f"{title}{of}: ", *joined(", ", shown), f"{rest}."))


def _words(row: page.Data, key: str) -> Words:
    name = page.called(row[key] or "unknown")
    if row["ms"] is None:
        return joined(" ", [f"{row['layers']:,}", name])
    share = "" if row["share"] is None else f" ({page.part(row['share'])})"
    return joined(" ", [name, f"{page.ms(row['ms'])}{share}"])
