"""Where the checkout, its fixtures and the recorded logs are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
CENTERNET = FIXTURES / "classic" / "8.0-centernet.log"  # the largest of them
TIMES = CENTERNET.with_suffix(".profile.json")
RECORDED = ROOT.parent / "shared" / "recorded"  # other people's logs: not in the repository


def recorded(number: str, suffix: str = "") -> Path:
    """The recorded file whose name begins with `number`."""
    (path,) = RECORDED.glob(f"{number}_*{suffix}")
    return path
