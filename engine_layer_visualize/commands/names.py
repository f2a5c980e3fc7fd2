"""Names the logs of a run, the starts of their outputs' names, and files in reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.commands import Report
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.io.input_files import FORMATS

if TYPE_CHECKING:
    from engine_layer_visualize.api.read import Log

STEM: Final = "EngineLayers"
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')  # in a name on one system or another


class Named(NamedTuple):
    """A log and its names."""

    path: str  # as it was given
    name: str  # without folders, but for those that tell it apart from other logs of the run
    stem: str  # the start of its outputs' names


def of(paths: Sequence[str], given: str | None = None, full: bool = False) -> list[Named]:
    """Names the logs of one run. `full`: names keep all folders.

    The stem of a single log is the one that was asked for, `given`, else STEM. With several logs, a
    stem is the one that was asked for, then the log's name, with a number where two would be equal.
    """
    logs: list[Named] = []
    taken: set[str] = set()
    for path, tail in zip(paths, engine_words.tails(paths)):
        stem = given or STEM
        if len(paths) > 1:
            asked = (given,) if given else ()
            stem = "-".join((*asked, *tail[:-1], _without_ending(tail[-1])))
            stem = _unlike(_plain(stem), taken)
        name = path if full else "/".join(tail)
        logs.append(Named(path, "<stdin>" if path == "-" else name, stem))
    return logs


def stem(text: str) -> str:
    """Reads the start of the outputs' names. Raises ValueError."""
    if not text.strip() or text.strip(".") == "":
        raise ValueError("a name must not be empty")
    if text != _plain(text):
        raise ValueError(f"not a part of a file's name: {text!r}")
    return text


def _without_ending(name: str) -> str:
    """Returns `build` of `build.log.gz`; a version has no ending: `build-8.5`."""
    for packed in FORMATS:
        name = name.removesuffix(packed.suffix)
    return re.sub(r"(?<=.)\.[A-Za-z]\w*$", "", name).lstrip(".") or "log"


def _plain(text: str) -> str:
    """Returns a name that files may have on any system, all of it to be seen."""
    return _UNSAFE.sub("_", "".join(c if c.isprintable() else "_" for c in text))


def _unlike(stem: str, taken: set[str]) -> str:
    """Adds a number where another log has the same stem; some systems take a for A."""
    unlike, number = stem, 1
    while unlike.casefold() in taken:
        number += 1
        unlike = f"{stem}-{number}"
    taken.add(unlike.casefold())
    return unlike


def failures(full_paths: bool, report: Report) -> Iterator[Problem]:
    """Says why nothing came of some inputs, with the names of files as a report shows them."""
    for problem in report.failures:
        path = problem.place.file
        file = path if full_paths else base_name(path)
        yield replace(problem, place=replace(problem.place, file=file))


def naming(named: Named, log: Log, full_paths: bool) -> Callable[[str], str]:
    """Returns how a report calls a file: the log as other outputs, other files by `full_paths`."""
    return partial(shown_name, {log.name: named.name}, full_paths)


def shown_name(logs: Mapping[str, str], full_paths: bool, path: str) -> str:
    """Returns how outputs call a file; `logs` are the logs' own names, by their paths."""
    return logs.get(path) or (path if full_paths else base_name(path))
