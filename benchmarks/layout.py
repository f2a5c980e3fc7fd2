"""CPU seconds of the layout and of the picture, as JSON, for a log with one listing.

One log per process.
"""

from __future__ import annotations

import json
import sys
import time


def main(path: str) -> str:
    """`layout`: rows, columns and paths of boxes of one size; `svg`: the whole picture."""
    import engine_layer_visualize as elv
    from engine_layer_visualize.drawing import svg
    from engine_layer_visualize.drawing.folding import fold
    from engine_layer_visualize.drawing.routing import route
    from engine_layer_visualize.drawing.rows import layered
    from engine_layer_visualize.facts.subgraph import whole

    engine = elv.read(path).engines[0]
    edges = tuple(
        (edge.source, edge.target)
        for edge in engine.graph.between
        if edge.source is not None and edge.target is not None
    )
    begin = time.process_time()
    route(fold(layered([(192, 40)] * len(engine.layers), edges, flag=60)), edges)
    laid = time.process_time()
    svg.draw(whole(engine))
    done = time.process_time()
    return json.dumps({"layout": laid - begin, "svg": done - laid})


if __name__ == "__main__":
    print(main(sys.argv[1]))
