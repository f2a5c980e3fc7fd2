"""What stands in a dot drawing: labels, tooltips, the title with its legend.

takes: layers, tensors and a `Theme`
gives: quoted dot strings and HTML-like labels
never: makes nodes or edges, or lets a character of a name mean anything to Graphviz
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.analysis import onnx_nodes, precisions
from engine_layer_visualize.analysis.costs import Costs, runs_kernel
from engine_layer_visualize.analysis.layer_kinds import Kind, kind
from engine_layer_visualize.analysis.layer_labels import headline, subtitle
from engine_layer_visualize.analysis.subgraph import View, whole
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import amount, milliseconds, percent, shorten, visible, wrap
from engine_layer_visualize.outputs.options import Labels
from engine_layer_visualize.outputs.said import coverage, dims, facts, heading, sentences, times
from engine_layer_visualize.outputs.theme import Mark, Theme, heat, ink, precision, ticks

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.findings.finding import Finding
    from engine_layer_visualize.core.build_info import LayerFacts

SIZE: Final = "11"
SMALL: Final = "8"
_COLUMNS: Final = 58  # characters of a fused name on one line
_HEAD: Final = 90  # characters of a title's line
_WIDTH: Final = 242  # points; most layers are equally wide, which makes a grid
_PLAIN: Final = frozenset({"layer", "port", "constant"})  # these explain themselves
_QUIET: Final = frozenset({"reformat", "constant", "hidden"})  # must be seen, not shine
_LISTED: Final = 24  # tensors of one side, and attributes, in a tooltip
_VALUE: Final = 300  # characters of one attribute in a tooltip


# ---------------------------------------------------------------- text, escaped once and here


def quoted(text: str) -> str:
    """A dot string in which every character stands for itself, `\\N` and `&amp;` too."""
    text = visible(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def tooltip(*lines: str) -> str:
    """A dot string of `lines`. Graphviz undoes escapes twice here, so they stand twice."""
    if not "".join(lines).isprintable():
        lines = tuple(map(visible, lines))
    text = "\n".join(lines).replace("\\", "\\\\").replace("&", "&amp;")
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n") + '"'


# As html.escape has it, and dot's own backslash.
_HTML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "\\": "\\\\"}
)


def html(text: str) -> str:
    """`text` for an HTML-like label, where Graphviz heeds `\\N` and its like as well."""
    return visible(text).translate(_HTML)


def _small(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{SMALL}" COLOR="{color}">{text}</FONT>' if text else ""


def _bold(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{SIZE}" COLOR="{color}"><B>{text}</B></FONT>' if text else ""


def _table(rows: Iterable[str], padding: int = 0) -> str:
    head = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{padding}">'
    return head + "".join(f"<TR>{row}</TR>" for row in rows) + "</TABLE>"


def described(tensor: Tensor) -> str:
    told = f"{tensor.dtype or '?'} {dims(tensor.dims)}".rstrip()
    return f"{tensor.name}[{told}]"


# ---------------------------------------------------------------- layers


class Heated:
    """Fills and labels of one engine's layers: heat needs the total and the slowest layer."""

    def __init__(self, costs: Costs, theme: Theme, labels: Labels = "short") -> None:
        self.theme = theme
        self.labels = labels
        self.costs = costs
        self._top = costs.top
        self._inks: dict[str, str] = {}  # by fill: finding one takes powers, and fills recur

    def fill(self, layer: Layer) -> str:
        share = self.share(layer)
        if share is None or layer.raw is not None:
            return self.theme.marks[kind(layer)].fill
        return heat(share / self._top, self.theme)

    def share(self, layer: Layer) -> float | None:
        return self.costs.share(layer)

    def label(self, layer: Layer, fill: str) -> str:
        look, share = kind(layer), self.share(layer)
        strong = self._inks.get(fill) or self._inks.setdefault(fill, ink(fill, self.theme))
        weak = self.theme.muted if share is None else strong
        head, said, name = headline(layer), [layer.type], subtitle(layer)
        if layer.raw is not None:
            head, name = "unreadable record", layer.raw
        elif head == layer.type:
            said = []
        if look in ("reformat", "hidden"):
            said += filter(None, (_change(layer), "" if layer.listed else "not listed"))
        if look == "constant" and self.labels == "short":
            said, name = [shorten(visible(name), 40)], ""
        head = html(shorten(visible(head), 40))
        left = _small(f"<B>{head}</B>", weak) if look in _QUIET else _bold(head, strong)
        if said:
            left += _small("&#160;&#160;" + html(shorten(visible(" · ".join(said)), 48)), weak)
        right = self._cost(layer, look, share, strong, weak)
        rows = [f'<TD ALIGN="LEFT">{left}</TD>']
        if right:
            rows[0] += f'<TD WIDTH="14"></TD><TD ALIGN="RIGHT">{right}</TD>'
        span = f' COLSPAN="{3 if right else 1}" WIDTH="{_WIDTH}"'
        for line in self._name(layer, name):
            rows.append(f'<TD{span} ALIGN="LEFT">{_small(html(line), weak)}</TD>')
        return f"<{_table(rows)}>"

    def _name(self, layer: Layer, name: str) -> tuple[str, ...]:
        if not name or self.labels == "none":
            return ()
        lines = 3 if layer.raw is not None else 2
        if self.labels == "full":
            lines = len(name)  # whatever it takes
        return wrap(visible(name), _COLUMNS, lines)

    def _cost(self, layer: Layer, look: Kind, share: float | None, strong: str, weak: str) -> str:
        if (took := self.costs.of(layer)) is None:
            missing = look in ("layer", "reformat") and self.costs.missing(layer)
            return _small("not timed", weak) if missing else ""
        about = "≈ " if self.costs.estimated else ""
        time = _small(html(about + milliseconds(took)), weak)
        if share is None:
            return time
        part = html(percent(share))
        bold = _small(f"<B>{part}</B>", strong) if look in _QUIET else _bold(part, strong)
        return time + _small("&#160;&#160;", weak) + bold


