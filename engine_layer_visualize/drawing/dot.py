"""Writes the drawing of a view as dot text, or as a `pydot.Dot`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from engine_layer_visualize.analysis.kinds import kind_of
from engine_layer_visualize.core.model import Edge, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import tooltips
from engine_layer_visualize.drawing.coloring import Coloring
from engine_layer_visualize.drawing.dot_labels import SIZE, SMALL, Labels, outline, quoted, tooltip
from engine_layer_visualize.drawing.theme import LIGHT, precision
from engine_layer_visualize.drawing.tooltips import EngineFindings
from engine_layer_visualize.facts.endpoints import Endpoint, Endpoints, dtype_of
from engine_layer_visualize.facts.sentences import profile
from engine_layer_visualize.facts.subgraph import Stub, View, read_name

if TYPE_CHECKING:
    import pydot


# ---- makes the statements of a view's dot drawing, in order -------------------------------------

# `writer` makes text or pydot's objects of them. No id has a name of the log in it.

Attributes: TypeAlias = dict[str, Any]  # texts; pydot asks for no more


class Statement(NamedTuple):
    """A statement of a drawing. A tuple is made in half a dataclass's time; there are thousands."""

    # `graph` comes first; `defaults` are of all that follows; `cluster` is a box around the nodes
    # that follow, up to its `end`.
    kind: Literal["graph", "defaults", "cluster", "end", "node", "edge"]
    id: str  # of defaults: `node` or `edge`; of an edge: the node where it begins
    attributes: Attributes
    head: str = ""  # the node where an edge ends


# Bounds on the layout's search: without them long skips cost minutes (x-position simplex), with
# them edges take odd turns, so a small drawing has none.
_BOUNDS: Final = {"nslimit": "0.05", "nslimit1": "0.05", "mclimit": "0.05"}
LARGE: Final = 200  # layers; labels of edges would cost a larger drawing most of its layout time


def statements(view: View, options: Options) -> Iterator[Statement]:
    """Yields the drawing of `view`.

    Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>`, `unused_<n>` and
    `stub_<n>`; optimisation profiles are the clusters `cluster_profile_<k>`.
    """
    drawing = _Drawing(view, options)
    yield from drawing.head()
    yield from drawing.nodes()
    yield from drawing.edges()


