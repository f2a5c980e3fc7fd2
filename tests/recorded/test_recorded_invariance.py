"""A real log says the same however it reached its file, and under other names; its own are gone."""

from pathlib import Path
from typing import Any, Final

import anonymised
import pytest
from anonymised import Renaming, left_over
from invariance import TRANSFORMS, changed_tellings, told
from logtext import pieces
from paths import RECORDED, recorded
from recorded_logs import LOGS as FILES
from recorded_logs import engines_of

LOGS = sorted(RECORDED.glob("*.log"))
WHOLE = {"CRLF", "CRLF but the first line", "BOM", "gzip"}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_log_says_the_same(path: Path, tmp_path: Path) -> None:
    """In a third of all ways each, for every way on many logs; fixtures are tried in all ways."""
    data, ways = path.read_bytes(), {*list(TRANSFORMS)[LOGS.index(path) % 3 :: 3]}
    is_file = any(one.dialect == "times" for one in engines_of(path))  # not read from a pipe
    # Rows of times that no logger wrote bear nothing by which words before a line are told.
    bare = is_file and b"[I]" not in data

    def tell(changed: bytes, severe: bool) -> Any:
        if changed.startswith(b"\x1f\x8b") or changed is data or is_file:
            (tmp_path / "x.log").write_bytes(changed)
            return told(tmp_path / "x.log", severe)
        return told(pieces(changed, 1 << 16), severe)

    ways &= WHOLE if bare else TRANSFORMS.keys() - {"foreign lines" if is_file else ""}
    assert changed_tellings(data, tell, sorted(ways)) == {}


# ---- under other names -------------------------------------------------------------------------


PAIRS = (
    *(("000", "000"), ("079", "080"), ("101", "102"), ("125", "127"), ("128", "130")),
    *(("129", "130"), ("131", "133"), ("132", "133"), ("134", "135"), ("141", "142")),
    ("149", "150"),
)


# A page cut the name of a kernel in two lines: its second half is taken for other words.
CUT: Final = pytest.mark.xfail(strict=True, reason="a kernel's name is cut in two lines")
KNOWN: Final = {"307": [CUT]}


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=KNOWN.get(path.name[:3], [])) for path in FILES]
)
def test_a_log_says_the_same_under_other_names(path: Path, tmp_path: Path) -> None:
    (other,) = anonymised.anonymised([path], tmp_path)
    assert list(Renaming().differences(anonymised.told([path]), anonymised.told([other])))[:5] == []
    assert left_over(path, other) == set()
    (tmp_path / "again").mkdir()
    (again,) = anonymised.anonymised([other], tmp_path / "again")
    assert again.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(("log", "profile"), PAIRS)
def test_a_profile_gets_the_names_of_its_log(log: str, profile: str, tmp_path: Path) -> None:
    suffix = ".log" if log == profile else ""
    pair = [recorded(log, suffix), recorded(profile, ".profile.json")]
    others = anonymised.anonymised(pair, tmp_path)
    assert list(Renaming().differences(anonymised.told(pair), anonymised.told(others)))[:5] == []