def _change(layer: Layer) -> str:
    """What a reformat turns into what, where it changes the precision."""
    if len(layer.inputs) != 1 or len(layer.outputs) != 1:
        return ""
    before, after = layer.inputs[0].dtype, layer.outputs[0].dtype
    return f"{before} → {after}" if before and after and before != after else ""


def outline(mark: Mark, style: str) -> dict[str, Any]:
    """Node attributes of a mark; `style` is the shape's own."""
    out: dict[str, Any] = {
        "color": quoted(mark.line),
        "penwidth": f"{mark.width:g}",
        "style": quoted(style),
    }
    if mark.dash != "solid":
        out["style"] = quoted(f"{style},{mark.dash}")
    return out


def story(layer: Layer, costs: Costs, findings: Iterable[Finding] = ()) -> Iterator[str]:
    """All that is known of a layer, for its tooltip. `findings`: about it."""
    yield layer.name or "(no name)"
    listed = "" if layer.listed else ", not listed"
    yield f"{layer.type}, layer {layer.index}{listed}, {layer.place.file}:{layer.place.line}"
    for finding in findings:
        yield from finding.lines(advice=layer.facts is not None)
    if layer.tactic is not None:
        yield f"tactic: {layer.tactic}"
    if layer.kernel is not None:
        yield f"kernel: {layer.kernel}"
    if (precise := precisions.of(layer)).tf32:
        yield f"computes in: {precise}"
    yield from times(layer, costs)
    nodes = onnx_nodes.of(layer)
    if nodes.all:
        yield f"ONNX nodes: {shorten(', '.join(nodes.all), 4 * _VALUE)}"
    elif nodes.ends:
        yield f"ONNX nodes, ends only: {shorten(', '.join(nodes.ends), 4 * _VALUE)}"
    if layer.facts is not None:
        yield from _facts(layer.facts, costs.kind == "measured" and runs_kernel(layer))
    for word, tensors in (("input", layer.inputs), ("output", layer.outputs)):
        yield from (f"{word}: {described(tensor)}{_layout(tensor)}" for tensor in tensors[:_LISTED])
        if len(tensors) > _LISTED:
            yield f"and {len(tensors) - _LISTED} more {word}s"
    for key, value in layer.attributes[:_LISTED]:
        yield f"{key}: {shorten(_plain(value), _VALUE)}"
    if len(layer.attributes) > _LISTED:
        yield f"and {len(layer.attributes) - _LISTED} more attributes"
    if layer.raw is not None:
        yield f"unreadable: {shorten(layer.raw, 4 * _VALUE)}"


def _facts(facts: LayerFacts, estimate: bool) -> Iterator[str]:
    """What the build's log knows besides. `estimate`: the builder's time is another."""
    if facts.runner is not None:
        yield f"runner: {facts.runner}"
    if facts.build_ms is not None and estimate:
        yield f"builder's estimate: {milliseconds(facts.build_ms)}"
    if facts.candidates.tried:
        skipped = f", {facts.candidates.skipped} skipped" if facts.candidates.skipped else ""
        yield f"autotuning: {facts.candidates.tried} tactics timed{skipped}"
    if (memory := facts.memory) is not None:
        parts = (
            ("host persistent", memory.host_persistent),
            ("device persistent", memory.device_persistent),
            ("scratch", memory.scratch),
            ("weights", memory.weights),
        )
        told = [f"{word} {amount(size)}" for word, size in parts if size is not None]
        if told:
            yield f"memory: {', '.join(told)}"
    if facts.fused_from:
        yield f"fused in {len(facts.fused_from)} steps"
    if facts.precision_note is not None:
        yield f"precision: {facts.precision_note}"


