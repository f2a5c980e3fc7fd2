"""The recorded logs and listings, each read with the profiles that were recorded with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import RECORDED

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.display import Build
from engine_layer_visualize.pipeline import read

LOGS = sorted({*RECORDED.glob("*.log"), *RECORDED.glob("*.layers.json")})


def build_of(path: Path) -> Build:
    """Skips the test where there is nothing to draw."""
    own = path.name.partition("_")[0]
    try:
        return read(path, sorted(RECORDED.glob(f"{own}_*.profile.json")), facts=True)
    except ReadError:
        pytest.skip("there is no engine in it")
