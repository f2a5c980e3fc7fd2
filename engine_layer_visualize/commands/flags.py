"""Declares the flags of a command as the fields of its frozen options.

A help lists flags in the order of their declarations, group by group. A flag that a class declares
anew stands where that class has it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from inspect import get_annotations
from typing import Any, Final, TypeVar

T = TypeVar("T", bound="Options")


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Flags that stand together in a help."""

    title: str
    description: str | None = None
    order: int = 0  # groups with a larger number stand below the others
    within: Group | None = None  # then at most one flag of this group may be given
    required: bool = False  # exactly one flag of this group must be given

    def flag(
        self, help: str, metavar: str | None = None, *, default: Any = None, **more: Any
    ) -> Any:
        """Declares a flag that is called as its field.

        Args:
            help: What the help says.
            metavar: What stands for its value in the help.
            default: The value of the field where the flag is not given. A list of several values
                becomes a tuple.
            more: `short`, the flag in one letter; `also`, other names, which helps do not list;
                `word`, that it is a word without a flag; all else is for argparse.

        Returns:
            The default value of the field, for `dataclass`.
        """
        argument = {"help": help, **more, **({"metavar": metavar} if metavar else {})}
        return field(default=default, metadata={"group": self, "argument": argument})

    def switch(self, help: str) -> Any:
        """Declares a flag without a value."""
        return self.flag(help, default=False, action="store_true")


READ: Final = Group("what is read")
WRITTEN: Final = Group("what is written")
REPORT: Final = Group("the report")
LIMITS: Final = Group("limits, for logs from unknown sources", order=1)
_MESSAGES: Final = Group("messages", order=2)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The flags of all commands.

    Attributes:
        given: the flags that were written.
    """

    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    strict: bool = _MESSAGES.switch("stop at the first error")
    quiet: bool = _MESSAGES.switch(
        "print errors only, and the report that was asked for: no warnings, no progress, no lines "
        "about files"
    )
    verbose: bool = _MESSAGES.switch("print all problems, not 20 of each kind")


def add(parser: argparse.ArgumentParser, options: type[Options]) -> None:
    """Adds the flags to a parser, which then has no value for those that are not given."""
    containers: dict[Group, argparse._ActionsContainer] = {}

    def container(group: Group) -> argparse._ActionsContainer:
        if group not in containers:
            containers[group] = (
                parser.add_argument_group(group.title, group.description)
                if group.within is None
                else container(group.within).add_mutually_exclusive_group(required=group.required)
            )
        return containers[group]

    for declared in sorted(_flags(options), key=lambda flag: flag.metadata["group"].order):
        argument = dict(declared.metadata["argument"])
        short, word = argument.pop("short", None), argument.pop("word", False)
        also: Sequence[str] = argument.pop("also", ())
        names = [declared.name] if word else [*filter(None, [short]), f"--{declared.name}"]
        if not word:
            argument["default"] = argparse.SUPPRESS
        action = container(declared.metadata["group"]).add_argument(*names, **argument)
        for name in also:  # helps do not list it
            parser._option_string_actions[name] = action


def values(options: type[T], namespace: argparse.Namespace) -> T:
    """Returns the options as argparse has read them."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(namespace).items()
        if name in options.__dataclass_fields__
    }
    return options(given=frozenset(given), **given)


def _flags(options: type[Options]) -> list[Field[Any]]:
    """Returns the fields that are flags, in the order of their last declarations."""
    ordered: dict[str, Field[Any]] = {}
    for base in reversed(options.__mro__[:-1]):
        known = {known.name: known for known in fields(base)}
        for name in get_annotations(base):
            ordered.pop(name, None)
            ordered[name] = known[name]
    return [declared for declared in ordered.values() if "group" in declared.metadata]
