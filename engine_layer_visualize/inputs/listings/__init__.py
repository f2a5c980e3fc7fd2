"""Listings: from a block of a log, or from a whole file, come layers in execution order.

One module per format. A new one is a module that gives `FORMAT`, and its name here: in WHOLE_FILES
with `sniff(head: bytes)` and `read(source, max_layers)`, or in IN_LOGS with `read(block, file,
known)`. The latter's header goes to `inputs/buildlog/markers`; `inputs/buildlog/scanner` writes the
format's name on the block, as its `dialect`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, TypeAlias

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock
from engine_layer_visualize.inputs.formats import Format, find
from engine_layer_visualize.io.source import Source

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
    format: BlockFormat = import_module(f"{__name__}.{dialect}").FORMAT
    return format


def of_file(head: bytes) -> FileFormat | None:
    """The format of a file that begins so; None where it may be a log."""
    # All of ours are JSON; for a log none of their readers is imported.
    return find(head, __name__, WHOLE_FILES) if head.lstrip().startswith(b"{") else None


def names_only(place: Place, bare: int, layers: int) -> Problem:
    """The warning for an engine that keeps names alone of so many of its layers."""
    which = "the layers' names" if bare == layers else f"the names of {bare} of {layers} layers"
    message = (
        f"{which} alone, no tensors, so no graph{' there' * (bare < layers)};"
        " for one, build with --profilingVerbosity=detailed"
    )
    return Problem(place, "ELV111", message)
