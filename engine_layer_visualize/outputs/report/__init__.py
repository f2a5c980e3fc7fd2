"""Reports: an `Engine` with build info in; data of sections, and blocks of a page made of it, out.

The modules `terminal`, `markdown`, `summary_json` and `csv` turn them into text. A new section is a
module with `collect` and `blocks`, and an entry in `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, JsonValue, Statistic
from engine_layer_visualize.outputs.options import ReportOptions
from engine_layer_visualize.outputs.report import (
    autotuning,
    fusions,
    latency,
    memory,
    optimization_profiles,
    overview,
    problems,
    reformats,
    shares,
    slowest,
    sources,
)
from engine_layer_visualize.outputs.report import higher_precision as higher
from engine_layer_visualize.outputs.report.page import Block, Data, Grid


class Section(NamedTuple):
    """`key`: of its data in the JSON; `collect(costs, top)`: the data; `blocks(data, engine)`:
    the blocks of a page, where `engine` is the data of the section `engine`."""

    key: str
    collect: Callable[[Costs, int], JsonValue]
    blocks: Callable[[JsonValue, Data], Iterator[Block]]


SECTIONS: Final = (
    Section("engine", overview.collect, overview.blocks),
    Section("slowest", slowest.collect, slowest.blocks),
    Section("types", shares.types, shares.types_blocks),
    Section("precisions", shares.precisions, shares.precisions_blocks),
    Section("optimization_profiles", optimization_profiles.collect, optimization_profiles.blocks),
    Section("reformats", reformats.collect, reformats.blocks),
    Section("higher_precision", higher.collect, higher.blocks),
    Section("foreign_nodes", fusions.foreign, fusions.foreign_blocks),
    Section("fusions", fusions.collect, fusions.blocks),
    Section("memory", memory.collect, memory.blocks),
    Section("autotuning", autotuning.collect, autotuning.blocks),
    Section("latency", latency.collect, latency.blocks),
    Section("problems", problems.collect, problems.blocks),
    Section("sources", sources.collect, sources.blocks),
)


def summarize(
    engine: Engine, top: int = 10, profile: int | None = None, statistic: Statistic = "mean"
) -> dict[str, JsonValue]:
    """Every section's data by its key; lists of the largest hold `top` rows.

    `profile`: the optimisation profile that times are of (None: the first); `statistic`: mean or
    median of a layer's times.
    """
    costs = Costs(engine, profile, statistic)
    return {section.key: section.collect(costs, top) for section in SECTIONS}


def pages(data: dict[str, JsonValue], verbose: bool = False) -> Iterator[Block]:
    """The same data as blocks of a page; `verbose`: with the section on the lines of the log."""
    engine = data["engine"]
    assert isinstance(engine, dict)
    for section in SECTIONS:
        if section.key == "sources" and not verbose:
            continue
        for block in section.blocks(data[section.key], engine):
            yield block.filled() if isinstance(block, Grid) else block


def log_pages(
    found: Iterable[Engine | Unassigned], options: ReportOptions
) -> Iterator[Iterator[Block]]:
    """A page for each engine, and one for the lines of the log that belong to none."""
    left = []
    for one in found:
        if isinstance(one, Unassigned):
            left.append(one)
            continue
        data = summarize(one, options.top, options.optimization_profile, options.time)
        yield pages(data, options.verbose)
    if left:
        yield sources.unassigned_blocks(sources.unassigned(left))
