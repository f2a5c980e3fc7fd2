"""Reports the reformats, the memory, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import cause, without_reason
from engine_layer_visualize.analysis.times import is_scaled, reformats, share_touched, share_words
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import ELLIPSIS, amount, count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import finding_json
from engine_layer_visualize.facts.layer import called, cell, of_fields
from engine_layer_visualize.facts.sentences import is_partly_timed, reformatted
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject

_LONGEST_NAME: Final = 26  # characters of a layer in a table of findings
_ROWS_ON_PAGE: Final = 20  # reformats, on a page


def data(subject: Subject, top: int) -> JsonValue:
    """All reformats of the optimisation profile, the slowest first."""
    rows: list[JsonValue] = []
    for layer in _slowest(subject):
        why = subject.reasons.get(layer.index)
        rows.append(
            {
                **of_fields(subject, layer, "index", "line", "name", "listed", "ms", "share"),
                "changes": list(why.changes) if why else [],
                "from": why.before if why else None,
                "to": why.after if why else None,
                "reason": why.text if why else without_reason(layer),
                "origin": why.origin if why else None,
                "cause": cause(layer),
                "sources": plain(why.sources) if why else [],
                "targets": plain(why.targets) if why else [],
                "dims": _dims(layer),
            }
        )
    return rows


def _slowest(subject: Subject) -> list[Layer]:
    return sorted(subject.reformats, key=lambda layer: -(subject.costs.of(layer) or 0.0))


def _dims(layer: Layer) -> str:
    return precisions.dims(layer.outputs[:1])


def blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    costs, layers = subject.costs, _slowest(subject)
    if not layers:
        return
    yield page.Heading("Reformats, and why each is there")
    of = f"Optimisation profile {costs.profile}: " if len(costs.profiles) > 1 else ""
    yield page.Paragraph(f"{of}{reformatted(reformats(costs), costs)}.")

    def change(layer: Layer) -> str:
        why = subject.reasons.get(layer.index)
        return f"{why.before} → {why.after}" if why and not why.is_vague else "–"

    def reason(layer: Layer) -> Words:
        why = subject.reasons.get(layer.index)
        return why.words if why else str(without_reason(layer))

    yield from page.first_rows(
        layers,
        _ROWS_ON_PAGE,
        "reformat",
        ("layer", lambda layer: f"{layer.index}{'' if layer.listed else ' (not listed)'}"),
        (">time", lambda layer: page.ms(costs.of(layer))),
        ("from → to", change),
        ("dims", lambda layer: page.shapes(_dims(layer))),
        ("reason", reason),
    )


# ---- memory in bytes: the log's totals, and the layers that hold the most ------------------------

_PARTS: Final = ("host_persistent", "device_persistent", "scratch", "weights")


def memory_data(subject: Subject, top: int) -> JsonValue:
    """The log's totals, and the `top` layers."""
    facts = subject.facts
    return {
        "totals": plain(facts.totals),
        **picked(facts, "peak_cpu_mib", "peak_gpu_mib"),
        "layers": [
            {
                **of_fields(subject, layer, "index", "name", "type", *_fields()),
                "line": dict(layer.known.lines).get("memory"),
            }
            for layer in _largest(subject, top)
        ],
    }


def _fields() -> list[str]:
    return [f"facts.memory.{part}" for part in _PARTS]


def _largest(subject: Subject, top: int) -> list[Layer]:
    """The layers that hold the most."""

    def held(layer: Layer) -> int:
        memory = layer.known.memory
        return sum(getattr(memory, part) or 0 for part in _PARTS) if memory is not None else 0

    return [la for la in sorted(subject.engine.layers, key=held, reverse=True)[:top] if held(la)]


