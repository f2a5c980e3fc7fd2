"""Writes a verdict as text, Markdown, JSON, JUnit, SARIF and annotations; writes baselines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

from engine_layer_visualize.comparison.verdict import CheckName, JudgedGroup, Judgement, Verdict
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS, Snapshot
from engine_layer_visualize.core.text import count, plural, visible
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.documents.blocks import Block, Heading, Paragraph
from engine_layer_visualize.documents.html import Level, annotation, artifact_uri
from engine_layer_visualize.documents.markdown import escaped, set_page
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.reports import gate
from engine_layer_visualize.reports.gate import GateOptions, check
from engine_layer_visualize.reports.pages import Text

# ---- writes a verdict as text for a terminal ----------------------------------------------------


def pages(judgement: Judgement, options: GateOptions) -> Iterator[list[Block]]:
    """The verdict, its reasons, and the groups of layers that cost the most."""
    blocks: list[Block] = [Heading(f"Gate {options.name} {gate.page_headline(judgement)}", 1)]
    blocks += (Paragraph(reason) for reason in judgement.reasons)
    tabled = gate.page_tabled(judgement)
    groups = tabled if options.full else tabled[: gate.WORST]
    if groups:
        blocks.append(Heading("Layers"))
        blocks.append(gate.page_grid(groups))
    if rest := len(tabled) - len(groups):
        blocks.append(Paragraph(f"{count(rest, 'more group')} of layers: --format json has all."))
    yield blocks


as_text = Text(pages).render


# ---- writes a verdict as GitHub's Markdown: a comment on a pull request, within its limit -------

# The marker in its first line is that by which the next verdict finds the comment that it
# replaces.


_MAX_REASONS: Final = 20
_ROW: Final = 40  # characters of a row at least
_RESERVE: Final = 250  # for what says that something is left out, and for `</details>`


def marker(name: str) -> str:
    """`<!-- elv-gate:engine -->`."""
    return f"<!-- elv-gate:{name} -->"


def as_markdown(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """At most `max_chars` characters. Raises ValueError for options that no comment can have."""
    check(options)
    head = f"### Gate {escaped(options.name)} {escaped(gate.page_headline(judgement))}"
    text = _Text(options.max_chars, f"{marker(options.name)}\n{head}\n\n")
    reasons = judgement.reasons
    bullets = [f"* {escaped(reason)}\n" for reason in reasons[:_MAX_REASONS]]
    told = text.add(bullets, options.max_chars // 2)  # the rest is for the layers
    if left := len(reasons) - told:
        text.close(f"* and {count(left, 'more reason')}\n")
    groups = gate.page_tabled(judgement)
    worst, rest = groups[: gate.WORST], groups[gate.WORST :]
    shown = text.add(["\n"]) and text.table(worst)
    if rest and shown == len(worst):
        title = f"{count(len(rest), 'more group')} of layers"
        if text.add([f"\n<details><summary>{title}</summary>\n\n"]):
            shown += text.table(rest)
            if shown < len(groups):
                text.close(_cut(len(groups) - shown))
            text.close("\n</details>\n")
    elif shown < len(groups):
        text.close(_cut(len(groups) - shown))
    yield text.whole.rstrip("\n") + "\n"


def _cut(left: int) -> str:
    groups = f"{left:,} {plural(left, 'group')} of layers"
    return f"\n{groups} more: `--format json` has all.\n"


class _Text:
    """A text that grows while there is room."""

    def __init__(self, most: int, start: str) -> None:
        self.whole, self._most = start, most - _RESERVE

    def add(self, pieces: Sequence[str], most: int | None = None) -> int:
        """How many of the pieces found room; the text may have `most` characters by now."""
        most = min(self._most, most or self._most)
        for number, piece in enumerate(pieces):
            if len(self.whole) + len(piece) > most:
                return number
            self.whole += piece
        return len(pieces)

    def close(self, text: str) -> None:
        """What must be there: it is short, and room was kept for it."""
        self.whole += text

    def table(self, groups: Sequence[JudgedGroup]) -> int:
        """How many of the groups found room as rows."""
        if not groups:
            return 0
        lines = set_page([gate.page_grid(groups[: self._most // _ROW])]).splitlines(keepends=True)
        if not self.add(["".join(lines[:2])]):
            return 0
        return self.add(lines[2:])


# ---- writes a verdict as annotations of a workflow of GitHub Actions ----------------------------

# One for the verdict, then the layers that did not pass: of a step GitHub shows ten of each
# level.


_LEVELS: Final[dict[Verdict, Level]] = {
    "pass": "notice", "unsure": "warning", "fail": "error", "not_comparable": "error",
}  # fmt: skip
_MAX_LAYERS: Final = 9  # beside the verdict
_GITHUB_MAX_REASONS: Final = 20


def as_github(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """A line for each."""
    reasons = [plain(reason) for reason in judgement.reasons]
    left = len(reasons) - _GITHUB_MAX_REASONS
    text = "\n".join(
        [*reasons[:_GITHUB_MAX_REASONS], *([f"and {left:,} more"] if left > 0 else [])]
    )
    title = f"Gate {options.name} {gate.page_headline(judgement)}"
    level = _LEVELS[judgement.verdict]
    yield annotation(level, text or title, title=title, file=judgement.new) + "\n"
    for group in gate.page_noted(judgement)[:_MAX_LAYERS]:
        assert group.verdict is not None
        level = _LEVELS[group.verdict]
        title = f"Gate {options.name}: layers"
        yield annotation(level, gate.page_sentence(group), title=title, file=judgement.new) + "\n"


# ---- writes a verdict as JSON of schema 1 (docs/gate.md) ----------------------------------------


def as_json(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One object, and a line break."""
    del options
    yield json.dumps({"schema": 1, "gate": data(judgement)}) + "\n"


