"""Reports problems of reading, and the log's warnings and errors, each with its line."""

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
    reading, log = page.rows_of(data["reading"]), page.rows_of(data["log"])
    if not reading and not log:
        return
    yield page.Heading("Problems")
    rows = [
        (f"{row['line']}", f"{row['severity']} {row['code']}", row["message"]) for row in reading
    ]
    rows += [(f"{row['line']}", f"the log's {row['severity']}", row["text"]) for row in log]
    yield page.Grid((">line", "what", "message"), tuple(rows))
    total = (data["warnings"] or 0) + (data["errors"] or 0)
    if total > len(log):
        more = count(total - len(log), "more warning or error", "more warnings and errors")
        yield page.Paragraph(f"… and {more} in the log.")
