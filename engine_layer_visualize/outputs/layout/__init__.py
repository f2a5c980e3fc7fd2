"""Where boxes and wires go: rows, slots and lanes; columns; paths.

takes: sizes of boxes in order, and pairs of their indices
gives: `layered` (rows), `fold` (columns, positions), `route` (a polyline for every wire)
never: knows of engines, text, colours or an output format

The drawing is a grid, like a railway map. A box stands in a *row* (of the whole drawing, from the
top) and in a *slot* (from the left; the main chain is in slot 0, its branches beside it). A wire
that passes other rows has a straight *lane*: in a slot that is empty there, or in a *gutter*, the
stripe at the left of a slot. In the gap between two rows wires run across. `fold` cuts the rows
into columns; `route` walks the grid. No wire can run behind a box, no two nets share a stretch.
"""

from __future__ import annotations

from engine_layer_visualize.outputs.layout.folding import Column, Folded, Spacing, fold
from engine_layer_visualize.outputs.layout.routing import Route, route
from engine_layer_visualize.outputs.layout.rows import Lane, Net, Node, Rows, layered

__all__ = [
    "Column",
    "Folded",
    "Lane",
    "Net",
    "Node",
    "Route",
    "Rows",
    "Spacing",
    "fold",
    "layered",
    "route",
]
