"""No words of a drawing lie on other words, on a line or on a badge: on the page and in pictures.

No dims stand at a line with other dims, no box on the frame of a group that is not its own.

Of all fixtures with a listing, and of all recorded engines where there are any.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from factories import fixture_engines
from recorded_logs import LOGS, engines_of

from browser.conftest import page_of
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.options import DEFAULT
from engine_layer_visualize.core.text import dims
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.placement import tensor_labels
from engine_layer_visualize.drawing.shapes import Path as Path_
from engine_layer_visualize.drawing.shapes import Rect, ShapeGroup, Text
from engine_layer_visualize.facts.subgraph import whole

SCRIPT = Path(__file__).with_name("collisions.js").read_text("utf-8")
SCALES = [0.3, 0.38, 0.45, 0.62, 0.75, 1.0]
UNFOLDED = 450  # layers of an engine that is looked at with all its boxes, too
KINDS = ["fixtures", "recorded"]


@cache
def engines(kind: str) -> list[Engine]:
    if kind == "recorded":
        return [one for log in LOGS for one in engines_of(log)]
    return fixture_engines("classic/*")


@pytest.mark.parametrize("kind", KINDS)
def test_no_words_of_the_page_touch(page: Any, tmp_path: Path, kind: str) -> None:
    every = engines(kind)
    if not every:
        pytest.skip("no recorded logs")
    page.open(page_of(every, tmp_path / "all.html"))
    told = page.driver.execute_async_script(SCRIPT, SCALES, UNFOLDED)
    assert len(told) >= len(every) * len(SCALES)
    assert min(one["texts"] for one in told if one["scale"] == 1) > 0
    assert sum(one["dims"] for one in told if one["scale"] == 1) >= len(every)
    found = ((every[one["engine"]], one["scale"], words) for one in told for words in one["found"])
    wrong = [f"{engine.source.file} at {scale}: {words}" for engine, scale, words in found]
    assert wrong == []


Area = tuple[float, float, float, float]  # left, top, right, bottom
_PAD = 0.5  # by which a text may come near to its neighbours


def of_text(text: Text) -> Area:
    left = text.x - text.wide * {"start": 0, "middle": 0.5, "end": 1}[text.anchor]
    return left, text.y - 0.72 * text.size, left + text.wide, text.y + 0.18 * text.size


def of_path(path: Path_) -> Iterator[Area]:
    """The stretches of a line; corners count as far as they reach."""
    at = (0.0, 0.0)
    for command, values in path.steps:
        points = list(zip(values[::2], values[1::2]))
        for x, y in points if command != "M" else ():
            yield min(at[0], x) - 1, min(at[1], y) - 1, max(at[0], x) + 1, max(at[1], y) + 1
            at = x, y
        at = points[-1] if points else at


def meet(a: Area, b: Area) -> bool:
    return a[0] < b[2] - _PAD and b[0] < a[2] - _PAD and a[1] < b[3] - _PAD and b[1] < a[3] - _PAD


def touching(picture: EnginePicture) -> Iterator[str]:
    """What touches in the body of a picture; its header stands above it."""
    _, body = picture.frames()
    texts: list[tuple[Area, str]] = []
    lines: list[Area] = []
    signs: list[tuple[Area, str]] = []
    for shape in body.shapes:
        group = shape.items if isinstance(shape, ShapeGroup) else (shape,)
        is_wire = isinstance(shape, ShapeGroup) and shape.css == "wire"
        for item in group:
            if isinstance(item, Text) and not item.upward:
                texts.append((of_text(item), item.words))
            elif is_wire and isinstance(item, Path_):
                lines += of_path(item)
            elif isinstance(item, Rect) and item.css in ("badge", "ring"):
                corner = 0.0 if item.css == "badge" else 0.3 * item.radius
                right, bottom = item.x + item.width - corner, item.y + item.height - corner
                signs.append(((item.x + corner, item.y + corner, right, bottom), item.css))
    texts.sort()
    for number, (area, words) in enumerate(texts):
        for other, others in texts[number + 1 :]:
            if other[0] >= area[2]:  # they are in order from left to right
                break
            if meet(area, other):
                yield f"{words} on {others}"
    for area, words in texts:
        yield from (f"a line through {words}" for line in lines if meet(area, line))
        for sign, name in signs:
            inside = sign[0] <= area[0] and area[2] <= sign[2]  # its own words
            if not inside and meet(area, sign):
                yield f"a {name} on {words}"


def misread(picture: EnginePicture) -> Iterator[str]:
    """Dims to which a line with others is as near as their own, or is that beside their foot."""
    for panel in picture.placement.panels:
        lines: list[tuple[Area, str]] = []
        for paths in panel.paths:
            wire = picture.scene.wires[paths[0][0]]
            tensor = wire.written or wire.read
            words = dims(tensor.dims) if tensor is not None else ""
            for _, points in paths:
                for (x, y), (u, v) in pairwise(points):
                    lines.append(((min(x, u), min(y, v), max(x, u), max(y, v)), words))
        known = {words for _, words in lines}
        for text in tensor_labels(picture.scene, picture.cards, panel, ""):
            left, right, foot = text.x, text.x + text.wide, text.y
            if text.words not in known:  # shortened
                continue
            near = [
                (max(a - right, left - c, 0), max(b - foot, foot - 8 - d, 0), line, words)
                for line, words in lines
                for a, b, c, d in (line,)
            ]
            own = min(hypot(x, y) for x, y, _, words in near if words == text.words)
            others = [hypot(x, y) for x, y, _, words in near if words != text.words]
            beside = [
                (x, words != text.words, line[0] > right)
                for x, _, line, words in near
                if x < 12 and line[1] < foot - 1 < line[3]
            ]
            sides = ([one for one in beside if one[2] == at] for at in (False, True))
            if min(others, default=99) < 1.2 * own or any(min(s)[1] for s in sides if s):
                yield f"{text.words} at a line with other dims"


@pytest.mark.parametrize("kind", KINDS)
def test_no_words_of_a_picture_touch_and_dims_stand_at_their_own_line(kind: str) -> None:
    every = engines(kind)
    if not every:
        pytest.skip("no recorded logs")
    wrong = []
    for engine in every:
        picture = EnginePicture(whole(engine), DEFAULT)
        found = (*touching(picture), *misread(picture))
        wrong += [f"{engine.source.file}: {words}" for words in found]
    assert wrong == []
