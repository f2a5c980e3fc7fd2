"""The rules' docstrings in, their pages in `docs/rules` out: `python docs/rules.py` writes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine_layer_visualize.linting.causes import RETIRED
from engine_layer_visualize.linting.rules import all_rules

FOLDER: Final = Path(__file__).resolve().parent / "rules"
INDEX: Final = "README.md"
_FAMILIES: Final = {
    "P": "Precision",
    "F": "Formats and reformats",
    "T": "Tactics and tuning",
    "U": "Fusion and graph",
    "H": "Shapes and hardware",
    "R": "Run conditions and data",
}
_TABLE: Final = "| code | name | severity | found |\n|---|---|---|---|\n"
_HEAD: Final = """\
# Rules

A rule looks for one reason why layers take time. Where it finds one, [`lint`](../lint.md),
`summary`, tooltips and the interactive page show a finding with the rule's code. `--explain CODE`
prints a rule's page.

A code never gets a second meaning. These pages are made from the rules' docstrings, in
`engine_layer_visualize/linting`, by `python docs/rules.py`.
"""
_RETIRED: Final = """
## Retired

These find nothing any more. `--explain`, `--select`, `--ignore` and the gate still know them.

| code | name | why |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """The text of each file of the folder, by its name."""
    found = {
        f"{code}.md": f"# {code} {entry.rule.name}\n\n{entry.page}"
        for code, entry in all_rules().items()
    }
    return {INDEX: "".join(_index()), **found}


def _index() -> Iterator[str]:
    yield _HEAD
    for letter, title in _FAMILIES.items():
        rows = [each.rule for code, each in all_rules().items() if code.startswith(letter)]
        if rows:
            yield f"\n## {letter}: {title}\n\n{_TABLE}"
        for rule in rows:
            code = f"[`{rule.code}`]({rule.code}.md)"
            yield f"| {code} | {rule.name} | {rule.severity} | {rule.summary} |\n"
    yield _RETIRED
    for former, one in RETIRED.items():
        yield f"| `{former}` | {one.name} | {one} |\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, "utf-8")
