"""Chooses what of a view gets a box in a picture.

Layers without a kernel are marks of a large picture, repeated blocks are one, and an engine that is
one ForeignNode is shown with what is inside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import frontends, marks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.inside import Box, Inside, blocks, inside, opened
from engine_layer_visualize.analysis.repeated_blocks import Repeat, alike, repeats
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.views.endpoints import Endpoints
from engine_layer_visualize.views.subgraph import View

_UNFOLDED: Final = 100  # boxes; a larger picture shows the blocks of a repeat as one


class Gathered:
    """What is drawn of a view.

    Attributes:
        view: What is shown.
        hosts: For each layer that is a mark the layer at whose box it stands.
        opened: The layer whose inside is shown; None: of no layer.
        inside: What is inside of it.
        items: Layers that are boxes, and, after the opened one, what is inside of it.
        blocks: Repeats among the items, to be marked.
        folded: Those of them whose blocks are drawn as one.
    """

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        self.hosts: dict[int, int] = {}
        self.opened: Layer | None = None
        self.inside: Inside | None = None
        if not view.outside:  # else each layer was asked for
            self._open(frontends.of(costs).node)
        if not view.outside and not options.unfold:
            edges = Endpoints(view, ()).edges
            self.hosts = marks.hosts(view.layers, edges, view.jumps, costs.of)
        layers = tuple(layer for layer in view.layers if layer.index not in self.hosts)
        self.items: tuple[Layer | Box, ...] = layers
        found = None
        if self.opened is not None and self.inside is not None:
            after = layers.index(self.opened) + 1
            self.items = (*layers[:after], *self.inside.boxes, *layers[after:])
            found = tuple(_moved(self.inside, after))
        self.folded: tuple[Repeat, ...] = ()
        if len(self.items) > _UNFOLDED and not options.unfold:
            self.folded = alike(layers) if found is None else found
        self.blocks = self.folded or (repeats(layers) if found is None else found)
        again = sum((len(repeat.blocks) - 1) * repeat.size for repeat in self.folded)
        self.boxes = len(self.items) - again

    def _open(self, node: str) -> None:
        """Sets the layer whose inside is shown."""
        layers = self.view.layers
        known = {layer.index: held for layer in layers if (held := inside(layer, node=node))}
        index = opened(layers, known)
        if index is not None:
            self.inside = known[index]
            self.opened = next(layer for layer in layers if layer.index == index)


def _moved(held: Inside, by: int) -> Iterator[Repeat]:
    """Yields the repeats among the boxes inside of a layer, by their places among the items."""
    for name, spans in blocks(held):
        yield Repeat(name, tuple((first + by, stop + by) for first, stop in spans), True)
