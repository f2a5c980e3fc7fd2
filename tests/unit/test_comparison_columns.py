"""Two engines as columns with bands: what is one box, where it stands, what colour it has."""

from __future__ import annotations

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.drawing import coloring

FP16, INT8 = (FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log"))
TWO = str(FIXTURES / "classic" / "8.4-two-engines.log")


def of(a: Engine, b: Engine) -> Comparison:
    return compare(Costs(a), Costs(b))


@pytest.fixture(scope="module")
def found() -> Comparison:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    return of(a, b)


@pytest.mark.parametrize(
    ("a", "b", "step"),
    [
        (1.0, 1.0, 0),
        (1.0, 1.04, 0),
        (1.0, 1.06, -1),
        (2.5, 1.0, 4),
        (6.0, 1.0, 5),
        (0.0, 1.0, -5),
        (1.25, 1.0, 2),
    ],
)
def test_the_colour_is_the_speed_up(found: Comparison, a: float, b: float, step: int) -> None:
    group = found.groups[0]._replace(ms_a=a, ms_b=b, delta_ms=b - a)
    assert coloring.tone_of(found, [group], timed=True) == coloring.SAME + step
    assert coloring.tone_of(found, [group._replace(delta_ms=None)], timed=True) == coloring.UNTIMED


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
