"""What a report of a sweep says: which build won, what each knob changed, then the builds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.sweep import sentences
from engine_layer_visualize.comparison.sweep.trials import Knob, Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.drawings.sweep import picture
from engine_layer_visualize.reports.pages import MAX_NAME, Html, Markdown, Text

_ENGINE: Final = (
    ">layers", ">reformats", ">fusions", ">kernels", ">precisions", ">unmatched"
)  # fmt: skip


def blocks(sweep: Sweep, top: int | None) -> Iterator[page.Block]:
    """The whole report. `top`: rows of a list; None: all of them."""
    yield page.Heading(sentences.title(sweep), 1)
    yield page.Paragraph(sentences.first(sweep))
    for remark in sentences.remarks(sweep):
        yield page.Paragraph(remark)
    yield from _knobs(sweep, top)
    yield from _builds(sweep, top)


def _knobs(sweep: Sweep, top: int | None) -> Iterator[page.Block]:
    if not sweep.knobs:
        return
    yield page.Heading("What each knob changed")
    columns = ("knob", ">time", ">least", ">most", ">pairs", *_ENGINE)
    yield page.Grid(columns, tuple(_knob(knob) for knob in sweep.knobs[:top])).filled()
    yield from _left(len(sweep.knobs), top, "knob")
    yield page.Paragraph(
        "Builds are compared that differ in this knob alone; of several pairs the mean. The "
        "engines are those of the first pair: fusions, kernels, precisions are groups of layers "
        "with other ones, unmatched are layers without a counterpart; ~ is within the noise."
    )


def _knob(knob: Knob) -> tuple[Words, ...]:
    effect = knob.effect
    several = effect.pairs > 1
    return (
        Name(sentences.setting(effect)),
        sentences.change(effect.change),
        sentences.change(effect.least) if several else "–",
        sentences.change(effect.most) if several else "–",
        f"{effect.pairs:,}",
        *sentences.numbers(knob.changed),
    )


def _builds(sweep: Sweep, top: int | None) -> Iterator[page.Block]:
    ranking = sweep.ranking
    yield page.Heading("The builds, the fastest first")
    shown = ranking[:top]
    if sweep.base is not None and sweep.base not in shown:
        shown = [*shown, sweep.base]
    name = "iteration" if sweep.of == "routes" else "log"
    columns = (name, ">time", ">change", *_ENGINE, ">accuracy loss", "route", "note")
    yield page.Grid(columns, tuple(_build(sweep, number) for number in shown)).filled()
    yield from _left(len(ranking), top, "build")


def _left(number: int, top: int | None, what: str) -> Iterator[page.Block]:
    if top is not None and number > top:
        yield page.Paragraph(f"… and {count(number - top, f'more {what}')}.")


def _build(sweep: Sweep, number: int) -> tuple[Words, ...]:
    trial = sweep.trials[number]
    is_base = number == sweep.base
    loss = trial.accuracy_loss
    note: Words = ("failed: ", Name(trial.failure)) if trial.failure else ""
    return (
        Name(trial.name),
        page.ms(sweep.ms(number)),
        "–" if is_base else sentences.change(sweep.change(number)),
        *sentences.numbers(sweep.changed[number]),
        "–" if loss is None else f"{loss:.3g}",
        page.called(trial.route),
        "all are compared with this one" if is_base else note,
    )


def pages(found: Sweep, options: ReportOptions) -> Iterator[Iterator[page.Block]]:
    """The only page."""
    yield blocks(found, None if options.full else options.top)


text, markdown, html = Text(pages, MAX_NAME), Markdown(pages), Html(pages, picture)
