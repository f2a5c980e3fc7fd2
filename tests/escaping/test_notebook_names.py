"""Names in what a notebook shows, read by an XML parser and by a parser of HTML."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import engine_layer_visualize as elv
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON
from escaping.test_svg_names import SVG, TAGS

OURS = {
    *("div", "table", "thead", "tbody", "tr", "th", "td", "p", "ul", "li", "code"),
    *("h1", "h2", "blockquote"),
}


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


def test_names_are_texts_and_nothing_else(poisoned: Engine) -> None:
    problems = tuple(problem(name) for name in POISON)
    changed = tuple(replace(la, kernel=f"{la.name} 2") for la in poisoned.layers)
    for shown in (
        poisoned._repr_html_(),
        elv.part(poisoned, around=3, radius=60)._repr_html_(),
        elv.compare(poisoned, poisoned)._repr_html_(),
        elv.compare(poisoned, replace(poisoned, layers=changed))._repr_html_(),
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
