"""Engine -> Graphviz dot.

takes: an `Engine`
gives: a `pydot.Dot` of it, or its text as UTF-8
never: lays out, runs Graphviz, or trusts a name: ids are made here, names are text and nothing else
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.errors import visible
from engine_layer_visualize.graph import optimization_profiles
from engine_layer_visualize.model import Edge, Engine, Tensor
from engine_layer_visualize.options import DEFAULT, Options
from engine_layer_visualize.style import LIGHT, Kind, Theme, kind, precision, profile_of, shorten
from engine_layer_visualize.writers.dot_label import (
    SIZE,
    SMALL,
    Heated,
    described,
    outline,
    port_label,
    quoted,
    story,
    title,
    tooltip,
)

if TYPE_CHECKING:
    import pydot

FORMATS: Final[tuple[str, ...]] = ("dot",)

# Bounds on the layout's search: without them long skips cost minutes (x-position simplex), with
# them lines take odd turns; a small drawing does without.
_BOUNDS: Final = {"nslimit": "0.05", "nslimit1": "0.05", "mclimit": "0.05"}
LARGE: Final = 200  # layers; above this, edge labels cost more layout time than all the rest


def render(engine: Engine, format: str, options: Options = DEFAULT) -> bytes:
    """The drawing of `engine` as dot text, UTF-8."""
    if format not in FORMATS:
        raise ValueError(f"not a format of this writer: {format}")
    return to_pydot(engine).to_string().encode("utf-8")


def to_pydot(engine: Engine, theme: Theme = LIGHT) -> pydot.Dot:
    """The drawing of `engine`.

    Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>` and `unused_<n>`;
    optimisation profiles are the subgraphs `cluster_profile_<k>`.
    """
    import pydot

    sheet = _Sheet(engine, theme)
    graph = pydot.Dot(
        f"EngineLayers_{engine.index}",
        graph_type="digraph",
        label=title(engine, sheet.dtypes(), sheet.kinds(), theme),
        labelloc="t",
        labeljust="l",
        rankdir="TB",
        bgcolor=quoted(theme.paper),
        fontname=quoted(theme.families),
        fontsize=SIZE,
        fontcolor=quoted(theme.ink),
        pad="0.2",
        nodesep="0.2",
        ranksep="0.12",
        **({} if len(engine.layers) <= LARGE else _BOUNDS),
    )
    graph.set_node_defaults(
        shape="box",
        fontname=quoted(theme.families),
        fontsize=SMALL,
        margin=quoted("0.1,0.045"),
        height="0.2",
        width="0.2",
    )
    graph.set_edge_defaults(
        fontname=quoted(theme.families),
        fontsize=SMALL,
        fontcolor=quoted(theme.muted),
        arrowsize="0.5",
        penwidth="1.6",
    )
    profiles = optimization_profiles(engine.layers)
    homes = _clusters(profiles, graph, theme)
    for port in sheet.ports:
        if port.entry:
            home = homes.get(port.profile, graph)
            home.add_node(_port_node(port, theme))
    heated = Heated(engine, theme)
    for layer in engine.layers:
        home = homes[profiles[layer.index]] if profiles else graph
        fill = heated.fill(layer)
        home.add_node(
            pydot.Node(
                f"layer_{layer.index}",
                label=heated.label(layer, fill),
                tooltip=tooltip(*story(layer, heated.share(layer))),
                fillcolor=quoted(fill),
                **outline(theme.marks[kind(layer)], "filled"),
            )
        )
    for port in sheet.ports:
        if not port.entry:
            home = homes.get(port.profile, graph)
            home.add_node(_port_node(port, theme))
    for edge in sheet.edges():
        graph.add_edge(edge)
    return graph


def _clusters(
    profiles: tuple[int, ...], graph: pydot.Dot, theme: Theme
) -> dict[int, pydot.Subgraph]:
    """A box for each optimisation profile; none where there is only one."""
    import pydot

    homes: dict[int, pydot.Subgraph] = {}
    for k in sorted(set(profiles)):
        homes[k] = pydot.Subgraph(
            f"cluster_profile_{k}",
            label=quoted(f"optimisation profile {k}"),
            labeljust="l",
            fontname=quoted(theme.families),
            fontsize=SIZE,
            fontcolor=quoted(theme.muted),
            style=quoted("rounded,filled"),
            color=quoted(theme.group),
            margin="12",
        )
        graph.add_subgraph(homes[k])
    return homes


@dataclass(frozen=True, slots=True)
class _Port:
    """A node for one tensor at one end of the engine. `entry`: it flows into layers."""

    id: str
    kind: Kind
    name: str
    tensor: Tensor | None
    entry: bool
    profile: int

    @property
    def word(self) -> str:
        if self.kind == "port":
            return "engine input" if self.entry else "engine output"
        return self.kind


def _port_node(port: _Port, theme: Theme) -> pydot.Node:
    import pydot

    mark = theme.marks[port.kind]
    told = described(port.tensor) if port.tensor is not None else port.name
    words = port.word if port.kind == "port" else f"{port.word}: {mark.words}"
    return pydot.Node(
        port.id,
        label=port_label(port.name, port.word, port.tensor, mark.fill, theme),
        tooltip=tooltip(told, words),
        fillcolor=quoted(mark.fill),
        **outline(mark, "rounded,filled"),
    )


class _Sheet:
    """What is to be drawn besides the layers: the engine's ends and the lines between."""

    def __init__(self, engine: Engine, theme: Theme) -> None:
        self.engine = engine
        self.theme = theme
        # The first print of a name in a record counts; later ones of the same record are views.
        self.reads: dict[tuple[int, str], Tensor] = {}
        self.writes: dict[tuple[int, str], Tensor] = {}
        for layer in engine.layers:
            for tensor in layer.inputs:
                self.reads.setdefault((layer.index, tensor.name), tensor)
            for tensor in layer.outputs:
                self.writes.setdefault((layer.index, tensor.name), tensor)
        self._profiles = optimization_profiles(engine.layers)
        self.entries: dict[str, _Port] = {}
        self.exits: dict[str, _Port] = {}
        self._ends()
        self.ports = (*self.entries.values(), *self.exits.values())

    def _ends(self) -> None:
        graph = self.engine.graph
        unresolved, unused = frozenset(graph.unresolved), frozenset(graph.unused)
        for edge in self._drawn():
            if edge.source is None and edge.tensor not in self.entries:
                self._add(edge.tensor, True, edge.tensor in unresolved, edge.target)
            if edge.target is None and edge.tensor not in self.exits:
                self._add(edge.tensor, False, edge.tensor in unused, edge.source)
        # Named by the log and touched by no layer (shape tensors): they are there all the same.
        for names, ports, entry in (
            (graph.inputs, self.entries, True),
            (graph.outputs, self.exits, False),
        ):
            drawn = {profile_of(name)[0] for name in ports}
            for name in names:
                if name not in ports and name not in drawn:
                    self._add(name, entry, False, None)

    def _add(self, name: str, entry: bool, loose: bool, layer: int | None) -> None:
        ports, tensors = (self.entries, self.reads) if entry else (self.exits, self.writes)
        kind_: Kind = "port"
        if loose:
            kind_ = "unresolved" if entry else "unused"
        word = kind_ if loose else "input" if entry else "output"
        ports[name] = _Port(
            id=f"{word}_{len(ports)}",
            kind=kind_,
            name=name,
            tensor=None if layer is None else tensors.get((layer, name)),
            entry=entry,
            profile=self._profiles[layer] if self._profiles and layer is not None else 0,
        )

    def _drawn(self) -> Iterator[Edge]:
        """The edges; Myelin's own weights stay in the tooltips, there would be one on every box."""
        constants = frozenset(self.engine.graph.constants)
        for edge in self.engine.graph.edges:
            if edge.source is not None or edge.tensor not in constants:
                yield edge

    def _tensors(self, edge: Edge) -> tuple[Tensor | None, Tensor | None]:
        written = None if edge.source is None else self.writes.get((edge.source, edge.tensor))
        read = None if edge.target is None else self.reads.get((edge.target, edge.tensor))
        return written, read

    def dtypes(self) -> Iterator[str | None]:
        """The precisions of the lines drawn."""
        for edge in self._drawn():
            written, read = self._tensors(edge)
            yield _dtype(written, read)

    def kinds(self) -> frozenset[Kind]:
        """The marks that occur."""
        return frozenset(
            {kind(layer) for layer in self.engine.layers} | {port.kind for port in self.ports}
        )

    def _spine(self) -> frozenset[Edge]:
        """Edges to be drawn straight: each layer's deepest source, each source's first such target.

        Without them a residual network wanders sideways, one block after the other.
        """
        depth = [0] * len(self.engine.layers)
        deepest: dict[int, Edge] = {}
        for edge in sorted(self.engine.graph.between, key=lambda edge: edge.target or 0):
            source, target = edge.source, edge.target
            if source is None or target is None or source >= target:
                continue  # a loop's way back
            if target not in deepest or depth[source] + 1 > depth[target]:
                deepest[target], depth[target] = edge, depth[source] + 1
        first: dict[int | None, Edge] = {}
        for target in sorted(deepest):
            first.setdefault(deepest[target].source, deepest[target])
        return frozenset(first.values())

    def edges(self) -> Iterator[pydot.Edge]:
        import pydot

        labelled: set[tuple[int, str, str]] = set()
        small = len(self.engine.layers) <= LARGE
        spine = self._spine()
        for edge in self._drawn():
            written, read = self._tensors(edge)
            seen = read or written
            told = [described(tensor) for tensor in (written, read) if tensor is not None]
            if len(told) == 2 and told[0] != told[1]:
                told[1] = f"read as {told[1]}"
            lines = dict.fromkeys(told or [edge.tensor])
            attributes: dict[str, Any] = {
                "color": quoted(precision(_dtype(written, read), self.theme).color),
                "tooltip": tooltip(*lines),
            }
            if edge.source is None:
                tail = self.entries[edge.tensor].id
            else:
                tail = f"layer_{edge.source}"
            if edge.target is None:
                head = self.exits[edge.tensor].id
            else:
                head = f"layer_{edge.target}"
            if edge.source is not None and edge.target is not None:
                if edge in spine:
                    attributes["weight"] = "8"
                # A tensor with several readers says its dims once; the ends say theirs themselves.
                key = (edge.source, edge.tensor, seen.dims if seen is not None else "")
                if small and seen is not None and seen.dims and key not in labelled:
                    labelled.add(key)
                    attributes["label"] = quoted(f" {shorten(visible(seen.dims), 40)} ")
            yield pydot.Edge(tail, head, **attributes)
        for jump in self.engine.graph.jumps:
            words = ("jump", jump.tensor.removeprefix("JumpTarget").lower())
            yield pydot.Edge(
                f"layer_{jump.source}",
                f"layer_{jump.target}",
                style="dashed",
                color=quoted(self.theme.muted),
                label=quoted(f" {' '.join(filter(None, words))} "),
                tooltip=tooltip(f"{jump.tensor}: control flow, no tensor"),
                constraint="true" if (jump.source or 0) < (jump.target or 0) else "false",
            )


def _dtype(written: Tensor | None, read: Tensor | None) -> str | None:
    """The reader's word, else the writer's."""
    for tensor in (read, written):
        if tensor is not None and tensor.dtype is not None:
            return tensor.dtype
    return None
