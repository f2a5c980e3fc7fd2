"""Says in one line what is wrong with words of a command line that no command takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.commands import COMMANDS, gone
from engine_layer_visualize.core.text import nearest

if TYPE_CHECKING:
    import argparse

_FLAG: Final = re.compile(r"--?[^\W\d]\w*")
_HELP: Final = "see --help"
# What other programs call a command.
_ELSEWHERE: Final = {"diff": "compare", "show": "draw", "open": "serve --open", "list": "layers"}


@dataclass(frozen=True, slots=True)
class Line:
    """A command line."""

    command: str
    words: Sequence[str]  # after the command
    named: bool  # whether the command is written
    flags: Mapping[str, argparse.Action]  # of the command, by their spellings
    strays: Sequence[str]  # words that are no files


def no_use(word: str) -> str:
    """Says that no flag takes a word."""
    flag, blank, value = word.partition(" ")
    if blank and flag.startswith("--"):
        return f"{word:.80} is one word; write {flag:.40}={value.strip():.40}, or two words"
    return f"{word:.80} is no flag and no value of one; {_HELP}"


def message(line: Line, flags_of: Callable[[str], Collection[str]]) -> str:
    """Says what is wrong with a flag, or with a word that is no value; else "".

    argparse does not name the nearest flag, nor the command that has it. `flags_of`: returns the
    flags of another command.
    """
    words = list(takewhile("--".__ne__, line.words))
    if not line.named and words and words[0] in line.strays and (told := gone.word(words[0])):
        return told
    if not line.named and (late := next((word for word in line.strays if word in COMMANDS), "")):
        return f"the command {late} must be the first word"
    for word in words:
        flag = word.partition("=")[0]
        attached = flag[:2] in line.flags and f"-{flag}" not in line.flags  # `-fsvg`
        if _FLAG.fullmatch(flag) and flag not in line.flags and not attached:
            return _no_flag(line, flag, flags_of)
    if line.strays:
        return _no_file(line, line.strays[0])
    return ""


def _no_file(line: Line, word: str) -> str:
    """Says what a word may be that is no file: a command, or a flag without its hyphens."""
    if word == "-":
        return f"stdin is read once, and - stands twice; {_HELP}"
    first = word == line.words[0] and not line.named
    plain = word.replace("-", "").isidentifier()
    known = [*(COMMANDS if first else ()), *line.flags]
    near = _ELSEWHERE.get(word) if first else None
    near = near or (nearest(word, known) if plain else "")
    if near:
        what = "no command" if first else "no such file:"
        return f"{what} {word:.200}; did you mean {near}?"
    what = "no command and no file is called" if first and plain else "no such file:"
    return f"{what} {word:.200}; {_HELP}"


def _no_flag(line: Line, flag: str, flags_of: Callable[[str], Collection[str]]) -> str:
    """Names the flag by its right name, or the commands that have it."""
    if told := gone.flag(line.command, flag):
        return told
    others = [name for name in COMMANDS if name != line.command and flag in flags_of(name)]
    if not others:
        return f"no flag {flag:.80}; {_instead(flag, [*line.flags])}"
    return f"{line.command} has no flag {flag:.80}; it is one of {', '.join(others)}"


def _instead(word: str, known: Sequence[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near}?" if near else _HELP
