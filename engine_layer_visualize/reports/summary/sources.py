"""Reports the lines of the log that were used for an engine, and those of no engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import plain
from engine_layer_visualize.reports.summary.cells import grid, ms, word


def collect(costs: Costs) -> JsonValue:
    """Returns the ranges of lines by what was read there; None: build info was not read."""
    facts = costs.engine.facts
    return None if facts is None else plain(facts.sources)


def unassigned(left: Iterable[Unassigned]) -> JsonValue:
    """Returns the data of the lines that belong to no engine."""
    return plain(list(left))


def unassigned_blocks(left: Iterable[Unassigned], is_one_of_logs: bool) -> Iterator[page.Block]:
    """Yields blocks of the lines that belong to no engine; none where there are none.

    Args:
        left: these lines.
        is_one_of_logs: whether the report is of several logs, of which this is one.
    """
    rows = page.rows_of(unassigned(left))
    if not rows:
        return
    log = rows[0]["file"] if is_one_of_logs else "the log"
    yield page.Heading(f"Lines of {log} that belong to none of these engines", level=1)
    counts = ((f">{key}", word(key)) for key in ("warnings", "errors"))
    texts = ((key, word(key)) for key in ("what", "why"))
    yield grid(rows, [(">lines", _lines), *texts, (">GPU compute", ms("gpu_compute_ms")), *counts])


def _lines(row: page.Data) -> str:
    first, last = row["first_line"], row["last_line"]
    return f"{first}" if first == last else f"{first}–{last}"
