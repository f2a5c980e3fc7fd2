"""Reads the command line: which command is called, and with which options. Makes all helps.

Only the module of the command that is called is imported, but for a mistake or a completion. Words
that are files become flags: the content decides between `--log_file`, `--profile_file`, `--times`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from engine_layer_visualize.commands import COMMANDS, DEFAULT, GROUPS, Answer, Command, flags
from engine_layer_visualize.core import __version__

PROGRAM: Final = "engine_layer_visualize"
SCRIPT: Final = "engine-layer-visualize"  # as it is installed, and shorter:
SHORT: Final = "elv"
SHELLS: Final = ("bash", "zsh", "fish")
USAGE: Final = 2  # the exit code of a mistake
_SIDES: Final = "BASE NEW [TIMES…]"  # of the command gate
_NO_LOG: Final = "no log is given: write its name, or --log_file FILE"
_NO_SIDES: Final = "a log is missing: write BASE NEW, or --save FILE LOG"
_LOG: Final = "--log_file="
_PROFILE: Final = "--profile_file="
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
    named = bool(argv) and argv[0] in COMMANDS
    name = argv[0] if named else DEFAULT
    parser = Parser(name, argv[1:] if named else argv, named)
    namespace, rest = parser.parse_known_args(parser.words.flags)
    if rest or parser.words.strays:
        from engine_layer_visualize.commands import mistakes

        parser.error(mistakes.no_use(next((word for word in rest if word != "--"), "--")))
    module = command(name)
    return flags.values(module.Options, namespace), module


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
        self.description = module.ABOUT
        self.epilog = f"{_SPELLING} {_exit_codes(module.EXIT_CODES)}"
        takes_words = any(not action.option_strings for action in self._actions)
        self.words = Words(tuple(given), ()) if takes_words else as_flags(given, self.flags)
        needed = [_typed_as(action) for action in self._actions if action.required]
        if "--save" in self.flags:
            needed = [_SIDES]
        start = [self.prog] if named else [self.prog, "[COMMAND]"]
        self.usage = " ".join([*start, *needed, "[flags]"])

    @property
    def flags(self) -> dict[str, argparse.Action]:
        """The flags, by their spellings."""
        return self._option_string_actions

    def format_help(self) -> str:
        """Returns the help, with examples."""
        if not self.named:
            return _overview(self)
        module = command(self.name)
        words = [f"{self.name} {words}" for words in module.EXAMPLES]
        self.description = f"{module.ABOUT}\n\n{_examples(words)}"
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and ends the program."""
        from engine_layer_visualize.commands import mistakes
        from engine_layer_visualize.core.text import visible

        line = mistakes.Line(self.name, self.given, self.named, self.flags, self.words.strays)
        if message.endswith(("required: --log_file", "required: --baseline", ", --log_file")):
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
        help="print what the code of an error, a warning or a finding means, such as ELV102 or "
        "F02, and what to do",
    )
    more.add_argument(
        "--print_completion",
        dest="completion",
        metavar="SHELL",
        choices=SHELLS,
        action=_Answer,
        help=f"print what completes these flags in a shell, of {', '.join(SHELLS)} (needs the "
        "extra completion)",
    )
    version = f"{PROGRAM} {__version__}"
    more.add_argument("--version", action="version", version=version, help="print the version")


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
        return textwrap.indent("\n".join(lines), indent)


def _typed_as(action: argparse.Action) -> str:
    """Returns what a usage says of a flag that is needed, or of words."""
    if action.dest == "log_file":
        return "LOG [PROFILE]"
    words = " ".join((*action.option_strings[-1:], str(action.metavar)))
    return f"[{words} …]" if action.nargs == "*" else words


def _overview(parser: Parser) -> str:
    """Returns what `--help` prints without a command."""
    draw = command(DEFAULT)
    first = (draw.EXAMPLES[0], "summary build.log prof.json")
    text = argparse.ArgumentParser(
        prog=_typed(),
        usage=parser.usage,
        formatter_class=_Formatter,
        add_help=False,
        description="Draws the TensorRT engines of a VERBOSE build log, with the layers' times.\n\n"
        + _examples(first),
        epilog=f"{_SPELLING} {_exit_codes(draw.EXIT_CODES)} Pages: docs/README.md.",
    )
    for title, commands in GROUPS.items():
        group = text.add_argument_group(title)
        for name, does in commands.items():
            group.add_argument(name, help=does)
    more = text.add_argument_group("more")
    more.add_argument("COMMAND --help", help="what a command does, and what its flags mean")
    code = "what the code of an error, a warning or a finding means"
    more.add_argument("--explain CODE", action="store_true", help=code)
    return text.format_help()


