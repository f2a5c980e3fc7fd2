"""Names in a roofline, read by an XML parser."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from engine_layer_visualize.core.model import Join, Timing
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.display import Engine
from engine_layer_visualize.writers import render
from escaping.poison import POISON
from escaping.test_svg_names import SVG, TAGS


def test_names_are_texts_and_nothing_else(poisoned: Engine) -> None:
    """Every layer is made a matrix product that has a time."""
    layers = tuple(
        replace(one, type="gemm", attributes=(), time=Timing(0.1), raw=None,
                inputs=tuple(replace(t, dtype="Half", dims="8,64", shape=(8, 64))
                             for t in one.inputs[:1]),
                outputs=tuple(replace(t, dtype="Half", dims="8,32", shape=(8, 32))
                              for t in one.outputs[:1]))
        for one in poisoned.layers
    )  # fmt: skip
    count = len(layers)
    engine = replace(poisoned, layers=layers, profile=Join("p", count, count, count, (), ()))
    picture = ElementTree.fromstring(render(engine, "roofline"))
    assert {one.tag.removeprefix(SVG) for one in picture.iter()} <= TAGS
    named = replace(engine, source=replace(engine.source, file='<metadata><x y="1">\x01&é'))
    (source,) = ElementTree.fromstring(render(named, "roofline")).iter(f"{SVG}metadata")
    assert source.text == (
        f"Source log: %3Cmetadata%3E%3Cx%20y%3D%221%22%3E%5Cx01%26%C3%A9:{engine.source.first_line}"
    )
    assert not [key for one in picture.iter() for key in one.attrib if key.startswith("on")]
    told = {(one.text or "").split("\n")[0] for one in picture.iter(f"{SVG}title")}
    assert {visible(name) for name in POISON if name} <= told
