"""Reads the words of a command line: one that is a file becomes a flag, by what the file holds.

A log is `--log_file`, times are `--profile_file` or `--times`; files that stand the wrong way round
change places. Words that went are answered.
"""

import argparse
import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem

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
            action, short = actions.get(word), actions.get(word[:2])
            if action is None and short and f"--{short.dest}=" in _FILES:  # such as `-pFILE`
                word = f"--{short.dest}={word[2:].removeprefix('=')}"
            flags.append(word)
            if action is None or not given or given[0] == "--":
                continue
            if action.nargs is None or (action.nargs == "?" and not given[0].startswith("-")):
                value, flag = given.popleft(), f"--{action.dest}="
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
    told = tuple(_righted(flags))
    return Words(tuple(flags), tuple(strays), told)


def _take_times_alone(flags: list[str], files: Sequence[int]) -> None:
    """Makes logs of words that are profiles: times alone are an answer."""
    for index in files:
        flags[index] = flags[index].replace(_PROFILE, _LOG, 1)


def _as_sides(flags: list[str], files: Sequence[int]) -> list[str]:
    """Reads `BASE NEW [TIMES…]`: the first log is the baseline, and times are of the next one.

    But where times stand behind both, each belong to the log before them, as with `--baseline`.
    With `--save` there is no baseline.
    """
    if any(flag.startswith(_BASELINE) for flag in flags):
        return flags
    logs = [index for index in files if flags[index].startswith(_LOG)]
    if logs and not any(flag.partition("=")[0] == "--save" for flag in flags):
        flags[logs[0]] = flags[logs[0]].replace(_LOG, _BASELINE, 1)
        if not any(flag.startswith(_LOG) for flag in flags):
            _take_times_alone(flags, files)
    times = {index for index in files if flags[index].startswith((_TIMES, _PROFILE))}
    if len(logs) > 1 and times and max(times) > logs[1] and not _is_kept(flags[logs[0]]):
        times -= {*range(logs[0], logs[1])}
    others = [flag for index, flag in enumerate(flags) if index not in times]
    new = (index for index, flag in enumerate(others) if flag.startswith(_LOG))
    at = next((index + 1 for index in new), len(others))
    return [*others[:at], *(flags[index] for index in sorted(times)), *others[at:]]


def _is_kept(flag: str) -> bool:
    """Whether a baseline was saved, which has its times in it."""
    from engine_layer_visualize.reading import baseline

    path = flag.partition("=")[2]
    return os.path.isfile(path) and baseline.is_one(path)


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


def _righted(flags: list[str]) -> Iterator[Problem]:
    """Gives files their places, and tells each change; times of a baseline are of the new log."""
    logs, bases, profiles = (
        [at for at, flag in enumerate(flags) if flag.startswith(role)]
        for role in (_LOG, _BASELINE, _PROFILE)
    )
    if not profiles and not bases:
        return
    from engine_layer_visualize.reading import baseline, file_kinds

    def finds(is_one: Callable[[str], bool], *places: int) -> list[int]:
        paths = ((at, flags[at].partition("=")[2]) for at in places)
        return [at for at, path in paths if os.path.isfile(path) and is_one(path)]

    for at in finds(file_kinds.has_times_alone, *logs, *bases) if profiles else ():
        nearest = sorted(profiles, key=at.__gt__)  # those of this log, then others
        for other in finds(file_kinds.is_listing, *nearest)[:1]:
            yield _exchanged(flags, at, other, "these are times", "the log")
    if bases and logs and finds(baseline.is_one, bases[0], logs[0]) == logs[:1]:
        yield _exchanged(flags, logs[0], bases[0], "this is a baseline", "the new log")
        new = flags[logs[0]]
        flags.sort(key=lambda flag: (flag == new) + 2 * flag.startswith((_PROFILE, _TIMES)))


def _exchanged(flags: list[str], at: int, other: int, what: str, role: str) -> Problem:
    """Exchanges the files of two flags, the first of which is `what`, the other `role`."""
    (one, _, path), (two, _, instead) = flags[at].partition("="), flags[other].partition("=")
    flags[at], flags[other] = f"{one}={instead}", f"{two}={path}"
    message = f"{what}, and {instead} is {role}: they are read the right way round"
    return Problem(Place(path, 1), "ELV414", message)


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
        "--hide": "use --query, such as -type:Reformat",
        "--max_layer_slowdown": "use --max_slowdown; the report has the layers that cost the most",
        "--min_layer_ms": "use --max_slowdown; the report has the layers that cost the most",
        "--time": "use table or draw --format json, which have the mean and the median",
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
    "draw color_by": {"memory": "use html, whose page colours by bytes moved"},
    "compare format": {"svg": _PAGE, "model-explorer": _PAGE, "csv": "use json, or html's CSV"},
    "summary format": {"csv": "use table --tables layers"},
    "gate format": {"bmf": "use json"},
    "table tables": {
        "candidates": "use draw --format json: facts.candidates of a layer",
        "attributes": "use draw --format json: attributes of a layer",
    },
    "summary sections": {
        "higher_precision": "use lint",
        "sources": "use --format json",
        "onnx": "use table --onnx FILE, whose onnx_nodes has each layer's",
        "optimization_profiles": "use --optimization_profile N",
    },
}


def gone(kind: str, *words: str) -> str:
    """Says what to use instead of the first word that went; "" where none did.

    `kind`: "" of commands, "flag", or a command and a flag whose value they are.
    """
    known = GONE.get(kind, {})
    return next((f"{word} is gone: {known[word]}" for word in words if word in known), "")
