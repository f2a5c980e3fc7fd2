"""Declares the flags of a command as the fields of its frozen options.

A help lists flags in the order of their first declarations, group by group. Below stand the types
of values, and the flags of several commands, of which each command names those that it takes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeVar

from engine_layer_visualize.core.model import Frozen
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import NARROWEST, not_among

T = TypeVar("T", bound="Options")


class Flag:
    """A flag as a class of options declares it: an instance has its value."""

    def __init__(self, group: Group, default: Any, argument: Mapping[str, Any]) -> None:
        self.group = group
        self.default = default
        self.argument = argument  # for argparse

    def __get__(self, options: Options | None, declared_in: type[Options]) -> Any:
        return self if options is None else self.default


class Group(NamedTuple):
    """Flags that stand together in a help."""

    title: str
    description: str | None = None
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
        """
        argument = {"help": help, **more, **({"metavar": metavar} if metavar else {})}
        return Flag(self, default, argument)

    def switch(self, help: str) -> Any:
        """Declares a flag without a value."""
        return self.flag(help, default=False, action="store_true")

    def several(self, help: str, metavar: str = "FILE", *, default: Any = (), **more: Any) -> Any:
        """Declares a flag that may be given several times."""
        return self.flag(help, metavar, default=default, **{"action": "append", **more})

    def words(self, help: str, metavar: str = "FILE", nargs: str = "*", **more: Any) -> Any:
        """Declares words without a flag."""
        return self.flag(help, metavar, word=True, nargs=nargs, default=(), **more)

    def choice(self, help: str, choices: Iterable[str], default: str | None = None) -> Any:
        """Declares a flag whose value is one of some words."""
        known = f" (default: {default})" if default else ""
        return self.flag(f"{help}{known}", choices=tuple(choices), default=default)


READ: Final = Group("what is read")
REPORT: Final = Group("the report")
WRITTEN: Final = Group("what is written")
_MESSAGES: Final = Group("messages")


class Options(Frozen):
    """The flags of all commands.

    Attributes:
        told: what was wrong with those that were written, and is right in these.
    """

    told: tuple[Problem, ...] = ()

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """The flags by their names, in the order of their first declarations."""
        names = (name for base in reversed(cls.__mro__) for name in vars(base))
        return {name: flag for name in names if isinstance(flag := getattr(cls, name), Flag)}

    def but(self: T, **changes: Any) -> T:
        """The same with other values."""
        return type(self)(**{**vars(self), **changes})

    @property
    def files_read(self) -> Sequence[str]:
        """The files that are read: they must be there."""
        return ()

    strict: bool = _MESSAGES.switch("stop at the first error")
    quiet: bool = _MESSAGES.switch("print only errors and the report")
    verbose: bool = _MESSAGES.switch("print all problems, not 20 of each kind")


def add(parser: argparse.ArgumentParser, options: type[Options]) -> None:
    """Adds the flags to a parser, which then has no value for those that are not given."""

    @cache
    def container(group: Group) -> argparse._ActionsContainer:
        if group.within is None:
            return parser.add_argument_group(group.title, group.description)
        return container(group.within).add_mutually_exclusive_group(required=group.required)

    for name, flag in sorted(options.flags().items(), key=lambda each: each[1].group is _MESSAGES):
        argument = dict(flag.argument)
        short, word = argument.pop("short", None), argument.pop("word", False)
        also: Sequence[str] = argument.pop("also", ())
        names = [name] if word else [*filter(None, [short]), f"--{name}"]
        if not word:
            argument["default"] = argparse.SUPPRESS
        action = container(flag.group).add_argument(*names, **argument)
        for name in also:  # helps do not list it
            parser._option_string_actions[name] = action


def read(options: type[T], namespace: argparse.Namespace, told: tuple[Problem, ...]) -> T:
    """Returns the options as argparse has read them; `told`: what was wrong with the words."""
    known = options.flags()
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(namespace).items()
        if name in known
    }
    return options(told=told, **given)


# ---- values: each function reads a text, and raises ValueError where it is none ------------------


class ListOf:
    """The type of a flag whose value is a list, with commas, of known words."""

    def __init__(self, what: str, known: Sequence[str]) -> None:
        self.what = what  # what a word is called in messages
        self.known = known

    def __call__(self, text: str) -> tuple[str, ...]:
        """Returns the words, each once."""
        words = split(text)
        for word in words or [""]:
            if word not in self.known:
                raise ValueError(not_among(self.what, word, self.known))
        return tuple(dict.fromkeys(words))


