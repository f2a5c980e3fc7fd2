"""The section on reformats, the slowest first, with reasons, times and running sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from engine_layer_visualize.analysis import measures, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import (
    UNREADABLE,
    Cause,
    Change,
    Reason,
    Side,
)
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.documents import blocks as page

_SHOWN = 20


def collect(costs: Costs, top: int) -> JsonValue:
    """All reformats of the optimisation profile, the slowest first."""
    why = reformat_reasons.of(costs)
    layers = [layer for layer in costs.layers if is_reformat(layer)]
    layers.sort(key=lambda layer: -(costs.of(layer) or 0.0))
    rows: list[JsonValue] = []
    summed = 0.0
    for layer in layers:
        took = costs.of(layer)
        summed += took or 0.0
        reason = why.get(layer.index)
        rows.append(
            {
                "index": layer.index,
                "line": layer.place.line,
                "name": layer.name,
                "listed": layer.listed,
                "changes": list(reason.changes) if reason else [],
                "from": reason.before if reason else None,
                "to": reason.after if reason else None,
                "reason": reason.text if reason else UNREADABLE,
                "origin": reason.origin if reason else None,
                "cause": reason.cause if reason else None,
                "sources": _sides(reason.sources) if reason else [],
                "targets": _sides(reason.targets) if reason else [],
                "dims": measures.dims(layer.outputs[:1]),
                "ms": took,
                "share": costs.share(layer),
                "cumulated_ms": summed if costs.kind else None,
            }
        )
    return rows


def _sides(sides: Iterable[Side]) -> list[JsonValue]:
    return [{"layer": side.layer, "name": side.name, "wants": side.wants} for side in sides]


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    rows = page.rows_of(data)
    yield page.Heading("Reformats, and why each is there")
    if not rows:
        yield page.Paragraph(f"{page.none(engine)}.")
        return
    timed = any(row["ms"] is not None for row in rows)
    words = count(len(rows), "reformat")
    if timed:
        shares = [s for row in rows if isinstance(s := row["share"], float)]
        untimed = sum(row["ms"] is None for row in rows)
        partly = f" ({untimed} of them not timed)" if untimed else ""
        of = engine["share_of"] or "of all"
        words += (
            f", {page.ms(rows[-1]['cumulated_ms'])} together{partly}, {page.part(sum(shares))} {of}"
        )
    yield page.Paragraph(words + ".")
    columns = ("layer", "from → to", "dims", "reason")
    yield page.Grid(
        ((">time", ">sum", *columns) if timed else columns),
        tuple(
            (
                *((page.ms(row["ms"]), page.ms(row["cumulated_ms"])) if timed else ()),
                str(row["index"]) + ("" if row["listed"] else " (not listed)"),
                f"{row['from']} → {row['to']}" if row["from"] else "–",
                page.shapes(row["dims"]),
                _why(row),
            )
            for row in rows[:_SHOWN]
        ),
    )
    if len(rows) > _SHOWN:
        yield page.Paragraph(f"… and {len(rows) - _SHOWN} more; the format json has all.")


def _why(row: page.Data) -> Words:
    """The reason as `Words`, which the JSON has as text only."""
    if row["from"] is None:
        return str(row["reason"])
    sources, targets = (
        tuple(Side(cast("int | None", s["layer"]), str(s["name"]), str(s["wants"])) for s in sides)
        for sides in (page.rows_of(row["sources"]), page.rows_of(row["targets"]))
    )
    changes = cast("tuple[Change, ...]", tuple(cast("list[str]", row["changes"])))
    before, after, origin = row["from"], row["to"], cast("str | None", row["origin"])
    cause = cast("Cause", row["cause"])
    return Reason(0, changes, str(before), str(after), sources, targets, origin, cause).words
