"""Reads the command line: which command is called, and with which options. Makes all helps.

Only the module of the command that is called is imported, but for a mistake or a completion.
"""

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from types import ModuleType
from typing import Any, Final, NoReturn

from engine_layer_visualize.commands import EXIT_CODES, USAGE, Answer, Misuse, flags, words
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.problems import Explanation, explanations
from engine_layer_visualize.core.text import nearest, not_among

# The groups of the help. In each, the name of a module -> what is typed, and what it does. A module
# is imported when its command is called.
GROUPS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "see it": {
        "draw": ("LOG [PROFILE]", "draws every engine of a log (without a command: this)"),
        "layers": ("LOG [PROFILE]", "lists layers: all, the slowest, or those that a query finds"),
        "serve": ("[FILE…]", "serves a page on this computer, on which a log is dropped"),
    },
    "why is it slow": {
        "summary": ("LOG [PROFILE]", "prints times, precisions, reformats, memory of every engine"),
        "lint": ("LOG [PROFILE]", "finds what makes an engine slow: why, and what to try"),
        "compare": ("A B…", "says how much faster another engine is, and why"),
        "gate": ("BASE NEW [TIMES…]", "fails where a new engine became slower or larger"),
    },
    "data": {
        "table": ("LOG [PROFILE]", "writes CSV, JSON Lines, Parquet, Excel for data tools"),
        "collect": ("SOURCE… -o DIR", "keeps the tables of many logs as one dataset"),
    },
    "make and share": {
        "record": ("MODEL", "builds an ONNX model and keeps the log"),
        "cut": ("LOG --onnx MODEL (--layer LAYER | --slowest N)", "cuts out layers' ONNX nodes"),
        "anonymise": ("FILE…", "replaces the names and paths in a log, to send it to others"),
        "mcp": ("DIR…", "answers an assistant's questions about logs"),
    },
}
COMMANDS: Final = {name: told for group in GROUPS.values() for name, told in group.items()}
# What exit codes of single commands mean.
FURTHER_CODES: Final[Mapping[str, Mapping[int, str]]] = {
    "lint": {5: "a finding is as severe as --fail_on says, or more"},
    "gate": {
        0: "passed, or unsure with --unsure pass",
        5: "failed, or unsure with --unsure fail",
        6: "not comparable",
        7: "unsure, or read in part",
    },
}
DEFAULT: Final = "draw"
PROGRAM: Final = "engine_layer_visualize"
SCRIPT: Final = "engine-layer-visualize"  # as it is installed, and shorter:
SHORT: Final = "elv"
SHELLS: Final = ("bash", "zsh", "fish")
_NO_LOG: Final = "no log is given: write its name, or --log_file FILE"
_NO_SIDES: Final = "a log is missing: write BASE NEW, or --save FILE LOG"
_INDENT: Final = 28  # columns of a help, at most, before what a flag means
_ABOUT: Final = "Draws the TensorRT engines of a VERBOSE build log, with the layers' times."
_EXAMPLES: Final = ("build.log prof.json -f svg", "summary build.log prof.json")


def parsed(argv: Sequence[str]) -> tuple[Any, ModuleType]:
    """Reads a command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The options and the module of the command.

    Raises:
        Answer: Where a word is wrong, or a flag asks for a text.
    """
    match list(argv):
        case ["help", *more] if not more or more[0] in COMMANDS:
            argv = [*more, "--help"]
        case ["explain", *more]:
            argv = ["--explain", *more]
    named = bool(argv) and argv[0] in COMMANDS
    name = argv[0] if named else DEFAULT
    parser = Parser(name, argv[1:] if named else argv, named)
    namespace, rest = parser.parse_known_args(parser.words.flags)
    if rest or parser.words.strays:
        word = next((word for word in rest if word != "--"), "--")
        parser.error(f"{word:.80} is no flag and no value of one; {_HELP}")
    module = command(name)
    return flags.read(module.Options, namespace, parser.words.told), module


def command(name: str) -> ModuleType:
    """Imports the module of a command."""
    return import_module(f"{__package__}.{name}")


