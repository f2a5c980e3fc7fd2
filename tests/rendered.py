"""What is in a picture or a page, as other programs read it back."""

import base64
import io
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

import pytest

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.drawing import dot
from engine_layer_visualize.facts.subgraph import View, whole


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels, once all of it was decoded; a blank picture is none."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png), formats=["PNG"])
    image.load()
    darkest, lightest = image.convert("L").getextrema()
    assert lightest - darkest > 100
    width, height = image.size
    return width, height


@dataclass
class Drawing:
    """A drawing as Graphviz's own reader understands it; `boxes`: the nodes in each cluster."""

    title: str
    attributes: dict[str, str]
    nodes: dict[str, dict[str, str]]
    edges: list[tuple[str, str, dict[str, str]]]
    boxes: dict[str, set[str]]

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """The two nodes of each edge."""
        return {(tail, head) for tail, head, _ in self.edges}


def drawing(of: Engine | View, options: Options = DEFAULT) -> Drawing:
    graph = pytest.importorskip("pygraphviz").AGraph()
    view = whole(of) if isinstance(of, Engine) else of
    graph.from_string(b"".join(dot.render(view, options)))
    return Drawing(
        graph.graph_attr["label"],
        dict(graph.graph_attr),
        {str(node): dict(node.attr) for node in graph.nodes()},
        [(str(edge[0]), str(edge[1]), dict(edge.attr)) for edge in graph.edges()],
        {box.name: set(map(str, box.nodes())) for box in graph.subgraphs()},
    )


def plain(tip: str) -> str:
    """A tooltip as its reader shows it: Graphviz undoes the escapes twice."""
    tip = tip.replace("&amp;", "&")
    for _ in range(2):
        tip = re.sub(r"\\(.)", lambda found: found[1].replace("n", "\n"), tip)
    return tip


_DEFLATED = re.compile(r'<script type="application/octet-stream" class="([\w-]+)">(.*?)</script>')


def page_text(html: str) -> str:
    """A page, with its data as they are before they are deflated."""
    return _DEFLATED.sub(
        lambda found: (
            f'<script type="application/json" class="{found[1]}">'
            f"{zlib.decompress(base64.b64decode(found[2])).decode()}</script>"
        ),
        html,
    )


def page_data(html: str, name: str) -> list[Any]:
    """What the page's data elements of one class hold."""
    start = f'<script type="application/json" class="{name}">'
    text = page_text(html)
    return [json.loads(each.partition("</script>\n")[0]) for each in text.split(start)[1:]]
