"""A real log says the same however it reached its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from invariance import TRANSFORMS, changed_tellings, told
from logtext import pieces
from paths import RECORDED

LOGS = sorted(RECORDED.glob("*.log"))
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")
CHUNK = 1 << 16
WHOLE = {"CRLF", "CRLF but the first line", "BOM", "gzip"}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_log_says_the_same(path: Path, tmp_path: Path) -> None:
    """In a third of all ways each, for every way on many logs; fixtures are tried in all ways."""
    data, ways = path.read_bytes(), {*list(TRANSFORMS)[LOGS.index(path) % 3 :: 3]}
    is_file = '"dialect": "times"' in json.dumps(told(path))  # not read from a pipe
    # Rows of times that no logger wrote bear nothing by which words before a line are told.
    bare = is_file and b"[I]" not in data

    def tell(changed: bytes, severe: bool) -> Any:
        if changed.startswith(b"\x1f\x8b") or changed is data or is_file:
            (tmp_path / "x.log").write_bytes(changed)
            return told(tmp_path / "x.log", severe)
        return told(pieces(changed, CHUNK), severe)

    ways &= WHOLE if bare else TRANSFORMS.keys() - {"foreign lines" if is_file else ""}
    assert changed_tellings(data, tell, sorted(ways)) == {}
