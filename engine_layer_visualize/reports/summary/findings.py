"""Reports what makes the engine slow and what to do, what counts most first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.json import finding_json
from engine_layer_visualize.fields.stakes import is_partly_timed
from engine_layer_visualize.linting import of
from engine_layer_visualize.linting.finding import Finding, first_steps
from engine_layer_visualize.linting.totals import inference, share_words

_MOST_NAMES: Final = 3  # of the layers of a finding


def collect(costs: Costs, top: int) -> JsonValue:
    """Returns all findings of the optimisation profile as JSON, in their order."""
    return [*rows(of(costs), costs)]


def rows(findings: Iterable[Finding], costs: Costs) -> list[page.Data]:
    """Returns findings as JSON, each with the share of an inference that it touches at least."""
    whole, share_of = inference(costs), share_words(costs)
    return [
        {
            **finding_json(finding),
            "share": share(finding.touches_ms, whole),
            "share_of": share_of,
            "partly_timed": is_partly_timed(finding, costs),
        }
        for finding in findings
    ]


def blocks(data: JsonValue, engine: page.Data, top: int) -> Iterator[page.Block]:
    """Yields the findings of the first screen as blocks of a page.

    Args:
        data: all findings.
        engine: the overview of the engine.
        top: the most rows of the table.
    """
    every = page.rows_of(data)
    yield page.Heading("Findings")
    if not every:
        yield page.Paragraph(
            "None." if page.whole(engine) else "None by the layers that are listed."
        )
        return
    shown = [row for row in every if row["shown"]][:top]
    if shown:
        yield table(shown, str(shown[0]["share_of"])).filled()
    left = left_out(len(every), len(shown))
    more = f"{left}. " if left else ""
    yield page.Paragraph(f"{more}`lint --full` prints all of them, with the lines of the log.")


def left_out(every: int, shown: int) -> str:
    """Returns how many findings are not on the first screen; empty where all are."""
    if not shown:
        return f"{count(every, 'finding')} about little of the time, or about times not known"
    return f"… {count(every - shown, 'more finding')}" if every > shown else ""


def table(rows: Sequence[page.Data], share_of: str) -> page.Grid:
    """Returns a table with a row for each finding; its head says what shares are of."""
    return page.Grid(
        (
            ">",
            ">touches",
            f">share {share_of}".rstrip(),
            ">could save",
            "what to do",
            "rule",
            "layers",
        ),
        tuple(
            (
                str(row["rank"]),
                "≥ " * bool(row["partly_timed"] and row["touches_ms"]) + page.ms(row["touches_ms"]),
                page.part(row["share"]),
                page.ms(row["ms"]),
                first_steps(str(row["advice"])),
                str(row["code"]),
                _indices(row),
            )
            for row in rows
        ),
    )


def _indices(row: page.Data) -> str:
    """Returns the indices of layers: `3, 49, 51 and 17 more`."""
    layers = row["layers"] or row["about"]
    assert isinstance(layers, list)
    if not layers:
        return "the whole engine"
    more = len(layers) - _MOST_NAMES
    shown = ", ".join(map(str, layers[:_MOST_NAMES]))
    return f"{shown} and {more:,} more" if more > 0 else shown
