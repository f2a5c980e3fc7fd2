"""Our own picture, as SVG and PNG: every word is there, in its box; nothing lies on anything."""

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, cycle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from escaping.poison import POISON
from factories import chain, engine, engine_of, layer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from paths import CENTERNET, FIXTURES, fixture_logs, profiles_of
from program import Patch
from rendered import png_size

import engine_layer_visualize as elv
from benchmarks import make
from benchmarks.transformer import BLOCK, transformer
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Edge, Graph, Timing
from engine_layer_visualize.core.options import COLORS, DEFAULT, THEMES, Options
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawing import png, svg
from engine_layer_visualize.drawing import shapes as metrics
from engine_layer_visualize.drawing.theme import contrast
from engine_layer_visualize.facts.subgraph import whole
from engine_layer_visualize.linting.subject import Subject

SVG = "{http://www.w3.org/2000/svg}"
Area = tuple[float, float, float, float]


@dataclass(frozen=True)
class Words:
    """A text with its box's fill behind it, or the paper."""

    text: str
    area: Area
    color: str
    ground: str


@dataclass(frozen=True)
class Box:
    id: str
    kind: str
    title: str
    area: Area
    fill: str
    texts: tuple[Words, ...]


def area(rect: ElementTree.Element) -> Area:
    x, y, wide, tall = (float(rect.get(key, "0")) for key in ("x", "y", "width", "height"))
    return x, y, x + wide, y + tall


BADGE = f"{SVG}rect[@class='badge']"


def words(text: ElementTree.Element, ground: str) -> Words:
    said, size = text.text or "", float(text.get("font-size", "0"))
    wide = metrics.width(said, size, text.get("font-weight") == "700")
    x, y = float(text.get("x", "0")), float(text.get("y", "0"))
    left = {"middle": x - wide / 2, "end": x - wide}.get(text.get("text-anchor", ""), x)
    return Words(said, (left, y - size * 0.75, left + wide, y + size * 0.22),
                 text.get("fill", ""), ground)  # fmt: skip


class Picture:
    def __init__(self, of: Engine, **options: str | bool) -> None:
        self.text = svg.draw(whole(of), Options(**options))  # type: ignore[arg-type]
        self.root = ElementTree.fromstring(self.text)
        self.paper = self.root.find(f"{SVG}rect").get("fill", "")  # type: ignore[union-attr]
        self.header, self.body = self.root.findall(f"{SVG}g")
        self.boxes = tuple(self._boxes())

    def _boxes(self) -> Iterator[Box]:
        for group in self.body.iter(f"{SVG}g"):
            rect = group.find(f"{SVG}rect")
            if group.get("id") is None or rect is None:
                continue
            fill = rect.get("fill", "")
            texts = group.findall(f"{SVG}text")
            beside = group.find(BADGE) is not None
            inside = tuple(words(t, fill) for t in texts[: len(texts) - beside])
            yield Box(
                group.get("id", ""), group.get("class", ""), group.findtext(f"{SVG}title") or "",
                area(rect), fill, inside,
            )  # fmt: skip

    @property
    def size(self) -> tuple[float, float]:
        return float(self.root.get("width", "0")), float(self.root.get("height", "0"))

    @property
    def said(self) -> str:
        return " ".join("".join(text.itertext()) for text in self.root.iter(f"{SVG}text"))

    def flags(self) -> Iterator[tuple[Area, Words]]:
        for mark in self.body.iter(f"{SVG}a"):
            rect, text = mark.find(f"{SVG}rect"), mark.find(f"{SVG}text")
            assert rect is not None and text is not None
            yield area(rect), words(text, rect.get("fill", ""))

    def badges(self) -> Iterator[tuple[str, Area, Words]]:
        """The id of the box, the sign, and its code."""
        for group in self.body.iter(f"{SVG}g"):
            rect = group.find(BADGE)
            if rect is not None:
                text = group.findall(f"{SVG}text")[-1]
                yield group.get("id", ""), area(rect), words(text, rect.get("fill", ""))

    def labels(self) -> Iterator[Words]:
        """The shapes beside the wires."""
        for text in self.body.findall(f"{SVG}text"):
            if text.get("font-weight") is None:
                yield words(text, self.paper)


def inside(inner: Area, outer: Area) -> bool:
    return (
        inner[0] >= outer[0] and inner[1] >= outer[1]
        and inner[2] <= outer[2] + 0.2 and inner[3] <= outer[3]
    )  # fmt: skip


def overlap(a: Area, b: Area) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def apart(*areas: Area) -> None:
    for a, b in combinations(areas, 2):
        assert not overlap(a, b)


