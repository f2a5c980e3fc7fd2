"""A real log says the same however it reached its file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from invariance import MOVING, NO_SEVERITY, TRANSFORMS, differences, told, without_lines
from paths import RECORDED

LOGS = sorted(RECORDED.glob("*.log"))
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")
CHUNK = 1 << 16


@lru_cache(maxsize=2)
def plain(path: Path, severe: bool) -> Any:
    return told(path, severe)


# All of a log's in one test, so that its plain reading is done once wherever the test runs.
@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_log_says_the_same(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    found: dict[str, list[str]] = {}
    for name, transform in TRANSFORMS.items():
        changed = transform(data)
        if changed is None:
            continue
        severe = name not in NO_SEVERITY
        if name == "gzip":
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
