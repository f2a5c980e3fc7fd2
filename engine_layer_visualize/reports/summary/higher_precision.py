"""Reports layers in a higher precision than the lowest allowed, and the log's reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis import measures, precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.higher_precision import (
    allowed_bits,
    computes,
    is_higher,
    named,
    quantises,
    tuned,
    why,
)
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.reports.summary import cells
from engine_layer_visualize.reports.summary.cells import grid, identity, ms, part, word

_ROWS_ON_PAGE: Final = 20  # layers, on a page


def collect(costs: Costs, top: int) -> JsonValue:
    """The layers, and how many layers compute or are of unknown precision."""
    facts = costs.engine.facts
    data: page.Data = {"allowed": list(facts.precisions) if facts is not None else []}
    lowest = allowed_bits(facts)
    if lowest is None:
        return {**data, "layers": [], "computing": 0, "unknown": 0}
    computing = [layer for layer in costs.layers if computes(layer) and not quantises(layer)]
    by_name = named(costs.layers)
    return {
        **data,
        "layers": [
            _row(layer, costs, by_name) for layer in costs.layers if is_higher(layer, lowest)
        ],
        "computing": len(computing),
        "unknown": sum(precisions.of(layer).dtype is None for layer in computing),
    }


def _row(layer: Layer, costs: Costs, by_name: Mapping[str, Layer]) -> JsonValue:
    reason = why(layer, tuned(layer, by_name))
    return {
        **identity(layer),
        "type": layer.type,
        "precision": measures.precision_of(layer),
        "why": None if reason.reason == "unknown" else reason.text,
        "ms": costs.of(layer),
        "share": costs.share(layer),
    }


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    rows, names = page.rows_of(data["layers"]), ", ".join(data["allowed"])
    yield page.Heading("Above the lowest precision that the build allowed")
    if not names:
        yield page.Advice(
            "The log does not say which precisions the build allowed: trtexec prints its "
            "`=== Build Options ===` at the start of the log of a build."
        )
    elif data["computing"] and data["unknown"] == data["computing"]:
        whose = "Unknown: the log has the precision of no computing layer."
        yield page.Paragraph(f"{whose} The build allowed {names}.")
    elif not rows:
        yield page.Paragraph(f"{page.none(engine)}{_known(data)}: the build allowed {names}.")
    else:
        listed = "" if page.whole(engine) else "listed "
        layers = f"{listed}layer that computes takes", f"{listed}layers that compute take"
        more = count(len(rows), *layers)
        higher = f"{more} a higher one than the lowest of these{_known(data)}"
        yield page.Paragraph(f"The build allowed {names}; {higher}.")
        yield grid(
            sorted(rows, key=lambda row: -(row["ms"] or 0.0))[:_ROWS_ON_PAGE],
            [
                (">time", ms("ms")),
                (">share", part("share")),
                ("layer", cells.layer("type")),
                ("precision", word("precision")),
                ("why", lambda row: row["why"] or "the log does not say"),
            ],
        )
        if len(rows) > _ROWS_ON_PAGE:
            yield page.Paragraph(
                f"… and {len(rows) - _ROWS_ON_PAGE} more; the format json has all."
            )


def _known(data: page.Data) -> str:
    """For how many of the layers that compute the precision is known; empty where for all."""
    unknown, computing = data["unknown"], data["computing"]
    if not unknown:
        return ""
    return f" (of {computing - unknown} of {computing} computing layers the precision is known)"
