"""Makes the script that completes the program's flags and their values in a shell."""

from __future__ import annotations

import argparse
import re
from typing import Any, Final

from engine_layer_visualize.commands import COMMANDS, DEFAULT, Answer
from engine_layer_visualize.commands.arguments import SCRIPT, SHORT, USAGE, Parser
from engine_layer_visualize.commands.flags import ListOf

_MISSING: Final = "completion needs the package shtab: pip install shtab"
_FILES: Final = (
    "FILE",
    "MODEL",
    "PATH",
    "FILE_OR_DIR",
)  # what values that are files are called in the help
_FOLDERS: Final = ("DIR",)
# Of a list with commas, the word after the last comma is completed.
_BASH_LIST: Final = """\
_elv_{name}() {{
  local before=""
  [[ $1 == *,* ]] && before=${{1%,*}},
  compopt -o nospace 2>/dev/null
  compgen -P "$before" -W "{known}" -- "${{1##*,}}"
}}
"""
_NAME: Final = "_shtab_" + re.sub(r"\W", "_", SCRIPT)  # of shtab's functions
# Files where nothing else is known, such as after --log-file, which is --log_file.
_END: Final = {
    "bash": f"\ncomplete -o bashdefault -o default -F {_NAME} {SCRIPT} {SHORT}\n",
    "fish": f"\ncomplete -c {SHORT} -w {SCRIPT}\n",
}
# After a command only its own flags: draw's --format is not that of summary.
_ZSH: Final = (f"': :{_NAME}_commands'", f"'(-): :{_NAME}_commands'")


def answer(shell: str) -> Answer:
    """Returns what `--print_completion SHELL` prints."""
    try:
        import shtab
    except ImportError:
        return Answer("", _MISSING, USAGE)
    top = Parser(DEFAULT, named=False, prog=SCRIPT)
    commands: Any = top.add_subparsers(metavar="COMMAND", parser_class=Parser)
    parsers = [
        commands.add_parser(name, help=COMMANDS[name], command_name=name) for name in COMMANDS
    ]
    for parser in (top, *parsers):
        for action in parser._actions:
            if (how := _how(action, parser.name)) is not None:
                action.complete = how
    script = shtab.complete(top, shell)
    script = script.replace(*_ZSH).replace(f"#compdef {SCRIPT}\n", f"#compdef {SCRIPT} {SHORT}\n")
    return Answer(script + _END.get(shell, ""))


def _how(action: argparse.Action, command: str) -> Any:
    """Says how shtab completes a flag's value; None where it knows, or nothing is known."""
    import shtab

    if action.metavar in _FILES:
        return shtab.FILE
    if action.metavar in _FOLDERS:
        return shtab.DIRECTORY
    if not isinstance(action.type, ListOf):
        return None
    known = " ".join(action.type.known)
    name = f"{command}_{action.dest}"
    return {
        "bash": f"_elv_{name}",
        "zsh": f" _values -s , {action.type.what} {known}",
        "fish": f"(__fish_append , {known})",
        "preamble": {"bash": _BASH_LIST.format(name=name, known=known)},
    }