class _Drawing:
    """Makes the statements of one view."""

    def __init__(self, view: View, options: Options) -> None:
        self._view, self._theme = view, LIGHT
        self._small = len(view.layers) <= LARGE
        self._dims = self._small and options.labels not in ("none", "large")  # on edges
        self._coloring = Coloring(view, self._theme, options._replace(color_by="time"))
        self._coloring.heated([[layer] for layer in view.layers])
        self._labels = Labels(self._coloring, options.labels)
        # Without build info hardly a rule has anything to go by: only reformats have their reasons.
        self._findings = EngineFindings(self._coloring.known, rules=view.engine.facts is not None)
        self._outlines = {name: outline(mark, "filled") for name, mark in self._theme.marks.items()}
        self._profiles = self._coloring.known.profile_of_each
        self._ends = Endpoints(view, self._profiles)
        self._tensors = self._ends.tensors

    def head(self) -> Iterator[Statement]:
        """Yields the graph with its title, and the defaults of nodes and edges."""
        view, theme = self._view, self._theme
        dtypes = {dtype_of(*self._tensors.of(edge)) for edge in self._ends.edges}
        dtypes |= {end.tensor.dtype for end in self._ends.stubs if end.tensor is not None}
        kinds = frozenset({*map(kind_of, view.layers), *(end.kind for end in self._ends.all)})
        yield Statement(
            "graph",
            f"EngineLayers_{view.engine.index}",
            {
                "comment": quoted(marks.in_words(view.engine.source)),
                "label": self._labels.title(dtypes, kinds),
                "labelloc": "t",
                "labeljust": "l",
                "rankdir": "TB",
                "bgcolor": quoted(theme.paper),
                "fontname": quoted(theme.families),
                "fontsize": SIZE,
                "fontcolor": quoted(theme.ink),
                "pad": "0.2",
                "nodesep": "0.2",
                "ranksep": "0.12",
                **({} if self._small else _BOUNDS),
            },
        )
        yield Statement(
            "defaults",
            "node",
            {
                "shape": "box",
                "fontname": quoted(theme.families),
                "fontsize": SMALL,
                "margin": quoted("0.1,0.045"),
                "height": "0.2",
                "width": "0.2",
            },
        )
        yield Statement(
            "defaults",
            "edge",
            {
                "fontname": quoted(theme.families),
                "fontsize": SMALL,
                "fontcolor": quoted(theme.muted),
                "arrowsize": "0.5",
                "penwidth": "1.6",
            },
        )

    def nodes(self) -> Iterator[Statement]:
        """Yields entries, layers and exits, with a cluster for each optimisation profile."""
        profiles = set(self._profiles)
        none = max(profiles, default=0) + 1  # sorts what is of no optimisation profile last
        nodes: list[tuple[int, int, Layer | Endpoint]] = [
            (end.profile if end.profile in profiles else none, 0 if end.entry else 2, end)
            for end in self._ends.all
        ]
        for layer in self._view.layers:
            nodes.append((self._profiles[layer.index] if profiles else none, 1, layer))
        nodes.sort(key=itemgetter(0, 1))
        for number, inside in groupby(nodes, key=itemgetter(0)):
            if number != none:
                box = self._box(profile(self._coloring.known, number))
                yield Statement("cluster", f"cluster_profile_{number}", box)
            for _, _, node in inside:
                yield self._layer(node) if isinstance(node, Layer) else self._endpoint(node)
            if number != none:
                yield Statement("end", "", {})

    def _box(self, words: str) -> Attributes:
        """Returns the look of an optimisation profile's cluster."""
        return {
            "label": quoted(words),
            "labeljust": "l",
            "fontname": quoted(self._theme.families),
            "fontsize": SIZE,
            "fontcolor": quoted(self._theme.muted),
            "style": quoted("rounded,filled"),
            "color": quoted(self._theme.group),
            "margin": "12",
        }

    def _layer(self, layer: Layer) -> Statement:
        fill = self._coloring.fill((layer,))
        lines = tooltips.of_layer(layer, self._coloring.known, self._findings)
        attributes = {
            "label": self._labels.label(layer, fill),
            "tooltip": tooltip(*lines),
            "fillcolor": quoted(fill),
            **self._outlines[kind_of(layer)],
        }
        return Statement("node", f"layer_{layer.index}", attributes)

    def _endpoint(self, end: Endpoint) -> Statement:
        mark = self._theme.marks[end.kind]
        attributes = {
            "label": self._labels.endpoint(end),
            "tooltip": tooltip(*tooltips.of_endpoint(end)),
            "fillcolor": quoted(mark.fill),
            **outline(mark, "rounded,filled"),
        }
        return Statement("node", end.id, attributes)

    def edges(self) -> Iterator[Statement]:
        """Yields edges, then cut edges, then jumps."""
        labelled: set[tuple[int, str, str]] = set()
        straight = spine(self._view)
        colors: dict[str | None, str] = {}
        for edge in self._ends.edges:
            written, read = self._tensors.of(edge)
            dtype = dtype_of(written, read)
            if dtype not in colors:
                colors[dtype] = quoted(precision(dtype, self._theme).color)
            lines = tooltips.of_edge(edge, written, read)
            attributes = {"color": colors[dtype], "tooltip": tooltip(*lines)}
            tail, head = f"layer_{edge.source}", f"layer_{edge.target}"
            if edge.source is None:
                tail = self._ends.entries[edge.tensor].id
            if edge.target is None:
                head = self._ends.exits[read_name(edge)].id
            if edge.source is not None and edge.target is not None:
                if straight.get(edge.target) is edge:
                    attributes["weight"] = "8"
                # A tensor with several readers has its dims on one edge; endpoints have their own.
                seen = read or written
                if self._dims and seen is not None and seen.dims:
                    key = (edge.source, edge.tensor, seen.dims)
                    if key not in labelled:
                        labelled.add(key)
                        attributes["label"] = quoted(f" {shorten(visible(dims(seen.dims)), 40)} ")
            yield Statement("edge", tail, attributes, head)
        for end, stub in zip(self._ends.stubs, self._view.stubs):
            yield from self._cut(end, stub)
        for jump in self._view.jumps:
            yield self._jump(jump)

    def _cut(self, end: Endpoint, stub: Stub) -> Iterator[Statement]:
        """Yields the edges between an endpoint outside the view and the layers inside."""
        for index in stub.inside:
            tensor = self._tensors.named(index, stub.entering, stub.tensor)
            color = precision(dtype_of(tensor, None), self._theme).color
            attributes = {
                "color": quoted(color),
                "style": "dashed",
                "tooltip": tooltip(stub.tensor if tensor is None else tooltips.of_tensor(tensor)),
            }
            layer = f"layer_{index}"
            tail, head = (end.id, layer) if stub.entering else (layer, end.id)
            yield Statement("edge", tail, attributes, head)

    def _jump(self, jump: Edge) -> Statement:
        words = f"jump {jump.tensor.removeprefix('JumpTarget').lower()}".rstrip()
        attributes = {
            "style": "dashed",
            "color": quoted(self._theme.muted),
            "label": quoted(f" {words} "),
            "tooltip": tooltip(f"{jump.tensor}: control flow, no tensor"),
            "constraint": "true" if (jump.source or 0) < (jump.target or 0) else "false",
        }
        return Statement("edge", f"layer_{jump.source}", attributes, f"layer_{jump.target}")


