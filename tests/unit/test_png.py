"""PNG of our own picture, and a clear word where the extra is missing."""

from __future__ import annotations

import importlib.util
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from factories import chain
from paths import CENTERNET
from rendered import png_size

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.drawing import svg
from engine_layer_visualize.facts.subgraph import whole
from engine_layer_visualize.linting.subject import Subject

needs_resvg = pytest.mark.skipif(
    importlib.util.find_spec("resvg_py") is None, reason="needs the extra `render`"
)


def drawn(of: Engine, options: Options = DEFAULT) -> bytes:
    return b"".join(svg.png(whole(of), options))


@needs_resvg
def test_png_has_two_pixels_for_each_of_the_svg() -> None:
    of = chain("Conv_1", "Conv_2")
    found = drawn(of)
    root = ElementTree.fromstring(svg.draw(whole(of)))
    wide, tall = int(root.get("width", "")), int(root.get("height", ""))
    assert png_size(found) == (2 * wide, 2 * tall)
    assert found != drawn(of, Options(theme="dark"))


@needs_resvg
def test_png_bears_letters_without_fonts_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(svg.FONT_PACKAGE)
    import resvg_py

    draw = resvg_py.svg_to_bytes

    def alone(**options: Any) -> bytes:
        return draw(skip_system_fonts=True, **options)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", alone)
    with_words = drawn(chain("Conv_1"))
    monkeypatch.setattr(svg, "_fonts", list)
    assert len(with_words) > 1.5 * len(drawn(chain("Conv_1")))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg, "find_spec", lambda name: None)
    with pytest.raises(ReadError, match=r"pip install resvg-py fontpkg") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV502"
    assert "svg" in caught.value.hint


@needs_resvg
def test_a_failure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    def fails(**options: object) -> bytes:
        raise ValueError("no such thing")

    monkeypatch.setattr(resvg_py, "svg_to_bytes", fails)
    with pytest.raises(ReadError, match="no such thing") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV503"


@needs_resvg
def test_a_card_has_the_size_of_what_is_posted() -> None:
    assert png_size(b"".join(svg.card(whole(chain("Conv_1", "Conv_2"))))) == (1200, 630)


def test_a_card_names_the_module_with_most_of_the_time() -> None:
    engine = elv.read(CENTERNET, profiles=[CENTERNET.with_suffix(".profile.json")]).engines[0]
    # The rows of `deconv_layers` in the profile: 81, 62, 112, 84, 397 and 231 of 2,596 us.
    root = ElementTree.fromstring("".join(svg.written(svg.CardPicture(whole(engine), DEFAULT))))
    said = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "37.3 % of the time is in deconv_layers" in said
    assert "54 layers · 2.596 ms" in said
    shares = [words for words in said if re.fullmatch(r"\d+\.\d %", words or "")]
    assert 1 < len(shares) <= 12 and "deconv_layers" in said


def test_a_card_of_an_engine_without_times_says_what_to_do() -> None:
    said = svg.card_sentence(Subject(Costs(chain("Conv_1", "Conv_2"))))
    assert said.startswith("Measure the layers: ") and "`" not in said
