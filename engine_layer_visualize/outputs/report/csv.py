"""Engines in; CSV with a row for each layer out.

No cell is a formula: text that would start one gets an apostrophe before it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import measures, onnx_nodes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, Layer, Statistic
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.outputs.options import ReportOptions

COLUMNS: Final = (
    "engine", "index", "line", "name", "type", "precision", "kernel", "tactic", "inputs",
    "outputs", "ms", "share", "build_ms", "runner", "tactics_tried", "host_persistent",
    "device_persistent", "scratch", "weights", "onnx_nodes", "macs", "bytes", "intensity",
    "bound_ms", "bound_by", "efficiency",
)  # fmt: skip
# Full-width forms too, and the apostrophe itself, so that one at the start never belongs to a name.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", *"＝＋－＠", "'")


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """The header, and the rows of one engine after the other."""
    engines = (one for one in found if isinstance(one, Engine))
    for number, engine in enumerate(engines):
        yield set_table((engine,), not number, options.time, options.several, options.peak)


def set_table(
    engines: Iterable[Engine],
    head: bool = True,
    statistic: Statistic = "mean",
    several: bool = False,
    peak: Peak | None = None,
) -> str:
    """Columns: COLUMNS; times in ms, shares from 0 to 1, memory in bytes, empty: not known.

    `several`: before them the log's name, as `file`.
    """
    columns = (*(["file"] if several else ()), *COLUMNS) if head else ()
    return table(columns, _rows(engines, statistic, several, peak))


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows with their columns' names above, if these are given; no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _rows(
    engines: Iterable[Engine], statistic: Statistic, several: bool, peak: Peak | None
) -> Iterator[Iterable[object]]:
    for engine in engines:
        costs = Costs(engine, None, statistic, peak)
        done = work(costs)
        file = (engine.source.file,) if several else ()
        for layer in engine.layers:
            own = done.of(layer)
            row = (*file, engine.index, *_row(layer, costs.of(layer), costs.share(layer)))
            row += (own.macs, own.bytes, own.intensity, own.bound_ms, own.bound_by, own.efficiency)
            yield row


def _row(layer: Layer, took: float | None, share: float | None) -> Iterator[object]:
    """The cells after `engine`, in the order of COLUMNS, up to the work."""
    facts = layer.facts
    yield from (layer.index, layer.place.line, layer.name, layer.type)
    yield measures.precision_of(layer)
    yield layer.kernel or (facts.kernel if facts is not None else None)
    yield layer.tactic
    yield from (measures.dims(layer.inputs), measures.dims(layer.outputs), took, share)
    memory = facts.memory if facts is not None else None
    yield facts.build_ms if facts is not None else None
    yield facts.runner if facts is not None else None
    yield facts.candidates.tried if facts is not None else None
    for part in ("host_persistent", "device_persistent", "scratch", "weights"):
        yield getattr(memory, part) if memory is not None else None
    yield " + ".join(onnx_nodes.of(layer).all)


def _cell(value: object) -> object:
    """Numbers as they are; text that no spreadsheet computes."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return "'" + shown if value.startswith(_FORMULA) else shown
