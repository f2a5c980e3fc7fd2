"""The sections on the lines of the log: those used for an engine, and those of no engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.sources import Sources
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import plain

_KINDS = ("sections", "warnings", "autotuning", "memory")


def collect(costs: Costs, top: int) -> JsonValue:
    """The ranges of lines by what was read there."""
    facts = costs.engine.facts
    return plain(facts.sources if facts is not None else Sources())


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    assert isinstance(data, dict)
    rows = [row for kind in _KINDS for row in page.rows_of(data[kind])]
    if rows:
        yield page.Heading("Taken from these lines of the log")
        yield page.Grid((">lines", "what"), tuple((_lines(row), str(row["what"])) for row in rows))


def unassigned(left: Iterable[Unassigned]) -> JsonValue:
    """Data of the lines that belong to no engine."""
    return plain(list(left))


def unassigned_blocks(left: Iterable[Unassigned], several: bool) -> Iterator[page.Block]:
    """Blocks of the same; none where every line belongs to an engine. `several`: the report is of
    several logs, of which this is one."""
    rows = page.rows_of(unassigned(left))
    if not rows:
        return
    log = rows[0]["file"] if several else "the log"
    yield page.Heading(f"Lines of {log} that belong to none of these engines", level=1)
    yield page.Grid(
        (">lines", "what", "why", ">GPU compute", ">warnings", ">errors"),
        tuple(
            (
                _lines(row),
                str(row["what"]),
                str(row["why"]),
                page.ms(row["gpu_compute_ms"]),
                str(row["warnings"]),
                str(row["errors"]),
            )
            for row in rows
        ),
    )


def _lines(row: page.Data) -> str:
    first, last = row["first_line"], row["last_line"]
    return f"{first}" if first == last else f"{first}–{last}"
