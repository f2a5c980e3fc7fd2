"""Where the log says what a summary tells: ranges of lines, and lines that are no engine's.

takes: the `Costs` of an engine; what a log left over
gives: rows of (what, first line, last line)
never: leaves lines out in silence
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Span, Unassigned
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.outputs.data.build_info_json import keyed_rows
from engine_layer_visualize.outputs.report.page import Block, Data, Grid, Heading, ms, rows_of

_KINDS = ("sections", "warnings", "autotuning", "memory")


def collect(costs: Costs, top: int) -> JsonValue:
    facts = costs.engine.facts
    if facts is None:
        return {kind: [] for kind in _KINDS}
    return {
        "sections": _spans(facts.sources.sections),
        "warnings": _spans(facts.sources.warnings),
        "autotuning": _spans(facts.sources.autotuning),
        "memory": _spans(facts.sources.memory),
    }


def _spans(spans: Iterable[Span]) -> list[JsonValue]:
    return [
        {"what": span.what, "first_line": span.first_line, "last_line": span.last_line}
        for span in spans
    ]


def page(data: JsonValue, engine: Data) -> Iterator[Block]:
    assert isinstance(data, dict)
    rows = [row for kind in _KINDS for row in rows_of(data[kind])]
    if rows:
        yield Heading("Taken from these lines of the log")
        yield Grid((">lines", "what"), tuple((_lines(row), str(row["what"])) for row in rows))


def unassigned(left: Iterable[Unassigned]) -> list[JsonValue]:
    """What belongs to no engine, as data."""
    return keyed_rows(left)


def unassigned_page(data: JsonValue) -> Iterator[Block]:
    """The same as blocks of a page; none where nothing is left."""
    rows = rows_of(data)
    if not rows:
        return
    yield Heading("Lines of the log that belong to none of these engines", level=1)
    yield Grid(
        (">lines", "what", "why", ">GPU compute", ">warnings", ">errors"),
        tuple(
            (
                _lines(row),
                str(row["what"]),
                str(row["why"]),
                ms(row["gpu_compute_ms"]),
                str(row["warnings"]),
                str(row["errors"]),
            )
            for row in rows
        ),
    )


def _lines(row: Data) -> str:
    first, last = row["first_line"], row["last_line"]
    return f"{first}" if first == last else f"{first}–{last}"
