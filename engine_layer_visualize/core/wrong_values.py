"""Says in one line what is wrong with a value, and which one may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
