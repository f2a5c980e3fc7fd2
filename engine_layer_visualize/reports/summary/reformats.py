"""Reports the reformats, the slowest first, with reasons, times and running sums."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis import measures, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import Reason, Side, cause, without_reason
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import plain
from engine_layer_visualize.fields.sentences import number_of_reformats
from engine_layer_visualize.reports.summary.cells import grid, identity, ms

_ROWS_ON_PAGE = 20  # reformats, on a page


def collect(costs: Costs, top: int) -> JsonValue:
    """All reformats of the optimisation profile, the slowest first."""
    why = reformat_reasons.of(costs)
    layers = [layer for layer in costs.layers if is_reformat(layer)]
    layers.sort(key=lambda layer: -(costs.of(layer) or 0.0))
    rows: list[JsonValue] = []
    summed = 0.0
    for layer in layers:
        summed += costs.of(layer) or 0.0
        reason = why.get(layer.index)
        rows.append(
            {
                **identity(layer),
                "listed": layer.listed,
                "changes": list(reason.changes) if reason else [],
                "from": reason.before if reason else None,
                "to": reason.after if reason else None,
                "reason": reason.text if reason else without_reason(layer),
                "origin": reason.origin if reason else None,
                "cause": cause(layer),
                "sources": plain(reason.sources) if reason else [],
                "targets": plain(reason.targets) if reason else [],
                "dims": measures.dims(layer.outputs[:1]),
                "ms": costs.of(layer),
                "share": costs.share(layer),
                "cumulated_ms": summed if costs.kind else None,
            }
        )
    return rows


def blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    yield page.Heading("Reformats, and why each is there")
    if not data:
        yield page.Paragraph(f"{page.none(engine)}.")
        return
    timed = any(row["ms"] is not None for row in data)
    causes = [row["cause"] for row in data]
    words = number_of_reformats(len(data), causes.count("quantiser"), causes.count("concat"))
    if timed:
        share = page.part(sum(row["share"] or 0.0 for row in data))
        untimed = sum(row["ms"] is None for row in data)
        partly = f" ({untimed} of them not timed)" if untimed else ""
        together = page.ms(data[-1]["cumulated_ms"])
        words += f", {together} together{partly}, {share} {engine['share_of'] or 'of all'}"
    yield page.Paragraph(words + ".")
    yield grid(
        data[:_ROWS_ON_PAGE],
        [
            (">time", ms("ms")) if timed else None,
            (">sum", ms("cumulated_ms")) if timed else None,
            ("layer", lambda row: f"{row['index']}{'' if row['listed'] else ' (not listed)'}"),
            ("from → to", lambda row: f"{row['from']} → {row['to']}" if row["from"] else "–"),
            ("dims", lambda row: page.shapes(row["dims"])),
            ("reason", _why),
        ],
    )
    if len(data) > _ROWS_ON_PAGE:
        yield page.Paragraph(f"… and {len(data) - _ROWS_ON_PAGE} more; the format json has all.")


def _why(row: page.Data) -> Words:
    """The reason as `Words`, which the JSON has as text only."""
    if row["from"] is None:
        return str(row["reason"])
    sources, targets = (tuple(Side(**side) for side in row[key]) for key in ("sources", "targets"))
    changes, ends = tuple(row["changes"]), (row["from"], row["to"])
    return Reason(0, changes, *ends, sources, targets, row["origin"], row["cause"]).words
