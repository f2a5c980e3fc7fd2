"""The poster: every step is in one box, no text lies on another, and it says what `lint` says."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from escaping import poison
from paths import FIXTURES
from rendered import png_size

import engine_layer_visualize as elv
from benchmarks import make
from engine_layer_visualize import writers
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.display import Engine
from engine_layer_visualize.drawings.picture.text_width import width
from engine_layer_visualize.drawings.poster import parts, steps
from engine_layer_visualize.drawings.poster.words import box
from engine_layer_visualize.linting import of
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.finding import first_steps
from engine_layer_visualize.page.times import times

SVG = "{http://www.w3.org/2000/svg}"
LOGS = {
    "chain": "classic/8.0-centernet.log",
    "estimates": "facts/8.6-runs.log",
    "two profiles": "classic/10-two-profiles-myelin.log",
    "no times": "classic/8.0-centernet.log",
    "DLA": "facts/8.5-dla.log",
    "one ForeignNode": "facts/10.16-inside-foreign-node.log",
    "blocks inside": "facts/10.5-blocks-in-one-box.log",
    "graph inside": "facts/10.5-graph-in-one-box.log",
    "symbolic dims": "classic/8.0-symbolic.log",
}
Area = tuple[float, float, float, float]


@cache
def read(name: str) -> Engine:
    log = FIXTURES / LOGS[name]
    times = [] if name == "no times" else sorted(log.parent.glob(f"{log.stem}.profile*"))
    return elv.read(log, times).engines[0]


def drawn(engine: Engine, **look: str) -> ElementTree.Element:
    return ElementTree.fromstring(writers.render(engine, "poster", Options(**look)))  # type: ignore[arg-type]


@cache
def of_log(name: str) -> ElementTree.Element:
    return drawn(read(name))


def texts(picture: ElementTree.Element) -> list[tuple[str, Area]]:
    """Every text, with where it stands."""
    found = []
    for one in picture.iter(f"{SVG}text"):
        words, size = one.text or "", float(one.get("font-size", "0"))
        wide = width(words, size, one.get("font-weight") == "700")
        x, y = float(one.get("x", "0")), float(one.get("y", "0"))
        x -= {"start": 0, "middle": wide / 2, "end": wide}[one.get("text-anchor", "start")]
        found.append((words, (x, y - 0.72 * size, x + wide, y + 0.2 * size)))
    return found


def overlap(a: Area, b: Area) -> bool:
    return a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1


def of_network(folder: Path, layers: int) -> Engine:
    log = make.listing_log(folder / "made.log", make.network(layers))
    return elv.read(log, [make.profile(folder / "made.json", make.network(layers))]).engines[0]


@pytest.mark.parametrize("name", LOGS)
def test_no_text_lies_on_another_or_leaves_its_box(name: str) -> None:
    picture = of_log(name)
    assert (picture.get("width"), picture.get("height")) == ("1600", "900")
    placed = texts(picture)
    assert len(placed) > 4
    for (words, area), (other, beside) in combinations(placed, 2):
        assert not overlap(area, beside), (words, other)
    assert all(a[0] > 40 and a[2] < 1560 and a[1] > 20 and a[3] < 890 for _, a in placed)
    for group in picture.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect[@class='part']")
        if rect is not None:
            x, y, wide, tall = (float(rect.get(key, "0")) for key in ("x", "y", "width", "height"))
            inside = [area for _, area in texts(group)]
            assert inside
            assert all(
                x < a[0] and a[2] < x + wide and y < a[1] and a[3] < y + tall for a in inside
            )


@pytest.mark.parametrize("layers", [1, 13, 1_500])
def test_engines_of_any_size_are_at_most_fourteen_boxes(tmp_path: Path, layers: int) -> None:
    engine = of_network(tmp_path, layers)
    picture = drawn(engine)
    boxes = picture.findall(f".//{SVG}rect[@class='part']")
    assert min(layers, 8) <= len(boxes) <= parts.MOST
    for (words, area), (other, beside) in combinations(texts(picture), 2):
        assert not overlap(area, beside), (words, other)


@pytest.mark.parametrize("name", LOGS)
def test_each_step_is_in_one_box_in_order(name: str) -> None:
    found = steps.steps(Costs(read(name)), "node")
    places = [place for node in parts.parts(found) for place in range(node.first, node.stop)]
    assert places == list(range(len(found.all)))


def test_alike_modules_are_opened_together() -> None:
    found = steps.steps(Costs(read("chain")), "node")
    names = [node.name for node in parts.parts(found) if node.name]
    assert names == ["layer1", "layer2", "layer3", "layer4"]


def test_it_says_what_lint_says_without_codes() -> None:
    said = " ".join(words for words, _ in texts(of_log("chain")))
    shown = [finding for finding in of(Costs(read("chain"))) if finding.shown][:3]
    assert shown
    for finding in shown:
        advice = first_steps(finding.advice)
        assert advice[1:] in said
        assert of_rule(finding.code).action in said
        assert finding.code not in said
    assert not re.search(r"\b[A-Z]\d\d\b", said)


def test_the_title_is_model_time_and_device() -> None:
    assert texts(of_log("chain"))[0][0] == "8.0-centernet · 2.596 ms"
    assert "≈" in texts(of_log("one ForeignNode"))[0][0]
    assert texts(of_log("no times"))[0][0] == "8.0-centernet"


@pytest.mark.parametrize("name", LOGS)
def test_its_time_is_that_of_the_page(name: str) -> None:
    costs = Costs(read(name))
    shown = times(costs, lambda _: 0)
    profiles: list[dict[str, str]] = shown["profiles"]  # type: ignore[assignment]
    total = profiles[costs.profiles.index(costs.profile)]["total"]
    assert total in texts(of_log(name))[0][0].split(" · ") or not total


@pytest.mark.parametrize("name", LOGS)
def test_boxes_are_told_apart(name: str) -> None:
    found = steps.steps(Costs(read(name)), "node")
    said = [box(node, found) for node in parts.parts(found)]
    assert len(said) == len(set(said))


def test_a_box_of_several_layers_is_named_after_what_it_holds() -> None:
    found = steps.steps(Costs(read("chain")), "node")
    first, last = parts.parts(found)[:: len(parts.parts(found)) - 1]
    assert box(first, found).title[:2] == (
        "Conv + Relu, MaxPool and 2 others",
        "Conv + Relu and 3 others",
    )
    assert box(last, found).what == ("hm.0 … reg.2", "")


def test_layers_of_one_module_are_named_after_it(tmp_path: Path) -> None:
    engine = of_network(tmp_path, 40)
    found = steps.steps(Costs(engine), "node")
    step = found.all[0]

    def title(*places: str) -> str:
        made = tuple(step._replace(place=place) for place in places)
        node = steps.Node("", 0, len(made))
        return box(node, found._replace(all=made)).title[0]

    assert title("features.0", "features.2", "features.14") == "features.0 – 14"
    assert title("layer1.0.conv1", "layer1.1.conv2") == "layer1"
    assert title("a/b", "c/d") == title("Conv_1", "Conv_2") == f"2 × ({step.head})"


def test_a_foreign_node_is_shown_by_what_is_inside() -> None:
    said = [words for words, _ in texts(of_log("one ForeignNode"))]
    assert {"fc1", "fc2_1_2", "≈ 4.00 µs", "≈ 2.00 µs"} <= set(said)
    said = [words for words, _ in texts(of_log("graph inside"))]
    assert {"tower/block.0", "tower/block.1", "tower/block.2", "Mul + Add"} <= set(said)


def test_without_times_the_layers_are_as_wide_as_each_other() -> None:
    said = [words for words, _ in texts(of_log("no times"))]
    assert "Each layer has the same width: none is timed" in said
    assert not [words for words in said if "%" in words and "precision" not in words]


def test_hostile_names_are_texts_and_nothing_else() -> None:
    picture = drawn(poison.engine(), theme="dark")
    tags = {one.tag.removeprefix(SVG) for one in picture.iter()}
    assert tags == {"svg", "title", "style", "metadata", "g", "rect", "path", "text"}
    assert not [key for one in picture.iter() for key in one.attrib if key.startswith("on")]


def test_the_name_of_the_file_says_which_format(tmp_path: Path) -> None:
    engine = read("chain")
    for name in ("a.poster.svg", "a.poster.png"):
        elv.draw(engine, tmp_path / name)
    assert (tmp_path / "a.poster.svg").read_bytes() == writers.render(engine, "poster")
    assert png_size((tmp_path / "a.poster.png").read_bytes()) == (3200, 1800)
