"""The answers that people want of an engine, as data and as a page.

takes: an `Engine` with its facts
gives: SECTIONS, the tuple that the rest goes by; `summarize`, `pages`
never: sets a page for a terminal, Markdown or a file: that is `sheets`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.model import Engine, JsonValue
from engine_layer_visualize.summary import (
    autotuning,
    fusions,
    higher,
    latency,
    memory,
    overview,
    problems,
    reformats,
    shares,
    slowest,
)
from engine_layer_visualize.summary.page import Block, Grid


@dataclass(frozen=True, slots=True)
class Section:
    """`key` of its data in the JSON; `collect(engine, top)` gives them, `page(data)` the blocks."""

    key: str
    collect: Callable[[Engine, int], JsonValue]
    page: Callable[[JsonValue], Iterator[Block]]


SECTIONS: Final = (
    Section("engine", overview.collect, overview.page),
    Section("slowest", slowest.collect, slowest.page),
    Section("types", shares.types, shares.types_page),
    Section("precisions", shares.precisions, shares.precisions_page),
    Section("reformats", reformats.collect, reformats.page),
    Section("higher_precision", higher.collect, higher.page),
    Section("foreign_nodes", fusions.foreign, fusions.foreign_page),
    Section("fusions", fusions.collect, fusions.page),
    Section("memory", memory.collect, memory.page),
    Section("autotuning", autotuning.collect, autotuning.page),
    Section("latency", latency.collect, latency.page),
    Section("problems", problems.collect, problems.page),
)


def summarize(engine: Engine, top: int = 10) -> dict[str, JsonValue]:
    """Every section's data by its key; lists of the largest hold `top` rows."""
    return {section.key: section.collect(engine, top) for section in SECTIONS}


def pages(data: dict[str, JsonValue]) -> Iterator[Block]:
    """The same as blocks of a page."""
    for section in SECTIONS:
        for block in section.page(data[section.key]):
            yield block.told() if isinstance(block, Grid) else block
