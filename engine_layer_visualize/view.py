"""What of an engine is shown.

takes: an Engine, and what to show or to hide of it
gives: `View`: the layers and the lines that a writer draws, and in numbers what it leaves out
never: knows of an output format, or leaves out something without counting it
"""

from __future__ import annotations

from dataclasses import dataclass

from engine_layer_visualize.model import Edge, Engine, Layer


@dataclass(frozen=True, slots=True)
class Run(Edge):
    """An edge through hidden layers: `source` writes `tensor`, `target` reads `read`.

    `hops`: how many hidden layers lie between.
    """

    read: str = ""
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Stub:
    """Lines that are cut off: `tensor` flows between layers that are shown and layers that are not.

    `entering`: into the picture, so that `inside` read it and `outside` write it; else the other
    way round. Both are indices of layers; none of `outside` is hidden, lines run through those.
    """

    tensor: str
    entering: bool
    inside: tuple[int, ...]
    outside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A part of `engine`, or all of it.

    `layers` are shown, in execution order, and keep their indices. `edges` are the lines between
    them and to the engine's `inputs` and `outputs`, as in its Graph; those that pass hidden layers
    are Runs. `jumps`: control flow between shown layers. `hidden`: types of the hidden layers and
    how many of each. `outside` counts the layers that are neither shown nor hidden, `cut` the edges
    and jumps between these and the shown ones. `asked`: what for, in words.
    """

    engine: Engine
    layers: tuple[Layer, ...]
    edges: tuple[Edge, ...]
    jumps: tuple[Edge, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    stubs: tuple[Stub, ...] = ()
    hidden: tuple[tuple[str, int], ...] = ()
    outside: int = 0
    cut: int = 0
    asked: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether anything of the engine is left out."""
        return bool(self.hidden or self.outside or self.cut)


def whole(engine: Engine) -> View:
    """All of it."""
    graph = engine.graph
    return View(engine, engine.layers, graph.edges, graph.jumps, graph.inputs, graph.outputs)
