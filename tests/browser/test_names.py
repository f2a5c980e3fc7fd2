"""Names that mean harm, of an inspector's JSON, which can hold all of them: a browser runs none."""

from pathlib import Path
from typing import Any

from escaping import poison

from engine_layer_visualize.api.draw import render
from engine_layer_visualize.core.text import visible


def test_the_page_shows_every_name_and_runs_none(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "poison.html"
    path.write_bytes(render(poison.engine(), "html"))
    page.open(path)
    shown = page.js(
        """return arguments[0].map((number) => {
            engineLayers.select(number);
            return [document.querySelector("#panel .whole").textContent,
                    document.querySelector("#panel .tensor .name").textContent,
                    document.querySelector("#panel").textContent];
        })""",
        list(range(len(poison.POISON))),
    )
    for number, (name, tensor, panel) in enumerate(shown):
        whole = visible(poison.POISON[number])
        assert name == whole or (len(whole) > 1000 and whole.startswith(name[:100]))
        assert len(whole) > 1000 or tensor == visible(poison.tensor(number))
        assert number == 0 or visible(poison.kernel(number)) in panel  # the longest is folded
    page.tap("t")
    unharmed(page)
    assert page.js("return document.querySelectorAll('a[href]:not([href^=\"#\"])').length") == 0


def test_an_svg_shows_every_name_and_runs_none(page: Any, tmp_path: Path) -> None:
    """The SVG as a document of its own, where scripts would run."""
    path = tmp_path / "poison.svg"
    path.write_bytes(render(poison.engine(), "svg"))
    page.open(path)
    for number, name in enumerate(poison.POISON):
        told = page.js(
            "return document.querySelector(arguments[0] + ' > title').textContent",
            f"#layer_{number}",
        )
        assert told.split("\n")[0] == visible(name)
    unharmed(page)
    assert page.js("return document.querySelectorAll('script, foreignObject, image').length") == 0


def unharmed(page: Any) -> None:
    assert page.js("return [window.pwned === undefined, document.images.length]") == [True, 0]
