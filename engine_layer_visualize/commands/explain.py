"""The code of a problem in; what it means, an example and what to do out."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from engine_layer_visualize.commands import Answer
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.core.explanations import explained, listed
from engine_layer_visualize.core.problems import CODES
from engine_layer_visualize.core.wrong_values import nearest

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.findings.rules import RuleModule


def answer(word: str) -> Answer:
    """What `--explain CODE` prints: `ELV102`, `elv102` and `102` are the same code."""
    code = word.upper() if not word.isdecimal() else f"ELV{word}"
    if code in CODES:
        return Answer(explained(code, get_terminal_size().columns))
    if rule := _rules().get(code):
        return Answer(f"{code} {rule.RULE.name} ({rule.RULE.severity})\n\n{rule.__doc__}".rstrip())
    if not word:
        return Answer(listed(), "--explain needs a code, and these are all of them", USAGE)
    near = nearest(code, list(CODES))
    instead = f"did you mean {near}?" if near else "--explain alone lists all codes"
    return Answer("", f"no code {word:.80}; {instead}", USAGE)


def _rules() -> dict[str, RuleModule]:
    """Those of the findings, by their codes."""
    from engine_layer_visualize.analysis.findings.rules import all_rules

    return all_rules()