class Parser(argparse.ArgumentParser):
    """Knows the flags of one command."""

    def __init__(
        self, command_name: str, given: Sequence[str] = (), named: bool = True, prog: str = ""
    ) -> None:
        self.name = name = command_name
        self.given = given  # the words after the command
        prog = prog or _typed()
        self.named = named  # whether the command was written
        super().__init__(
            prog=f"{prog} {name}" if named else prog,
            formatter_class=partial(argparse.HelpFormatter, max_help_position=_INDENT),
            add_help=False,
            allow_abbrev=False,
        )
        self.flags = self._option_string_actions  # by their spellings
        module = command(name)
        flags.add(self, module.Options)
        _add_answers(self)
        self.description = " ".join((module.__doc__ or "").split())
        self.epilog = _exit_codes(FURTHER_CODES[name]) if name in FURTHER_CODES else None
        takes_words = any(not action.option_strings for action in self._actions)
        self.words = words.Words((*given,)) if takes_words else words.as_flags(given, self.flags)
        self.usage = f"{self.prog} {'' if named else '[COMMAND] '}{COMMANDS[name][0]} [flags]"

    def format_help(self) -> str:
        """Returns the help."""
        return super().format_help() if self.named else _overview(self.usage or "")

    def error(self, message: str) -> NoReturn:
        """Says what is wrong."""
        if re.search("required: .*--log_file|--baseline.* required", message):
            message = _NO_SIDES if "--save" in self.flags else _NO_LOG
        message = _mistake(self) or message
        raise Answer("", message, USAGE, f"usage: {self.usage}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Answers with a help or the version; argparse is silent where it cannot be written."""
        raise Answer(message.removesuffix("\n"))

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Reads values. argparse would take the value of `--log_file=--` for an end of flags."""
        if arg_strings == ["--"] and action.nargs is None:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Reads a value. A wrong one is reported in the words of the flag's type."""
        read = self._registry_get("type", action.type, action.type)
        try:
            if action.choices is not None and arg_string not in action.choices:
                raise ValueError(not_among("value", arg_string, [*action.choices]))
            return read(arg_string)
        except ValueError as error:
            told = words.gone(f"{self.name} {action.dest}", *map(str.strip, arg_string.split(",")))
            raise argparse.ArgumentError(action, told or str(error)) from error


def _add_answers(parser: argparse.ArgumentParser) -> None:
    """Declares the flags that print a text and end the program."""
    more = parser.add_argument_group("help")
    more.add_argument("-h", "--help", action="help", help="print this text")
    more.add_argument(
        "--explain",
        metavar="CODE",
        nargs="?",
        const="",
        type=explain,
        help="print what a code means, such as ELV102 or F02, and what to do",
    )
    more.add_argument(
        "--print_completion",
        metavar="SHELL",
        choices=SHELLS,
        type=completion,
        help="print the script that completes flags in a shell (pip extra: completion)",
    )
    version = f"{PROGRAM} {__version__}"
    more.add_argument(
        "-V", "--version", action="version", version=version, help="print the version"
    )


def _filled(text: str) -> str:
    """Fills each line as wide as the terminal, but for those that begin with a blank."""
    from shutil import get_terminal_size  # slow to import
    from textwrap import fill

    width = get_terminal_size().columns - 2  # as argparse
    lines = (
        line if line[:1] in ("", " ") else fill(line, width, break_on_hyphens=False)
        for line in text.split("\n")
    )
    return "\n".join(lines)


def _overview(usage: str) -> str:
    """Returns what `--help` prints without a command."""
    examples = "".join(f"\n  {_typed()} {typed}" for typed in _EXAMPLES)
    text = argparse.ArgumentParser(
        usage=usage,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, max_help_position=_INDENT),
        add_help=False,
        description=_filled(f"{_ABOUT}\n\nexamples:{examples}"),
        epilog=_filled(f"Every flag may be written with _ or with -. {_exit_codes(EXIT_CODES)}"),
    )
    for title, commands in GROUPS.items():
        group = text.add_argument_group(title)
        for name, (_, does) in commands.items():
            group.add_argument(name, help=does)
    more = text.add_argument_group("more")
    more.add_argument("COMMAND --help", help="what a command does, and what its flags mean")
    more.add_argument("explain CODE", help="what the code of an error or a finding means")
    return text.format_help()


def _exit_codes(codes: Mapping[int, str]) -> str:
    """Returns exit codes as a sentence."""
    return f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in codes.items())}."


def _typed() -> str:
    """Returns how the program was called."""
    folder, file = os.path.split(sys.argv[0])
    if file == "__main__.py" and os.path.basename(folder) == PROGRAM:
        return f"python -m {PROGRAM}"
    return SHORT if os.path.splitext(file)[0] == SHORT else SCRIPT


# ---- words that no command takes -----------------------------------------------------------------

_IS_FLAG: Final = re.compile(r"--?[^\W\d]\w*")
_HELP: Final = "see --help"
# What other programs call a command.
_ELSEWHERE: Final = {"diff": "compare", "show": "draw", "open": "serve --open", "list": "layers"}


def _mistake(parser: Parser) -> str:
    """Says what is wrong with a flag, or with a word that is no value; else "".

    argparse does not name the nearest flag, nor the command that has it.
    """
    typed, strays = list(takewhile("--".__ne__, parser.given)), parser.words.strays
    is_first = not parser.named and typed[:1] == [*strays[:1]]
    if is_first and (told := words.gone("", *typed[:1])):
        return told
    if not parser.named and (late := next((word for word in strays if word in COMMANDS), "")):
        return f"the command {late} must be the first word"
    for word in typed:
        flag = word.partition("=")[0]
        attached = flag[:2] in parser.flags and f"-{flag}" not in parser.flags  # `-fsvg`
        if _IS_FLAG.fullmatch(flag) and flag not in parser.flags and not attached:
            return words.gone("flag", flag) or _no_flag(parser, flag)
    return _no_file(parser, strays[0]) if strays else ""