def _exit_codes(codes: Mapping[int, str]) -> str:
    """Returns the exit codes as a sentence."""
    return f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in codes.items())}."


def _typed() -> str:
    """Returns how the program was called."""
    called = Path(sys.argv[0])
    if called.parts[-2:] == (PROGRAM, "__main__.py"):
        return f"python -m {PROGRAM}"
    return SHORT if called.stem == SHORT else SCRIPT


def _examples(words: Sequence[str]) -> str:
    """Returns command lines that can be copied; one that is too long goes on in the next line."""
    import shutil
    import textwrap

    width = max(40, shutil.get_terminal_size().columns - 8)
    lines = ["examples:"]
    for example in words:
        # No break between a flag and its value.
        line = re.sub(r"(?<= )(--\S+) (?!-)", "\\1\0", f"{_typed()} {example}")
        parts = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        lines.append(("  " + " \\\n      ".join(parts)).replace("\0", " "))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a command line."""

    flags: tuple[str, ...]  # the arguments, with flags in place of words
    strays: tuple[str, ...]  # words that are no files


def as_flags(arguments: Sequence[str], actions: Mapping[str, argparse.Action]) -> Words:
    """Reads words. `actions`: the command's flags, each with what argparse knows of it."""
    if "--log_file" not in actions:
        return Words(tuple(arguments), ())
    flags: list[str] = []
    strays: list[str] = []
    given = deque(arguments)
    files: list[int] = []  # which of the flags stand for words
    only_words = False
    while given:
        word = given.popleft()
        if word == "--" and not only_words:
            only_words = True
        elif not only_words and word.startswith("-") and word != "-":
            flags.append(word)
            action = actions.get(word)
            nargs = 0 if action is None else action.nargs
            if given and (nargs is None or (nargs == "?" and not given[0].startswith("-"))):
                flags.append(given.popleft())  # its value
        elif os.path.exists(word) or (word == "-" and _flag(word, actions) not in flags):
            files.append(len(flags))
            flags.append(_flag(word, actions))
        else:
            strays.append(word)
    _take_times_alone(flags, files)
    if "--save" in actions:  # of the command gate
        flags = _as_sides(flags, files)
    return Words(tuple(flags), tuple(strays))


def _take_times_alone(flags: list[str], files: Sequence[int]) -> None:
    """Makes logs of words that are profiles, where there is no log: times alone are an answer."""
    if not any(flag.startswith("--log_file") for flag in flags):
        for index in files:
            flags[index] = flags[index].replace(_PROFILE, _LOG, 1)


def _as_sides(flags: list[str], files: Sequence[int]) -> list[str]:
    """Reads `BASE NEW [TIMES…]`: the first log is the baseline, and times are of the next one.

    With `--baseline` words belong to the log before them; with `--save` there is no baseline.
    """
    if any(flag.partition("=")[0] == "--baseline" for flag in flags):
        return flags
    logs = [index for index in files if flags[index].startswith(_LOG)]
    if logs and not any(flag.partition("=")[0] == "--save" for flag in flags):
        flags[logs[0]] = flags[logs[0]].replace(_LOG, "--baseline=", 1)
        _take_times_alone(flags, files)
    times = {index for index in files if flags[index].startswith(("--times=", _PROFILE))}
    others = [flag for index, flag in enumerate(flags) if index not in times]
    new = (index for index, flag in enumerate(others) if flag.startswith("--log_file"))
    at = next((index + 1 + (others[index] == "--log_file") for index in new), len(others))
    return [*others[:at], *(flags[index] for index in sorted(times)), *others[at:]]


def _flag(word: str, actions: Collection[str]) -> str:
    """Returns the flag of a file. A pipe can be read only once: it is taken for the log."""
    if word != "-" and os.path.isfile(word):
        from engine_layer_visualize.reading.file_kinds import has_times_alone, has_times_of_runs

        if "--times" in actions and has_times_of_runs(word):
            return f"--times={word}"
        if has_times_alone(word):
            return _PROFILE + word
    return f"{_LOG}{word}"
