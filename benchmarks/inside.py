"""CPU seconds of each step of the program, as JSON, for a log with one listing.

One log per process: caches would be warm for a second one.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import TypeVar

_Value = TypeVar("_Value")


def main(path: str) -> str:
    """`grammar` is importing lark and loading the grammar, `read` records to model objects; `rules`
    are all of `lint`, without importing them."""
    gc.disable()  # as the program does
    from importlib import import_module

    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.analysis.work import work
    from engine_layer_visualize.api.engine import Engine
    from engine_layer_visualize.assembly import graph, listings
    from engine_layer_visualize.core.model import Listing
    from engine_layer_visualize.io.source import Source
    from engine_layer_visualize.linting import findings_of
    from engine_layer_visualize.linting.rules import all_rules
    from engine_layer_visualize.linting.subject import Subject
    from engine_layer_visualize.reading.scanner import scan
    from engine_layer_visualize.reading.wrapping import unwrapped

    seconds: dict[str, float] = {}

    def timed(step: str, do: Callable[[], _Value]) -> _Value:
        started = time.process_time()
        value = do()
        seconds[step] = time.process_time() - started
        return value

    def load() -> None:
        import_module(f"engine_layer_visualize.reading.{block.dialect}").parser()

    all_rules()
    block = timed("scan", lambda: scan(Source(path, unwrap=unwrapped)).listings[0])
    timed("grammar", load)
    from engine_layer_visualize.api.draw import render

    layers = timed("read", lambda: listings.Group(block, path, {}).read().layers)
    edges = timed("graph", lambda: graph.build(layers))
    engine = Engine(0, Listing(path, 1, 1), layers, edges)
    costs = Costs(engine)
    timed("work", lambda: work(costs))
    timed("rules", lambda: findings_of(Subject(costs)))
    timed("json", lambda: render(engine, "json"))
    timed("dot", lambda: render(engine, "dot"))
    return json.dumps({"layers": len(layers), **seconds})


if __name__ == "__main__":
    print(main(sys.argv[1]))
