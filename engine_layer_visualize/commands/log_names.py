"""Decides what the logs of one run are called in outputs, and in the names of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.io.decompression import FORMATS

STEM: Final = "EngineLayers"
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')  # on one system or another


@dataclass(frozen=True, slots=True)
class Named:
    """A log and its names."""

    path: str  # as it was given
    name: str  # without folders, but for those that tell it apart from other logs of the run
    stem: str  # the start of its outputs' names


def named(paths: Sequence[str], given: str | None = None, full: bool = False) -> list[Named]:
    """Names the logs of one run.

    The stem of a single log is the one that was asked for, else STEM. With several logs, a stem is
    the one that was asked for, then the log's name, with a number where two would be equal.

    Args:
        paths: The logs.
        given: The stem that was asked for.
        full: Whether names keep all folders.
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
