"""Explains the code of a problem or of a rule: what it means, an example and what to do."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import wrap

from engine_layer_visualize.commands import Answer
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.core.problems import explanations
from engine_layer_visualize.core.text import nearest


def answer(word: str) -> Answer:
    """Returns what `--explain CODE` prints: `ELV102`, `elv102` and `102` are the same code."""
    code = word.upper() if not word.isdecimal() else f"ELV{word}"
    if code in explanations():
        return Answer(_explained(code, get_terminal_size().columns))
    from engine_layer_visualize.linting.causes import retired
    from engine_layer_visualize.linting.rules import all_rules, nearest_rule

    rules = all_rules()
    names = {entry.rule.name: code for code, entry in rules.items()}
    if entry := rules.get(names.get(word.lower(), code)):
        return Answer(f"{entry.rule.code} {entry.rule.name}\n\n{entry.page}".rstrip())
    for former, gone in retired(word):
        if word.lower() == gone.name or code == former:
            return Answer(f"{former} {gone.name}: {gone}.")
    if not word:
        return Answer(
            _listed(),
            "--explain needs a code, and these are all of them; lint --rules has those of findings",
            USAGE,
        )
    near = nearest(code, list(explanations())) or nearest_rule(word)
    instead = f"did you mean {near}?" if near else "--explain alone lists all codes"
    return Answer("", f"no code {word:.80}; {instead}", USAGE)


def _explained(code: str, width: int) -> str:
    """Returns the text about the code of a problem; its sentences in lines of `width`."""
    known = explanations()[code].without_links()
    example = "\n".join(f"  {line}" for line in known.example.split("\n"))
    meaning, remedy = (
        "\n".join(wrap(text, width, break_on_hyphens=False, break_long_words=False))
        for text in (known.meaning, f"what to do: {known.remedy}")
    )
    return (
        f"{code} ({known.severity}): {known.title}\n\n{meaning}\n\n"
        f"for example:\n{example}\n\n{remedy}"
    )


def _listed() -> str:
    """Returns a line for each code."""
    return "\n".join(
        f"{code}  {known.severity:7}  {known.title}" for code, known in explanations().items()
    )
