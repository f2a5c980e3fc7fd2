"""The recorded logs and listings, each read once, with the profile that was recorded with it."""

from functools import cache
from pathlib import Path

import pytest
from paths import RECORDED

from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.api.read import read
from engine_layer_visualize.core.problems import ReadError

LOGS = sorted({*RECORDED.glob("*.log"), *RECORDED.glob("*.layers.json")})
_PROFILES = {path.name[:3]: path for path in RECORDED.glob("*.profile.json")}


@cache
def _read(path: Path) -> Build | None:
    number = path.name[:3]
    # A listing and its profile are two numbers, apart by one.
    times = f"{int(number) + 1:03}" if path.suffix == ".json" else number
    try:
        return read(path, [_PROFILES[times]] if times in _PROFILES else [], facts=True)
    except ReadError:
        return None


def engines_of(path: Path) -> tuple[Engine, ...]:
    """None where there is nothing to draw."""
    build = _read(path)
    return () if build is None else build.engines


def engine(number: str, index: int = 0) -> Engine:
    """One of the log, or of the listing, whose name begins with the number."""
    (path,) = (path for path in LOGS if path.name.startswith(f"{number}_"))
    return engines_of(path)[index]


def build_of(path: Path) -> Build:
    """Skips the test where there is nothing to draw."""
    build = _read(path)
    if build is None:
        pytest.skip("there is no engine in it")
    return build
