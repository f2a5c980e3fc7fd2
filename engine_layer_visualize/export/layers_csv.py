"""Writes a row for each layer as CSV: cells of the table `layers`, some as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, Layer, Statistic
from engine_layer_visualize.core.options import Peak, ReportOptions
from engine_layer_visualize.documents.html import table
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.linting.subject import Subject

COLUMNS: Final = (
    "engine", "index", "line", "name", "type", "precision", "kernel", "tactic", "inputs",
    "outputs", "ms", "share", "build_ms", "runner", "tactics_tried", "host_persistent",
    "device_persistent", "scratch", "weights", "onnx_nodes", "macs", "bytes", "intensity",
    "bound_ms", "bound_by", "efficiency",
)  # fmt: skip


# The columns that are not as in `layers`, made of the layer and of the value that stands there.
_OWN: Final[Mapping[str, Callable[[Layer, Any], object]]] = {
    "precision": lambda layer, _: precisions.precision_of(layer),
    "inputs": lambda layer, _: precisions.dims(layer.inputs),
    "outputs": lambda layer, _: precisions.dims(layer.outputs),
    "onnx_nodes": lambda _, names: " + ".join(names or ()),
}
_LAYERS: Final = SCHEMAS["layers"]
_CELLS: Final = tuple(
    (_OWN.get(name), _LAYERS.names.index("layer" if name == "index" else name)) for name in COLUMNS
)


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """The header, and the rows of one engine after the other."""
    engines = (engine_of for engine_of in found if isinstance(engine_of, Engine))
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


def _rows(
    engines: Iterable[Engine], statistic: Statistic, several: bool, peak: Peak | None
) -> Iterator[Iterable[object]]:
    for engine in engines:
        subject = Subject(Costs(engine, None, statistic, peak))
        file = (engine.source.file,) if several else ()
        for layer, row in zip(engine.layers, _LAYERS.rows_of(subject)):
            yield (
                *file,
                *(row[at] if of is None else of(layer, row[at]) for of, at in _CELLS),
            )