def check(picture: Picture, of: Engine) -> None:
    """What must hold of any picture."""
    boxes = {box.id: box for box in picture.boxes}
    assert len(boxes) == len(picture.boxes)
    for one in of.layers:
        box = boxes[f"layer_{one.index}"]
        assert box.title.startswith(visible(one.name) or "(no name)")
        assert box.texts and all(text.text for text in box.texts)
    marks = list(picture.flags())
    assert all(inside(text.area, mark) for mark, text in marks)
    labels = list(picture.labels())
    areas = [box.area for box in picture.boxes] + [label.area for label in labels]
    apart(*areas, *(mark for mark, _ in marks))
    badges = list(picture.badges())
    for id, badge, code in badges:
        assert inside(code.area, badge)
        assert contrast(code.color, code.ground) >= 4.5
        assert not any(overlap(badge, text.area) for box in picture.boxes for text in box.texts)
        assert not any(overlap(badge, box.area) for box in picture.boxes if box.id != id)
        assert not any(overlap(badge, mark) for mark, _ in marks)
        assert not any(overlap(badge, label.area) for label in labels)
    apart(*(badge for _, badge, _ in badges))
    for box in picture.boxes:
        for text in box.texts:
            assert inside(text.area, box.area), text
            assert contrast(text.color, text.ground) >= 4.5, text
        apart(*(text.area for text in box.texts))
    for found in picture.header.iter(f"{SVG}text"):
        if found.get("text-anchor") != "middle":  # those stand on badges and swatches
            assert contrast(found.get("fill", ""), picture.paper) >= 4.5
    wide, tall = picture.size
    assert 0.5 <= wide / tall <= 2


@cache
def engines_of(path: Path) -> tuple[Engine, ...]:
    try:
        return elv.read(path, profiles_of(path)).engines
    except elv.ReadError:
        return ()  # of names alone


LOGS = [path for path in fixture_logs() if path.parent.name != "broken"]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_fixture_is_drawn_legibly(path: Path) -> None:
    for one in engines_of(path):
        check(Picture(one), one)


@pytest.mark.parametrize(("color", "theme"), [*zip(COLORS, cycle(THEMES))])
def test_every_choice_is_drawn_legibly(centernet: Engine, color: str, theme: str) -> None:
    check(Picture(centernet, theme=theme, color_by=color), centernet)


def test_centernet_says_what_a_reviewer_would(centernet: Engine) -> None:
    picture = Picture(centernet)
    assert "Engine 0 of 8.0-centernet · 54 layers · 2.596 ms" in picture.said
    assert "ConvTranspose deconv_layers.8 with 397 µs, 15.3 %" in picture.said
    assert "half of the time is in 10 of 54 layers" in picture.said
    assert "4 reformats take 34.6 µs, 1.3 %" in picture.said
    for stage in ("layer1.0–2", "layer2.0–3", "layer3.0–5", "layer4.0–2"):
        assert stage in picture.said
    for one in centernet.layers:
        box = next(box for box in picture.boxes if box.id == f"layer_{one.index}")
        assert visible(headline(one)) in " ".join(text.text for text in box.texts)
        assert any("%" in text.text for text in box.texts)
    assert {box.kind for box in picture.boxes} == {"layer", "reformat", "port"}


def test_boxes_say_their_numbers() -> None:
    picture = Picture(chain("Relu_1", "Relu_1", "Conv_2"))
    said = {text.text for box in picture.boxes for text in box.texts}
    assert {"0 · Relu_1", "1 · Relu_1", "2 · Conv_2"} <= said


@pytest.mark.slow
@given(st.lists(st.text(max_size=40), min_size=1, max_size=8))
@example([*POISON, "", " ", "two  blanks ", "\0", "</title><script>x", "中" * 60])
@settings(max_examples=30, deadline=None)
def test_any_names_are_drawn_legibly(names: list[str]) -> None:
    of = chain(*names)
    picture = Picture(of)
    check(picture, of)
    assert not list(picture.root.iter(f"{SVG}script"))
    assert len(picture.boxes) == len(names) + 2
    assert "no profile" in picture.said


@st.composite
def any_engine(draw: st.DrawFn) -> Engine:
    """Layers that read any of the tensors before; times of any size, or none."""
    count = draw(st.integers(1, 24))
    layers, edges, read = [], [], set()
    for i in range(count):
        sources = draw(st.sets(st.integers(max(0, i - 6), i - 1), max_size=3)) if i else set()
        read |= sources
        one = layer(i, f"/blocks.{i // 3}/Conv_{i}", [f"t{s}" for s in sources], [f"t{i}"])
        ms = draw(st.none() | st.floats(0, 1000))
        layers.append(one._replace(time=None if ms is None else Timing(ms)))
        edges += [Edge(s, i, f"t{s}") for s in sorted(sources)]
    outputs = tuple(f"t{i}" for i in range(count) if i not in read)
    edges += [Edge(int(name[1:]), None, name) for name in outputs]
    return engine(*layers, graph=Graph((), outputs, tuple(edges)), timed=draw(st.booleans()))


