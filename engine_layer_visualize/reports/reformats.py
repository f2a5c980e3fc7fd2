"""Reports the reformats, the memory, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs, share
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import Reason, Side, cause, without_reason
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import finding_json
from engine_layer_visualize.facts.sentences import is_partly_timed, number_of_reformats
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.finding import Finding, first_steps
from engine_layer_visualize.linting.inference import inference, share_words
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import rows as cells
from engine_layer_visualize.reports.rows import grid, identity, ms

# ---- reports the reformats, the slowest first, with reasons, times and running sums -------------

_ROWS_ON_PAGE = 20  # reformats, on a page


def collect(costs: Costs, top: int) -> JsonValue:
    """All reformats of the optimisation profile, the slowest first."""
    why = reformat_reasons.of(costs)
    layers = [layer for layer in costs.layers if is_reformat(layer)]
    layers.sort(key=lambda layer: -(costs.of(layer) or 0.0))
    rows: list[JsonValue] = []
    summed = 0.0
    for layer in layers:
        summed += costs.of(layer) or 0.0
        reason = why.get(layer.index)
        rows.append(
            {
                **identity(layer),
                "listed": layer.listed,
                "changes": list(reason.changes) if reason else [],
                "from": reason.before if reason else None,
                "to": reason.after if reason else None,
                "reason": reason.text if reason else without_reason(layer),
                "origin": reason.origin if reason else None,
                "cause": cause(layer),
                "sources": plain(reason.sources) if reason else [],
                "targets": plain(reason.targets) if reason else [],
                "dims": precisions.dims(layer.outputs[:1]),
                "ms": costs.of(layer),
                "share": costs.share(layer),
                "cumulated_ms": summed if costs.kind else None,
            }
        )
    return rows


def blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    yield page.Heading("Reformats, and why each is there")
    if not data:
        yield page.Paragraph(f"{page.none(engine)}.")
        return
    timed = any(row["ms"] is not None for row in data)
    causes = [row["cause"] for row in data]
    words = number_of_reformats(len(data), causes.count("quantiser"), causes.count("concat"))
    if timed:
        share = page.part(sum(row["share"] or 0.0 for row in data))
        untimed = sum(row["ms"] is None for row in data)
        partly = f" ({untimed} of them not timed)" if untimed else ""
        together = page.ms(data[-1]["cumulated_ms"])
        words += f", {together} together{partly}, {share} {engine['share_of'] or 'of all'}"
    yield page.Paragraph(words + ".")
    yield grid(
        data[:_ROWS_ON_PAGE],
        [
            (">time", ms("ms")) if timed else None,
            (">sum", ms("cumulated_ms")) if timed else None,
            ("layer", lambda row: f"{row['index']}{'' if row['listed'] else ' (not listed)'}"),
            ("from → to", lambda row: f"{row['from']} → {row['to']}" if row["from"] else "–"),
            ("dims", lambda row: page.shapes(row["dims"])),
            ("reason", _why),
        ],
    )
    if len(data) > _ROWS_ON_PAGE:
        yield page.Paragraph(f"… and {len(data) - _ROWS_ON_PAGE} more; the format json has all.")


def _why(row: page.Data) -> Words:
    """The reason as `Words`, which the JSON has as text only."""
    if row["from"] is None:
        return str(row["reason"])
    sources, targets = (tuple(Side(**side) for side in row[key]) for key in ("sources", "targets"))
    changes, ends = tuple(row["changes"]), (row["from"], row["to"])
    return Reason(0, changes, *ends, sources, targets, row["origin"], row["cause"]).words


# ---- reports memory in bytes: the log's totals, and the layers that hold the most ---------------


_PARTS = ("host_persistent", "device_persistent", "scratch", "weights")


def memory_collect(costs: Costs, top: int) -> JsonValue:
    """The log's totals, and the `top` layers."""
    facts = costs.engine.facts or EngineFacts()
    layers = sorted(costs.engine.layers, key=lambda layer: -_held(layer))
    rows: list[JsonValue] = [
        {
            "index": layer.index,
            "line": _line(layer),
            **picked(layer, "name", "type"),
            **picked(layer.facts.memory, *_PARTS),
        }
        for layer in layers[:top]
        if _held(layer) and layer.facts is not None and layer.facts.memory is not None
    ]
    return {
        "totals": plain(facts.totals),
        **picked(facts, "peak_cpu_mib", "peak_gpu_mib"),
        "layers": rows,
    }


def _held(layer: Layer) -> int:
    memory = layer.facts.memory if layer.facts is not None else None
    return sum(getattr(memory, part) or 0 for part in _PARTS) if memory is not None else 0


def _line(layer: Layer) -> int | None:
    return dict(layer.facts.lines).get("memory") if layer.facts is not None else None


def memory_blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    totals, rows = page.rows_of(data["totals"]), page.rows_of(data["layers"])
    yield page.Heading("Memory")
    if not totals and not rows:
        yield page.Advice("No memory messages of the build: its whole VERBOSE log has them.")
        return
    if totals or data["peak_gpu_mib"] is not None:
        sizes = [(total["name"], _bytes(total["bytes"])) for total in totals]
        for word in ("gpu", "cpu"):
            if (peak := data[f"peak_{word}_mib"]) is not None:
                sizes.append((f"Peak of TensorRT's allocators, {word.upper()}", f"{peak} MiB"))
        yield page.Grid(("total", ">size"), tuple(sizes))
    if rows:
        parts = ((f">{part.replace('_', ' ')}", _size(part)) for part in _PARTS)
        yield grid(rows, [("layer", cells.cells_layer()), *parts])


def _size(key: str) -> cells.Cell:
    return lambda row: _bytes(row[key])


def _bytes(value: int | None) -> str:
    return "–" if value is None else amount(value)


# ---- reports what makes the engine slow and what to do, what counts most first ------------------


_MOST_NAMES: Final = 3  # of the layers of a finding


def findings_collect(costs: Costs, top: int) -> JsonValue:
    """Returns all findings of the optimisation profile as JSON, in their order."""
    return [*findings_rows(findings_of(Subject(costs)), costs)]


def findings_rows(findings: Iterable[Finding], costs: Costs) -> list[page.Data]:
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


def findings_blocks(data: JsonValue, engine: page.Data, top: int) -> Iterator[page.Block]:
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
        yield findings_table(shown, str(shown[0]["share_of"])).filled()
    left = left_out(len(every), len(shown))
    more = f"{left}. " if left else ""
    yield page.Paragraph(f"{more}`lint --full` prints all of them, with the lines of the log.")


def left_out(every: int, shown: int) -> str:
    """Returns how many findings are not on the first screen; empty where all are."""
    if not shown:
        return f"{count(every, 'finding')} about little of the time, or about times not known"
    return f"… {count(every - shown, 'more finding')}" if every > shown else ""


def findings_table(rows: Sequence[page.Data], share_of: str) -> page.Grid:
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