def memory_blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    facts, layers = subject.facts, _largest(subject, top)
    sizes = [(total.name, amount(total.bytes)) for total in facts.totals]
    for word, peak in (("GPU", facts.peak_gpu_mib), ("CPU", facts.peak_cpu_mib)):
        if peak is not None:
            sizes.append((f"Peak of TensorRT's allocators, {word}", f"{peak} MiB"))
    if sizes or layers:
        yield page.Heading("Memory")
    if sizes:
        yield page.Grid(("total", ">size"), tuple(sizes))
    if layers:
        heads = (f">{part.replace('_', ' ')}" for part in _PARTS)
        cells = (cell(subject, field) for field in _fields())
        yield page.grid(layers, ("layer", called), *zip(heads, cells))


# ---- what makes the engine slow and what to do, what counts most first ---------------------------


def findings_data(subject: Subject, top: int) -> JsonValue:
    """All findings in their order, each with the share of the time that it touches at least."""
    costs = subject.costs
    return [
        {
            **finding_json(finding),
            "share": share_touched(finding.layers, costs),
            "share_of": share_words(costs),
            "partly_timed": is_partly_timed(finding, costs),
        }
        for finding in findings_of(subject)
    ]


def findings_blocks(subject: Subject, top: int) -> Iterator[page.Block]:
    """The findings of the first screen as blocks of a page, at most `top` of them."""
    every = findings_of(subject)
    yield page.Heading("Findings")
    if said := lever.of(subject):
        yield page.Advice(said)
    elif not every:
        yield page.Paragraph("No findings.")
    if not every:
        return
    if shown := [finding for finding in every if finding.shown][:top]:
        yield findings_table(shown, subject.costs, said).filled()
    left = left_out(len(every), len(shown)) or "all, with lines of the log"
    yield page.Paragraph(f"{left}: `elv lint --full` with the same files and flags")


def left_out(every: int, shown: int) -> str:
    """How many findings are not on the first screen; empty where all are."""
    if not shown:
        return f"{count(every, 'finding')} of little or unknown time"
    return f"… {count(every - shown, 'more finding')}" if every > shown else ""


def findings_table(findings: Iterable[Finding], costs: Costs, said: str | None) -> page.Grid:
    """A table with a row for each finding; `said`: the advice that stands above it."""
    scaled = " of an inference" if is_scaled(costs) else ""
    return page.grid(
        findings,
        (">", lambda finding: str(finding.rank)),
        (f">touches{scaled}", lambda finding: _touches(finding, costs)),
        (
            f">share {share_words(costs)}".rstrip(),
            lambda finding: page.part(share_touched(finding.layers or finding.about, costs)),
        ),
        (">could save", lambda finding: page.ms(finding.ms)),
        ("rule", lambda finding: finding.code),
        ("layers", lambda finding: _slowest_of(finding, costs)),
        ("what to do", lambda finding: _to_do(finding, lever.is_of(said, finding, costs))),
    )


def _to_do(finding: Finding, is_said: bool) -> str:
    first, *others = finding.advice.split("; ")
    steps = "; ".join(("as above" if is_said else first, *others))
    return "; also ".join((steps, *finding.also))


def _touched(finding: Finding, costs: Costs) -> float | None:
    """The ms of its layers, also of those whose time other findings count."""
    if finding.layers or not finding.about:
        return finding.touches_ms
    return costs.sum(costs.engine.layers[index] for index in finding.about)


def _touches(finding: Finding, costs: Costs) -> str:
    least = "≥ " if finding.touches_ms and is_partly_timed(finding, costs) else ""
    return least + page.ms(_touched(finding, costs))


def _slowest_of(finding: Finding, costs: Costs) -> Words:
    """The layer of a finding that takes the most time: `3 conv1 and 17 more`."""
    layers = [costs.engine.layers[index] for index in finding.layers or finding.about]
    if not layers:
        return "the whole engine"
    more = f" and {len(layers) - 1:,} more" if len(layers) > 1 else ""
    slowest = max(layers, key=lambda layer: costs.of(layer) or 0.0)
    name = slowest.name
    name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}{ELLIPSIS}"
    return (f"{slowest.index} ", Name(name), more)
