"""Reads the words of a command line: one that is a file becomes a flag, by what the file holds.

A log is `--log_file`, times are `--profile_file` or `--times`; files that stand the wrong way round
change places. Words that went are answered.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem, ReadError

if TYPE_CHECKING:
    import argparse

_LOG, _BASELINE = "--log_file=", "--baseline="
_PROFILE, _TIMES = "--profile_file=", "--times="
_FILES: Final = (_LOG, _BASELINE, _PROFILE, _TIMES)


class Words(NamedTuple):
    """The words of a command line."""

    flags: tuple[str, ...]  # the arguments, with flags in place of words
    strays: tuple[str, ...] = ()  # words that are no files
    told: tuple[Problem, ...] = ()  # of files that stood the wrong way round


def as_flags(arguments: Sequence[str], actions: Mapping[str, argparse.Action]) -> Words:
    """Reads words. `actions`: the command's flags, each with what argparse knows of it."""
    if "--log_file" not in actions:
        return Words(tuple(arguments))
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
                value = given.popleft()
                flag = f"--{action.dest}=" if action else ""
                no_flag = word == "--query" and value.startswith("-") and value not in actions
                if flag in _FILES or no_flag:  # such as `-reformat`
                    flags[-1] = flag + value
                else:
                    flags.append(value)
        elif os.path.exists(word) or (word == "-" and _flag(word, actions) not in flags):
            files.append(len(flags))
            flags.append(_flag(word, actions))
        else:
            strays.append(word)
    # Two files are the two sides of `compare`, whose logs are several.
    two_sides = len(files) == 2 and getattr(actions["--log_file"], "once", True) is False
    if two_sides or not any(flag.startswith(_LOG) for flag in flags):
        _take_times_alone(flags, files)
    if "--save" in actions:  # of the command gate
        flags = _as_sides(flags, files)
    told = _exchanged(flags)
    if problem := _baseline_first(flags):
        told.append(problem)
    return Words(tuple(flags), tuple(strays), tuple(told))


def _take_times_alone(flags: list[str], files: Sequence[int]) -> None:
    """Makes logs of words that are profiles: times alone are an answer."""
    for index in files:
        flags[index] = flags[index].replace(_PROFILE, _LOG, 1)


def _as_sides(flags: list[str], files: Sequence[int]) -> list[str]:
    """Reads `BASE NEW [TIMES…]`: the first log is the baseline, and times are of the next one.

    With `--baseline` words belong to the log before them; with `--save` there is no baseline.
    """
    if any(flag.startswith(_BASELINE) for flag in flags):
        return flags
    logs = [index for index in files if flags[index].startswith(_LOG)]
    if logs and not any(flag.partition("=")[0] == "--save" for flag in flags):
        flags[logs[0]] = flags[logs[0]].replace(_LOG, _BASELINE, 1)
        if not any(flag.startswith(_LOG) for flag in flags):
            _take_times_alone(flags, files)
    times = {index for index in files if flags[index].startswith((_TIMES, _PROFILE))}
    others = [flag for index, flag in enumerate(flags) if index not in times]
    new = (index for index, flag in enumerate(others) if flag.startswith(_LOG))
    at = next((index + 1 for index in new), len(others))
    return [*others[:at], *(flags[index] for index in sorted(times)), *others[at:]]


def _flag(word: str, actions: Collection[str]) -> str:
    """Returns the flag of a file. A pipe can be read only once: it is taken for the log."""
    if word != "-" and os.path.isfile(word):
        from engine_layer_visualize.reading.file_kinds import has_times_alone, has_times_of_runs

        if "--times" in actions and has_times_of_runs(word):
            return _TIMES + word
        if has_times_alone(word):
            return _PROFILE + word
    return _LOG + word


# ---- files that stand the wrong way round --------------------------------------------------------


