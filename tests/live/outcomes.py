"""What was read of a network that was built, compared with what was put in.

An engine, a network and the builder's messages go in; the `Truth` of the build comes out. A listing
that is not as expected is an error of the test.
"""

import re
from dataclasses import dataclass
from typing import Final

import raw_records
from builder import TWIN, Told
from networks import Network
from raw_records import Raw

import engine_layer_visualize as elv

LISTINGS: Final = ("Engine Layer Information:\n", "Layers:\n")
# A constant inside Myelin is called after its layer, but not by the very same letters.
_CONSTANT: Final = f"c{TWIN}_constant"
_PLAINER: Final = str.maketrans('\\"', "__")
_PROFILE: Final = re.compile(r"\A(.*) \[profile \d+\]", re.DOTALL)  # the last


def reaches(engine: elv.Engine, source: str, target: str) -> bool:
    """Whether the drawn graph leads from an input to an output, along data or control."""
    graph = engine.graph
    found = {e.target for e in graph.edges if e.source is None and e.tensor == source}
    while True:
        more = {e.target for e in (*graph.between, *graph.jumps) if e.source in found} - found
        if not more:
            break
        found |= more
    return any(e.source in found for e in graph.edges if e.target is None and e.tensor == target)


@dataclass(frozen=True)
class Truth:
    """`layers`: (type, name, reads, writes) in order; `edges`: (from, to, tensor)."""

    inputs: frozenset[str]
    outputs: frozenset[str]
    layers: tuple[tuple[str, str, tuple[Raw, ...], tuple[Raw, ...]], ...]
    edges: frozenset[tuple[int | None, int | None, str]]


def truth(told: Told, twin: Told, text: str, network: Network) -> Truth:
    """What a build of `networks.named(text)` must be read as.

    The same network was built with a tame name, the `twin`: its listing is read by plain regexes,
    then the name is put in for the tame one. That this is the listing that was printed, letter by
    letter, is held against the one message of it that the logger got: so nothing that a name holds
    has a say in where a record, a name or a list of tensors ends. One thing alone is not known
    beforehand, and not looked at: how a constant inside Myelin is called (backslashes and
    quotes become `_`, the last number of a profile is dropped).
    """
    printed, tame = _listing(told), _listing(twin)
    constant = _PROFILE.sub(r"\1", text.translate(_PLAINER))
    expected = tame.replace(_CONSTANT, f"c{constant}_constant").replace(TWIN, text)
    assert printed == expected, f"another listing than expected, with {text!a}"
    raw = raw_records.records(tame)
    assert len(raw) == tame.count("\nLayer(") + tame.count(", LayerType: ")

    def named(tensors: tuple[Raw, ...]) -> tuple[Raw, ...]:
        return tuple((name.replace(TWIN, text), dtype, dims) for name, dtype, dims in tensors)

    found = ((r.type, r.name.replace(TWIN, text), named(r.reads), named(r.writes)) for r in raw)
    layers = tuple(found)
    ends = frozenset(network.inputs), frozenset(network.outputs)
    return Truth(*ends, layers, _edges(layers, network))


def _edges(
    layers: tuple[tuple[str, str, tuple[Raw, ...], tuple[Raw, ...]], ...], network: Network
) -> frozenset[tuple[int | None, int | None, str]]:
    """In this network each tensor is written once, and all that is written is wanted."""
    writers: dict[str, int] = {}
    edges: set[tuple[int | None, int | None, str]] = set()
    for index, (_, _, reads, writes) in enumerate(layers):
        for name, _, _ in reads:
            assert name in writers or name in network.inputs
            edges.add((writers.get(name), index, name))
        for name, _, _ in writes:
            assert name not in writers
            writers[name] = index
    assert writers.keys() >= network.outputs.keys()
    return frozenset(edges | {(writers[name], None, name) for name in network.outputs})


def _listing(told: Told) -> str:
    (message,) = (m for _, m in told.records if m.startswith(LISTINGS))
    return message


def is_as_put_in(engine: elv.Engine, wanted: Truth) -> bool:
    """The same inputs, outputs, layers, tensors and edges, and no time, as none was printed."""

    def shown(layer: elv.Layer) -> tuple[object, ...]:
        sides = (layer.inputs, layer.outputs)
        tensors = (tuple((t.name, t.dtype, t.dims) for t in side) for side in sides)
        return layer.type, layer.name, *tensors

    return (
        len(engine.inputs) == len(wanted.inputs)
        and frozenset(engine.inputs) == wanted.inputs
        and len(engine.outputs) == len(wanted.outputs)
        and frozenset(engine.outputs) == wanted.outputs
        and tuple(map(shown, engine.layers)) == wanted.layers
        and all(layer.raw is None and layer.listed for layer in engine.layers)
        and frozenset((e.source, e.target, e.tensor) for e in engine.graph.edges) == wanted.edges
        and not engine.graph.jumps
        and engine.profile is None
        and not engine.also
    )
