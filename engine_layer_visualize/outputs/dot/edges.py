"""What a line of a dot drawing says, and which lines shall be straight.

takes: a `View` and its edges
gives: the tensors at an edge's ends, its precision, its tooltip
never: knows of nodes
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.analysis.subgraph import Run, View, read_name
from engine_layer_visualize.core.model import Edge, Tensor
from engine_layer_visualize.outputs.dot.labels import described

_FEW: Final = 8  # tensors of one side of a layer that are looked through one by one


class Tensors:
    """A layer's tensors by name. The first print in a record counts; later ones are views."""

    def __init__(self, view: View) -> None:
        self._layers = view.engine.layers
        self._wide: dict[tuple[int, bool], dict[str, Tensor]] = {}

    def of(self, edge: Edge) -> tuple[Tensor | None, Tensor | None]:
        """As the edge's source prints it, and as its target does."""
        return self.written(edge.source, edge.tensor), self.read(edge.target, read_name(edge))

    def written(self, layer: int | None, name: str) -> Tensor | None:
        return None if layer is None else self._named(layer, False, name)

    def read(self, layer: int | None, name: str) -> Tensor | None:
        return None if layer is None else self._named(layer, True, name)

    def _named(self, layer: int, read: bool, name: str) -> Tensor | None:
        tensors: Sequence[Tensor] = getattr(self._layers[layer], "inputs" if read else "outputs")
        if len(tensors) <= _FEW:
            for tensor in tensors:
                if tensor.name == name:
                    return tensor
            return None
        names = self._wide.get((layer, read))
        if names is None:
            names = {tensor.name: tensor for tensor in reversed(tensors)}
            self._wide[layer, read] = names
        return names.get(name)


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


def told(edge: Edge, written: Tensor | None, read: Tensor | None) -> tuple[str, ...]:
    """An edge's tooltip."""
    if isinstance(edge, Run):
        return _told_of_run(edge, written, read)
    if written is None or read is None:
        tensor = written or read
        return (edge.tensor if tensor is None else described(tensor),)
    if written is read:
        return (described(written),)
    first, second = described(written), described(read)
    return (first,) if first == second else (first, f"read as {second}")


def _told_of_run(run: Run, written: Tensor | None, read: Tensor | None) -> tuple[str, ...]:
    first = run.tensor if written is None else described(written)
    last = run.read if read is None else described(read)
    return first, f"through {run.hops} hidden layer{'s' if run.hops > 1 else ''}", last


def dtype_of(written: Tensor | None, read: Tensor | None) -> str | None:
    """The reader's word, else the writer's."""
    for tensor in (read, written):
        if tensor is not None and tensor.dtype is not None:
            return tensor.dtype
    return None
