"""Writes the drawing of a view as dot text, or as a `pydot.Dot`.

Texts are quoted dot strings and HTML-like labels, in which no character of a name means anything to
Graphviz; no id has a name of the log in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import QUIET, SERVING, kind_of
from engine_layer_visualize.analysis.labels import box_head, change, subtitle
from engine_layer_visualize.core.model import Edge, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.documents.terminal import joined, wrap
from engine_layer_visualize.drawing import tooltips
from engine_layer_visualize.drawing.theme import LIGHT, Coloring, NodeMark, ink
from engine_layer_visualize.drawing.tooltips import EngineFindings
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import Endpoint, Endpoints, View, caption, dtype_of

if TYPE_CHECKING:
    import pydot

LARGE: Final = 200  # layers; labels of edges would cost a larger drawing most of its layout time
# Bounds on the layout's search: without them long skips cost minutes (x-position simplex), with
# them edges take odd turns, so a small drawing has none.
_BOUNDS: Final = {"nslimit": "0.05", "nslimit1": "0.05", "mclimit": "0.05"}
_SIZE: Final = "11"
_SMALL: Final = "8"
_NAME_COLUMNS: Final = 58  # characters of a fused name on one line
_TITLE_COLUMNS: Final = 93  # characters of a title's line
_SIGNS: Final = {"solid": "——", "dashed": "- - -", "dotted": "· · ·"}
_LABEL_WIDTH: Final = 242  # points; most layers are equally wide, which makes a grid
# As html.escape has it, and dot's own backslash.
_HTML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "\\": "\\\\"}
)

Attributes: TypeAlias = dict[str, Any]  # texts; pydot asks for no more


class Statement(NamedTuple):
    """A statement of a drawing. A tuple is made in half a dataclass's time; there are thousands."""

    # `graph` comes first; `defaults` are of all that follows; `cluster` is a box around the nodes
    # that follow, up to its `end`.
    kind: Literal["graph", "defaults", "cluster", "end", "node", "edge"]
    id: str  # of defaults: `node` or `edge`; of an edge: the node where it begins
    attributes: Attributes
    head: str = ""  # the node where an edge ends


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """Returns the drawing of `view` as dot text, UTF-8, a statement at a time.

    Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>`, `unused_<n>` and
    `stub_<n>`; optimisation profiles are the clusters `cluster_profile_<k>`.
    """
    return _pieces(_Drawing(view, options).statements())


def to_pydot(view: View) -> pydot.Dot:
    """Returns the drawing of `view` as objects, to be searched or changed."""
    import pydot

    drawing = _Drawing(view, DEFAULT).statements()
    _, id, attributes, _ = next(drawing)
    graph = pydot.Dot(id, graph_type="digraph", **attributes)
    home: pydot.Dot | pydot.Subgraph = graph
    for kind, id, attributes, head in drawing:
        if kind == "node":
            home.add_node(pydot.Node(id, **attributes))
        elif kind == "edge":
            graph.add_edge(pydot.Edge(id, head, **attributes))
        elif kind == "cluster":
            home = pydot.Subgraph(id, **attributes)
            graph.add_subgraph(home)
        elif kind == "end":
            home = graph
        else:
            defaults = graph.set_node_defaults if id == "node" else graph.set_edge_defaults
            defaults(**attributes)
    return graph


def _pieces(drawing: Iterable[Statement]) -> Iterator[bytes]:
    """Yields byte for byte what pydot makes of the same statements, at a tenth of its cost."""
    for kind, id, attributes, head in drawing:
        pairs = [f"{key}={value}" for key, value in attributes.items()]
        text = "}\n"
        if kind in ("graph", "cluster"):
            word = "digraph" if kind == "graph" else "subgraph"
            text = f"{word} {id} {{\n" + "".join([f"{pair};\n" for pair in pairs])
        elif kind != "end":
            arrow = f" -> {head}" if kind == "edge" else ""
            text = f"{id}{arrow} [{', '.join(pairs)}];\n"
        yield text.encode("utf-8")
    yield b"}\n"


