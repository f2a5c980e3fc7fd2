"""Writes times, shares, bytes and counts short, shortens, spells and sorts texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final, TypeAlias

_CONTEXT: Final = 40  # characters shown on either side of the caret


def excerpt(text: str, column: int) -> tuple[str, int]:
    """At most ±40 characters of `text` around the 1-based `column`, and the caret's offset in it.

    Control characters are spelled, so that nothing of a log reaches a terminal raw.
    """
    offset = max(0, min(column - 1, len(text)))
    left, right = max(0, offset - _CONTEXT), min(len(text), offset + _CONTEXT)
    before = ("…" if left else "") + visible(text[left:offset])
    after = visible(text[offset:right]) + ("…" if right < len(text) else "")
    return before + after, len(before)


def visible(text: str) -> str:
    """Writes control, format and lone surrogate characters of a text as escapes.

    Spaces stay; everything else that a terminal could act on, or that has no shape, is spelled.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def base_name(path: str) -> str:
    """The file name in a path, with either separator."""
    return PurePath(path.replace("\\", "/")).name or path


def milliseconds(ms: float) -> str:
    """A time in the unit that a person would say, with three significant digits."""
    if not math.isfinite(ms):
        return f"{ms} ms"
    if ms == 0:
        return "0 µs"
    units = ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms"), (1e3, "s"))
    for scale, unit in units:
        text = _three(ms / scale)
        if abs(float(text)) < 1000 or unit == "s":
            return f"{text} {unit}"
    raise AssertionError  # the last unit always answers


def _three(value: float) -> str:
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f}"


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage with one decimal; never 0.0 for what is not nothing."""
    if not math.isfinite(share):
        return "? %"
    if share == 0:
        return "0 %"
    return "<0.1 %" if 0 < share < 0.0005 else f"{share * 100:.1f} %"


ELLIPSIS: Final = "…"


def shorten(name: str, width: int) -> str:
    """At most `width` characters: the middle goes, the end stays, and only one … marks the cut."""
    if len(name) <= width:
        return name
    if width <= 1:
        return ELLIPSIS[:width]
    tail = max(1, (width - 1) * 3 // 5)
    head = name[: width - 1 - tail].rstrip(" .…")
    return head + ELLIPSIS + name[len(name) - tail :].lstrip(" .…")


def wrap(name: str, width: int, lines: int) -> tuple[str, ...]:
    """Breaks a name into at most `lines` lines; it is shortened only if it must be."""
    budget = width * lines
    while True:
        rest = shorten(name, budget)
        out: list[str] = []
        while len(rest) > width and len(out) < lines - 1:
            end = _break(rest, width, width * (lines - 1 - len(out)))
            out.append(rest[:end].rstrip())
            rest = rest[end:].lstrip()
        if len(rest) <= width:
            return (*out, rest)
        budget -= len(rest) - width


def _break(text: str, width: int, room: int) -> int:
    """Where to break: at a blank if what follows then still fits, else where a word ends."""
    blank = text.rfind(" ", 0, width + 1)
    if blank >= width // 3 and len(text) - blank - 1 <= room:
        return blank
    word = max(blank, text.rfind("/", 0, width), *(text.rfind(c, 0, width) + 1 for c in "_.,"))
    return word if word >= width // 2 else width


def amount(size: float) -> str:
    """Bytes in the unit that a person would say."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 999.5 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if size >= 9.95 or unit == "B" else f"{size:.1f} {unit}"


def large(number: float) -> str:
    """A number with three digits and a prefix of SI: `4.09 G`; below a thousand as it is."""
    for scale, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * scale:
            return f"{_three(number / scale)} {prefix}"
    return f"{number:.0f}"


def count(number: int, what: str, many: str = "") -> str:
    """A number and its noun: `1 layer`, `1,234 layers`. `many`: a plural that is not `what` + s."""
    return f"{number:,} {plural(number, what, many)}"


def plural(number: int, what: str, many: str = "") -> str:
    """The word alone: `layer` for 1, else `layers` or `many`."""
    return what if number == 1 else many or what + "s"


def dims(printed: str) -> str:
    """Dims for a reader: `1×64:8×56×56` of `1,64:8,56,56` as printed."""
    return printed.replace(",", "×")


# ---- sentences that hold names of a log: each name is shortened on its own, the sentence n ------


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


def joined(separator: str, several: list[Words]) -> tuple[str | Name, ...]:
    """Joins sentences, as `str.join` does texts."""
    all_parts: list[str | Name] = []
    for number, words in enumerate(several):
        all_parts += [separator] if number else []
        all_parts += parts(words)
    return tuple(all_parts)


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


# ---- says in one line what is wrong with a value, and which one may be meant --------------------


_ALIKE: Final = 0.75  # of two words, from 0 to 1
_ALIKE_OF_FEW: Final = 0.6  # where there are few, and all are listed
_ENGINE_OF: Final = {"Build": "; write `build.engines[0]`", "View": "; write `view.engine`"}


def nearest(word: str, known: Sequence[str], alike: float = _ALIKE) -> str:
    """The known word that was meant; "" where none is near. Capitals do not count."""
    from difflib import get_close_matches

    low: dict[str, str] = {}
    for name in known:
        low.setdefault(name.lower(), name)
    longer = [name for name in low if name.startswith(word.lower())]
    near = longer[:1] or get_close_matches(word.lower(), list(low), 1, alike)
    return low[near[0]] if near and word else ""


def not_among(what: str, word: object, known: Sequence[str]) -> str:
    """The message for an unknown word: `no format 'SVG'; did you mean svg? there are …`."""
    near = nearest(str(word), known, _ALIKE_OF_FEW)
    instead = f"did you mean {near}? " if near else ""
    return f"no {what} {str(word)[:80]!r}; {instead}there are {', '.join(known)}"


def must_be(wanted: tuple[type, ...], value: object) -> None:
    """Raises TypeError where a value is none of `wanted`: an Engine, then what may stand for it."""
    if not isinstance(value, wanted):
        names = " or a ".join(kind.__name__ for kind in wanted)
        got = type(value).__name__
        raise TypeError(f"an {names} is wanted, not {got}{_ENGINE_OF.get(got, '')}")