def _no_flag(parser: Parser, flag: str) -> str:
    """Names the flag by its right name, or the commands that have it."""
    others = [name for name in COMMANDS if name != parser.name and flag in Parser(name).flags]
    if others:
        return f"{parser.name} has no flag {flag:.80}; these have it: {', '.join(others)}"
    near = nearest(flag, [*parser.flags])
    return f"no flag {flag:.80}; {f'did you mean {near}?' if near else _HELP}"


def _no_file(parser: Parser, word: str) -> str:
    """Says what a word may be that is no file: a command, or a flag without its hyphens."""
    if word == "-":
        return f"stdin is read once, and - stands twice; {_HELP}"
    first = word == parser.given[0] and not parser.named
    near = _ELSEWHERE.get(word, "") if first else ""
    if not near and word.replace("-", "").isidentifier():
        near = nearest(word, [*(COMMANDS if first else ()), *parser.flags])
    what = "no command" if first and near else "no such file:"
    return f"{what} {word:.200}; {f'did you mean {near}?' if near else _HELP}"


# ---- flags that ask for a text: what a code means, what completes flags in a shell ---------------

# What values that are files are called in the help.
_FILES: Final = ("FILE", "MODEL", "PATH", "FILE_OR_DIR")
# Files where nothing else is known, such as after --log-file, which is --log_file.
_BASH: Final = f"\ncomplete -o bashdefault -o default -F _shtab_{SHORT} {SHORT}\n"
# After a command only its own flags: draw's --format is not that of summary.
_ZSH: Final = (f"': :_shtab_{SHORT}_commands'", f"'(-): :_shtab_{SHORT}_commands'")


_ALIKE: Final = 0.6  # of two codes: two of three characters


def explain(word: str) -> NoReturn:
    """Answers `--explain CODE`: `ELV102`, `elv102` and `102` are the same code."""
    code = word.upper() if not word.isdecimal() else f"ELV{word}"
    known = explanations()
    if code in known:
        raise Answer(_explained(code, known[code]))
    from engine_layer_visualize.linting.causes import retired
    from engine_layer_visualize.linting.rules import all_rules

    rules = all_rules()
    if entry := rules.get(code):
        page = re.sub(
            r"(?<=\S)\n(?=[^\s*])", " ", entry.page
        )  # it has lines of the source's length
        raise Answer(f"{code} {entry.rule.name}\n\n{_filled(page)}".rstrip())
    if gone := retired().get(code):
        raise Answer(f"{code} {gone.name}: {gone.why}.")
    if not word:
        listed = [f"{code}  {it.severity:7}  {it.title}" for code, it in known.items()]
        listed += [f"{code:6}  {it.rule.severity:7}  {it.rule.name}" for code, it in rules.items()]
        raise Answer("\n".join(listed))
    near = nearest(code, [*known, *rules], _ALIKE)
    instead = f"did you mean {near}?" if near else "`explain` alone lists all codes"
    raise Misuse(f"no code {word:.80}; {instead}")


def _explained(code: str, problem: Explanation) -> str:
    """Returns the text about the code of a problem."""
    known = problem.without_links()
    example = "\n".join(f"  {line}" for line in known.example.split("\n"))
    text = f"{known.meaning}\n\nfor example:\n{example}\n\nwhat to do: {known.remedy}"
    return f"{code} ({known.severity}): {known.title}\n\n{_filled(text)}"


def completion(shell: str) -> NoReturn:
    """Answers `--print_completion SHELL`."""
    try:
        import shtab
    except ImportError:
        raise Misuse("completion needs the package shtab: pip install shtab") from None
    top = Parser(DEFAULT, named=False, prog=SHORT)
    commands: Any = top.add_subparsers(metavar="COMMAND", parser_class=Parser)
    parsers = [
        commands.add_parser(name, help=COMMANDS[name][1], command_name=name) for name in COMMANDS
    ]
    for parser in parsers:  # a log may be a word
        if all(action.option_strings for action in parser._actions):
            parser.add_argument("files", nargs="*", metavar="FILE")
    completed = {**dict.fromkeys(_FILES, shtab.FILE), "DIR": shtab.DIRECTORY}
    for action in (action for parser in (top, *parsers) for action in parser._actions):
        if isinstance(action.type, flags.ListOf):
            action.choices = action.type.known
        if how := completed.get(str(action.metavar)):
            action.complete = how
    script = shtab.complete(top, shell).replace(*_ZSH)
    raise Answer(script + _BASH if shell == "bash" else script)
