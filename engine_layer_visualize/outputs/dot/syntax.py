"""The statements of a dot file, of which dot text and pydot's objects are made alike.

Their values are quoted and escaped already.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Attributes: TypeAlias = dict[str, Any]  # texts; pydot asks for no more

# Made by the hundred thousand and let go at once: a tuple is made in half a dataclass's time.


class Sheet(NamedTuple):
    """The graph itself; comes first."""

    id: str
    attributes: Attributes


class Defaults(NamedTuple):
    """Of all nodes (`node`), or all lines (`edge`), that follow."""

    of: str
    attributes: Attributes


class Cluster(NamedTuple):
    """A box around the nodes that follow, up to its `End`."""

    id: str
    attributes: Attributes


class End(NamedTuple):
    """The last cluster is complete."""


class Node(NamedTuple):
    id: str
    attributes: Attributes


class Line(NamedTuple):
    tail: str
    head: str
    attributes: Attributes


Statement: TypeAlias = Sheet | Defaults | Cluster | End | Node | Line