def _exchanged(flags: list[str]) -> list[Problem]:
    """Gives a log that stands for times the place of times that stand for a log."""
    from engine_layer_visualize.reading import file_kinds

    told: list[Problem] = []
    logs = [at for at, flag in enumerate(flags) if flag.startswith((_LOG, _BASELINE))]
    profiles = [at for at, flag in enumerate(flags) if flag.startswith(_PROFILE)]
    for at in logs if profiles else ():
        if not (os.path.isfile(times := _path(flags[at])) and file_kinds.has_times_alone(times)):
            continue
        for other in sorted(profiles, key=at.__gt__):  # those of this log, then others
            log = _path(flags[other])
            if os.path.isfile(log) and file_kinds.is_listing(log):  # a pipe is read once
                _exchange(flags, at, other)
                told.append(_told(times, "these are times", log, "the log"))
                break
    return told


def _baseline_first(flags: list[str]) -> Problem | None:
    """Gives a baseline that stands for the new log its place; all times are of the new log."""
    (base, *_), (new, *_) = (
        [*(at for at, flag in enumerate(flags) if flag.startswith(role)), None]
        for role in (_BASELINE, _LOG)
    )
    if base is None or new is None or _is_baseline(flags[base]) or not _is_baseline(flags[new]):
        return None
    _exchange(flags, base, new)
    log = flags[new]
    flags.sort(key=lambda flag: (flag == log) + 2 * flag.startswith((_PROFILE, _TIMES)))
    return _told(_path(flags[base]), "this is a baseline", _path(log), "the new log")


def _exchange(flags: list[str], at: int, other: int) -> None:
    first, second = (flags[each].partition("=") for each in (at, other))
    flags[at], flags[other] = f"{first[0]}={second[2]}", f"{second[0]}={first[2]}"


def _path(flag: str) -> str:
    return flag.partition("=")[2]


def _is_baseline(flag: str) -> bool:
    from engine_layer_visualize.io.source import Source
    from engine_layer_visualize.reading import baseline

    try:
        return os.path.isfile(path := _path(flag)) and baseline.sniff(Source(path).head())
    except ReadError:
        return False


def _told(file: str, what: str, other: str, role: str) -> Problem:
    message = f"{what}, and {other} is {role}: they are read the right way round"
    return Problem(Place(file, 1), "ELV414", message)


# ---- what 1.0 no longer has: this answers for one release ----------------------------------------

_PAGE: Final = "use html, whose page exports SVG and PNG"
GONE: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "history": "collect the logs, and query their tables (docs/tables.md)",
        "sweep": "use compare A B C, which compares each build with the first",
        "watch": "use tail -f",
        "snapshot": "use gate --save FILE LOG",
    },
    "flag": {
        "--plan": "compare says what changed",
        "--upgrade": "compare says what changed",
        "--numbers": "polygraphy run compares the outputs of layers",
        "--facts": "use --format json",
        "--direction": "use dot -Grankdir=LR of Graphviz",
        "--compact": "DuckDB writes small files together (docs/tables.md)",
    },
    "draw format": {
        "pdf": "use svg, which a browser prints to PDF",
        "poster": "use svg",
        "poster-png": "use png",
        "roofline": "use html, whose page shows it",
        "build-trace": "use summary, which says how long the build took",
        "speedscope": "use trace, which Perfetto and speedscope open",
        "model-explorer": "use html, or onnx for Netron",
        "onnx-overlay": "use onnx",
    },
    "compare format": {"svg": _PAGE, "model-explorer": _PAGE},
    "gate format": {"bmf": "use json"},
    "summary sections": {"higher_precision": "use lint", "sources": "use --format json"},
}


def gone(kind: str, *words: str) -> str:
    """Says what to use instead of the first word that went; "" where none did.

    `kind`: "" of commands, "flag", or a command and a flag whose value they are.
    """
    known = GONE.get(kind, {})
    return next((f"{word} is gone: {known[word]}" for word in words if word in known), "")
