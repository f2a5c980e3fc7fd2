"""Sentences that hold names of a log: each name is shortened on its own, the sentence never.

Here are also the short lines that Python shows of a value.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from engine_layer_visualize.core.text import ELLIPSIS, count, shorten, visible

T = TypeVar("T")
FEW: Final = 3  # names that stand in a sentence
_JOINTS: Final = (" || ", " + ", ", ")  # between the parts of a fused name, the outermost first


class Name:
    """A name of a log: of a layer, a tensor, a kernel."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


Words: TypeAlias = "str | Name | tuple[str | Name, ...]"


class Sentence(str):
    """A sentence as one text, for JSON, that still knows which parts of it are names."""

    __slots__ = ("words",)
    words: Words

    @classmethod
    def of(cls, words: Words) -> Sentence:
        """The text of these words."""
        made = cls(plain(words))
        made.words = words
        return made


def parts(words: Words) -> tuple[str | Name, ...]:
    """The parts of a sentence."""
    return words if isinstance(words, tuple) else (words,)


def joined(separator: str, several: Sequence[Words]) -> tuple[str | Name, ...]:
    """Joins sentences, as `str.join` does texts."""
    all_parts: list[str | Name] = []
    for number, words in enumerate(several):
        all_parts += [separator] if number else []
        all_parts += parts(words)
    return tuple(all_parts)


def first_of(
    several: Sequence[Words],
    most: int | None = FEW,
    joint: str = ", ",
    last: str = " and ",
    noun: str = "",
) -> tuple[str | Name, ...]:
    """The first of several, and how many more there are: `conv1, conv2, conv3 and 17 more`."""
    shown = several[:most]
    more = len(several) - len(shown)
    return (*joined(joint, shown), *([f"{last}{_more(more, noun)}"] if more else []))


def first_lines(
    several: Sequence[T], most: int, line: Callable[[T], str], noun: str = ""
) -> list[str]:
    """A line for each of the first, and one on how many more there are: `and 17 more layers`."""
    more = len(several) - most
    return [*map(line, several[:most]), *([f"and {_more(more, noun)}"] if more > 0 else [])]


def _more(number: int, noun: str) -> str:
    return count(number, f"more {noun}") if noun else f"{number:,} more"


def plain(words: Words) -> str:
    """The sentence as one text, with whole names."""
    return "".join(part.text if isinstance(part, Name) else part for part in parts(words))


def shown(words: Words, longest: int | None, most: int) -> str:
    """Writes a sentence as text that is safe to show.

    A name has at most `longest` characters, None: all of them. A sentence of more than `most`
    characters ends early, with an ellipsis.
    """
    return plain(safe(words, longest, most))


def safe(words: Words, longest: int | None, most: int) -> tuple[str | Name, ...]:
    """Makes a sentence safe to show, as `shown` does, with its names apart."""
    visible_parts = tuple(
        Name(abridged(visible(part.text), longest)) if isinstance(part, Name) else visible(part)
        for part in parts(words)
    )
    room = most - 2
    if longest is None or isinstance(words, Name) or len(plain(visible_parts)) <= most:
        return visible_parts
    kept: list[str | Name] = []
    for part in visible_parts:
        text = part.text if isinstance(part, Name) else part
        cut = text[:room] if len(text) < room else text[:room].rstrip()
        kept.append(Name(cut) if isinstance(part, Name) else cut)
        room -= len(text)
        if room <= 0:
            break
    return (*kept, " " + ELLIPSIS)


def abridged(name: str, width: int | None) -> str:
    """Leaves out the middle of a fused name, cut where its parts end: `Conv_1 + … + Relu_10`."""
    if width is None or len(name) <= width:
        return name
    head = width * 2 // 5
    tail = len(name) - (width - head - 1)
    for joint in _JOINTS:
        start, end = name.rfind(joint, head // 4, head), name.find(joint, tail, tail + width // 2)
        if start >= 0 and end >= 0:
            return name[: start + len(joint)] + ELLIPSIS + name[end:]
    return shorten(name, width)


# ---- what Python shows of a value: one short line ------------------------------------------------

_NAME_WIDTH: Final = 80  # characters of a name
_SEVERAL: Final = 4  # names, or numbers, that are shown of many


def brief(name: str) -> str:
    """A name as text that is safe and short enough to show."""
    return shorten(visible(name), _NAME_WIDTH)


def some(names: Iterable[str]) -> str:
    """The first names, and how many more there are: `hm, wh, reg`; `none` without any."""
    return plain(first_of([*map(brief, names)], _SEVERAL)) or "none"


def filled(value: Any) -> str:
    """The fields of a NamedTuple that are not at their default: `Timing(average_ms=0.02)`.

    Of several values, and of what is inside a value, it shows the beginning.
    """
    default = value._field_defaults
    held = zip(value._fields, value)
    told = [f"{name}={reprlib.repr(one)}" for name, one in held if one != default.get(name, ...)]
    return f"{type(value).__name__}({', '.join(told)})"
