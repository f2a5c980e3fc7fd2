"""The child process that calls Graphviz as a library: a crash or a hang there ends only itself.

It reads dot text from stdin, its format (`svg`, `pdf` or `png:<dpi>`) from its argument, and writes
the picture to stdout. The program starts it and never imports it.
"""

from __future__ import annotations

import sys


def main(format: str) -> None:
    """Draws stdin to stdout."""
    import pygraphviz  # type: ignore[import-untyped,unused-ignore]

    name, _, dpi = format.partition(":")
    graph = pygraphviz.AGraph()
    graph.from_string(sys.stdin.buffer.read())
    if dpi:
        graph.graph_attr["dpi"] = dpi
    sys.stdout.buffer.write(graph.draw(format=name, prog="dot"))
    sys.stdout.buffer.flush()
