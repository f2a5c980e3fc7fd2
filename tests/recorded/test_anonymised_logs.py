"""A real log says the same under other names, and its names are gone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from anonymised import Renaming, anonymised, left_over, told
from paths import RECORDED, recorded

LOGS = sorted([*RECORDED.glob("*.log"), *RECORDED.glob("*.layers.json")])
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")
PAIRS = (
    *(("000", "000"), ("079", "080"), ("101", "102"), ("125", "127"), ("128", "130")),
    *(("129", "130"), ("131", "133"), ("132", "133"), ("134", "135"), ("141", "142")),
    ("149", "150"),
)


# A page cut the name of a kernel in two lines: its second half is taken for other words.
CUT: Final = pytest.mark.xfail(strict=True, reason="a kernel's name is cut in two lines")
KNOWN: Final = {"307": [CUT]}


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=KNOWN.get(path.name[:3], [])) for path in LOGS]
)
def test_a_log_says_the_same_under_other_names(path: Path, tmp_path: Path) -> None:
    (other,) = anonymised([path], tmp_path)
    assert list(Renaming().differences(told([path]), told([other])))[:5] == []
    assert left_over(path, other) == set()
    (tmp_path / "again").mkdir()
    (again,) = anonymised([other], tmp_path / "again")
    assert again.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(("log", "profile"), PAIRS)
def test_a_profile_gets_the_names_of_its_log(log: str, profile: str, tmp_path: Path) -> None:
    suffix = ".log" if log == profile else ""
    pair = [recorded(log, suffix), recorded(profile, ".profile.json")]
    others = anonymised(pair, tmp_path)
    assert list(Renaming().differences(told(pair), told(others)))[:5] == []
