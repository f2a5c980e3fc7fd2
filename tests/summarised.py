"""What the summary says of an engine: its data, its blocks, and its text."""

from collections.abc import Sequence
from typing import Any

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.blocks import Block
from engine_layer_visualize.documents.terminal import set_page
from engine_layer_visualize.facts.query import parse
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import layers, summary


def data_of(engine: Engine, *costs: Any, top: int = 10) -> dict[str, Any]:
    """The data of its sections; `costs`: as `Costs` takes them."""
    return dict(summary.data(Subject(Costs(engine, *costs)), top))


def blocks_of(engine: Engine, *costs: Any, top: int = 10, only: Sequence[str] = ()) -> list[Block]:
    """The blocks of its page."""
    return list(summary.blocks(Subject(Costs(engine, *costs)), top, only))


def said_of(engine: Engine, width: int = 140, color: bool = False, *costs: Any) -> str:
    """Its page, for a terminal."""
    return set_page(blocks_of(engine, *costs), width, color)


def csv_of(*engines: Engine) -> str:
    """The rows of their layers, as `layers` lists them."""
    found = (layers.listed(Subject(Costs(engine)), parse("")) for engine in engines)
    return "".join(layers.as_csv(found, ReportOptions()))
