"""Names of poison, drawn by hypothesis and built for real: read back exactly, or flagged."""

from __future__ import annotations

import tempfile
from pathlib import Path

import builder
from hostile import FAKES, PIECES, judged, poison
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytestmark = builder.needed()

# The same names in every run: by command it draws others.
SAME = settings(
    max_examples=4,
    phases=[Phase.generate],  # a failing one is a build of 40: no search for less
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)


@SAME
@given(st.lists(poison(PIECES), min_size=20, max_size=20, unique=True))
def test_names_of_poison(texts: list[str]) -> None:
    check(texts, 3 / 4)


@SAME
@given(st.lists(poison((*PIECES, *FAKES)), min_size=20, max_size=20, unique=True))
def test_names_that_hold_lines_of_a_log(texts: list[str]) -> None:
    check(texts, 1 / 2)


def check(texts: list[str], least: float) -> None:
    """None is wrong, and so many are read without a word of doubt, too."""
    with tempfile.TemporaryDirectory() as folder:
        found = judged(texts, Path(folder))
    assert not [entry for entry in found if entry[2] == "wrong"]
    right = [entry for entry in found if entry[2] == "right"]
    assert len(right) > len(found) * least
