"""Turns words of a command line that are files into flags.

The content of the file decides which flag: `--log_file`, `--profile_file` or `--times`.
"""

from __future__ import annotations

import argparse
import os
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a command line."""

    flags: tuple[str, ...]  # the arguments, with flags in place of words
    strays: tuple[str, ...]  # words that are no files


_PROFILE = "--profile_file="


def as_flags(arguments: Sequence[str], actions: Mapping[str, argparse.Action]) -> Words:
    """Reads words. `actions`: the command's flags, each with what argparse knows of it."""
    if "--log_file" not in actions:
        return Words(tuple(arguments), ())
    flags: list[str] = []
    strays: list[str] = []
    given = deque(arguments)
    files: set[str] = set()
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
            flags.append(_flag(word, actions))
            files.add(flags[-1])
        else:
            strays.append(word)
    if not any(flag.startswith("--log_file") for flag in flags):  # times alone are an answer
        flags = [
            flag.replace(_PROFILE, "--log_file=", 1) if flag in files else flag for flag in flags
        ]
    return Words(tuple(flags), tuple(strays))


def _flag(word: str, actions: Collection[str]) -> str:
    """Returns the flag of a file. A pipe can be read only once: it is taken for the log."""
    if word != "-" and os.path.isfile(word):
        from engine_layer_visualize.inputs.file_kinds import has_times_alone, has_times_of_runs

        if "--times" in actions and has_times_of_runs(word):
            return f"--times={word}"
        if has_times_alone(word):
            return _PROFILE + word
    return f"--log_file={word}"
