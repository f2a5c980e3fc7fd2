"""Names in pictures: SVG, read by an XML parser (by a browser in tests/browser), and DOT."""

import json
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import engine_layer_visualize as elv
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON, kernel, tensor

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "g", "rect", "text", "path", "polygon", "line", "polyline"}
TAGS |= {"defs", "linearGradient", "stop", "style", "desc", "a", "marker", "tspan", "clipPath"}
TAGS |= {"metadata"}


def test_names_are_texts_and_nothing_else(poisoned: Engine) -> None:
    picture = ElementTree.fromstring(render(poisoned, "svg"))
    assert {one.tag.removeprefix(SVG) for one in picture.iter()} <= TAGS
    for one in picture.iter():
        assert not [key for key in one.attrib if key.lower().startswith("on")]
        assert all("javascript" not in value for value in one.attrib.values())
        assert not [key for key in one.attrib if key.endswith("href")]
    for number, name in enumerate(POISON):
        group = picture.find(f".//{SVG}g[@id='layer_{number}']")
        assert group is not None
        told = (group.findtext(f"{SVG}title") or "").split("\n")
        assert told[0] == visible(name)
        assert f"kernel: {visible(kernel(number))}" in told
        assert any(line.startswith(f"input: {visible(tensor(number))}[") for line in told)


def test_no_tooltip_has_a_line_of_a_name_s_making(poisoned: Engine) -> None:
    picture = ElementTree.fromstring(render(poisoned, "svg"))
    for title in picture.iter(f"{SVG}title"):
        first, *others = (title.text or "").split("\n")
        assert not {"=1+1", "# head", "<script>", ""} & set(others), first


# ---- what a notebook shows: read by an XML parser and by a parser of HTML ------------------------


OURS = {"div", "pre", "p"}


class Reader(HTMLParser):
    """The tags and attributes that a reader of HTML sees."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.keys: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.keys |= {key for key, _ in attrs}


def problem(name: str) -> elv.Problem:
    return elv.Problem(elv.Place(name, 1), "ELV102", name)


def test_names_in_a_notebook_are_texts_and_nothing_else(poisoned: Engine) -> None:
    problems = tuple(problem(name) for name in POISON)
    for shown in (
        poisoned._repr_html_(),
        elv.part(poisoned, around=3, radius=60)._repr_html_(),
        *(elv.Build((poisoned,), problems[at : at + 5])._repr_html_() for at in range(0, 40, 5)),
    ):
        root = ElementTree.fromstring(shown)
        assert {one.tag.removeprefix(SVG) for one in root.iter()} <= TAGS | OURS
        reader = Reader()
        reader.feed(shown)
        assert reader.tags <= {tag.lower() for tag in TAGS} | OURS
        assert not [key for key in reader.keys if key.startswith("on") or key.endswith("href")]
        assert "mathjax_ignore" in root.attrib["class"]  # `$x$` is no formula


def test_a_name_is_in_the_tooltip(poisoned: Engine) -> None:
    told = " ".join(ElementTree.fromstring(poisoned._repr_html_()).itertext())
    for name in POISON:
        assert visible(name) in told


def test_no_name_acts_on_a_terminal(poisoned: Engine) -> None:
    found = elv.findings(poisoned)
    for value in (poisoned, *poisoned.layers, poisoned.graph, *map(problem, POISON), *found):
        assert repr(value).isprintable()


# ---- DOT, read by Graphviz: by the program on the PATH, and by the library -----------------------


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


def test_nodes_and_lines_of_graphviz(graphviz: list[str], poisoned: Engine, tmp_path: Path) -> None:
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
