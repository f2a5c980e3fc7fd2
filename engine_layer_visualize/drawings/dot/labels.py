"""The texts of a dot drawing: labels, tooltips, the title with its legend.

Layers, endpoints and colours in; quoted dot strings and HTML-like labels out, in which no character
of a name means anything to Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from engine_layer_visualize.analysis.layer_kinds import QUIET, SERVING, Kind, kind
from engine_layer_visualize.analysis.layer_labels import box_head, change, subtitle
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import Labels as LabelChoice
from engine_layer_visualize.core.text import milliseconds, percent, shorten, visible, wrap
from engine_layer_visualize.drawings.coloring import Coloring, Key
from engine_layer_visualize.drawings.theme import Dash, Mark, Theme, in_use, ink, to_explain
from engine_layer_visualize.fields.sentences import (
    coverage,
    facts,
    heading,
    highlights,
    shape,
)
from engine_layer_visualize.views.endpoints import Endpoint
from engine_layer_visualize.views.subgraph import caption

SIZE: Final = "11"
SMALL: Final = "8"
_COLUMNS: Final = 58  # characters of a fused name on one line
_HEAD: Final = 90  # characters of a title's line
_SIGNS: Final[dict[Dash, str]] = {"solid": "——", "dashed": "- - -", "dotted": "· · ·"}
_WIDTH: Final = 242  # points; most layers are equally wide, which makes a grid


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
    """`text` for an HTML-like label, where Graphviz replaces `\\N` and its like as well."""
    return visible(text).translate(_HTML)


def _small(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{SMALL}" COLOR="{color}">{text}</FONT>' if text else ""


def _bold(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{SIZE}" COLOR="{color}"><B>{text}</B></FONT>' if text else ""


def _table(rows: Iterable[str], padding: int = 0) -> str:
    head = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{padding}">'
    return head + "".join(f"<TR>{row}</TR>" for row in rows) + "</TABLE>"


# ---------------------------------------------------------------- layers


class Labels:
    """Fills and labels of one engine's layers."""

    def __init__(self, coloring: Coloring, wanted: LabelChoice = "short") -> None:
        self.theme = coloring.theme
        self.wanted = wanted
        self.coloring = coloring
        self.costs = coloring.known
        self._inks: dict[str, str] = {}  # by fill: finding one takes powers, and fills recur

    def label(self, layer: Layer, fill: str) -> str:
        """The HTML-like label of a layer on a box with this fill."""
        look, share = kind(layer), self.costs.share(layer)
        strong = self._inks.get(fill) or self._inks.setdefault(fill, ink(fill, self.theme))
        weak = self.theme.muted if share is None else strong
        # What only other lines of the log tell is left out: a .dot is drawn without reading them.
        head, name = box_head(layer, told=False), layer.raw or subtitle(layer)
        details = [layer.type] if head != layer.type else []
        if look in SERVING:
            details += filter(None, (change(layer), "" if layer.listed else "not listed"))
        if look == "constant" and self.wanted == "short":
            details, name = [shorten(visible(name), 40)], ""
        head = html(shorten(visible(head), 40))
        left = _small(f"<B>{head}</B>", weak) if look in QUIET else _bold(head, strong)
        if details:
            left += _small("&#160;&#160;" + html(shorten(visible(" · ".join(details)), 48)), weak)
        right = self._cost(layer, look, share, strong, weak)
        rows = [f'<TD ALIGN="LEFT">{left}</TD>']
        if right:
            rows[0] += f'<TD WIDTH="14"></TD><TD ALIGN="RIGHT">{right}</TD>'
        span = f' COLSPAN="{3 if right else 1}" WIDTH="{_WIDTH}"'
        for line in self._name(layer, name):
            rows.append(f'<TD{span} ALIGN="LEFT">{_small(html(line), weak)}</TD>')
        return f"<{_table(rows)}>"

    def _name(self, layer: Layer, name: str) -> tuple[str, ...]:
        """The lines of the name below the headline."""
        if not name or self.wanted in ("none", "large"):
            return ()
        lines = 3 if layer.raw is not None else 2
        if self.wanted == "full":
            lines = len(name)  # no limit
        return wrap(visible(name), _COLUMNS, lines)

    def _cost(self, layer: Layer, look: Kind, share: float | None, strong: str, weak: str) -> str:
        """Time and share at the right of the headline."""
        if (took := self.costs.of(layer)) is None and share is None:
            missing = look in ("layer", "reformat") and self.costs.missing(layer)
            return _small("not timed", weak) if missing else ""
        about = "≈ " if self.costs.estimated else ""
        time = "" if took is None else _small(html(about + milliseconds(took)), weak)
        if share is None:
            return time
        part = html(percent(share))
        bold = _small(f"<B>{part}</B>", strong) if look in QUIET else _bold(part, strong)
        return time + (_small("&#160;&#160;", weak) if time else "") + bold


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


def endpoint_label(end: Endpoint, fill: str, theme: Theme) -> str:
    """One line: the tensor's name, its kind (`engine input` …), its dtype and dims."""
    word = f"engine {end.word}" if end.kind == "port" else end.word
    word += ", not shown" if end.beyond else ""
    details = " · ".join(filter(None, (word, "" if end.tensor is None else shape(end.tensor))))
    strong = ink(fill, theme)
    text = _bold(html(shorten(visible(end.name) or "(no name)", _COLUMNS)), strong)
    return f"<{text}{_small('&#160;&#160;' + html(shorten(visible(details), _COLUMNS)), strong)}>"


# ---------------------------------------------------------------- title and legend


def title(coloring: Coloring, dtypes: Iterable[str | None], kinds: frozenset[Kind]) -> str:
    """The graph's label: title, totals, what is hidden, sentences, and the legend."""
    theme, view, costs = coloring.theme, coloring.view, coloring.known
    parts = (*heading(costs), *filter(None, (coverage(costs),)))
    lines = [_bold(html(line), theme.ink) for line in _joined(parts, _HEAD)]
    lines += [_small(html(line), theme.muted) for line in _joined(facts(costs), _HEAD + 30)]
    lines.append(_small(html(caption(view)), theme.ink))
    lines += [_small(html(line), theme.muted) for line in highlights(costs)]
    entries = in_use(dtypes, theme)
    lines.append("".join(_key("——", entry.color, entry.label, theme) for entry in entries))
    lines.append(_scale(coloring.scale(), theme))
    marks = to_explain(kinds, theme)
    lines.append("".join(_key(_SIGNS[m.dash], m.line, m.words, theme) for m in marks))
    rows = [f'<TD ALIGN="LEFT">{line}</TD>' for line in lines if line]
    return f"<{_table(rows, padding=2)}>"


def _scale(keys: Sequence[Key], theme: Theme) -> str:
    cells = ""
    for key in keys:
        text = _small(html(key.words), ink(key.color, theme))
        cells += f'<TD WIDTH="44" BGCOLOR="{key.color}">{text}</TD>'
    return cells and _table([cells], padding=2)


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
