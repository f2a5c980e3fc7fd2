"""Answers flags that ask for a text: what a code means, and what completes flags in a shell."""

from __future__ import annotations

import argparse
import re
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, Final

from engine_layer_visualize.commands import COMMANDS, DEFAULT, Answer
from engine_layer_visualize.commands.arguments import SCRIPT, SHORT, USAGE, Parser
from engine_layer_visualize.commands.flags import ListOf
from engine_layer_visualize.core.problems import explanations
from engine_layer_visualize.core.text import nearest

_MISSING: Final = "completion needs the package shtab: pip install shtab"
# What values that are files are called in the help.
_FILES: Final = ("FILE", "MODEL", "PATH", "FILE_OR_DIR")
_NAME: Final = "_shtab_" + re.sub(r"\W", "_", SCRIPT)  # of shtab's functions
# Files where nothing else is known, such as after --log-file, which is --log_file.
_END: Final = {
    "bash": f"\ncomplete -o bashdefault -o default -F {_NAME} {SCRIPT} {SHORT}\n",
    "fish": f"\ncomplete -c {SHORT} -w {SCRIPT}\n",
}
# After a command only its own flags: draw's --format is not that of summary.
_ZSH: Final = (f"': :{_NAME}_commands'", f"'(-): :{_NAME}_commands'")


def explain(word: str) -> Answer:
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
            "--explain needs a code: of these, or of a finding (docs/findings.md)",
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


def completion(shell: str) -> Answer:
    """Returns what `--print_completion SHELL` prints."""
    try:
        import shtab
    except ImportError:
        return Answer("", _MISSING, USAGE)
    top = Parser(DEFAULT, named=False, prog=SCRIPT)
    commands: Any = top.add_subparsers(metavar="COMMAND", parser_class=Parser)
    parsers = [
        commands.add_parser(name, help=COMMANDS[name][1], command_name=name) for name in COMMANDS
    ]
    for parser in (top, *parsers):
        for action in parser._actions:
            if (how := _how(action)) is not None:
                action.complete = how
    script = shtab.complete(top, shell)
    script = script.replace(*_ZSH).replace(f"#compdef {SCRIPT}\n", f"#compdef {SCRIPT} {SHORT}\n")
    return Answer(script + _END.get(shell, ""))


def _how(action: argparse.Action) -> Any:
    """Says how shtab completes a flag's value; None where it knows, or nothing is known."""
    import shtab

    if isinstance(action.type, ListOf):
        action.choices = action.type.known
    return {**dict.fromkeys(_FILES, shtab.FILE), "DIR": shtab.DIRECTORY}.get(str(action.metavar))
