"""Makes the texts of a dot drawing: labels, tooltips, the title with its legend.

They are quoted dot strings and HTML-like labels, in which no character of a name means anything to
Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from engine_layer_visualize.analysis.kinds import QUIET, SERVING, Kind, kind_of
from engine_layer_visualize.analysis.labels import box_head, change, subtitle
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import Labels as LabelChoice
from engine_layer_visualize.core.text import shorten, visible, wrap
from engine_layer_visualize.drawing.coloring import Coloring
from engine_layer_visualize.drawing.theme import Dash, NodeMark, in_use, ink, to_explain
from engine_layer_visualize.facts.endpoints import Endpoint
from engine_layer_visualize.facts.sentences import coverage, facts, heading, highlights, shape
from engine_layer_visualize.facts.subgraph import caption

SIZE: Final = "11"
SMALL: Final = "8"
_NAME_COLUMNS: Final = 58  # characters of a fused name on one line
_TITLE_COLUMNS: Final = 90  # characters of a title's line
_SIGNS: Final[dict[Dash, str]] = {"solid": "——", "dashed": "- - -", "dotted": "· · ·"}
_LABEL_WIDTH: Final = 242  # points; most layers are equally wide, which makes a grid


# ---------------------------------------------------------------- text, escaped once and here


def quoted(text: str) -> str:
    """Returns a dot string in which each character stands for itself, also in `&amp;`."""
    text = visible(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def tooltip(*lines: str) -> str:
    """Returns a dot string of lines. Graphviz undoes escapes twice here, so they stand twice."""
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
    """Returns `text` for an HTML-like label, where Graphviz replaces backslashes as well."""
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
    """Makes the labels of one drawing."""

    def __init__(self, coloring: Coloring, wanted: LabelChoice) -> None:
        self._theme, self._costs = coloring.theme, coloring.known
        self._wanted = wanted
        self._coloring = coloring
        self._inks: dict[str, str] = {}  # by fill: finding one takes powers, and fills recur

    def label(self, layer: Layer, fill: str) -> str:
        """Returns the HTML-like label of a layer on a box with this fill."""
        look = kind_of(layer)
        strong = self._inks.get(fill) or self._inks.setdefault(fill, ink(fill, self._theme))
        weak = self._theme.muted if self._costs.share(layer) is None else strong
        # What only other lines of the log tell is left out: a .dot is drawn without reading them.
        head, name = box_head(layer, told=False), layer.raw or subtitle(layer)
        details = [layer.type] if head != layer.type else []
        if look in SERVING:
            details += filter(None, (change(layer), "" if layer.listed else "not listed"))
        if look == "constant" and self._wanted == "short":
            details, name = [shorten(visible(name), 40)], ""
        head = html(shorten(visible(head), 40))
        left = _small(f"<B>{head}</B>", weak) if look in QUIET else _bold(head, strong)
        if details:
            left += _small("&#160;&#160;" + html(shorten(visible(" · ".join(details)), 48)), weak)
        right = self._cost(layer, look, strong, weak)
        rows = [f'<TD ALIGN="LEFT">{left}</TD>']
        if right:
            rows[0] += f'<TD WIDTH="14"></TD><TD ALIGN="RIGHT">{right}</TD>'
        span = f' COLSPAN="{3 if right else 1}" WIDTH="{_LABEL_WIDTH}"'
        for line in self._name(layer, name):
            rows.append(f'<TD{span} ALIGN="LEFT">{_small(html(line), weak)}</TD>')
        return f"<{_table(rows)}>"

    def _name(self, layer: Layer, name: str) -> tuple[str, ...]:
        """Returns the lines of the name below the headline."""
        if not name or self._wanted in ("none", "large"):
            return ()
        lines = 3 if layer.raw is not None else 2
        if self._wanted == "full":
            lines = len(name)  # no limit
        return wrap(visible(name), _NAME_COLUMNS, lines)

    def _cost(self, layer: Layer, look: Kind, strong: str, weak: str) -> str:
        """Returns time and share, which stand at the right of the headline."""
        share, took = map(html, self._coloring.cost_words((layer,)))
        if not share:
            return _small(took, weak)
        bold = _small(f"<B>{share}</B>", strong) if look in QUIET else _bold(share, strong)
        return (_small(took, weak) + _small("&#160;&#160;", weak) if took else "") + bold

    def endpoint(self, end: Endpoint) -> str:
        """Returns one line: the tensor's name, its kind (`engine input` …), its dtype and dims."""
        word = f"engine {end.word}" if end.kind == "port" else end.word
        word += ", not shown" if end.beyond else ""
        details = " · ".join(filter(None, (word, "" if end.tensor is None else shape(end.tensor))))
        color = ink(self._theme.marks[end.kind].fill, self._theme)
        name = html(shorten(visible(end.name) or "(no name)", _NAME_COLUMNS))
        below = _small("&#160;&#160;" + html(shorten(visible(details), _NAME_COLUMNS)), color)
        return f"<{_bold(name, color)}{below}>"

    def title(self, dtypes: Iterable[str | None], kinds: frozenset[Kind]) -> str:
        """Returns the graph's label: title, totals, what is hidden, sentences, and the legend."""
        theme, costs = self._theme, self._costs
        parts = (*heading(costs), *filter(None, (coverage(costs),)))
        lines = [_bold(html(line), theme.ink) for line in _joined(parts, _TITLE_COLUMNS)]
        small = _joined(facts(costs), _TITLE_COLUMNS + 30)
        lines += [_small(html(line), theme.muted) for line in small]
        lines.append(_small(html(caption(self._coloring.view)), theme.ink))
        lines += [_small(html(line), theme.muted) for line in highlights(costs)]
        entries = in_use(dtypes, theme)
        lines.append("".join(self._key("——", entry.color, entry.label) for entry in entries))
        lines.append(self._scale())
        marks = to_explain(kinds, theme)
        lines.append("".join(self._key(_SIGNS[m.dash], m.line, m.words) for m in marks))
        rows = [f'<TD ALIGN="LEFT">{line}</TD>' for line in lines if line]
        return f"<{_table(rows, padding=2)}>"

    def _scale(self) -> str:
        cells = ""
        for key in self._coloring.scale():
            text = _small(html(key.words), ink(key.color, self._theme))
            cells += f'<TD WIDTH="44" BGCOLOR="{key.color}">{text}</TD>'
        return cells and _table([cells], padding=2)

    def _key(self, sign: str, color: str, words: str) -> str:
        """Returns an entry of the legend as text: a table would stretch it to the title's width."""
        return (
            _bold(sign, color)
            + f"&#160;{_small(html(words), self._theme.ink)}"
            + 3 * "&#160;"
            + " "
        )


def outline(mark: NodeMark, style: str) -> dict[str, Any]:
    """Returns the attributes of a node with this mark; `style` is that of its shape."""
    style += f",{mark.dash}" if mark.dash != "solid" else ""
    return {"color": quoted(mark.line), "penwidth": f"{mark.width:g}", "style": quoted(style)}


def _joined(parts: Iterable[str], columns: int) -> Iterator[str]:
    """Yields `parts` in lines of about `columns` characters: none is broken."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) > columns:
            yield line
            line = ""
        line = f"{line} · {part}" if line else part
    if line:
        yield line
