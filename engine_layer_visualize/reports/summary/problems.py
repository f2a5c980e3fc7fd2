"""Reports problems of reading, each with its line, and how many the log tells of itself."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.json import problem_json
from engine_layer_visualize.fields.objects import picked, plain


def collect(costs: Costs, top: int) -> JsonValue:
    """Problems of reading, and messages of the log."""
    engine = costs.engine
    facts = engine.facts or EngineFacts()
    return {
        "reading": [problem_json(problem) for problem in engine.problems],
        **picked(facts, "warnings", "errors"),
        "log": plain(facts.messages),
    }


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    reading = page.rows_of(data["reading"])
    told = [count(data[kind], kind[:-1]) for kind in ("errors", "warnings") if data[kind]]
    if not reading and not told:
        return
    yield page.Heading("Problems")
    if reading:
        rows = (
            (f"{row['line']}", f"{row['severity']} {row['code']}", row["message"])
            for row in reading
        )
        yield page.Grid((">line", "what", "message"), tuple(rows))
    if told:
        yield page.Paragraph(f"The log has {' and '.join(told)} of its own.")
