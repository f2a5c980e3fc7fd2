"""Names in DOT, read by Graphviz: by the program on the PATH, and by the library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON, tensor

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}"
DOT = shutil.which("dot")
_LIBRARY = (
    "import sys, pygraphviz; graph = pygraphviz.AGraph();"
    "graph.from_string(sys.stdin.buffer.read());"
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))"
)


@pytest.fixture(params=["program", "library"])
def graphviz(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "program":
        if DOT is None:
            pytest.skip("there is no dot on the PATH")
        return [DOT, "-T"]
    pytest.importorskip("pygraphviz")
    return [sys.executable, "-c", _LIBRARY, ""]


def drawn(graphviz: list[str], format: str, text: bytes, folder: Path) -> bytes:
    command = [*graphviz[:-1], graphviz[-1] + format]
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    assert os.listdir(folder) == []
    return done.stdout


def test_nodes_and_lines_are_those_of_the_engine(
    graphviz: list[str], poisoned: Engine, tmp_path: Path
) -> None:
    graph = json.loads(drawn(graphviz, "json", render(poisoned, "dot"), tmp_path))
    nodes = [node["name"] for node in graph["objects"] if "nodes" not in node]
    count = len(POISON)
    assert sorted(nodes) == sorted([*(f"layer_{n}" for n in range(count)), "input_0", "output_0"])
    assert len(graph["edges"]) == count + 1
    for one in (graph, *graph["objects"], *graph["edges"]):
        assert not {key.lower() for key in one} & {"url", "href", "target", "image", "shapefile"}
        assert not {key for key in one if key.lower().endswith(("url", "href"))}


def test_tooltips_are_the_names(graphviz: list[str], poisoned: Engine, tmp_path: Path) -> None:
    picture = ElementTree.fromstring(drawn(graphviz, "svg", render(poisoned, "dot"), tmp_path))
    assert not [one for one in picture.iter() if one.tag in (f"{SVG}script", f"{SVG}image")]
    for one in picture.iter():
        assert LINK + "href" not in one.attrib
        assert not [key for key in one.attrib if key.lower().startswith("on")]
    groups = {g.findtext(f"{SVG}title"): g for g in picture.iter(f"{SVG}g") if g.get("class")}
    for number, name in enumerate(POISON):
        (link, *_) = groups[f"layer_{number}"].iter(f"{SVG}a")
        told = link.get(LINK + "title", "").replace("\xa0", " ").split("\n")
        assert told[0] == visible(name)
        assert f"kernel: {visible(POISON[-1 - number] + ' kernel')}" in told
        assert any(line.startswith(f"input: {visible(tensor(number))}[") for line in told)
