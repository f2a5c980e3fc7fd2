"""Writes times, shares, bytes and counts short, shortens and spells texts."""

from collections.abc import Sequence
from typing import Final

NARROWEST: Final = 40  # columns of a report
WIDTH: Final = 140  # columns of a report that no terminal shows
_CONTEXT: Final = 40  # characters shown on either side of the caret
# Python calls these printable: those to be ignored by Unicode, and an empty Braille pattern.
_SHAPELESS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


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
    # `×` is in all dims, and a look at each character is ten times as dear
    if text.isprintable() and (text.replace("×", "").isascii() or _SHAPELESS.isdisjoint(text)):
        return text
    return "".join(
        c.encode("unicode_escape").decode("ascii") if not c.isprintable() or c in _SHAPELESS else c
        for c in text
    )


def base_name(path: str) -> str:
    """The file name in a path, with either separator."""
    names = [name for name in path.replace("\\", "/").split("/") if name not in ("", ".")]
    return names[-1] if names else path


def milliseconds(ms: float) -> str:
    """A time in the unit that a person would say, with three significant digits."""
    if ms == 0:
        return "0 µs"
    for scale, unit in ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms")):
        text = _three(ms / scale)
        if abs(float(text)) < 1000:
            return f"{text} {unit}"
    return f"{_three(ms / 1e3)} s"


def _three(value: float) -> str:
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f}"


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage with one decimal; never 0.0 for what is not nothing."""
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
