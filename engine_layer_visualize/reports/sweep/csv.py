"""Writes a sweep as CSV: a row for each build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.csv_text import table

COLUMNS: Final = (
    "build", "route", "ms", "change", "layers", "reformats", "fusions", "kernels", "precisions",
    "unmatched", "accuracy_loss", "failure",
)  # fmt: skip


def render(sweep: Sweep, options: ReportOptions) -> Iterator[str]:
    """Columns: COLUMNS; `change` is a fraction, fusions to precisions are groups of layers."""
    yield table(COLUMNS, (_row(sweep, number) for number in range(len(sweep.trials))))


def _row(sweep: Sweep, number: int) -> tuple[object, ...]:
    trial, changed = sweep.trials[number], sweep.changed[number]
    engine: tuple[object, ...] = (None,) * 6
    if changed is not None:
        engine = (changed.layers[1], changed.reformats[1], *changed[2:])
    return (
        *(trial.name, trial.route, sweep.ms(number), sweep.change(number)),
        *engine,
        *(trial.accuracy_loss, trial.failure),
    )
