"""Writes the tables of problems.md from the texts of `--explain`: `python docs/problems.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine_layer_visualize.core.explanations import EXPLANATIONS
from engine_layer_visualize.core.problems import CODES

PAGE: Final = Path(__file__).resolve().parent / "problems.md"
_HEAD: Final = "| code | | what it means | what to do |\n|---|---|---|---|\n"
# The heading of a table, and how the codes in it begin.
_TABLES: Final = {
    "The listing": ("ELV1", "ELV3"),
    "Profiles": ("ELV2",),
    "The input and the flags": ("ELV4",),
    "Outputs and builders": ("ELV5", "ELV6", "ELV7", "ELV8"),
}
LINKS: Final = {
    "read in two ways": "read in [two ways](how-it-decides.md#lines-with-two-readings)",
    "larger than its bound.": "larger than its [bound](limits.md#bounds).",
}


def page(text: str) -> str:
    """Returns the page with its tables made anew; what is above them is written by hand."""
    made = text.partition(f"\n## {next(iter(_TABLES))}\n")[0]
    for heading, starts in _TABLES.items():
        rows = [_row(code) for code in sorted(CODES) if code.startswith(starts)]
        made += f"\n## {heading}\n\n{_HEAD}{''.join(rows)}"
    return made


def _row(code: str) -> str:
    known = EXPLANATIONS[code]
    row = f"| `{code}` | {CODES[code][0]} | {known.meaning} | {known.remedy} |\n"
    for words, link in LINKS.items():
        row = row.replace(words, link)
    return row


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
