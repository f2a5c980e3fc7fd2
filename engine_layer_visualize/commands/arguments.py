"""Reads the command line: which command is called, and with which options. Makes all helps.

Only the module of the command that is called is imported, but for a mistake or a completion.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from engine_layer_visualize.commands import (
    COMMANDS,
    DEFAULT,
    EXIT_CODES,
    FURTHER_CODES,
    GROUPS,
    Answer,
    Command,
    flags,
)
from engine_layer_visualize.commands.words import Words, as_flags
from engine_layer_visualize.core import __version__

PROGRAM: Final = "engine_layer_visualize"
SCRIPT: Final = "engine-layer-visualize"  # as it is installed, and shorter:
SHORT: Final = "elv"
SHELLS: Final = ("bash", "zsh", "fish")
USAGE: Final = 2  # the exit code of a mistake
_NO_LOG: Final = "no log is given: write its name, or --log_file FILE"
_NO_SIDES: Final = "a log is missing: write BASE NEW, or --save FILE LOG"
_ABOUT: Final = "Draws the TensorRT engines of a VERBOSE build log, with the layers' times."
_EXAMPLES: Final = ("build.log prof.json -f svg", "summary build.log prof.json")
_SPELLING: Final = "Every flag may be written with _ or with -."


def parsed(argv: Sequence[str]) -> tuple[Any, Command]:
    """Reads a command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The options and the module of the command.

    Raises:
        SystemExit: Where a word is wrong, or after a help; the text is printed then.
        Answer: Where a flag asks for a text.
    """
    match list(argv):
        case ["help", *words] if not words or words[0] in COMMANDS:
            argv = [*words, "--help"]
        case ["explain", *words]:
            argv = ["--explain", *words]
    named = bool(argv) and argv[0] in COMMANDS
    name = argv[0] if named else DEFAULT
    parser = Parser(name, argv[1:] if named else argv, named)
    namespace, rest = parser.parse_known_args(parser.words.flags)
    if rest or parser.words.strays:
        from engine_layer_visualize.commands import mistakes

        parser.error(mistakes.no_use(next((word for word in rest if word != "--"), "--")))
    module = command(name)
    return flags.read(module.Options, namespace), module


def command(name: str) -> Command:
    """Imports the module of a command."""
    module: Command = import_module(f"{__package__}.{name}")
    return module


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
            formatter_class=_Formatter,
            add_help=False,
            allow_abbrev=False,
        )
        module = command(name)
        flags.add(self, module.Options)
        _add_answers(self)
        self.description = " ".join((module.__doc__ or "").split())
        self.epilog = _exit_codes(FURTHER_CODES[name]) if name in FURTHER_CODES else None
        takes_words = any(not action.option_strings for action in self._actions)
        self.words = Words(tuple(given), ()) if takes_words else as_flags(given, self.flags)
        self.usage = f"{self.prog} {'' if named else '[COMMAND] '}{COMMANDS[name][0]} [flags]"

    @property
    def flags(self) -> dict[str, argparse.Action]:
        """The flags, by their spellings."""
        return self._option_string_actions

    def format_help(self) -> str:
        """Returns the help."""
        return super().format_help() if self.named else _overview(self.usage or "")

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and ends the program."""
        from engine_layer_visualize.commands import mistakes
        from engine_layer_visualize.core.text import visible

        line = mistakes.Line(self.name, self.given, self.named, self.flags, self.words.strays)
        if {"--log_file", "--baseline"} & {*message.partition("required: ")[2].split(", ")}:
            message = _NO_SIDES if "--save" in self.flags else _NO_LOG
        message = mistakes.message(line, lambda name: Parser(name).flags) or message
        self.exit(USAGE, f"usage: {self.usage}\n{PROGRAM}: error: {visible(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Writes a message; `argparse` is silent where a help or the version cannot be written."""
        if file is not sys.stdout or file is None:
            super()._print_message(message, file)
        else:
            raise Answer(message.removesuffix("\n"), exits=True)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Reads a value. A wrong one is reported in the words of the flag's type."""
        read = self._registry_get("type", action.type, action.type)
        try:
            return read(arg_string)
        except ValueError as error:
            from engine_layer_visualize.commands import gone

            message = gone.value(self.name, action.dest, arg_string) or str(error)
            raise argparse.ArgumentError(action, message) from error

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from engine_layer_visualize.core.text import not_among

        wrong = not_among("value", value, [*action.choices])
        raise argparse.ArgumentError(action, wrong)


class _Answer(argparse.Action):
    """Answers a flag with the text that the function of its name makes."""

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> NoReturn:
        answers = import_module(f"{__package__}.answers")
        raise getattr(answers, self.dest)("" if values is None else str(values))


def _add_answers(parser: argparse.ArgumentParser) -> None:
    """Declares the flags that print a text and end the program."""
    more = parser.add_argument_group("help")
    more.add_argument("-h", "--help", action="help", help="print this text")
    more.add_argument(
        "--explain",
        metavar="CODE",
        nargs="?",
        action=_Answer,
        help="print what a code means, such as ELV102 or F02, and what to do",
    )
    more.add_argument(
        "--print_completion",
        dest="completion",
        metavar="SHELL",
        choices=SHELLS,
        action=_Answer,
        help="print what completes these flags in a shell (needs the extra completion)",
    )
    version = f"{PROGRAM} {__version__}"
    more.add_argument("-V", "--version", action="version", version=version, help="print it")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Fills the width of the terminal; lines that begin with a blank stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Fills each paragraph."""
        import textwrap

        lines = (
            line if line[:1] in ("", " ") else textwrap.fill(line, width, break_on_hyphens=False)
            for line in text.split("\n")
        )
        return "\n".join(lines)


def _overview(usage: str) -> str:
    """Returns what `--help` prints without a command."""
    examples = "".join(f"\n  {_typed()} {words}" for words in _EXAMPLES)
    text = argparse.ArgumentParser(
        usage=usage,
        formatter_class=_Formatter,
        add_help=False,
        description=f"{_ABOUT}\n\nexamples:{examples}",
        epilog=f"{_SPELLING} {_exit_codes(EXIT_CODES)} Pages: docs/README.md.",
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
    called = Path(sys.argv[0])
    if called.parts[-2:] == (PROGRAM, "__main__.py"):
        return f"python -m {PROGRAM}"
    return SHORT if called.stem == SHORT else SCRIPT
