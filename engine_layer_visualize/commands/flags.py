"""Declares the flags of a command as the fields of its frozen options.

A help lists flags in the order of their first declarations, group by group. The table at the end
has the flags of several commands, of which each command names those that it takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
from inspect import get_annotations
from typing import Any, Final, TypeVar

from engine_layer_visualize.commands import values

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
_MESSAGES: Final = Group("messages", order=1)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The flags of all commands.

    Attributes:
        given: the flags that were written.
    """

    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    strict: bool = _MESSAGES.switch("stop at the first error")
    quiet: bool = _MESSAGES.switch("print errors, and the report that was asked for, alone")
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


def read(options: type[T], namespace: argparse.Namespace) -> T:
    """Returns the options as argparse has read them."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(namespace).items()
        if name in options.__dataclass_fields__
    }
    return options(given=frozenset(given), **given)


def _flags(options: type[Options]) -> list[Field[Any]]:
    """Returns the fields that are flags, in the order of their first declarations."""
    ordered: dict[str, Field[Any]] = {}
    for base in reversed(options.__mro__[:-1]):
        known = {known.name: known for known in fields(base)}
        ordered |= {name: known[name] for name in get_annotations(base)}
    return [declared for declared in ordered.values() if "group" in declared.metadata]


# ---- the flags of several commands ---------------------------------------------------------------

LOG: Final = "a VERBOSE log of TensorRT, or the inspector's JSON; - is stdin"
LOG_FILE: Final = READ.several(f"{LOG}; repeatable", required=True)
PROFILE_FILE: Final = READ.several("times of layers, as trtexec has them; repeatable", short="-p")
ENGINE: Final = READ.several(
    "only this engine, from 0; repeatable", "N", type=values.whole, default=None
)
ONNX: Final = READ.flag("the ONNX model of the engines (needs the extra onnx)", "FILE")
OPTIMIZATION_PROFILE: Final = READ.flag(
    "take times of this optimisation profile (default: the first)", "N", type=values.whole
)
TIME: Final = READ.choice("which measured time of a layer counts", ("mean", "median"), "mean")
FULL_PATHS: Final = READ.switch("keep the folders in the names of files")
DEVICE: Final = READ.flag(
    "the GPU that the times are of, such as A100, if no log says",
    "NAME",
    type=values.device,
)
PEAK: Final = READ.flag(
    "what the GPU can do: fp32=19.5,fp16=312,int8=624,bw=1555 (dense TFLOPS, GB/s)",
    "LIST",
    type=values.peak,
)
OUTPUT_DIR: Final = WRITTEN.flag(
    "created if absent (default: .)",
    "DIR",
    short="-o",
    also=("--output",),
    type=values.folder,
    default=".",
)
REPLACE: Final = WRITTEN.switch("replace files of others")
FORCE: Final = WRITTEN.switch("replace files of others, and take times that fit few layers")
WIDTH: Final = REPORT.flag("columns of the text (default: the terminal's)", "N", type=values.width)
FULL: Final = REPORT.switch("all rows and whole names, in text and markdown")


def format(names: Iterable[str], default: tuple[str, ...] = (), **more: Any) -> Any:
    """Declares the flag of the formats; a command without a default takes the first."""
    known = tuple(names)
    text = f"of {', '.join(known)}, with commas (default: {known[0]})"
    type = values.ListOf("format", known, **more)
    return WRITTEN.flag(text, "LIST", short="-f", type=type, default=default)


def rows(what: str, number: int) -> Any:
    """Declares the flag of the number of rows."""
    text = f"the number of rows {what} (default: {number})"
    return REPORT.flag(text, "N", type=values.positive, default=number)