@pytest.mark.slow
@given(any_engine())
@settings(max_examples=40, deadline=None)
def test_any_engine_is_drawn_legibly(of: Engine) -> None:
    check(Picture(of), of)


def test_profiles_are_frames() -> None:
    of = engines_of(FIXTURES / "classic" / "10-two-profiles-myelin.log")[0]
    picture = Picture(of)
    frames = [area(r) for r in picture.body.iter(f"{SVG}rect") if r.get("class") == "profile"]
    assert len(frames) == 2
    assert not overlap(*frames)
    assert all(sum(inside(box.area, frame) for frame in frames) == 1 for box in picture.boxes)
    assert "optimisation profile 1" in picture.said


@pytest.mark.slow
def test_a_large_engine_is_folded_and_says_so(tmp_path: Path) -> None:
    log = make.listing_log(tmp_path / "large.log", transformer(48, 1))
    picture = Picture(elv.read(log).engines[0])
    assert "2,500 layers in 52 boxes" in picture.said
    assert "--unfold" in picture.said and "html" in picture.said
    layers = [box for box in picture.boxes if box.kind not in ("port", "unused", "unresolved")]
    folded = [box for box in layers if f"{BLOCK} layers in /blocks." in box.title]
    assert [box.texts[0].text for box in folded] == [f"/blocks.{n}" for n in range(48)]
    below = [box.texts[1].text for box in folded]
    assert below == [f"{BLOCK} layers from {box.id.removeprefix('layer_')}" for box in folded]
    assert len(layers) == len(folded) + 4
    wide, tall = picture.size
    assert 0.5 <= wide / tall <= 2


def test_boxes_of_groups_are_told_apart() -> None:
    parts = [f"/m/layer{n}/block{k}" for n in range(6) for k in range(6)]
    picture = Picture(chain(*(f"{part}/{op}" for part in parts for op in ("Conv", "Add", "Relu"))))
    heads = [box.texts[0].text for box in picture.boxes if "3 layers in" in box.title]
    assert len(set(heads)) == len(heads) > 6
    assert "layer5/block5" in heads


def test_a_note_goes_before_the_number_and_the_word() -> None:
    whole, cut = "0 · Reformat (QuantizeLinear)", "0 · Reformat"
    room = metrics.width(cut, metrics.SMALL) + 10
    assert metrics.shortened(whole, metrics.SMALL, room) == cut


def test_an_engine_in_which_nothing_repeats_has_few_boxes() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    of = chain(*(f"{a}{b}" for a in letters[:12] for b in letters))
    picture = Picture(of)
    layers = [box for box in picture.boxes if box.kind == "layer"]
    assert len(layers) <= 150 and f"312 layers in {len(layers)} boxes" in picture.said
    head, number = (text.text for text in layers[1].texts)
    first, last = map(int, head.removeprefix("#").split("–"))
    assert number == f"{last - first + 1} layers from {first}"
    texts = picture.body.iter(f"{SVG}text")
    assert {text.get("font-size") for text in texts} == {"12", "9.5"}
    assert len(Picture(of, unfold=True).boxes) == 312 + 2


def test_fills_are_by_type_where_nothing_is_timed() -> None:
    bare = engine_of(CENTERNET.read_bytes())
    picture = Picture(bare, theme="dark")
    assert "No layer is timed, so fills are by type" in picture.said and "type:" in picture.said
    fill_of = {box.id: box.fill for box in picture.boxes}
    kinds = {one.type: fill_of[f"layer_{one.index}"] for one in bare.layers}
    assert len(set(kinds.values())) == len(kinds) > 2
    assert picture.text.count("by type") == 1


def test_a_reformat_says_what_it_changes() -> None:
    def said(before: str, after: str) -> str:
        own = engine_of(
            "[V] Engine Layer Information:\n"
            f"[V] Layer(Reformat): r, Tactic: 0, x[{before}] -> y[{after}]\n"
        )
        (box,) = (box for box in Picture(own).boxes if box.kind == "reformat")
        return " ".join(text.text for text in box.texts)

    assert said("Float(1,3,8,8)", "Half(1,3,8,8)") == "0 · Reformat Float → Half"
    of_half = said("Half(1,3:2,8,8)", "Half(1,3:32,8,8)")
    assert of_half == "0 · Reformat Half C:2 → C:32"
    both = said("Half(1,3:16,8,8)", "Int8(1,3:32,8,8)")
    assert both == "0 · Reformat Half C:16 → Int8 CHW32"
    assert said("Half(1,3,8,8)", "Half(1,3,8,8)") == "0 · Reformat"


