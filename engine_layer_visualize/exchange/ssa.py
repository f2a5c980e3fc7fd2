"""Makes a graph of an engine in which each tensor is written once.

The nodes stand in order, each with the names of what it reads and writes. The first generation of a
tensor keeps its name, the second is `t@2`; where a layer reads what several wrote, a node that
joins them stands between.
"""

from __future__ import annotations

from typing import NamedTuple

from engine_layer_visualize.core.model import Engine, Layer, Tensor


class Value(NamedTuple):
    """A tensor of one writer."""

    name: str
    tensor: Tensor | None  # as its writer prints it, else its first reader; None: unknown


class Node(NamedTuple):
    """A node of the graph.

    A tensor that a layer reads twice is one input, as it is one edge.
    """

    layer: Layer | None  # None of a node that joins what several layers wrote
    inputs: tuple[str, ...]  # the names of values
    outputs: tuple[Value, ...]


class Ssa(NamedTuple):
    """An engine as a graph in which each tensor is written once."""

    inputs: tuple[Value, ...]  # what no layer writes, the engine's own inputs first
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]  # the engine's


def of(engine: Engine) -> Ssa:
    """The graph of an engine. The nodes stand behind all that they read."""
    return _Making(engine).made()


class _Making:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sources: dict[tuple[int | None, str], list[int | None]] = {}
        for edge in engine.graph.edges:
            writers = self._sources.setdefault((edge.target, edge.tensor), [])
            if edge.source not in writers:
                writers.append(edge.source)
        layers = engine.layers
        names = {tensor.name for layer in layers for tensor in (*layer.inputs, *layer.outputs)}
        self._taken = {*names, *engine.inputs, *engine.outputs}
        self._written: dict[str, int] = {}
        self._values: dict[tuple[int | None, str], Value] = {}
        self._joined: dict[tuple[str, tuple[int | None, ...]], Value] = {}
        self._nodes: list[Node] = []

    def made(self) -> Ssa:
        read = {
            tensor.name: tensor
            for reader in reversed(self._engine.layers)
            for tensor in reader.inputs
        }
        outside = [name for (_, name), sources in self._sources.items() if None in sources]
        for name in dict.fromkeys((*self._engine.inputs, *outside)):
            self._values[None, name] = Value(self._fresh(name), read.get(name))
        inputs = tuple(self._values.values())
        for layer in self._engine.layers:
            names = dict.fromkeys(tensor.name for tensor in layer.inputs)
            values = [self._read(layer.index, name) for name in names]
            self._nodes.append(Node(layer, tuple(value.name for value in values if value), ()))
            place = len(self._nodes) - 1
            for tensor in layer.outputs:
                if (layer.index, tensor.name) not in self._values:
                    value = Value(self._fresh(tensor.name), tensor)
                    self._values[layer.index, tensor.name] = value
            wrote = (self._values[layer.index, tensor.name] for tensor in layer.outputs)
            self._nodes[place] = self._nodes[place]._replace(outputs=tuple(dict.fromkeys(wrote)))
        outputs = [self._read(None, name) for name in dict.fromkeys(self._engine.outputs)]
        return Ssa(inputs, tuple(self._nodes), tuple(output for output in outputs if output))

    def _read(self, reader: int | None, name: str) -> Value | None:
        """What a layer reads of a tensor; None where the engine has no edge for it."""
        sources = self._sources.get((reader, name), [])
        values = [
            self._values[writer, name] for writer in sources if (writer, name) in self._values
        ]
        if len(values) < 2:
            return values[0] if values else None
        key = name, tuple(sources)
        if key not in self._joined:
            value = Value(self._named(name, "joined"), values[0].tensor)
            self._joined[key] = value
            self._nodes.append(Node(None, tuple(joined.name for joined in values), (value,)))
        return self._joined[key]

    def _fresh(self, name: str) -> str:
        """The name of the next generation."""
        self._written[name] = number = self._written.get(name, 0) + 1
        return name if number == 1 and name else self._named(name, str(number))

    def _named(self, name: str, what: str) -> str:
        """A name such as `t@2`, or with more behind it where a tensor is called so."""
        fresh = f"{name}@{what}"
        while fresh in self._taken:
            fresh += "'"
        self._taken.add(fresh)
        return fresh
