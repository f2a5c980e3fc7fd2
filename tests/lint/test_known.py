"""Which findings of a build are those of an earlier one."""

from __future__ import annotations

import pytest

from engine_layer_visualize.linting.causes import CAUSES, RETIRED, key_of_rule
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.selection import key_of


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("conv1", "conv1", True),
        ("conv1", "conv2", False),
        ("conv1 [profile 0]", "conv1 [profile 1]", True),
        ("__myl_Conv_myl0_3", "__myl_Conv_myl2_17", True),
        ("__myl_Conv_myl0_3", "__myl_Add_myl0_3", False),
        ("(Unnamed Layer* 4) [Conv]", "(Unnamed Layer* 9) [Conv]", True),
        (
            "Reformatting CopyNode for Input Tensor 0 to c",
            "Reformatting CopyNode for Input Tensor 1 to c",
            True,
        ),
        (None, None, True),
        (None, "conv1", False),
    ],
)
def test_a_layer_is_known_by_its_name_without_the_builder_s_numbers(
    old: str | None, new: str | None, same: bool
) -> None:
    assert (key_of("not-fused", old) == key_of("not-fused", new)) is same
    assert key_of("not-fused", old) != key_of("plugin", old)


def test_each_rule_sees_one_cause() -> None:
    seen = [code for cause in CAUSES for code in cause.rules]
    assert sorted(seen) == sorted(all_rules())
    keys = [cause.key for cause in CAUSES]
    assert len({*keys}) == len(keys)
    assert {one.cause for one in RETIRED.values()} <= {"", *keys}


@pytest.mark.parametrize(
    ("code", "key"),
    [("U01", "not-fused"), ("P03", "quantisation-border"), ("R05", ""), ("X99", "")],
)
def test_a_code_of_an_older_baseline_has_the_cause_of_today(code: str, key: str) -> None:
    assert key_of_rule(code) == key
