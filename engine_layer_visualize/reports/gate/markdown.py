"""Writes a verdict as GitHub's Markdown: a comment on a pull request, within its limit.

The marker in its first line is that by which the next verdict finds the comment that it replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.comparison.gate.layers import JudgedGroup
from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.documents.markdown import escaped, set_page
from engine_layer_visualize.reports.gate import page
from engine_layer_visualize.reports.gate.options import GateOptions, check

_MAX_REASONS: Final = 20
_ROW: Final = 40  # characters of a row at least
_RESERVE: Final = 250  # for what says that something is left out, and for `</details>`


def marker(name: str) -> str:
    """`<!-- elv-gate:engine -->`."""
    return f"<!-- elv-gate:{name} -->"


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """At most `max_chars` characters. Raises ValueError for options that no comment can have."""
    check(options)
    head = f"### Gate {escaped(options.name)} {escaped(page.headline(judgement))}"
    text = _Text(options.max_chars, f"{marker(options.name)}\n{head}\n\n")
    reasons = judgement.reasons
    bullets = [f"* {escaped(reason)}\n" for reason in reasons[:_MAX_REASONS]]
    told = text.add(bullets, options.max_chars // 2)  # the rest is for the layers
    if left := len(reasons) - told:
        text.close(f"* and {count(left, 'more reason')}\n")
    groups = page.tabled(judgement)
    worst, rest = groups[: page.WORST], groups[page.WORST :]
    shown = text.add(["\n"]) and text.table(worst)
    if rest and shown == len(worst):
        title = f"{count(len(rest), 'more group')} of layers"
        if text.add([f"\n<details><summary>{title}</summary>\n\n"]):
            shown += text.table(rest)
            if shown < len(groups):
                text.close(_cut(len(groups) - shown))
            text.close("\n</details>\n")
    elif shown < len(groups):
        text.close(_cut(len(groups) - shown))
    yield text.whole.rstrip("\n") + "\n"


def _cut(left: int) -> str:
    groups = f"{left:,} {plural(left, 'group')} of layers"
    return f"\n{groups} more: `--format json` has all.\n"


class _Text:
    """A text that grows while there is room."""

    def __init__(self, most: int, start: str) -> None:
        self.whole, self._most = start, most - _RESERVE

    def add(self, pieces: Sequence[str], most: int | None = None) -> int:
        """How many of the pieces found room; the text may have `most` characters by now."""
        most = min(self._most, most or self._most)
        for number, piece in enumerate(pieces):
            if len(self.whole) + len(piece) > most:
                return number
            self.whole += piece
        return len(pieces)

    def close(self, text: str) -> None:
        """What must be there: it is short, and room was kept for it."""
        self.whole += text

    def table(self, groups: Sequence[JudgedGroup]) -> int:
        """How many of the groups found room as rows."""
        if not groups:
            return 0
        lines = set_page([page.grid(groups[: self._most // _ROW])]).splitlines(keepends=True)
        if not self.add(["".join(lines[:2])]):
            return 0
        return self.add(lines[2:])
