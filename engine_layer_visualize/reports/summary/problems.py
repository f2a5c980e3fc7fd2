"""The section on problems of reading, and on the log's warnings and errors, each with its line."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.json import problem_json
from engine_layer_visualize.fields.objects import plain


def collect(costs: Costs, top: int) -> JsonValue:
    """Problems of reading, and messages of the log."""
    engine = costs.engine
    facts = engine.facts
    return {
        "reading": [problem_json(problem) for problem in engine.problems],
        "warnings": facts.warnings if facts is not None else None,
        "errors": facts.errors if facts is not None else None,
        "log": plain(facts.messages) if facts is not None else [],
    }


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    assert isinstance(data, dict)
    reading, log = page.rows_of(data["reading"]), page.rows_of(data["log"])
    if not reading and not log:
        return
    yield page.Heading("Problems")
    rows = [
        (f"{row['line']}", f"{row['severity']} {row['code']}", str(row["message"]))
        for row in reading
    ]
    rows += [(f"{row['line']}", f"the log's {row['severity']}", str(row["text"])) for row in log]
    yield page.Grid((">line", "what", "message"), tuple(rows))
    total = sum(n for n in (data["warnings"], data["errors"]) if isinstance(n, int))
    if total > len(log):
        more = count(total - len(log), "more warning or error", "more warnings and errors")
        yield page.Paragraph(f"… and {more} in the log.")
