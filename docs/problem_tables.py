"""Writes the tables of `docs/problems.md`: `python docs/problem_tables.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine_layer_visualize.core.problems import explanations

PAGE: Final = Path(__file__).resolve().parent / "problems.md"
_HEAD: Final = "| code | | what it means | what to do |\n|---|---|---|---|\n"
# The sections of the page, with the first digits of their codes.
_SECTIONS: Final = {
    "The listing": "13",
    "Profiles": "2",
    "The input and the flags": "4",
    "Outputs and builders": "5678",
}


def page() -> str:
    """The page: what stands above its tables, as it is, and the tables."""
    text = PAGE.read_text("utf-8").partition(f"## {next(iter(_SECTIONS))}\n")[0]
    for title, digits in _SECTIONS.items():
        rows = [
            f"| `{code}` | {told.severity} | {told.meaning} | {told.remedy} |\n"
            for code, told in explanations().items()
            if code[3] in digits
        ]
        text += f"## {title}\n\n{_HEAD}{''.join(rows)}\n"
    return text.removesuffix("\n")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
