"""The logs of one run: paths in; what each is called in outputs, and in the names of files, out."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.fields import file_names
from engine_layer_visualize.io.decompression import FORMATS

STEM: Final = "EngineLayers"
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')  # on one system or another


@dataclass(frozen=True, slots=True)
class Named:
    """A log. `path`: as it was given; `name`: without folders, but for those that tell it apart
    from other logs of the run; `stem`: the start of its outputs' names."""

    path: str
    name: str
    stem: str


def named(paths: Sequence[str], given: str | None = None, full: bool = False) -> list[Named]:
    """The logs of one run. `given`: the stem that was asked for; `full`: names keep all folders.

    Of one log the stem is that, else STEM. Of several it is made of the log's name, after the one
    that was asked for, with a number where two would be equal.
    """
    found: list[Named] = []
    taken: set[str] = set()
    for path, tail in zip(paths, file_names.tails(paths)):
        stem = given or STEM
        if len(paths) > 1:
            asked = (given,) if given else ()
            stem = "-".join((*asked, *tail[:-1], _without_ending(tail[-1])))
            stem = _unlike(_plain(stem), taken)
        name = path if full else "/".join(tail)
        found.append(Named(path, "<stdin>" if path == "-" else name, stem))
    return found


def stem(text: str) -> str:
    """The value of `--name`. Raises what argparse reports."""
    if not text.strip() or text.strip(".") == "":
        raise argparse.ArgumentTypeError("a name must not be empty")
    if text != _plain(text):
        raise argparse.ArgumentTypeError(f"not a part of a file's name: {text!r}")
    return text


def _without_ending(name: str) -> str:
    """`build.log.gz` -> `build`; the end of a version is none: `build-8.5`."""
    for packed in FORMATS:
        name = name.removesuffix(packed.suffix)
    return re.sub(r"(?<=.)\.[A-Za-z]\w*$", "", name).lstrip(".") or "log"


def _plain(text: str) -> str:
    """As a file's name on any system, all of it to be seen."""
    return _UNSAFE.sub("_", "".join(c if c.isprintable() else "_" for c in text))


def _unlike(stem: str, taken: set[str]) -> str:
    """With a number, where another log has the same; some systems take a for A."""
    found, number = stem, 1
    while found.casefold() in taken:
        number += 1
        found = f"{stem}-{number}"
    taken.add(found.casefold())
    return found
