"""Lists the sections of a summary, and makes their data and blocks of a page.

A new section is a module with `collect` and `blocks`, and an entry in `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine, JsonValue, Statistic
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.documents.blocks import Advice, Block, Data, Grid, Paragraph
from engine_layer_visualize.reports.summary import (
    autotuning,
    findings,
    fusions,
    latency,
    memory,
    model,
    optimization_profiles,
    overview,
    problems,
    reformats,
    shares,
    slowest,
    sources,
    work,
)


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
    Section("types", shares.types, shares.types_blocks),
    Section("precisions", shares.precisions, shares.precisions_blocks),
    Section("findings", findings.collect, findings.blocks, whole=True),
    Section("slowest", slowest.collect, slowest.blocks),
    Section("work", work.collect, work.blocks),
    Section("optimization_profiles", optimization_profiles.collect, optimization_profiles.blocks),
    Section("reformats", reformats.collect, reformats.blocks),
    Section("foreign_nodes", fusions.foreign, fusions.foreign_blocks),
    Section("fusions", fusions.collect, fusions.blocks),
    Section("onnx", model.collect, model.blocks),
    Section("memory", memory.collect, memory.blocks, facts=True),
    Section("autotuning", autotuning.collect, autotuning.blocks, facts=True),
    Section("latency", latency.collect, latency.blocks, facts=True),
    Section("problems", problems.collect, problems.blocks),
)
_KEYED: Final = {section.key: section for section in SECTIONS}


def summarize(
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
        data["sources"] = sources.collect(costs)
    return data


def pages(data: dict[str, JsonValue], only: Sequence[str] = (), top: int = 10) -> Iterator[Block]:
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
