"""How long a page takes to open and to search: bounds, on whatever machine this is.

How evenly it pans is measured in benchmarks; what a frame is made of, in test_tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(("name", "seconds"), [("small", 1), ("thousand", 1), ("largest", 5)])
def test_a_page_opens_in_time(
    page: Any,
    pages: Callable[[str], Path],
    name: str,
    seconds: float,
    record_property: Callable[[str, object], None],
) -> None:
    """The best of three: other work on the machine is none of the page's."""
    took = []
    for _ in range(3):
        page.open(pages(name))
        took.append(page.js("return performance.getEntriesByName('ready')[0].startTime") / 1000)
    record_property("seconds", min(took))
    assert min(took) < seconds


def test_files_stay_small(pages: Callable[[str], Path]) -> None:
    """Those of detailed listings have the same bounds as the others."""
    for kind in ("", " detailed"):
        assert pages(f"thousand{kind}").stat().st_size < 700_000
        assert pages(f"largest{kind}").stat().st_size < 8_000_000


def test_every_layer_can_have_a_box_of_its_own(page: Any, pages: Callable[[str], Path]) -> None:
    page.open(pages("largest"))
    page.js("engineLayers.levels.collapse(new Set())")
    assert page.js("return engineLayers.folded.size >= engineLayers.engine.count")


def test_search_in_twenty_thousand_is_quick(page: Any, pages: Callable[[str], Path]) -> None:
    page.open(pages("largest"))
    for query in ("unit77 conv2", "/conv.*7$/", "type:conv time>0us", "FP16 -#3"):
        took = page.js(
            """return Math.min(...[1, 2, 3].map(() => {
            engineLayers.showHits(null); const began = performance.now();
            engineLayers.search.set(arguments[0]); return performance.now() - began}))""",
            query,
        )
        assert page.js("return engineLayers.hits.length") > 0
        assert took < 250  # milliseconds, the best of three; docs/viewer.md has what was measured
