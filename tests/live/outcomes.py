"""What was read of a network that was built, against what was put in.

takes: an Engine, a Network
gives: whether the ends are the same, and what depends on what
never: looks at the log
"""

from __future__ import annotations

from networks import Network

import engine_layer_visualize as elv


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


def is_as_put_in(engine: elv.Engine, network: Network) -> bool:
    return (
        sorted(engine.inputs) == sorted(network.inputs)
        and sorted(engine.outputs) == sorted(network.outputs)
        and all(
            reaches(engine, source, target)
            for source in network.inputs
            for target in network.outputs
        )
    )
