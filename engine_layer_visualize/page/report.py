"""Tells the page what `summary` says beyond its own views: device, options, memory and more.

The words are those of `reports.summary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.documents.blocks import Block, Grid, Heading
from engine_layer_visualize.reports.summary.sections import SECTIONS, collected, pages

# Sections that the page shows elsewhere.
_ELSEWHERE: Final = {"findings", "slowest", "types", "precisions", "optimization_profiles"}
_KEYS: Final = [each.key for each in SECTIONS if each.key not in {*_ELSEWHERE, "problems"}]
_DEVICE: Final = (
    ("memory_mib", "global memory", "MiB"),
    ("shared_kib", "shared memory of one SM", "KiB"),
    ("bus_bits", "memory bus", "bits"),
    ("compute_clock_ghz", "compute clock", "GHz"),
    ("memory_clock_ghz", "memory clock", "GHz"),
)
_LONGEST_CELL: Final = 600  # characters
_MOST_ROWS: Final = 60  # of a table


def report(costs: Costs) -> list[JsonValue]:
    """Returns [title, paragraphs and tables] of each section.

    A paragraph is a text, a table [heads, rows]; the head of a column that is set to the right
    begins with `>`.
    """
    sections: list[tuple[str, list[Any]]] = []
    for block in _blocks(costs):
        if isinstance(block, Heading):
            title = "Engine, device and build" if block.level == 1 else block.text
            sections.append((title, []))
        elif isinstance(block, Grid):
            if not block.rows:
                continue
            cells = [
                [shown(cell, None, _LONGEST_CELL) for cell in row]
                for row in block.rows[:_MOST_ROWS]
            ]
            sections[-1][1].append([list(block.columns), cells])
        else:
            sections[-1][1].append(shown(block.text, None, 4 * _LONGEST_CELL))
    return [[visible(title), inside] for title, inside in sections if inside]


def _blocks(costs: Costs) -> Iterator[Block]:
    """Yields of the engine's own section all that is known, then the other sections."""
    data = collected(costs, only=_KEYS)
    yield from pages(data, only=["engine"])
    facts = costs.engine.facts or EngineFacts()
    if facts.device is not None:
        pairs = [
            (words, f"{value} {unit}")
            for key, words, unit in _DEVICE
            if (value := getattr(facts.device, key)) is not None
        ]
        yield Grid(("device", "has"), tuple(pairs))
    yield Grid(("option", "value"), tuple((o.key, o.value) for o in facts.options if o.value))
    phases = tuple((each.name, f"{each.seconds:.3g} s") for each in facts.phases)
    yield Grid(("phase of the build", ">took"), phases)
    yield from pages(data, only=[key for key in _KEYS if key != "engine"])