def _layout(tensor: Tensor) -> str:
    """Memory format and strides, where the record prints them and they say more than the dtype."""
    words = tensor.format if tensor.format != tensor.dtype else None
    parts = (words, tensor.strides and f"strides {tensor.strides}")
    return "".join(f", {part}" for part in parts if part)


def _plain(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def port_label(name: str, word: str, tensor: Tensor | None, fill: str, theme: Theme) -> str:
    """One line: the tensor's name, what it is to the engine, its dtype and dims."""
    told = f"{tensor.dtype or ''} {dims(tensor.dims)}".strip() if tensor is not None else ""
    said = f"{word} · {told}" if told else word
    strong = ink(fill, theme)
    text = _bold(html(shorten(visible(name) or "(no name)", _COLUMNS)), strong)
    return f"<{text}{_small('&#160;&#160;' + html(shorten(visible(said), _COLUMNS)), strong)}>"


# ---------------------------------------------------------------- title and legend


def title(
    view: View, costs: Costs, dtypes: Iterable[str | None], kinds: frozenset[Kind], theme: Theme
) -> str:
    """The graph's label: the engine's totals, what is not shown of it, and a legend of what is."""
    parts = (*heading(costs), *filter(None, (coverage(costs),)))
    lines = [_bold(html(line), theme.ink) for line in _joined(parts, _HEAD)]
    # What is asked for, hidden and cut stands in the view's own words.
    told = facts(whole(view.engine), costs)
    lines += [_small(html(line), theme.muted) for line in _joined(told, _HEAD + 30)]
    if view.partial:
        lines.append(_small(html(shorten(visible(str(view)), 160)), theme.ink))
    lines += [_small(html(line), theme.muted) for line in sentences(costs)]
    lines.append(_precisions(dtypes, theme))
    if costs.total is not None:
        lines.append(_scale(view, costs, theme))
    lines.append(_marks(kinds, theme))
    rows = [f'<TD ALIGN="LEFT">{line}</TD>' for line in lines if line]
    return f"<{_table(rows, padding=2)}>"


def _joined(parts: Iterable[str], columns: int) -> Iterator[str]:
    """`parts` in lines of about `columns` characters: none is broken."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) > columns:
            yield line
            line = ""
        line = f"{line} · {part}" if line else part
    if line:
        yield line


def _key(sign: str, color: str, words: str, theme: Theme) -> str:
    """One legend entry as running text: a table's cells would be stretched to the title's width."""
    sign = f'<FONT POINT-SIZE="{SIZE}" COLOR="{color}"><B>{sign}</B></FONT>'
    return f"{sign}&#160;{_small(html(words), theme.ink)}&#160;&#160;&#160; "


def _precisions(dtypes: Iterable[str | None], theme: Theme) -> str:
    found = {precision(dtype, theme).label for dtype in dtypes}
    order = (*theme.precisions, theme.other, theme.untold)
    return "".join(_key("——", e.color, e.label, theme) for e in order if e.label in found)


def _scale(view: View, costs: Costs, theme: Theme) -> str:
    """The heat scale as far as it is in use: colours with the times that they stand for."""
    shares = [(share, la) for la in view.layers if (share := costs.share(la)) is not None]
    most, slowest = max(shares, key=lambda one: one[0], default=(0.0, None))
    if slowest is None or not most:
        return ""
    took, top, cells = costs.of(slowest) or 0.0, costs.top, ""
    several = len(costs.profiles) > 1  # a share is of the layer's own: no time is for all
    for share in ticks(most):
        fill = heat(share / top, theme)
        words = percent(share) if several else milliseconds(share / most * took)
        text = _small(html(words), ink(fill, theme))
        cells += f'<TD WIDTH="44" BGCOLOR="{fill}">{text}</TD>'
    return _table([cells], padding=2)


def _marks(kinds: frozenset[Kind], theme: Theme) -> str:
    signs = {"solid": "——", "dashed": "- - -", "dotted": "· · ·"}
    shown = [mark for name, mark in theme.marks.items() if name in kinds and name not in _PLAIN]
    return "".join(_key(signs[mark.dash], mark.line, mark.words, theme) for mark in shown)
