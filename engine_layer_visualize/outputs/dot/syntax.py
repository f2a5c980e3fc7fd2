"""The kinds of statements in a dot file. Dot text and pydot's objects are made of them.

Their values are quoted and escaped.
"""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import Any, NamedTuple, TypeAlias

Attributes: TypeAlias = dict[str, Any]  # texts; pydot asks for no more

# Made by the hundred thousand and let go at once: a tuple is made in half a dataclass's time.


class Digraph(NamedTuple):
    """The graph itself; comes first."""

    id: str
    attributes: Attributes


class Defaults(NamedTuple):
    """Of all nodes (`node`), or all edges (`edge`), that follow."""

    of: str
    attributes: Attributes


class Cluster(NamedTuple):
    """A box around the nodes that follow, up to its `End`."""

    id: str
    attributes: Attributes


class End(NamedTuple):
    """The last cluster is complete."""


class NodeStatement(NamedTuple):
    """A node."""

    id: str
    attributes: Attributes


class EdgeStatement(NamedTuple):
    """An edge from node `tail` to node `head`."""

    tail: str
    head: str
    attributes: Attributes


Statement: TypeAlias = Digraph | Defaults | Cluster | End | NodeStatement | EdgeStatement