class _Drawing:
    """Makes the statements of one view."""

    def __init__(self, view: View, options: Options) -> None:
        self._view = view
        self._small = len(view.layers) <= LARGE
        profile = options.optimization_profile
        self._costs = Costs(view.engine, profile, options.peak)
        self._coloring = Coloring(self._costs, LIGHT, options.color_by, view.layers)
        # Without build info hardly a rule has anything to go by: only reformats have their reasons.
        self._findings = EngineFindings(self._costs, rules=view.engine.facts is not None)
        self._ends = Endpoints(view, self._costs.profile_of_each)

    def statements(self) -> Iterator[Statement]:
        """Yields the graph with its title, the defaults, nodes, and edges."""
        yield Statement(
            "graph",
            f"EngineLayers_{self._view.engine.index}",
            {
                "comment": quoted(marks.in_words(self._view.engine.source)),
                "label": self._title(),
                "labelloc": "t",
                "labeljust": "l",
                "rankdir": "TB",
                "bgcolor": quoted(LIGHT.paper),
                "fontname": quoted(LIGHT.families),
                "fontsize": _SIZE,
                "fontcolor": quoted(LIGHT.ink),
                "pad": "0.2",
                "nodesep": "0.2",
                "ranksep": "0.12",
                **({} if self._small else _BOUNDS),
            },
        )
        font = {"fontname": quoted(LIGHT.families), "fontsize": _SMALL}
        sizes = {"margin": quoted("0.1,0.045"), "height": "0.2", "width": "0.2"}
        yield Statement("defaults", "node", {"shape": "box", **font, **sizes})
        lines = {"fontcolor": quoted(LIGHT.muted), "arrowsize": "0.5", "penwidth": "1.6"}
        yield Statement("defaults", "edge", {**font, **lines})
        yield from self._nodes()
        yield from self._edges()
        yield from map(_jump, self._view.jumps)

    def _title(self) -> str:
        """Returns the graph's label: title, totals, what is hidden, sentences, and the legend."""
        dtypes = {dtype_of(*self._ends.tensors.of(edge)) for edge, _, _ in self._ends.lines()}
        kinds = {*map(kind_of, self._view.layers), *(end.kind for end in self._ends.all)}
        costs = self._costs
        parts = (*sentences.heading(costs), *filter(None, (sentences.coverage(costs),)))
        told = joined(parts, " · ", _TITLE_COLUMNS, len)
        lines = [_bold(_html(line), LIGHT.ink) for line in told]
        small = joined(sentences.facts(costs), " · ", _TITLE_COLUMNS + 30, len)
        lines += [_little(_html(line), LIGHT.muted) for line in small]
        lines.append(_little(_html(caption(self._view)), LIGHT.ink))
        lines += [_little(_html(line), LIGHT.muted) for line in sentences.highlights(costs)]
        lines.append("".join(_key("——", each.color, each.label) for each in LIGHT.in_use(dtypes)))
        cells = [
            f'<TD WIDTH="44" BGCOLOR="{color}">{_little(_html(words), ink(color))}</TD>'
            for color, words in self._coloring.scale() or self._coloring.keys()
        ]
        lines.append(_table(["".join(cells)], padding=2) if cells else "")
        lines += ["".join(_key(_SIGNS[m.dash], m.line, m.words) for m in LIGHT.to_explain(kinds))]
        rows = [f'<TD ALIGN="LEFT">{line}</TD>' for line in lines if line]
        return f"<{_table(rows, padding=2)}>"

    def _nodes(self) -> Iterator[Statement]:
        """Yields entries, layers and exits, with a cluster for each optimisation profile."""
        ends = self._ends.all
        inside: dict[int | None, list[Layer | Endpoint]] = {
            profile: [] for profile in (*sorted(set(self._costs.profile_of_each)), None)
        }
        entries = [end for end in ends if end.entry]
        exits = [end for end in ends if not end.entry]
        every: tuple[Layer | Endpoint, ...] = (*entries, *self._view.layers, *exits)
        for node in every:
            profile = self._costs.profile_of(node) if isinstance(node, Layer) else node.profile
            inside[profile if profile in inside else None].append(node)
        for number, nodes in inside.items():
            if number is not None and nodes:
                look = {
                    "label": quoted(sentences.profile(self._costs, number)),
                    "labeljust": "l",
                    "fontname": quoted(LIGHT.families),
                    "fontsize": _SIZE,
                    "fontcolor": quoted(LIGHT.muted),
                    "style": quoted("rounded,filled"),
                    "color": quoted(LIGHT.group),
                    "margin": "12",
                }
                yield Statement("cluster", f"cluster_profile_{number}", look)
            for node in nodes:
                yield self._layer(node) if isinstance(node, Layer) else _endpoint(node)
            if number is not None and nodes:
                yield Statement("end", "", {})

    def _layer(self, layer: Layer) -> Statement:
        fill = self._coloring.fill(layer)
        lines = tooltips.of_layer(layer, self._findings)
        mark = LIGHT.marks[kind_of(layer)]
        return _node(f"layer_{layer.index}", self._label(layer, fill), lines, fill, mark)

    def _label(self, layer: Layer, fill: str) -> str:
        """Returns the HTML-like label of a layer on a box with this fill."""
        look = kind_of(layer)
        strong = ink(fill)
        share, took = map(_html, self._coloring.cost_words((layer,)))
        weak = strong if share else LIGHT.muted
        # What only other lines of the log tell is left out: a .dot is drawn without reading them.
        head, name = box_head(layer, told=False), layer.raw or subtitle(layer)
        details = [layer.type] if head != layer.type else []
        if look in SERVING:
            details += filter(None, (change(layer), "" if layer.listed else "not listed"))
        if look == "constant":
            details, name = [shorten(visible(name), 40)], ""
        quiet = look in QUIET
        head = _html(head, 40)
        left = _little(f"<B>{head}</B>", weak) if quiet else _bold(head, strong)
        if details:
            left += _little("&#160;&#160;" + _html(" · ".join(details), 48), weak)
        right = _little(took, weak)
        if share:
            right += _little("&#160;&#160;", weak) if took else ""
            right += _little(f"<B>{share}</B>", strong) if quiet else _bold(share, strong)
        rows = [f'<TD ALIGN="LEFT">{left}</TD>']
        if right:
            rows[0] += f'<TD WIDTH="14"></TD><TD ALIGN="RIGHT">{right}</TD>'
        if name:
            span = f' COLSPAN="{3 if right else 1}" WIDTH="{_LABEL_WIDTH}"'
            short = shorten(visible(name), _NAME_COLUMNS * (2 if layer.raw is None else 3))
            for line in wrap(short, _NAME_COLUMNS):
                rows.append(f'<TD{span} ALIGN="LEFT">{_little(_html(line), weak)}</TD>')
        return f"<{_table(rows)}>"

    def _edges(self) -> Iterator[Statement]:
        labelled: set[tuple[int, str, str]] = set()
        straight = _spine(self._view)
        colors: dict[str | None, str] = {}
        for edge, entry, exit in self._ends.lines():
            written, read = self._ends.tensors.of(edge)
            dtype = dtype_of(written, read)
            if dtype not in colors:
                colors[dtype] = quoted(LIGHT.precision(dtype).color)
            attributes = {"color": colors[dtype]}
            if any(end is not None and end.kind == "stub" for end in (entry, exit)):
                attributes["style"] = "dashed"
            attributes["tooltip"] = tooltip(*tooltips.of_edge(edge, written, read))
            tail = f"layer_{edge.source}" if entry is None else entry.id
            head = f"layer_{edge.target}" if exit is None else exit.id
            if edge.source is not None and edge.target is not None:
                if straight.get(edge.target) is edge:
                    attributes["weight"] = "8"
                # A tensor with several readers has its dims on one edge; endpoints have their own.
                seen = read or written
                if self._small and seen is not None and seen.dims:
                    key = (edge.source, edge.tensor, seen.dims)
                    if key not in labelled:
                        labelled.add(key)
                        attributes["label"] = quoted(f" {shorten(visible(dims(seen.dims)), 40)} ")
            yield Statement("edge", tail, attributes, head)


