"""A real log says the same however it reached its file."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from invariance import MOVING, NO_SEVERITY, TRANSFORMS, differences, told, without_lines
from paths import RECORDED

LOGS = sorted(RECORDED.glob("*.log"))
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")
CHUNK = 1 << 16
WHOLE = {"CRLF", "CRLF but the first line", "BOM", "gzip"}


@lru_cache(maxsize=2)
def plain(path: Path, severe: bool) -> Any:
    return told(path, severe)


# All of a log's in one test, so that its plain reading is done once wherever the test runs.
@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_log_says_the_same(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    found: dict[str, list[str]] = {}
    is_file = '"dialect": "times"' in json.dumps(plain(path, True))  # not read from a pipe
    # Rows of times that no logger wrote bear nothing by which words before a line are told.
    bare = is_file and b"[I]" not in data
    for name, transform in TRANSFORMS.items():
        if (bare and name not in WHOLE) or (is_file and name == "foreign lines"):
            continue
        changed = transform(data)
        if changed is None:
            continue
        severe = name not in NO_SEVERITY
        if name == "gzip" or is_file:
            (tmp_path / "x.log").write_bytes(changed)
            other = told(tmp_path / "x.log", severe)
        else:
            other = told([changed[at : at + CHUNK] for at in range(0, len(changed), CHUNK)], severe)
        own = plain(path, severe)
        if name in MOVING:
            own, other = without_lines(own), without_lines(other)
        if wrong := list(differences(own, other))[:5]:
            found[name] = wrong
    assert found == {}
