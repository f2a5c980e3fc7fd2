"""Writes a verdict as annotations of a workflow of GitHub Actions.

One for the verdict, then the layers that did not pass: of a step GitHub shows ten of each level.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.gate.layers import Verdict
from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.documents.ci_syntax import Level, annotation
from engine_layer_visualize.reports.gate import page
from engine_layer_visualize.reports.gate.options import GateOptions

_LEVELS: Final[dict[Verdict, Level]] = {
    "pass": "notice", "unsure": "warning", "fail": "error", "not_comparable": "error",
}  # fmt: skip
_MAX_LAYERS: Final = 9  # beside the verdict
_MAX_REASONS: Final = 20


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """A line for each."""
    reasons = [plain(reason) for reason in judgement.reasons]
    left = len(reasons) - _MAX_REASONS
    text = "\n".join([*reasons[:_MAX_REASONS], *([f"and {left:,} more"] if left > 0 else [])])
    title = f"Gate {options.name} {page.headline(judgement)}"
    level = _LEVELS[judgement.verdict]
    yield annotation(level, text or title, title=title, file=judgement.new) + "\n"
    for group in page.noted(judgement)[:_MAX_LAYERS]:
        assert group.verdict is not None
        level = _LEVELS[group.verdict]
        title = f"Gate {options.name}: layers"
        yield annotation(level, page.sentence(group), title=title, file=judgement.new) + "\n"
