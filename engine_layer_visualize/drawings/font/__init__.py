"""Holds the font that SVG and pages embed: a part of IBM Plex Sans, which PNG has whole.

`docs/font.py` makes `sans.woff2`, from regular to bold, and `widths.json`, what the layout measures
texts with. Figures are as wide as each other.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from importlib import resources
from typing import Final

FAMILY: Final = "Engine Sans"


@cache
def face() -> str:
    """Returns the rule of CSS that has the font."""
    data = resources.files(__package__).joinpath("sans.woff2").read_bytes()
    return (
        f'@font-face{{font-family:"{FAMILY}";font-weight:400 700;'
        f"src:url(data:font/woff2;base64,{base64.b64encode(data).decode()})}}"
    )


@cache
def widths(bold: bool) -> dict[str, int]:
    """Returns the width of each of its characters in thousandths of the size."""
    text = resources.files(__package__).joinpath("widths.json").read_text("utf-8")
    known: dict[str, dict[str, int]] = json.loads(text)
    return known["700" if bold else "400"]
