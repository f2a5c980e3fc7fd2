"""Declares the flags of a command as the fields of its frozen options, and reads their values.

A help lists flags in the order of their declarations, group by group. A flag that a class declares
anew stands where that class has it. What reads a value takes a text, and raises ValueError.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import partial
from inspect import get_annotations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.text import not_among

if TYPE_CHECKING:
    from engine_layer_visualize.core.build_info import Device
    from engine_layer_visualize.core.options import Peak


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


class Without(argparse.Action):
    """Keeps a value, or True, with which another flag is not needed."""

    def __init__(self, needless: str, **more: Any) -> None:
        super().__init__(**more)
        self.needless = needless

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        """Reads the flag."""
        parser.flags[self.needless].required = False
        setattr(namespace, self.dest, True if self.nargs == 0 else values)


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


class ListOf:
    """The type of a flag whose value is a list, with commas, of known words."""

    def __init__(
        self, what: str, known: Sequence[str], others: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.what = what  # what a word is called in messages
        self.known = known
        self.others = others  # words that another command knows, each with this command

    def __call__(self, text: str) -> tuple[str, ...]:
        """Returns the words, each once."""
        words = split(text)
        for word in words or [""]:
            if word not in self.known:
                wrong = not_among(self.what, word, self.known)
                if word in self.others:
                    wrong = f"no {self.what} {word!r} here; the command {self.others[word]} has it"
                raise ValueError(wrong)
        return tuple(dict.fromkeys(words))


def split(text: str) -> list[str]:
    """Returns the words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def peak(text: str) -> Peak | None:
    """Returns what the device can do."""
    from engine_layer_visualize.analysis import peaks

    return peaks.parse(text)


def device(text: str) -> Device:
    """The GPU of this name. Raises ValueError."""
    from engine_layer_visualize.analysis import peaks

    return peaks.device(text)


def port(text: str) -> int:
    """A port of this computer; 0: one that is free."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 1 << 16):
        raise ValueError(f"not a port: {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """Returns a time that a thread can wait for."""
    import threading

    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= threading.TIMEOUT_MAX:
        raise ValueError(f"not a number of seconds: {text!r}")
    return number


def whole(text: str) -> int:
    """Returns an integer."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a whole number is wanted, not {text[:40]!r}") from None


def number(text: str, least: int = 0) -> int:
    """Returns an integer that is `least` or more."""
    value = whole(text)
    if value < least:
        raise ValueError(f"at least {least}")
    return value


def codes(text: str) -> tuple[str, ...]:
    """Returns codes of rules, or starts of codes, such as `P,F02`."""
    words = split(text)
    if not words:
        raise ValueError("codes of rules are wanted, such as P,F02")
    return tuple(dict.fromkeys(map(_code, words)))


def _code(word: str) -> str:
    """Reads a rule's code, its name, or the start of codes."""
    from engine_layer_visualize.linting.causes import retired
    from engine_layer_visualize.linting.rules import all_rules, nearest_rule

    rules, start = all_rules(), word.upper()
    if start and any(code.startswith(start) for code in rules):
        return start
    names = {entry.rule.name: code for code, entry in rules.items()}
    if word.lower() in names:
        return names[word.lower()]
    if former := [code for code, _ in retired(word)]:
        return former[0] if len(former) == 1 else start
    near = nearest_rule(word)
    instead = f"did you mean {near}?" if near else "`lint --rules` lists all"
    raise ValueError(f"no rule {word[:80]!r}; {instead}")


def milliseconds(text: str) -> float:
    """Returns a number of milliseconds."""
    return _not_negative(text, "a number of milliseconds, such as 0.01")


def share(text: str) -> float:
    """Reads `0.5%`, or a part from 0 to 1."""
    wanted = "a share, such as 0.5% or 0.005"
    number = _not_negative(text.strip().removesuffix("%"), wanted)
    number /= 100 if text.strip().endswith("%") else 1
    if number > 1:
        raise ValueError(f"{wanted} is wanted, not {text[:80]!r}")
    return number


def _not_negative(text: str, wanted: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(f"{wanted} is wanted, not {text[:80]!r}")
    return number


positive: Final = partial(number, least=1)
width: Final = partial(number, least=NARROWEST)  # columns of a report
line: Final = partial(number, least=1 << 18)  # bytes of a line: the size of one read
