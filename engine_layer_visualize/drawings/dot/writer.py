"""A `View` in; its drawing out, as dot text, piece by piece, or as a `pydot.Dot`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.drawings.dot.statements import (
    Attributes,
    Cluster,
    Defaults,
    Digraph,
    EdgeStatement,
    End,
    NodeStatement,
    Statement,
    statements,
)
from engine_layer_visualize.views.subgraph import View

if TYPE_CHECKING:
    import pydot


def render(view: View, format: str, options: Options = DEFAULT) -> Iterable[bytes]:
    """The drawing of `view` as dot text, UTF-8, a statement at a time."""
    if format != "dot":
        raise ValueError(f"not a format of this module: {format}")
    return _pieces(statements(view, options))


def to_pydot(view: View, options: Options = DEFAULT) -> pydot.Dot:
    """The drawing of `view` as objects, to be searched or changed."""
    return _objects(statements(view, options))


# ---------------------------------------------------------------- as text


def _pieces(drawing: Iterable[Statement]) -> Iterator[bytes]:
    """Byte for byte what pydot makes of the same statements, at a tenth of its cost."""
    for statement in drawing:
        yield _text(statement).encode("utf-8")
    yield b"}\n"


def _text(statement: Statement) -> str:
    if isinstance(statement, NodeStatement):
        return f"{statement.id} [{_list(statement.attributes)}];\n"
    if isinstance(statement, EdgeStatement):
        return f"{statement.tail} -> {statement.head} [{_list(statement.attributes)}];\n"
    if isinstance(statement, Defaults):
        return f"{statement.of} [{_list(statement.attributes)}];\n"
    if isinstance(statement, End):
        return "}\n"
    word = "digraph" if isinstance(statement, Digraph) else "subgraph"
    own = "".join([f"{key}={value};\n" for key, value in statement.attributes.items()])
    return f"{word} {statement.id} {{\n{own}"


def _list(attributes: Attributes) -> str:
    return ", ".join([f"{key}={value}" for key, value in attributes.items()])


# ---------------------------------------------------------------- as objects


def _objects(drawing: Iterator[Statement]) -> pydot.Dot:
    import pydot

    digraph = next(drawing)
    assert isinstance(digraph, Digraph)
    graph = pydot.Dot(digraph.id, graph_type="digraph", **digraph.attributes)
    home: pydot.Dot | pydot.Subgraph = graph
    for statement in drawing:
        if isinstance(statement, End):
            home = graph
            continue
        attributes: dict[str, Any] = statement.attributes
        if isinstance(statement, NodeStatement):
            home.add_node(pydot.Node(statement.id, **attributes))
        elif isinstance(statement, EdgeStatement):
            graph.add_edge(pydot.Edge(statement.tail, statement.head, **attributes))
        elif isinstance(statement, Cluster):
            home = pydot.Subgraph(statement.id, **attributes)
            graph.add_subgraph(home)
        elif isinstance(statement, Defaults):
            preset = graph.set_node_defaults if statement.of == "node" else graph.set_edge_defaults
            preset(**attributes)
    return graph