def _endpoint(end: Endpoint) -> Statement:
    """Returns a node of one line: the tensor's name, what it is (`engine input` …), its shape."""
    mark = LIGHT.marks[end.kind]
    word = f"engine {end.word}" if end.kind == "port" else end.word
    word += ", not shown" if end.beyond else ""
    shape = "" if end.tensor is None else sentences.shape(end.tensor)
    name = _html(end.name or "(no name)", _NAME_COLUMNS)
    small = _html(" · ".join(filter(None, (word, shape))), _NAME_COLUMNS)
    color = ink(mark.fill)
    label = f"<{_bold(name, color)}{_little(f'&#160;&#160;{small}', color)}>"
    return _node(end.id, label, tooltips.of_endpoint(end), mark.fill, mark, "rounded,filled")


def _node(
    id: str, label: str, lines: Iterable[str], fill: str, mark: NodeMark, style: str = "filled"
) -> Statement:
    """Returns a node with this mark; `style` is that of its shape."""
    attributes = {
        "label": label,
        "tooltip": tooltip(*lines),
        "fillcolor": quoted(fill),
        "color": quoted(mark.line),
        "penwidth": f"{mark.width:g}",
        "style": quoted(style if mark.dash == "solid" else f"{style},{mark.dash}"),
    }
    return Statement("node", id, attributes)


