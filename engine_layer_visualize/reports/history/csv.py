"""Writes a history as CSV: a row for each build."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.comparison.history import sentences
from engine_layer_visualize.comparison.history.series import Histories, Series
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.csv_text import table

COLUMNS: Final = (
    "history", "build", "label", "file", "device", "tensorrt", "batch", "ms", "kind", "step",
    "layers", "reformats", "note",
)  # fmt: skip


def render(found: Histories, options: ReportOptions) -> Iterator[str]:
    """Columns: COLUMNS; `step` is the change that came with the build, as a fraction."""
    rows = (_rows(number, series) for number, series in enumerate(found.series))
    yield table(COLUMNS, chain.from_iterable(rows))


def _rows(number: int, series: Series) -> Iterator[tuple[object, ...]]:
    change = {step.build: step.change for step in series.steps}
    for place, build in enumerate(series.builds):
        known = build.conditions
        yield (
            *(number, place, build.label, build.file, known.device, known.tensorrt, known.batch),
            *(series.ms[place], series.kind, change.get(place), build.layers, build.reformats),
            sentences.note(series, place),
        )
