"""Makes one short page of the engines of a log: times, slowest layers, what to do.

One or two engines have some twenty lines each; of more engines each has a row of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.reports.summary import findings, overview, runs, slowest

_ENGINE_PAGES: Final = 2  # engines that have a page each
_SLOWEST_LAYERS: Final = 5
_THINGS_TO_TRY: Final = 3
_COLUMNS: Final = ("touches", "share", "could", "what", "rule", "layers")
_MORE: Final = "This is the report with --brief; without it there is more."
_ONE: Final = " With --engine N it is about one of them."


def blocks(engines: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[page.Block]:
    """Yields the page of a log. Raises ReadError as `Costs` does."""
    pages: list[page.Block] = []
    rows: list[tuple[Words, ...]] = []
    left, files = 0, dict[str, None]()
    for engine in engines:
        if isinstance(engine, Unassigned):
            left += 1
            continue
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        to_do = [row for row in page.rows_of(findings.collect(costs, 0)) if row["shown"]]
        rows.append((engine.source.file, *_row(costs, to_do[0] if to_do else None)))
        files[engine.source.file] = None
        if len(rows) <= _ENGINE_PAGES:
            pages += _page(costs, to_do, min(options.top, _SLOWEST_LAYERS))
    yield from pages if len(rows) <= _ENGINE_PAGES else _table(rows, list(files))
    if left:
        yield page.Paragraph(
            f"{count(left, 'run belongs', 'runs belong')} to none of these engines."
        )
    if rows:
        yield page.Paragraph(_MORE + _ONE * (len(rows) > _ENGINE_PAGES))


def _page(costs: Costs, to_do: list[page.Data], top: int) -> Iterator[page.Block]:
    """Yields the blocks of one engine."""
    engine = overview.collect(costs, top)
    yield from overview.blocks(engine, engine)
    for block in slowest.blocks(page.rows_of(slowest.collect(costs, top)), engine):
        yield block.only("time", "share", "layer") if isinstance(block, page.Grid) else block
    if to_do:
        yield page.Heading("What to try")
        shown = to_do[:_THINGS_TO_TRY]
        yield findings.table(shown, str(shown[0]["share_of"])).only(*_COLUMNS).filled()
        if len(to_do) > _THINGS_TO_TRY:
            more = count(len(to_do) - _THINGS_TO_TRY, "more thing")
            yield page.Paragraph(f"… and {more} to try.")
    yield from _problems(costs)


def _problems(costs: Costs) -> Iterator[page.Block]:
    """Yields how many problems and warnings there are; nothing where there are none."""
    engine, facts = costs.engine, costs.engine.facts
    said = [count(len(engine.problems), "problem") + " while reading"] if engine.problems else []
    if facts is not None:
        for number, noun in ((facts.errors, "error"), (facts.warnings, "warning")):
            if number:
                said.append(f"{count(number, noun)} in the log")
    if said:
        yield page.Paragraph(f"{', '.join(said)}.")


def _row(costs: Costs, todo: page.Data | None) -> tuple[Words, ...]:
    """Returns the row of an engine in a table of many."""
    longest: Words = "–"
    if costs.ranking:
        layer = slowest.row(costs.ranking[0], costs)
        share = " ".join(filter(None, (page.part(layer["share"]), costs.share_words or "")))
        longest = f"{layer['index']} ", Name(str(layer["operators"])), f", {share}"
    gain = f", could save {page.ms(todo['ms'])}" if todo is not None and todo["ms"] else ""
    return (
        str(costs.engine.index),
        str(len(costs.engine.layers)),
        f"{costs.now.timed} of {costs.now.layers}",
        page.ms(costs.shown_total),
        page.word(costs.kind),
        longest,
        "–" if todo is None else f"{todo['code']}{gain}: {todo['advice']}",
    )


def _table(rows: list[tuple[Words, ...]], files: list[str]) -> Iterator[page.Block]:
    """Yields a table of engines; the heading names the log where there is only one.

    Args:
        rows: the log and the columns of each engine.
        files: all logs.
    """
    is_single = len(files) == 1
    of = files[0] if is_single else count(len(files), "log")
    yield page.Heading(f"{count(len(rows), 'engine')} of {of}", level=1)
    times = (">layers", ">timed", ">time", "times")
    heads = ("log", ">engine", *times, "longest layer", "what to try first")
    yield page.Grid(heads[is_single:], tuple(row[is_single:] for row in rows)).filled()
    if any(row[4] == "–" for row in rows):
        yield page.Advice(runs.UNTIMED)
