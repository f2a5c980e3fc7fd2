"""A log says the same however it reached its file: every fixture, in all that may stand around."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from invariance import TRANSFORMS, changed_tellings, differences, told
from logtext import pieces
from paths import FIXTURES

# What is no text has no lines that anything could stand around.
NO_TEXT = ("empty.log", "picture.log", "utf16-no-bom.log")
LOGS = sorted(path for path in FIXTURES.glob("**/*.log") if path.name not in NO_TEXT)
CHUNK = 1 << 12


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return data.decode("utf-16").encode() if data.startswith(b"\xff\xfe") else data


def test_there_are_logs() -> None:
    assert len(LOGS) > 40


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_fixture_says_the_same(path: Path, tmp_path: Path) -> None:
    def tell(data: bytes, severe: bool) -> Any:
        if data.startswith(b"\x1f\x8b"):
            (tmp_path / "x.log").write_bytes(data)
            return told(tmp_path / "x.log", severe)
        return told(pieces(data, CHUNK), severe)

    assert changed_tellings(text_of(path), tell, list(TRANSFORMS)) == {}


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
