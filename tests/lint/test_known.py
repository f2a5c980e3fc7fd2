"""Which findings of a build are those of an earlier one."""

from __future__ import annotations

import pytest

from engine_layer_visualize.linting.known import key_of


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("`x` to 1x3x8x8", "`x` to 1x3x8x8", True),
        ("`ids_1` to 1x3x8x8", "`ids_2` to 1x3x8x8", False),
        ("`ids 2 ms` to 1x3x8x8", "`ids 3 ms` to 1x3x8x8", False),
        ("`x` to 1x3x8x8", "`x` to 1x77x8x8", False),
        ("it asks for FP16", "it asks for FP8", False),
        ("optimisation profile 0 spans", "optimisation profile 1 spans", False),
        ("layers sum to 1.30 ms: 30.0 % more", "layers sum to 700 µs: 1.5 % more", True),
        ("3 of 1,204 timed layers are short", "1,120 of 1,204 timed layers are short", True),
    ],
)
def test_what_is_measured_does_not_make_a_finding_new(old: str, new: str, same: bool) -> None:
    assert (key_of("R06", None, old) == key_of("R06", None, new)) is same
