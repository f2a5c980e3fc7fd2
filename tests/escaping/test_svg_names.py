"""Names in SVG, read by an XML parser. A browser reads it in tests/browser."""

from __future__ import annotations

from xml.etree import ElementTree

from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON, kernel, tensor

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "g", "rect", "text", "path", "circle", "polygon", "line", "polyline"}
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
