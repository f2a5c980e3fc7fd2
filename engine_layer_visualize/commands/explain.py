"""The code of a problem or of a rule in; what it means, an example and what to do out."""

from __future__ import annotations

from shutil import get_terminal_size

from engine_layer_visualize.commands import Answer
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.core.explanations import explained, listed
from engine_layer_visualize.core.problems import CODES
from engine_layer_visualize.core.wrong_values import nearest


def answer(word: str) -> Answer:
    """What `--explain CODE` prints: `ELV102`, `elv102` and `102` are the same code."""
    code = word.upper() if not word.isdecimal() else f"ELV{word}"
    if code in CODES:
        return Answer(explained(code, get_terminal_size().columns))
    from engine_layer_visualize.analysis.findings.retired import retired
    from engine_layer_visualize.analysis.findings.rules import all_rules, nearest_rule, page

    rules = all_rules()
    names = {module.RULE.name: own for own, module in rules.items()}
    if rule := rules.get(names.get(word.lower(), code)):
        return Answer(f"{rule.RULE.code} {rule.RULE.name}\n\n{page(rule)}".rstrip())
    for former, one in retired(word):
        if word.lower() == one.name or code == former:
            return Answer(f"{former} {one.name}: {one}.")
    if not word:
        return Answer(
            listed(),
            "--explain needs a code, and these are all of them; lint --rules has those of findings",
            USAGE,
        )
    near = nearest(code, list(CODES)) or nearest_rule(word)
    instead = f"did you mean {near}?" if near else "--explain alone lists all codes"
    return Answer("", f"no code {word:.80}; {instead}", USAGE)