def split(text: str) -> list[str]:
    """Returns the words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def folder(text: str) -> str:
    """Returns the name of a folder, which is not that of a picture."""
    if text.endswith((".dot", ".svg", ".png", ".html")) and not os.path.isdir(text):
        raise ValueError(f"a folder is wanted, for the file of each engine: {text}")
    return text


def whole(text: str) -> int:
    """Returns an integer."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a whole number is wanted, not {text[:40]!r}") from None


def number(text: str, least: int = 0, most: int | None = None) -> int:
    """Returns an integer that is `least` or more, and at most `most`."""
    value = whole(text)
    if value < least:
        raise ValueError(f"at least {least}")
    if most is not None and value > most:
        raise ValueError(f"at most {most}")
    return value


port: Final = partial(number, most=(1 << 16) - 1)  # of this computer; 0: one that is free
positive: Final = partial(number, least=1)
width: Final = partial(number, least=NARROWEST)  # columns of a report


# ---- the flags of several commands ---------------------------------------------------------------

LOG: Final = "a VERBOSE log of TensorRT, or the inspector's JSON; - is stdin"
ENGINE: Final = READ.several(
    "this engine of a log, from 0; repeatable", "N", type=whole, default=None
)
OUTPUT_DIR: Final = WRITTEN.flag(
    "created if absent (default: .)",
    "DIR",
    short="-o",
    also=("--output",),
    type=folder,
    default=".",
)
REPLACE: Final = WRITTEN.switch("replace outputs of other logs")
WIDTH: Final = REPORT.flag("columns of the text (default: the terminal's)", "N", type=width)
FULL: Final = REPORT.switch("print all rows and whole names")


def format(names: Iterable[str], default: tuple[str, ...] = ()) -> Any:
    """Declares the flag of the formats; a command without a default takes the first."""
    known = tuple(names)
    text = f"of {', '.join(known)}, with commas (default: {known[0]})"
    return WRITTEN.flag(text, "LIST", short="-f", type=ListOf("format", known), default=default)


def rows(what: str, number: int) -> Any:
    """Declares the flag of the number of rows."""
    text = f"the number of rows {what} (default: {number})"
    return REPORT.flag(text, "N", type=positive, default=number)


# ---- files that belong to the log before them ----------------------------------------------------

_LAST: Final = "last_log"  # under which argparse keeps which flag the last log was given with
_EARLY: Final = "early_profiles"  # the same of profiles before the first log


class Given(NamedTuple):
    """A log with its own files, under the names of their flags."""

    path: str
    profile_file: tuple[str, ...] = ()
    times: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All of them."""
        return (self.path, *self.profile_file, *self.times)


class _Log(argparse.Action):
    """Begins the files of another log."""

    def __init__(self, once: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.once = once  # whether the flag stands for a single log

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        before: list[Given] = getattr(namespace, self.dest, [])
        if self.once and before:
            raise argparse.ArgumentError(self, f"{values}: there is {before[0].path} already")
        early = vars(namespace).pop(_EARLY, ())
        setattr(namespace, self.dest, [*before, Given(str(values), early)])
        setattr(namespace, _LAST, self.dest)


class _OfLog(argparse.Action):
    """Gives a file to the log before it."""

    def __init__(self, early: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.early = early  # whether a profile before all logs stands beside the first

    def __call__(self, parser: Any, namespace: Any, values: object, *_: object) -> None:
        if flag := getattr(namespace, _LAST, None):
            *before, log = getattr(namespace, flag)
            files = (*getattr(log, self.dest), str(values))
            setattr(namespace, flag, [*before, log._replace(**{self.dest: files})])
        elif self.early:
            setattr(namespace, _EARLY, (*getattr(namespace, _EARLY, ()), str(values)))
        else:
            message = f"{values}: times belong to the log before them, and there is none"
            raise argparse.ArgumentError(self, message)


def log(help: str, *, group: Group = READ, once: bool = True) -> Any:
    """Declares the flag of a log, or of several; a log is required, but for another group."""
    return group.several(help, action=_Log, once=once, required=group is READ)


def times(help: str, **more: Any) -> Any:
    """Declares the flag of files with times of the log before them."""
    return READ.flag(f"{help}; repeatable", "FILE", action=_OfLog, **more)
