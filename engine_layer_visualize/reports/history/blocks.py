"""What a report of a history says: steps first, then modules, then the builds."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from engine_layer_visualize.comparison.gate.limits import signed
from engine_layer_visualize.comparison.history import sentences
from engine_layer_visualize.comparison.history.series import Histories, Series, Step
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.tuning import Search
from engine_layer_visualize.core.words import Name, Words, plain
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.drawings.history import picture
from engine_layer_visualize.reports.pages import MAX_NAME, Html, Markdown, Text

_ENDS: Final = 5  # builds whose median is a module's time at first, and now
_BESIDE: Final = 2  # builds on either side of a step, that are always shown


def blocks(found: Histories, top: int | None) -> Iterator[page.Block]:
    """All histories. `top`: rows of the list of builds; None: all of them."""
    for number, series in enumerate(found.shown):
        yield page.Heading(plain(sentences.title(series)), 1)
        yield page.Paragraph(sentences.first(series))
        if number:
            yield page.Paragraph(sentences.apart(found.series[0], series))
        if measured := sentences.measured(series):
            yield page.Paragraph(measured)
        yield from _steps(series)
        yield from _modules(series)
        yield from _builds(series, top)

    if found.search.iterations:
        yield from _iterations(found.search, top)
    if found.alone:
        yield page.Heading("Builds that no other is comparable with")
        rows = tuple(_alone(series) for series in found.alone[:top])
        yield page.Grid(("build", ">time", ">layers", "of", "TensorRT", "measured"), rows).filled()
        if top is not None and len(found.alone) > top:
            yield page.Paragraph(f"… and {count(len(found.alone) - top, 'more build')}.")


def _iterations(search: Search, top: int | None) -> Iterator[page.Block]:
    yield page.Heading("Iterations of the search", 1)
    rows = tuple(
        (str(each.number), Name(each.route), page.ms(each.gpu_time), Name(each.failure))
        for each in search.iterations[:top]
    )
    yield page.Grid((">iteration", "route", ">time", "failed"), rows).filled()
    if top is not None and len(search.iterations) > top:
        yield page.Paragraph(f"… and {count(len(search.iterations) - top, 'more iteration')}.")
    yield page.Paragraph("`sweep` tells what each knob of the routes changed.")


def _alone(series: Series) -> tuple[Words, ...]:
    (build,), known = series.builds, series.conditions
    under = " · ".join(filter(None, (known.device, known.batch)))
    return (
        Name(build.label),
        page.ms(series.ms[0]),
        f"{build.layers:,}",
        f"network {series.network}",
        page.called(known.tensorrt),
        page.called(under),
    )


def _steps(series: Series) -> Iterator[page.Block]:
    rows = [_step(series, "the engine", step) for step in series.steps]
    for module in series.modules:
        rows += [_step(series, Name(module.name), step) for step in module.steps]
    for found in series.reformats:
        label = Name(series.builds[found.build].label)
        rows.append(("reformats", label, "–", f"{found.before:,}", f"{found.after:,}", "–", "–"))
    if rows:
        yield page.Heading("What changed for good")
        columns = ("of", "from", ">change", ">before", ">after", "95 % interval", "with it")
        yield page.Grid(columns, tuple(rows)).filled()


def _step(series: Series, of: Words, step: Step) -> tuple[Words, ...]:
    return (
        of,
        Name(series.builds[step.build].label),
        signed(step.change),
        milliseconds(step.before_ms),
        milliseconds(step.after_ms),
        sentences.between(step),
        sentences.came_with(series, step),
    )


def _modules(series: Series) -> Iterator[page.Block]:
    rows = []
    for module in series.modules:
        known = [ms for ms in module.ms if ms is not None]
        before, now = median(known[:_ENDS]), median(known[-_ENDS:])
        change = signed(now / before - 1) if before else "–"
        rows.append((Name(module.name), milliseconds(before), milliseconds(now), change))
    if rows:
        yield page.Heading("The costliest modules")
        yield page.Grid(("module", ">at first", ">now", ">change"), tuple(rows))
        yield page.Paragraph(f"Medians of the first, and of the last {_ENDS} builds.")


def _builds(series: Series, top: int | None) -> Iterator[page.Block]:
    total = len(series.builds)
    places = _shown(series, top)
    yield page.Heading("The builds")
    columns = ("build", ">time", ">change", ">runs", ">layers", ">reformats", "TensorRT", "note")
    yield page.Grid(columns, tuple(_build(series, place) for place in places)).filled()
    if len(places) < total:
        left = count(total - len(places), "build")
        yield page.Paragraph(f"{left} are not shown: these are the last ones, and those at steps.")


def _shown(series: Series, top: int | None) -> list[int]:
    total = len(series.builds)
    if top is None or total <= top:
        return list(range(total))
    kept = set(range(total - top, total))
    for step in series.steps[-top:]:
        kept |= set(range(max(0, step.build - _BESIDE), min(total, step.build + _BESIDE)))
    return sorted(kept)


def _build(series: Series, place: int) -> tuple[Words, ...]:
    build, ms = series.builds[place], series.ms[place]
    before = next((known for known in series.ms[place - 1 :: -1] if known), None) if place else None
    run = None if series.kind is None else build.times.get(series.kind)
    step = next((step for step in series.steps if step.build == place), None)
    return (
        Name(build.label),
        page.ms(ms),
        signed(ms / before - 1) if ms and before else "–",
        "–" if run is None else f"{run.number:,}",
        f"{build.layers:,}",
        f"{build.reformats:,}",
        page.called(build.conditions.tensorrt),
        sentences.note(series, place)
        or (f"step: {sentences.speed(step.change)}" if step is not None else ""),
    )


def pages(found: Histories, options: ReportOptions) -> Iterator[Iterator[page.Block]]:
    """The only page."""
    yield blocks(found, None if options.full else options.top)


text, markdown, html = Text(pages, MAX_NAME), Markdown(pages), Html(pages, picture)
