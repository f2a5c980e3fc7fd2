"""Chooses who reads a listing, and what a format of files is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Generic, TypeAlias, TypeVar

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.blocks import ListingBlock

# ---- what an input format is: a record that the format's module gives as `FORMAT` ---------------


# ---- listings: from a block of a log, or from a whole file, come layers in execution order ------

# One module per format. A new one is a module that gives `FORMAT`, and its name here: in
# WHOLE_FILES
# with `sniff(head: bytes)` and `read(source, max_layers)`, or in IN_LOGS with `read(block, file,
# known)`. The latter's header goes to `inputs/buildlog/markers`; `inputs/buildlog/scanner` writes
# the
# format's name on the block, as its `dialect`.

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


# Names of modules, not modules: lark is imported only when a listing was found.
IN_LOGS: Final = ("classic", "detailed")
WHOLE_FILES: Final = ("inspector_json",)


@dataclass
class ListingFile:
    """What a file holds."""

    line: int = 1  # where its layers begin
    layers: list[Layer] = field(default_factory=list)
    bindings: list[str] = field(default_factory=list)
    io: list[tuple[str, str]] = field(default_factory=list)  # (name, Input|Output) where given
    bare: int = 0  # how many layers are names alone
    beyond: Place | None = None  # the first layer that was left out
    cut: bool = False  # the file ends too early
    problems: list[Problem] = field(default_factory=list)


# `read` takes a block, the log's name, and the engine's inputs and outputs that the log names.
BlockFormat: TypeAlias = Format[
    Callable[[ListingBlock, str, Iterable[str]], tuple[list[Layer], list[Problem]]]
]
# `read` takes the file and how many layers may be taken; it raises ReadError where there is none.
FileFormat: TypeAlias = Format[Callable[[Source, int], ListingFile]]


def in_log(dialect: str) -> BlockFormat:
    """The format of a block."""
    format: BlockFormat = import_module(f"{__package__}.{dialect}").FORMAT
    return format


def of_file(head: bytes) -> FileFormat | None:
    """The format of a file that begins so; None where it may be a log."""
    # All of ours are JSON; for a log none of their readers is imported.
    return find(head, __package__ or "", WHOLE_FILES) if head.lstrip().startswith(b"{") else None


def names_only(place: Place, bare: int, layers: int) -> Problem:
    """The warning for an engine that keeps names alone of so many of its layers."""
    which = "the layers' names" if bare == layers else f"the names of {bare} of {layers} layers"
    message = (
        f"{which} alone, no tensors, so no graph{' there' * (bare < layers)};"
        " for one, build with --profilingVerbosity=detailed"
    )
    return Problem(place, "ELV111", message)
