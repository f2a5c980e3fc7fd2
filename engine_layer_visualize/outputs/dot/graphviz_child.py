"""The child process that calls Graphviz as a library: a crash or a hang there ends only itself.

takes: dot text on stdin, `svg`, `pdf` or `png:<dpi>`
gives: the picture on stdout
never: is imported by the program; not a writer
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
