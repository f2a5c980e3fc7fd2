"""Writes the first sheet of a workbook: what each engine is, its slowest layers and a chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis.coverage import how_measured, timed_layers
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.layer_labels import headline, part
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, shorten, visible
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.fields.engine import BY_KEY
from engine_layer_visualize.fields.subject import Subject

_SLOWEST_LAYERS: Final = 10
_ENGINE_BLOCKS: Final = 20  # that have a block and a chart
_NAME_LENGTH: Final = 60  # characters of a layer's name
_HEIGHT: Final = 18  # rows of a block


class _Slow(NamedTuple):
    """A layer. `row`: its row in the sheet of layers, from 0."""

    row: int
    layer: int
    label: str
    type: str
    ms: float
    share: float


class _Block(NamedTuple):
    title: str
    facts: tuple[tuple[str, str], ...]
    slowest: tuple[_Slow, ...]
    estimated: bool


class Summary:
    """Collects engines, and writes them when all sheets are known. `link`: to a row of layers."""

    def __init__(self, book: Any, sheet: Any, link: Callable[[int], str | None] | None) -> None:
        self._book, self._sheet, self._link = book, sheet, link
        self._blocks: list[_Block] = []
        self._more = 0

    def add(self, subject: Subject, start: int) -> None:
        """An engine, whose layers begin at row `start` of their sheet."""
        if len(self._blocks) == _ENGINE_BLOCKS:
            self._more += 1
            return
        costs = subject.costs
        slowest = tuple(
            _Slow(
                start + layer.index,
                layer.index,
                shorten(visible(_label(layer)), _NAME_LENGTH),
                visible(layer.type),
                costs.of(layer) or 0.0,
                costs.share(layer) or 0.0,
            )
            for layer in (() if costs.is_sum else costs.ranking[:_SLOWEST_LAYERS])
        )
        title = " · ".join(sentences.heading(costs))
        self._blocks.append(_Block(title, tuple(_facts(subject)), slowest, costs.estimated))

    def write(self) -> None:
        """Writes the sheet. Raises OSError."""
        book, sheet = self._book, self._sheet
        title = book.add_format({"bold": True, "font_size": 14, "font_color": "#1F3864"})
        name = book.add_format({"font_color": "#595959"})
        head = book.add_format({"bold": True, "bottom": 1})
        right = book.add_format({"bold": True, "bottom": 1, "align": "right"})
        ms, share = (book.add_format({"num_format": text}) for text in ("0.0000", "0.0%"))
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.set_column(0, 0, 22)
        sheet.set_column(1, 1, 62)
        sheet.set_column(2, 2, 20)
        sheet.set_column(3, 4, 10)
        line = 0
        for block in self._blocks:
            sheet.write_string(line, 0, block.title, title)
            line += 1
            for key, value in block.facts:
                sheet.write_string(line, 0, key, name)
                sheet.write_string(line, 1, value)
                line += 1
            if not block.slowest:
                line += 2
                continue
            line += 1
            ms_head = "≈ ms" if block.estimated else "ms"
            for column, text in enumerate(("slowest layers", "", "type", ms_head, "share")):
                sheet.write_string(line, column, text, head if column < 3 else right)
            first = line + 1
            for slow in block.slowest:
                line += 1
                target = self._link(slow.row) if self._link is not None else None
                if target is not None:
                    sheet.write_url(line, 0, target, string=f"layer {slow.layer}")
                else:
                    sheet.write_string(line, 0, f"layer {slow.layer}")
                sheet.write_string(line, 1, slow.label)
                sheet.write_string(line, 2, slow.type)
                sheet.write_number(line, 3, slow.ms, ms)
                sheet.write_number(line, 4, slow.share, share)
            self._chart(block, first, line)
            line = max(line, first - 2 - len(block.facts) + _HEIGHT) + 2
        if self._more:
            where = ": sheet Engines" if book.get_worksheet_by_name("Engines") else ""
            sheet.write_string(line, 0, f"and {count(self._more, 'engine')} more{where}")

    def _chart(self, block: _Block, first: int, last: int) -> None:
        """Bars of the slowest layers, beside them."""
        chart = self._book.add_chart({"type": "bar"})
        chart.add_series(
            {
                "name": "ms",
                "categories": ["Summary", first, 1, last, 1],
                "values": ["Summary", first, 3, last, 3],
                "categories_data": [slow.label for slow in block.slowest],
                "values_data": [slow.ms for slow in block.slowest],
                "fill": {"color": "#C55A11"},
                "gap": 40,
                "data_labels": {"value": True, "num_format": "0.000"},
            }
        )
        kind = "builder's estimates, ms" if block.estimated else "measured, ms"
        words = f"The {count(len(block.slowest), 'slowest layer')} ({kind})"
        chart.set_title({"name": words, "name_font": {"size": 12}})
        chart.set_legend({"none": True})
        chart.set_y_axis({"reverse": True, "num_font": {"size": 8}})
        chart.set_x_axis({"major_gridlines": {"visible": True, "line": {"color": "#D9D9D9"}}})
        chart.set_size({"width": 760, "height": 20 * _HEIGHT})
        self._sheet.insert_chart(first - 2 - len(block.facts), 6, chart)


def _label(layer: Layer) -> str:
    return f"{layer.index} {headline(layer)}: {part(layer)}"


def _known(subject: Subject, *keys: str) -> Iterator[tuple[str, str]]:
    """The labels and texts of fields of the engine that are known."""
    for key in keys:
        field = BY_KEY[key]
        value = field.value(subject, subject.engine)
        if value not in (None, "", ()):
            yield field.label, visible(str(field.words(value)))


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    """What is known of the engine, in words."""
    costs = subject.costs
    yield from _known(subject, "source.file", "tensorrt", "facts.device.name", "facts.precisions")
    if (took := costs.sum_of_runs if costs.is_sum else costs.shown_total) is not None:
        kind = "the builder's estimates" if costs.estimated else how_measured(costs)
        yield "sum of layers", f"{milliseconds(took)}, {kind}; {timed_layers(costs)}"
    yield from _known(subject, "latency_ms", "throughput_qps")
    reformats = list(filter(is_reformat, costs.layers))
    share = costs.part(reformats)
    part = f", {percent(share)} of the time" if share else ""
    yield "reformats", f"{len(reformats):,}{part}"
    findings = subject.findings
    yield (
        "findings",
        f"{len(findings):,}"
        + (f", the first: {findings[0].code} {findings[0].rule.name}" if findings else ""),
    )