def _jump(jump: Edge) -> Statement:
    words = f"jump {jump.tensor.removeprefix('JumpTarget').lower()}".rstrip()
    attributes = {
        "style": "dashed",
        "color": quoted(LIGHT.muted),
        "label": quoted(f" {words} "),
        "tooltip": tooltip(f"{jump.tensor}: control flow, no tensor"),
        "constraint": "true" if (jump.source or 0) < (jump.target or 0) else "false",
    }
    return Statement("edge", f"layer_{jump.source}", attributes, f"layer_{jump.target}")


def _spine(view: View) -> dict[int, Edge]:
    """Returns the edges to be drawn straight, by their target.

    They come from each layer's deepest source, and go to the first such target of each source.
    Without them a residual network wanders sideways, one block after the other.
    """
    depth = [0] * len(view.engine.layers)
    deepest: dict[int, tuple[int, Edge]] = {}  # by target: the source, the edge to it
    for edge in sorted(view.edges, key=lambda edge: edge.target or 0):
        source, target = edge.source, edge.target
        if source is None or target is None or source >= target:
            continue  # a loop's way back
        if target not in deepest or depth[source] + 1 > depth[target]:
            deepest[target], depth[target] = (source, edge), depth[source] + 1
    first: dict[int, int] = {}
    for target in sorted(deepest):
        first.setdefault(deepest[target][0], target)
    return {target: deepest[target][1] for target in first.values()}


def quoted(text: str) -> str:
    """Returns a dot string in which each character stands for itself, also in `&amp;`."""
    text = visible(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def tooltip(*lines: str) -> str:
    """Returns a dot string of lines. Graphviz undoes escapes twice here, so they stand twice."""
    if not (whole := "".join(lines)).isascii() or not whole.isprintable():
        lines = tuple(map(visible, lines))
    text = "\n".join(lines).replace("\\", "\\\\").replace("&", "&amp;")
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n") + '"'


def _html(text: str, most: int | None = None) -> str:
    """Returns `text` for an HTML-like label, where Graphviz replaces backslashes as well.

    `most`: characters that are shown; None: all.
    """
    text = visible(text)
    return (text if most is None else shorten(text, most)).translate(_HTML)


def _little(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{_SMALL}" COLOR="{color}">{text}</FONT>' if text else ""


def _bold(text: str, color: str) -> str:
    return f'<FONT POINT-SIZE="{_SIZE}" COLOR="{color}"><B>{text}</B></FONT>' if text else ""


def _table(rows: Iterable[str], padding: int = 0) -> str:
    head = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{padding}">'
    return head + "".join(f"<TR>{row}</TR>" for row in rows) + "</TABLE>"


def _key(sign: str, color: str, words: str) -> str:
    """Returns an entry of the legend as text: a table would stretch it to the title's width."""
    return f"{_bold(sign, color)}&#160;{_little(_html(words), LIGHT.ink)}{3 * '&#160;'} "
