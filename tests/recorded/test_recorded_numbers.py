"""Every recorded log: title, summary, lint, brief, page and JSON say one number of one thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import RECORDED
from totals import contradictions, outputs

pytestmark = pytest.mark.slow

LOGS = sorted(
    path
    for path in (RECORDED.iterdir() if RECORDED.is_dir() else ())
    if path.suffix not in (".md", ".tsv")
)


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_outputs_say_one_number(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for index, said in outputs([str(log)], tmp_path, capsys).items():
        assert len(said) > 5 and said["title"].layers is not None
        assert not contradictions(said), f"engine {index}"