def test_an_engine_without_layers() -> None:
    of = engine(graph=Graph((), (), ()))
    assert Picture(of).boxes == ()


@pytest.mark.parametrize(
    ("text", "room", "left"),
    [
        ("BatchNormalization + Relu", 120, "BatchNormalization…"),
        ("Conv_144 + Relu_145 + Add_146", 150, "Conv_144 + Relu_145 + …"),
        ("(Unnamed Layer* 857) [Scale]_output", 110, "…[Scale]_output"),
        ("Reformat (QuantizeLinear)", 100, "Reformat"),
    ],
)
def test_nothing_is_cut_in_its_middle(text: str, room: float, left: str) -> None:
    assert metrics.shortened(text, metrics.TEXT, room) == left


@pytest.mark.parametrize("room", range(90, 400, 7))
def test_lines_never_break_inside_a_number(room: int) -> None:
    parts = ("1,024", "99999.25 KiB", "<0.1 %", "≈ 3.50 µs", "12.5 %", "0.75 ms")
    made = metrics.lines(", ".join(f"of {part}" for part in parts), 10, room, 400)
    assert all(metrics.width(line, 10) <= room for line in made)
    assert [part for part in parts if not any(part in line for line in made)] == []


# ---- as PNG, with a clear word where the extra is missing; a card --------------------------------


needs_resvg = pytest.mark.skipif(
    importlib.util.find_spec("resvg_py") is None, reason="needs the extra `render`"
)


def drawn(of: Engine, options: Options = DEFAULT) -> bytes:
    return b"".join(png.render(whole(of), options))


@needs_resvg
def test_png_has_two_pixels_for_each_of_the_svg() -> None:
    of = chain("Conv_1", "Conv_2")
    found = drawn(of)
    root = ElementTree.fromstring(svg.draw(whole(of)))
    wide, tall = int(root.get("width", "")), int(root.get("height", ""))
    assert png_size(found) == (2 * wide, 2 * tall)
    assert found != drawn(of, Options(theme="dark"))


@needs_resvg
def test_png_bears_letters_without_fonts_of_the_system(monkeypatch: Patch) -> None:
    pytest.importorskip(png.FONT_PACKAGE)
    import resvg_py

    draw = resvg_py.svg_to_bytes

    def alone(**options: Any) -> bytes:
        return draw(skip_system_fonts=True, **options)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", alone)
    with_words = drawn(chain("Conv_1"))
    monkeypatch.setattr(png, "_fonts", list)
    assert len(with_words) > 1.5 * len(drawn(chain("Conv_1")))


def test_without_the_extra_it_says_what_to_install(monkeypatch: Patch) -> None:
    monkeypatch.setattr(png, "find_spec", lambda name: None)
    with pytest.raises(elv.ReadError, match=r"pip install resvg-py fontpkg") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV502"
    assert "svg" in caught.value.hint


@needs_resvg
def test_a_failure_is_told(monkeypatch: Patch) -> None:
    import resvg_py

    def fails(**options: object) -> bytes:
        raise ValueError("no such thing")

    monkeypatch.setattr(resvg_py, "svg_to_bytes", fails)
    with pytest.raises(elv.ReadError, match="no such thing") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV503"


@needs_resvg
def test_a_card_has_the_size_of_what_is_posted() -> None:
    assert png_size(b"".join(png.card(whole(chain("Conv_1", "Conv_2"))))) == (1200, 630)


def test_a_card_names_the_module_with_most_of_the_time(centernet: Engine) -> None:
    # The rows of `deconv_layers` in the profile: 81, 62, 112, 84, 397 and 231 of 2,596 us.
    root = ElementTree.fromstring("".join(svg.written(png.CardPicture(whole(centernet), DEFAULT))))
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert "37.3 % of the time is in deconv_layers" in said
    assert "54 layers · 2.596 ms" in said
    shares = [words for words in said if re.fullmatch(r"\d+\.\d %", words or "")]
    assert 1 < len(shares) <= 12 and "deconv_layers" in said


def test_a_card_of_an_engine_without_times_says_what_to_do() -> None:
    said = png.card_sentence(Subject(Costs(chain("Conv_1", "Conv_2"))))
    assert said.startswith("Measure the layers: ") and "`" not in said
