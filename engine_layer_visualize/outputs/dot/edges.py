"""Which edges of a dot drawing shall be straight: a `View` in, edges by their target out."""

from __future__ import annotations

from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.core.model import Edge


def spine(view: View) -> dict[int, Edge]:
    """Edges to be drawn straight, by their target: each layer's deepest source, each source's first
    such target.

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
