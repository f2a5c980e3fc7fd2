"""Makes the summary of an engine: its sections, as data and as blocks of a page.

`sections` has all that is known of an engine, `brief` what fits on a screen. `cells` makes tables.
The modules `terminal`, `markdown`, `summary_json` and `csv` write the summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, JsonValue, Statistic
from engine_layer_visualize.core.options import Peak, ReportOptions
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Advice, Block, Data, Grid, Paragraph
from engine_layer_visualize.reports import autotuning, fusions, overview, reformats, slowest, work
from engine_layer_visualize.reports import autotuning as sources
from engine_layer_visualize.reports import overview as model
from engine_layer_visualize.reports import overview as optimization_profiles
from engine_layer_visualize.reports import overview as problems
from engine_layer_visualize.reports import reformats as findings
from engine_layer_visualize.reports import reformats as memory
from engine_layer_visualize.reports import rows as runs
from engine_layer_visualize.reports import slowest as latency
from engine_layer_visualize.reports import slowest as shares

# ---- makes one short page of the engines of a log: times, slowest layers, what to do ------------

# One or two engines have some twenty lines each; of more engines each has a row of a table.


_ENGINE_PAGES: Final = 2  # engines that have a page each
_SLOWEST_LAYERS: Final = 5
_THINGS_TO_TRY: Final = 3
_COLUMNS: Final = ("touches", "share", "could", "what", "rule", "layers")
_MORE: Final = "This is the report with --brief; without it there is more."
_ONE: Final = " With --engine N it is about one of them."


def brief_blocks(
    engines: Iterable[Engine | Unassigned], options: ReportOptions
) -> Iterator[page.Block]:
    """Yields the page of a log. Raises ReadError as `Costs` does."""
    pages: list[page.Block] = []
    rows: list[tuple[Words, ...]] = []
    left, files = 0, dict[str, None]()
    for engine in engines:
        if isinstance(engine, Unassigned):
            left += 1
            continue
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        to_do = [row for row in page.rows_of(reformats.findings_collect(costs, 0)) if row["shown"]]
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
        yield reformats.findings_table(shown, str(shown[0]["share_of"])).only(*_COLUMNS).filled()
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


def log_pages(
    engines: Iterable[Engine | Unassigned], options: ReportOptions
) -> Iterator[Iterator[Block]]:
    """A page for each engine, and one for the lines of the log that belong to none.

    With `brief` it is one page for all.
    """
    if options.brief:
        yield brief_blocks(engines, options)
        return
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.reports import autotuning

    left: list[Unassigned] = []
    for engine in engines:
        if isinstance(engine, Unassigned):
            if not options.sections:
                left.append(engine)
            continue
        if left:  # of the log before this one's
            yield autotuning.unassigned_blocks(left, options.several)
            left = []
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        data = collected(costs, options.top, options.sections)
        yield sections_pages(data, options.sections, options.top)
    if left:
        yield autotuning.unassigned_blocks(left, options.several)


# ---- lists the sections of a summary, and makes their data and blocks of a page -----------------

# A new section is a module with `collect` and `blocks`, and an entry in `SECTIONS`.


class Section(NamedTuple):
    """A section. Where its data is None there are no blocks."""

    key: str  # of its data in the JSON
    collect: Callable[[Costs, int], JsonValue]  # (costs, top) -> the data
    # (data, data of the section `engine`) -> blocks of a page
    blocks: Callable[..., Iterator[Block]]
    facts: bool = False  # whether it needs what the log says besides the listing
    whole: bool = False  # whether its data holds all rows, and `blocks` takes `top`, too

    def page(self, data: JsonValue, engine: Data, top: int) -> Iterator[Block]:
        """The blocks."""
        return self.blocks(data, engine, top) if self.whole else self.blocks(data, engine)


_NOT_READ: Final = (
    "Build info was not read: there are no estimates, and nothing about {nodes}memory, autotuning, "
    "the precisions that the build allowed and the end-to-end latency. "
    "`elv.read(…)` reads it unless `facts=False`."
)
SECTIONS: Final = (
    Section("engine", overview.collect, overview.blocks),
    Section("types", shares.shares_types, shares.types_blocks),
    Section("precisions", shares.shares_precisions, shares.precisions_blocks),
    Section("findings", findings.findings_collect, findings.findings_blocks, whole=True),
    Section("slowest", slowest.collect, slowest.blocks),
    Section("work", work.collect, work.blocks),
    Section(
        "optimization_profiles",
        optimization_profiles.optimization_profiles_collect,
        optimization_profiles.optimization_profiles_blocks,
    ),
    Section("reformats", reformats.collect, reformats.blocks),
    Section("foreign_nodes", fusions.foreign, fusions.foreign_blocks),
    Section("fusions", fusions.collect, fusions.blocks),
    Section("onnx", model.model_collect, model.model_blocks),
    Section("memory", memory.memory_collect, memory.memory_blocks, facts=True),
    Section("autotuning", autotuning.collect, autotuning.blocks, facts=True),
    Section("latency", latency.latency_collect, latency.latency_blocks, facts=True),
    Section("problems", problems.problems_collect, problems.problems_blocks),
)
_KEYED: Final = {section.key: section for section in SECTIONS}


def sections_summarize(
    engine: Engine,
    top: int = 10,
    profile: int | None = None,
    statistic: Statistic = "mean",
    only: Sequence[str] = (),
    peak: Peak | None = None,
) -> dict[str, JsonValue]:
    """Every section's data by its key; lists of the largest hold `top` rows.

    `profile`: the optimisation profile that times are of (None: the first); `statistic`: mean or
    median of a layer's times; `only`: the keys of the sections, and `engine` is always there;
    `peak`: as in `Costs`.
    """
    return collected(Costs(engine, profile, statistic, peak), top, only)


def collected(costs: Costs, top: int = 10, only: Sequence[str] = ()) -> dict[str, JsonValue]:
    """Every section's data, of an engine whose times are known; of all sections its lines, too."""
    wanted = {"engine", *(only or _KEYED)}
    data = {
        section.key: None
        if section.facts and costs.engine.facts is None
        else section.collect(costs, top)
        for section in SECTIONS
        if section.key in wanted
    }
    if not only:
        data["sources"] = sources.sources_collect(costs)
    return data


def sections_pages(
    data: dict[str, JsonValue], only: Sequence[str] = (), top: int = 10
) -> Iterator[Block]:
    """Every section's data as blocks of a page.

    Args:
        data: What `summarize` returned.
        only: The keys of the sections to show, in their order; none: all.
        top: The number of rows of the findings.
    """
    engine = data["engine"]
    assert isinstance(engine, dict)
    title, *known = overview.blocks(engine, engine)
    if any(value is None for key, value in data.items() if key != "onnx"):
        unnamed = any(data.get(key, ()) is None for key in ("foreign_nodes", "fusions"))
        known.append(Advice(_NOT_READ.format(nodes="fusions, " if unnamed else "")))
    yield title
    for key in only or _KEYED:
        if data[key] is None:
            continue
        section = known if key == "engine" else list(_KEYED[key].page(data[key], engine, top))
        if only and not section:
            section = [Paragraph(f"`{key}`: this log has nothing for this section.")]
        yield from (block.filled() if isinstance(block, Grid) else block for block in section)