def spine(view: View) -> dict[int, Edge]:
    """Returns the edges to be drawn straight, by their target.

    They come from each layer's deepest source, and go to the first such target of each source.
    Without them a residual network wanders sideways, one block after the other.
    """
    depth = [0] * len(view.engine.layers)
    deepest: dict[int, Edge] = {}
    between = (edge for edge in view.edges if edge.source is not None and edge.target is not None)
    for edge in sorted(between, key=lambda edge: edge.target or 0):
        source, target = edge.source, edge.target
        if source is None or target is None or source >= target:
            continue  # a loop's way back
        if target not in deepest or depth[source] + 1 > depth[target]:
            deepest[target], depth[target] = edge, depth[source] + 1
    taken: set[int | None] = set()
    first: dict[int, Edge] = {}
    for target in sorted(deepest):
        edge = deepest[target]
        if edge.source not in taken:
            taken.add(edge.source)
            first[target] = edge
    return first


# ---- writes the drawing of a view as dot text, piece by piece, or as a `pydot.Dot` --------------


def render(view: View, format: str, options: Options = DEFAULT) -> Iterable[bytes]:
    """Returns the drawing of `view` as dot text, UTF-8, a statement at a time."""
    if format != "dot":
        raise ValueError(f"not a format of this module: {format}")
    return _pieces(statements(view, options))


def to_pydot(view: View) -> pydot.Dot:
    """Returns the drawing of `view` as objects, to be searched or changed."""
    import pydot

    drawing = statements(view, DEFAULT)
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
    for statement in drawing:
        yield _text(statement).encode("utf-8")
    yield b"}\n"


def _text(statement: Statement) -> str:
    kind, id, attributes, head = statement
    if kind == "end":
        return "}\n"
    if kind in ("graph", "cluster"):
        word = "digraph" if kind == "graph" else "subgraph"
        lines = "".join([f"{key}={value};\n" for key, value in attributes.items()])
        return f"{word} {id} {{\n{lines}"
    arrow = f" -> {head}" if kind == "edge" else ""
    return f"{id}{arrow} [{', '.join([f'{key}={value}' for key, value in attributes.items()])}];\n"
