"""What `lint` says of engines that were told wrongly once; each has its right value."""

from __future__ import annotations

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject


def found(name: str, *codes: str) -> list[Finding]:
    log = FIXTURES / f"cases/{name}.layers.json"
    (engine,) = elv.read(log, profiles=[FIXTURES / f"cases/{name}.profile.json"]).engines
    return [each for each in findings_of(Subject(Costs(engine))) if each.code in codes]


@pytest.mark.parametrize(
    "name",
    [
        "07-cast-that-only-changes-the-format",  # Half on both sides, linear → channels last in 8s
        "07b-cast-of-an-integer-input",  # Int32 → Half, which the operator needs
    ],
)
def test_a_cast_that_has_to_stay_is_not_to_be_removed(name: str) -> None:
    assert not found(name, "F12")


@pytest.mark.parametrize(
    "name",
    [
        "11-addition-of-a-broadcast-tensor",  # [1,64,1,1] beside [1,64,32,48], behind its product
        "11b-no-addition-and-a-constant",  # Relu, Mul, Round, Clip, Div with a constant
    ],
)
def test_no_addition_is_promised_to_be_fused(name: str) -> None:
    assert not found(name, "U01")
