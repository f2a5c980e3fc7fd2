"""What an input format is: a record that the format's module gives as `FORMAT`.

Other packages add formats (docs/extending.md): they are asked for files that are of none of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Generic, TypeVar

from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.io import extensions
from engine_layer_visualize.io.extensions import Extension, Failure
from engine_layer_visualize.io.source import Source

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Format(Generic[Read]):
    """An input format, the one entry that the program knows of it.

    `sniff`: whether a file that begins with these bytes (`Source.head`) is of this format; None
    where it stands inside a log, in which the scanner finds it by its name. `read`: the folder of
    the format says what it takes and gives.
    """

    name: str
    sniff: Callable[[bytes], bool] | None
    read: Read


def find(head: bytes, folder: str, modules: Iterable[str]) -> Format[Any] | None:
    """The first format of these modules that takes a file of that head for its own."""
    for module in modules:
        format: Format[Any] = import_module(f"{folder}.{module}").FORMAT
        if format.sniff is not None and format.sniff(head):
            return format
    return None


def find_added(
    head: bytes, kind: extensions.Kind, check: Callable[[Any, Source], str]
) -> Format[Any] | None:
    """The first format of other packages that takes a file of that head for its own.

    What goes wrong in one is told (ELV708), and the next is asked.

    Args:
        head: The first bytes of a file.
        kind: Of which kind the formats are.
        check: Says what is wrong with what `read` gave for a file; empty: nothing.
    """
    usable, problems = _added(kind)
    for problem in problems:
        extensions.tell(problem)
    for extension in usable:
        format: Format[Any] = extension.module.FORMAT
        try:
            is_own = format.sniff is not None and extension.run("sniff", format.sniff, head)
        except Failure as error:
            extensions.tell(extension.failed("sniff", error))
            continue
        if is_own:
            return Format(format.name, format.sniff, partial(_read, extension, check))
    return None


def _read(
    extension: Extension, check: Callable[[Any, Source], str], source: Source, *more: Any
) -> Any:
    """Reads a file with a format of another package. Raises ReadError where that fails."""
    given = extension.read(source.name, source, *more)
    if wrong := check(given, source):
        raise extension.unreadable(source.name, f"read gave nothing that can be used: {wrong}")
    return given


@cache
def _added(kind: extensions.Kind) -> tuple[tuple[Extension, ...], tuple[Problem, ...]]:
    """Returns the formats of a kind that can be used, and what is wrong with the others."""
    usable, problems = [], []
    for extension in extensions.of_kind(kind):
        format = getattr(extension.module, "FORMAT", None)
        wrong = ""
        if not isinstance(format, Format):
            wrong = f"its FORMAT is of the type {type(format).__name__}, not Format"
        elif not isinstance(format.name, str) or not format.name:
            wrong = "its name is no text"
        elif not callable(format.sniff) or not callable(format.read):
            wrong = "its sniff or its read is no function"
        if wrong:
            problems.append(extension.wrong(f"no format: {wrong}"))
        else:
            usable.append(extension)
    return tuple(usable), tuple(problems)
