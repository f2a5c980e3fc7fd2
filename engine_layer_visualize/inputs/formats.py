"""What an input format is: a record that the format's module gives as `FORMAT`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar

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
