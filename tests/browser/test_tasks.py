"""Nine tasks with the mouse, and again by keyboard alone. A click, a key, and a word that is typed
are a step each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Keys

from browser.conftest import Pages

LAYER = "return engineLayers.selected"
PANEL = "#panel"


@dataclass
class Person:
    """What a person does at a page, and in how many steps."""

    page: Any
    downloads: Path
    steps: int = 0

    def click(self, what: Any) -> None:
        """An element, by its selector, or a layer's box."""
        self.steps += 1
        if isinstance(what, int):
            self.page.click_layer(what)
        else:
            self.page.find(what).click()
        self.page.settle()

    def type(self, words: str) -> None:
        self.steps += 1
        self.page.tap(words)

    def search(self, words: str, mouse: bool) -> None:
        self.click("#search") if mouse else self.press("/")
        self.type(words)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.steps += 1
            self.page.tap(key)

    def tab_to(self, words: str) -> None:
        """With Tab, to a control that says this."""
        said = """const {activeElement: {id, textContent, ariaLabel}} = document;
            return [id, textContent, ariaLabel].join(" ")"""
        for _ in range(40):
            self.press(Keys.TAB)
            if words in self.page.js(said):
                return
        raise AssertionError(f"Tab does not lead to {words}")

    def choose(self, id: str, mouse: bool) -> None:
        """A button, by the mouse or by Tab and Enter."""
        if mouse:
            self.click(f"#{id}")
        else:
            self.tab_to(id)
            self.press(Keys.ENTER)


# ---- the tasks: by mouse, by keyboard; what holds then -------------------------------------------


def slowest(a: Person, mouse: bool) -> None:
    a.click("#panel .ranking a") if mouse else a.press("l")
    times = a.page.js("return [...engineLayers.engine.layers.ms]")
    assert a.page.js(LAYER) == times.index(max(times))


def all_of_a_precision(a: Person, mouse: bool) -> None:
    a.search("prec:fp32", mouse)
    hits, floats = a.page.js("""const {engine, hits} = engineLayers;
        const types = Array.from(engine.layers.dtype, (dtype) => engine.text(dtype));
        return [hits.length, types.filter((each) => each === "Float").length]""")
    assert 0 < hits == floats


def an_onnx_node(a: Person, mouse: bool) -> None:
    a.search("onnx:block.1", mouse)
    a.click("#hits li") if mouse else a.press(Keys.ENTER)
    assert "/tower/block.1" in a.page.text(PANEL)


def a_skip(a: Person, mouse: bool) -> None:
    """From the sum to the layer whose output goes around the others."""
    if mouse:
        a.click(7)
        a.click("#panel .tensor:nth-of-type(2) button")
        assert "Written by (1)5Conv" in a.page.text(PANEL)
    else:
        a.search("#7", mouse)
        a.press(Keys.ENTER, Keys.ESCAPE, Keys.ARROW_UP)
        assert a.page.js(LAYER) == 5


def a_reformats_reason(a: Person, mouse: bool) -> None:
    if mouse:
        a.click(1)
    else:
        a.search("type:reformat", mouse)
        a.press(Keys.ENTER)
    assert "writes" in a.page.text(PANEL) or "reads" in a.page.text(PANEL)


def inside_a_foreign_node(a: Person, mouse: bool) -> None:
    if mouse:
        a.click(1)
        a.click("#unfold")
    else:
        a.search("foreign", mouse)
        a.press(Keys.ENTER, Keys.ESCAPE, Keys.ENTER)
    assert a.page.js("return engineLayers.folded.size > engineLayers.engine.nodes")


def two_engines(a: Person, mouse: bool) -> None:
    """The layers behind what became slower the most, in both engines."""
    if mouse:
        a.click("#waterfall button")
        a.click("#table .line")
    else:
        a.press("t", "t", Keys.ARROW_DOWN)
    assert "Group" in a.page.text(PANEL)


def a_link(a: Person, mouse: bool) -> None:
    page = a.page
    page.js("engineLayers.search.set('type:conv'); engineLayers.select(12)")
    page.written()
    view = "return [engineLayers.selected, engineLayers.hits.length, location.hash]"
    seen = page.js(view)
    a.click("#show-export") if mouse else a.press("e")
    a.choose("copy-link", mouse)
    link = page.js("return copied.at(-1)")
    page.driver.get("about:blank")
    page.driver.get(link)
    page.written()
    assert page.js(view) == seen


def files(a: Person, mouse: bool) -> None:
    a.click("#show-export") if mouse else a.press("e")
    for one in ("export-svg-whole", "export-csv"):
        a.choose(one, mouse)
    for _ in range(50):
        saved = {path.suffix for path in a.downloads.iterdir()}
        if saved == {".svg", ".csv"}:
            return
        a.page.settle()
    raise AssertionError(saved)


TASKS: dict[str, tuple[str, Callable[[Person, bool], None], int, int]] = {
    "the slowest layer": ("small", slowest, 1, 1),
    "all FP32 layers": ("small", all_of_a_precision, 2, 2),
    "an ONNX node": ("graph", an_onnx_node, 3, 3),
    "where a skip comes from": ("small", a_skip, 2, 5),
    "why a reformat is there": ("reformats", a_reformats_reason, 1, 3),
    "inside a ForeignNode": ("graph", inside_a_foreign_node, 2, 5),
    "two engines compared": ("comparison", two_engines, 2, 3),
    "a link that restores the view": ("small", a_link, 2, 3),
    "SVG and CSV saved": ("small", files, 3, 11),
}


@pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keyboard"])
@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_few_steps(
    page: Any, pages: Pages, comparisons: Pages, tmp_path: Path, task: str, mouse: bool
) -> None:
    name, do, by_mouse, by_keyboard = TASKS[task]
    page.open(comparisons("fixture") if name == "comparison" else pages(name))
    page.save_into(tmp_path)
    page.listen()
    person = Person(page, tmp_path)
    do(person, mouse)
    assert person.steps == (by_mouse if mouse else by_keyboard)
