"""Reports of real logs lose no character at any width, and short ones fit a comment."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from paths import recorded
from recorded_logs import LOGS, build_of, engines_of
from summarised import blocks_of

from engine_layer_visualize.api.draw import render_report
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.documents.blocks import Grid
from engine_layer_visualize.documents.terminal import extent, set_page

pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


@pytest.mark.parametrize("number", ["000", "143", "131", "066", "014"])
def test_no_character_is_lost_at_any_width(number: str) -> None:
    """Every cell and sentence is there, but for names that bear an ellipsis at every width."""
    for engine in engines_of(recorded(number, ".log")):
        blocks = blocks_of(engine)
        texts = [
            shown(cell, 160, 1_000)
            for block in blocks
            for cell in (
                [c for row in block.rows for c in row] if isinstance(block, Grid) else [block.text]
            )
        ]
        wanted = Counter("".join(text.strip("–") for text in texts if text != "–"))
        for width in (40, 60, 80, 100, 140, 200):
            page = set_page(blocks, width, False)
            assert all(extent(line) <= width for line in page.split("\n"))
            missing = wanted - Counter(page)
            del missing[" "]
            assert not missing, (width, missing)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_a_brief_report_fits_a_comment_and_a_screen(path: Path) -> None:
    engines = build_of(path).engines
    for format, most in (("markdown", 65_536), ("text", 1 << 20)):
        text = "".join(render_report(engines, format, ReportOptions(brief=True, width=80)))
        assert len(text) <= most
    assert text.count("\n") <= 36 * min(len(engines), 2) + 8 * len(engines)