def data(judgement: Judgement) -> JsonValue:
    """The object of the key `gate`."""
    total = judgement.total
    return {
        "verdict": judgement.verdict,
        "reasons": [plain(reason) for reason in judgement.reasons],
        "total": {
            **picked(total, "baseline_ms", "new_ms", "slowdown"),
            "interval": None if total.interval is None else [*total.interval],
            "runs": [*total.runs],
        },
        "groups": [
            {**picked(group, "layers", "slowdown", "ms", "verdict")} for group in judgement.groups
        ],
    }


# ---- writes a verdict as JUnit's XML ------------------------------------------------------------

# A test case is a thing that was looked at, or a group of layers that a limit holds for. What
# cannot
# be told is skipped, what is not comparable is an error.


_ELEMENTS: Final[dict[Verdict, str]] = {
    "fail": "failure", "unsure": "skipped", "not_comparable": "error",
}  # fmt: skip


def as_junit(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One suite. Signs that XML cannot have are spelled."""
    cases: list[tuple[str, Verdict, str]] = [
        (gate.CHECKED[check.name], check.verdict, " ".join(map(plain, check.reasons)))
        for check in judgement.checks
    ]
    cases += (
        (f"layers: {plain(gate.page_named(group))}", group.verdict, gate.page_sentence(group))
        for group in gate.page_tabled(judgement)
        if group.verdict is not None
    )
    verdicts = [verdict for _, verdict, _ in cases]
    counts = f'tests="{len(cases)}" failures="{verdicts.count("fail")}" '
    counts += f'errors="{verdicts.count("not_comparable")}" skipped="{verdicts.count("unsure")}"'
    name = quoteattr(visible(f"gate {options.name}"))
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    yield f"<testsuite name={name} {counts}>\n"
    for title, verdict, reason in cases:
        start = f"<testcase classname={name} name={quoteattr(visible(title))}"
        if element := _ELEMENTS.get(verdict):
            yield f"{start}><{element} message={quoteattr(visible(reason))}/></testcase>\n"
        else:
            yield f"{start}/>\n"
    yield "</testsuite>\n</testsuites>\n"


# ---- writes a verdict as SARIF 2.1.0: a result for each thing that did not pass -----------------


_MAX_RESULTS: Final = 5_000  # results of a run that GitHub shows
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS: Final[dict[Verdict, str]] = {
    "fail": "error", "unsure": "warning", "not_comparable": "error",
}  # fmt: skip


def as_sarif(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One run; of layers those that cost the most."""
    found: list[tuple[CheckName, Verdict, str]] = [
        (check.name, check.verdict, " ".join(map(plain, check.reasons)))
        for check in judgement.checks
        if check.verdict in _SARIF_LEVELS
    ]
    for group in gate.page_noted(judgement)[: _MAX_RESULTS - len(found)]:
        assert group.verdict is not None
        found.append(("layers", group.verdict, gate.page_sentence(group)))
    artifact: JsonValue = {
        "artifactLocation": {"uri": artifact_uri(judgement.new)},
        "region": {"startLine": 1},  # code hosts show no result without a line
    }
    results: list[JsonValue] = [
        {
            "ruleId": f"gate-{name}",
            "level": _SARIF_LEVELS[verdict],
            "message": {"text": text},
            "locations": [{"physicalLocation": artifact}],
        }
        for name, verdict, text in found
    ]
    rules: list[JsonValue] = [
        {"id": f"gate-{name}", "shortDescription": {"text": f"The gate: {called}"}}
        for name, called in gate.CHECKED.items()
    ]
    driver = {"name": "engine_layer_visualize", "version": options.version, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


# ---- writes a snapshot as JSON of schema 2 (docs/gate.md) ---------------------------------------

# Each tensor and each layer is a line, and a list to be short. The same snapshot gives the same
# bytes.


def snapshot_written(snapshot: Snapshot) -> Iterator[bytes]:
    """The file in pieces."""
    both = (tensor for la in snapshot.layers for tensor in (*la.inputs, *la.outputs))
    tensors = {tensor: number for number, tensor in enumerate(dict.fromkeys(both))}
    kind_of_each = [_text(_kind(layer)) for layer in snapshot.layers]
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(kind_of_each))}
    head: dict[str, JsonValue] = {
        **picked(snapshot, "file", "engine", "conditions"),
        "layers": len(snapshot.layers),
        "reformats": snapshot.reformats,
        "memory": [{"part": part, "bytes": size} for part, size in snapshot.memory],
        **picked(snapshot, "runs", "profiles", "coverage"),
        "unfit": [{"code": code, "message": message} for code, message in snapshot.unfit],
        "findings": [{"code": code, "count": count} for code, count in snapshot.findings],
    }
    yield b'{"schema": 2, "snapshot": {\n'
    for key, value in head.items():
        yield f"{json.dumps(key)}: {json.dumps(value)},\n".encode()
    yield from _rows("kinds", kinds)
    yield from _rows("tensors", (_text([each.name, each.dtype, each.dims]) for each in tensors))
    listing = (
        _text([kinds[kind], *_layer(layer, snapshot, tensors)])
        for kind, layer in zip(kind_of_each, snapshot.layers)
    )
    yield from _rows("listing", listing)
    yield b'"edges": ' + _text([list(edge) for edge in snapshot.edges]).encode() + b"\n}}\n"


def _text(value: JsonValue) -> str:
    return json.dumps(value, separators=(",", ":"))


def _rows(key: str, rows: Iterable[str]) -> Iterator[bytes]:
    yield f'"{key}": ['.encode()
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n{row}".encode()
    yield b"\n],\n"


def _kind(layer: Layer) -> JsonValue:
    """What `kinds` in docs/gate.md has of a layer."""
    known = dict(layer.attributes)
    operation = known.get("ParameterType")
    return [layer.type, known.get(KEPT_WEIGHTS), operation, layer.listed, layer.raw is not None]


def _layer(layer: Layer, snapshot: Snapshot, tensors: dict[Tensor, int]) -> list[JsonValue]:
    """Name, tensors read and written, ms in each profile, and ONNX nodes."""
    reads, writes = ([tensors[tensor] for tensor in own] for own in (layer.inputs, layer.outputs))
    ms: JsonValue = [times[layer.index] for times in snapshot.times]
    nodes: JsonValue = [] if layer.facts is None else [*layer.facts.onnx_nodes]
    nodes_from = None if layer.facts is None else layer.facts.onnx_nodes_from
    return [layer.name, [*reads], [*writes], ms, nodes, nodes_from]
