"""Every finding of every recorded log is a cause that owns its layers, so that times add up."""

from __future__ import annotations

from math import fsum
from pathlib import Path

import pytest
from recorded_logs import LOGS, build_of, engines_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting import lever, of_profiles
from engine_layer_visualize.linting.causes import SHOWN
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.inference import inference, share_touched
from engine_layer_visualize.linting.selection import Selected, selected
from engine_layer_visualize.linting.subject import Subject

ROUNDED = 1 + 1e-9
PRINTED = 0.00005  # ms: trtexec prints its rows to 0.1 µs, and their total, too


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_causes_own_their_layers(path: Path) -> None:
    for engine in build_of(path).engines:
        for costs, found in of_profiles(Costs(engine)):
            told = "\n".join(map(repr, found))
            owned = [index for one in found for index in one.layers]
            assert len({*owned}) == len(owned), f"a layer in two findings:\n{told}"
            assert {*owned} <= {layer.index for layer in costs.layers}, told
            # What is to be done at inputs and at outputs may be two rows.
            rows = {(one.cause, one.code == "F03", one.saves_ms is None) for one in found}
            assert len(rows) == len(found), told
            assert all(one.layers == tuple(sorted(one.layers)) for one in found), told
            assert [one.rank for one in found] == [*range(1, len(found) + 1)], told
            assert sum(one.shown for one in found) <= SHOWN, told
            _times_add_up(costs, found)


def _times_add_up(costs: Costs, found: tuple[Finding, ...]) -> None:
    touched = fsum(one.touches_ms or 0.0 for one in found)
    whole = inference(costs)
    least = PRINTED * (len(costs.layers) + 1)
    assert touched == 0.0 if whole is None else touched <= whole + least
    assert fsum(one.saves_ms or 0.0 for one in found) <= touched * ROUNDED
    for one in found:
        if one.saves_ms is not None:
            assert one.touches_ms is not None, f"{one!r}: about the whole engine no log says that"
            assert 0.0 <= one.saves_ms <= one.touches_ms * ROUNDED, repr(one)


def of_log(number: str, engine: int = 0) -> Selected:
    if not (logs := [path for path in LOGS if path.name.startswith(number)]):
        pytest.skip("no recorded logs")
    return selected(Costs(engines_of(logs[0])[engine]))


def test_shares_have_the_digits_of_the_table() -> None:
    assert of_log("306").costly[0].startswith("98.4 % in layer 2 ")  # line 4
    (fp16,) = (one := of_log("128")).findings
    part = share_touched(fp16.touches_ms, fp16.layers, one.costs)
    assert part == pytest.approx(1081.03 / 1871.88)  # lines 1437 and 1440: 57.8 %


def test_short_layers_are_counted() -> None:
    (short,) = of_log("032").findings
    # Lines 89 to 104: the longest takes 0.0099 ms, line 96.
    assert "16 of 16 layers take less than 10.0 µs each" in short.message
    assert "100.0 %" in short.message


def test_a_no_op_wants_no_workspace() -> None:
    findings = of_log("027").findings  # line 4442: the layer whose tactics were skipped
    assert [each.code for each in findings] == ["F02"]


def test_a_share_says_of_what_it_is() -> None:
    # Lines of engine 2: its ForeignNode is timed as a whole.
    told = lever.of(Subject(of_log("012", 2).costs))
    assert told is not None and told.endswith(" % of the timed layers.")
