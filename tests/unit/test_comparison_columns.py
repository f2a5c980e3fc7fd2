"""Two engines as columns with bands: what is one box, where it stands, what colour it has."""

from __future__ import annotations

import random

import edited_engines as edited
import pytest
from compared import compared, with_constants
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.drawing import comparison
from engine_layer_visualize.drawing.comparison import ComparisonColumns

FP16, INT8 = (FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log"))
TWO = str(FIXTURES / "classic" / "8.4-two-engines.log")


def of(a: Engine, b: Engine) -> Comparison:
    return compare(Costs(a), Costs(b))


@pytest.fixture(scope="module")
def found() -> Comparison:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    return of(a, b)


def edits(seed: int, stages: int = 3) -> Comparison:
    """A residual network and the same with layers split, reformatted and in another order."""
    tasks = edited.residual(stages, 2)
    pieces = edited.fused(tasks)
    random_ = random.Random(seed)
    some = random_.sample(range(len(pieces)), len(pieces) // 3)
    other = edited.reformatted(edited.split(pieces, some[::2]), some[1::2])
    at = random_.randrange(len(other))
    a, b = edited.engine(pieces)[0], edited.engine(other[at:] + other[:at])[0]
    return of(a, b)


@settings(deadline=None)
@given(seed=st.integers(0, 50))
def test_every_layer_is_an_item_and_every_group_a_band_and_none_overlap(seed: int) -> None:
    found = edits(seed)
    columns = ComparisonColumns(found)
    assert {band.group for band in columns.bands} == set(range(len(found.groups)))
    for costs, items, tops, heights in zip(
        (found.a, found.b), columns.items, columns.tops, columns.heights
    ):
        assert len(items) == len(costs.engine.layers)
        ends = [top + height for top, height in zip(tops, heights)]
        assert all(end < top for end, top in zip(ends, tops[1:]))
        assert max(ends) <= columns.tall
    # Pairs in order are level: the longer part of a rotation, but for splits.
    level = sum(columns.tops[0][band.a[0]] == columns.tops[1][band.b[0]] for band in columns.bands)
    assert level >= len(columns.bands) / 3
    same = ComparisonColumns(of(found.a.engine, found.a.engine))
    assert same.tops[0] == same.tops[1]


def test_heights_are_times_down_to_a_floor(found: Comparison) -> None:
    columns = ComparisonColumns(found)
    heights = columns.heights[0]
    assert heights[4] / heights[3] == pytest.approx(88 / 84)
    assert heights[9] == columns.floor  # 4 of 442 µs
    untimed = ComparisonColumns(of(*elv.read(TWO).engines[:2]))
    tall = {
        height
        for items, heights in zip(untimed.items, untimed.heights)
        for item, height in zip(items, heights)
        if not item.reformat
    }
    assert tall == {untimed.floor}


def test_constants_that_follow_each_other_take_little_room() -> None:
    heights = ComparisonColumns(compared(with_constants(9), with_constants(1))).heights
    assert max(heights[0][1:10]) < heights[0][0] / 3
    assert heights[1][1] == ComparisonColumns(compared(with_constants(1), with_constants(1))).floor


@pytest.mark.parametrize(
    ("a", "b", "step"),
    [(1.0, 1.0, 0), (1.0, 1.04, 0), (1.0, 1.06, -1), (2.0, 1.0, 4), (0.0, 1.0, -4), (1.25, 1.0, 2)],
)
def test_the_colour_is_the_speed_up(found: Comparison, a: float, b: float, step: int) -> None:
    group = found.groups[0]._replace(ms_a=a, ms_b=b, delta_ms=b - a)
    assert comparison.tone_of(found, [group], timed=True) == comparison.SAME + step
    assert (
        comparison.tone_of(found, [group._replace(delta_ms=None)], timed=True) == comparison.UNTIMED
    )


def test_a_notebook_shows_the_report() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, INT8))
    said = elv.compare(a, b)._repr_html_()
    assert "mathjax_ignore" in said and "B is 1.57 × faster" in said
    assert said.count("<table>") == 5 and '<td style="text-align:right">−161 µs</td>' in said
    assert "<code>4 /block1" not in said and "4 <code>/block1/conv2/Conv" in said


def test_a_finding_of_one_engine_alone_is_advice() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, INT8))
    told = "let the layers on both sides run in one precision"
    # The reformat of layer 7 takes 11 µs, `Int8 -> Half` in front of the addition: int8.log:31.
    for first, second, state in ((a, b, "new"), (b, a, "gone")):
        (found,) = elv.compare(first, second).data["advice"]
        assert found == {"code": "F04", "text": told, "ms": 0.011, "state": state}
    assert elv.compare(a, a).data["advice"] == []
