"""Lists layers of an engine, those that a query finds or all, as text, CSV and JSON."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.core.words import Name, plain
from engine_layer_visualize.documents.blocks import Grid, Paragraph, grid
from engine_layer_visualize.facts.layer import BY_KEY, cell, of_fields
from engine_layer_visualize.facts.query import Query
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import overview

Order = Literal["index", "time", "name"]
_KEYS: Final = (
    *("index", "name", "type", "report.operators", "report.precision", "report.kernel", "ms"),
    *("share", "time_kind", "line", "tactic", "report.inputs", "report.outputs", "device", "scope"),
    *("facts.onnx_nodes", "optimization_profile"),
)
_LEAST: Final = 20  # characters of a name


class Listed(NamedTuple):
    """Layers of an engine, in the order of a list.

    Attributes:
        subject: The engine.
        layers: Those that are shown.
        found: How many the query finds.
        missing: Why a query finds nothing, in sentences.
    """

    subject: Subject
    layers: tuple[Layer, ...]
    found: int
    missing: tuple[str, ...] = ()

    @property
    def time(self) -> tuple[float | None, float | None]:
        """The ms and the share of these layers together; None of several optimisation profiles."""
        costs = self.subject.costs
        timed = [layer for layer in self.layers if costs.share(layer) is not None]
        profiles = {costs.profile_of(layer) for layer in timed}
        if len(profiles) != 1:
            return None, None
        costs = costs.of_profile(profiles.pop())
        return costs.sum(timed), costs.part(timed)

    @property
    def words(self) -> str:
        """`5 of 54 layers · 30.9 µs · 2.1 %`; what is not known is left out."""
        ms, share = self.time
        shown, of = len(self.layers), len(self.subject.engine.layers)
        told = [f"{shown:,} of {count(of, 'layer')}"]
        told += [milliseconds(ms)] if ms is not None else []
        told += [percent(share)] if share is not None else []
        told += [f"{self.found:,} found"] if shown < self.found < of else []
        return " · ".join(told)


def listed(
    subject: Subject,
    query: Query,
    order: Order = "index",
    limit: int | None = None,
    profile: int | None = None,
) -> Listed:
    """Chooses layers, and sorts them.

    Args:
        subject: The engine.
        query: Which layers are meant.
        order: By time the slowest is first, and layers without a time are last.
        limit: How many are listed at most.
        profile: The only optimisation profile; None: all.
    """
    costs, searched = subject.costs, Searched(subject)
    indices = searched.find(query)
    found = [
        layer
        for layer in subject.engine.layers
        if layer.index in indices and (profile is None or costs.profile_of(layer) == profile)
    ]
    if order == "time":
        time = costs.share if costs.is_sum else costs.of
        found.sort(key=lambda layer: (time(layer) is None, -(time(layer) or 0.0)))
    elif order == "name":
        found.sort(key=lambda layer: layer.name)
    missing = () if found else tuple(searched.why_not(query))
    return Listed(subject, tuple(found[:limit]), len(found), missing)


def as_text(found: Iterable[Listed], options: ReportOptions) -> Iterator[str]:
    """A row for each layer, and a line at the end."""
    from engine_layer_visualize.documents import terminal

    for each in found:
        table = _grid(each).filled()
        beside = zip(*(row[:-1] for row in (table.heads, *table.rows)))
        widths = (max(terminal.extent(plain(cell)) for cell in column) + 2 for column in beside)
        room = max(_LEAST, options.width - 2 - sum(widths))  # a row is a line
        rows = [table] if table.rows else []
        blocks = (*overview.timed(each.subject), *rows, Paragraph(each.words))
        yield terminal.set_page(blocks, options.width, options.color, options.full, room)


def _grid(each: Listed) -> Grid:
    subject = each.subject
    return grid(
        each.layers,
        (">index", cell(subject, "index")),
        (">time", cell(subject, "ms")),
        (f">share {subject.costs.share_words}".rstrip(), cell(subject, "share")),
        ("operators", cell(subject, "report.operators")),
        ("precision", cell(subject, "report.precision")),
        ("name", lambda layer: Name(layer.name)),
    )


def as_csv(found: Iterable[Listed], options: ReportOptions) -> Iterator[str]:
    """A row for each layer: times in ms, shares from 0 to 1. An empty cell is not known.

    Where there are several logs, `file` stands before the other columns.
    """
    from engine_layer_visualize.documents.markup import table

    columns = (key.rpartition(".")[2] for key in _KEYS)
    head: Sequence[str] = (*["file"] * options.several, "engine", *columns)
    for each in found:
        yield table(head, _rows(each, options.several))
        head = ()


def _rows(each: Listed, several: bool) -> Iterator[Iterable[object]]:
    engine = each.subject.engine
    start = (engine.source.file, engine.index) if several else (engine.index,)
    for layer in each.layers:
        cells = (BY_KEY[key].value(each.subject, layer) for key in _KEYS)
        yield *start, *(" + ".join(x) if isinstance(x, tuple) else x for x in cells)


def as_json(found: Iterable[Listed], options: ReportOptions) -> Iterator[str]:
    """Writes `{"schema": 1, "engines": [...]}`, an engine at a time."""
    before = '{"schema": 1, "engines": ['
    for each in found:
        engine, (ms, share) = each.subject.engine, each.time
        told = {
            "index": engine.index,
            "file": engine.source.file,
            "layers": [of_fields(each.subject, layer, *_KEYS) for layer in each.layers],
            "shown": len(each.layers),
            "found": each.found,
            "of": len(engine.layers),
            "ms": ms,
            "share": share,
        }
        yield before + json.dumps(told)
        before = ","
    yield f"{'' if before == ',' else before}]}}"
