"""A log says the same however it reached its file: every fixture, in all that may stand around."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from invariance import MOVING, NO_SEVERITY, TRANSFORMS, differences, told, without_lines
from logtext import pieces
from paths import FIXTURES

pytestmark = pytest.mark.slow

# What is no text has no lines that anything could stand around.
NO_TEXT = ("empty.log", "picture.log", "utf16-no-bom.log")
LOGS = sorted(path for path in FIXTURES.glob("**/*.log") if path.name not in NO_TEXT)
CHUNK = 1 << 12

_plain: dict[tuple[Path, bool], Any] = {}


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return data.decode("utf-16").encode() if data.startswith(b"\xff\xfe") else data


def plain(path: Path, severe: bool) -> Any:
    """What the log says as it is."""
    if (path, severe) not in _plain:
        _plain[path, severe] = told([text_of(path)], severe)
    return _plain[path, severe]


def test_there_are_logs() -> None:
    assert len(LOGS) > 40


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_fixture_says_the_same(path: Path, name: str, tmp_path: Path) -> None:
    changed = TRANSFORMS[name](text_of(path))
    if changed is None:
        pytest.skip("its lines bear no prefix of one host that another could replace")
    severe = name not in NO_SEVERITY
    if name == "gzip":
        (tmp_path / "x.log").write_bytes(changed)
        found = told(tmp_path / "x.log", severe)
    else:
        found = told([changed[at : at + CHUNK] for at in range(0, len(changed), CHUNK)], severe)
    own = plain(path, severe)
    if name in MOVING:
        own, found = without_lines(own), without_lines(found)
    assert list(differences(own, found)) == []


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_file_says_what_a_pipe_says(path: Path) -> None:
    data = path.read_bytes()
    assert list(differences(told(path), told(pieces(data, CHUNK)))) == []


def test_most_can_be_done_to_most() -> None:
    """Else a mistake in a transform would go unseen."""
    done = {
        name: sum(transform(text_of(path)) not in (None, text_of(path)) for path in LOGS)
        for name, transform in TRANSFORMS.items()
    }
    few = {name for name, count in done.items() if count * 2 < len(LOGS)}
    assert few == {"as trtexec"}  # most are its logs
