"""Reads a query: its words, fields and numbers become values.

`Query.any_of` holds alternatives, each of them terms that must all be met. What a query may hold is
in `query_language.py`; `viewer/query.js` reads queries in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, cast

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.core.wrong_values import nearest
from engine_layer_visualize.views.query_language import (
    FIELDS,
    LIMITS,
    MEANT,
    MISTAKES,
    PATTERNS,
    Mistake,
    QueryField,
)
from engine_layer_visualize.views.query_regex import compiled, fault

How = Literal["word", "exact", "regex", "index", "number"]
Sign = Literal[">", "<", ">=", "<=", "="]

_BLANK: Final = re.compile(PATTERNS["blank"])
_BAR: Final = re.compile(PATTERNS["bar"])
_PIECE: Final = re.compile(PATTERNS["piece"])
_NUMBER: Final = re.compile(PATTERNS["number"])
_INDEX: Final = re.compile(PATTERNS["index"])
_PORT: Final = re.compile(PATTERNS["port"])
_MEANT: Final = re.compile(PATTERNS["meant"])


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query."""

    # what counts: a `word`, all of the text, a pattern, the layer's number, or a comparison
    how: How
    field: str = ""  # of FIELDS; "": any
    value: str = ""
    pattern: re.Pattern[str] | None = None
    sign: Sign = "="
    number: float = 0.0  # the layer's, or what is compared by `sign`, in units of `unit`
    unit: str = ""
    excluded: bool = False  # whether the layers that it does not fit are meant


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was given, and the alternatives that it asks for."""

    text: str
    # alternatives, each of terms that must all be met; empty: all layers are meant
    any_of: tuple[tuple[Term, ...], ...] = ()

    @property
    def as_regex(self) -> str:
        """A word with the signs of a regular expression, as one; empty where there is none."""
        words = (term.value for terms in self.any_of for term in terms if term.how == "word")
        return next((f"/{word}/" for word in words if _MEANT.search(word)), "")


def parse(text: str) -> Query:
    """Reads a query. Raises ReadError (ELV410), which points at what cannot be read."""
    alternatives: list[list[Term]] = [[]]
    offset = 0
    while offset < len(text):
        if _BLANK.match(text, offset):
            offset += 1
        elif _BAR.match(text, offset):
            alternatives.append([])
            offset += 1
        else:
            term, offset = _term(text, offset)
            alternatives[-1] += term
    return Query(text, tuple(tuple(terms) for terms in alternatives if terms))


def of(query: str | re.Pattern[str] | Query) -> Query:
    """A query; of a regular expression one with its own flags. Raises what `parse` raises."""
    if isinstance(query, re.Pattern):
        return Query(f"/{query.pattern}/", ((Term("regex", pattern=query),),))
    return parse(query) if isinstance(query, str) else query


# ---- one term ----------------------------------------------------------------------------------


def _term(text: str, offset: int) -> tuple[list[Term], int]:
    """The term that begins at `at`, unless it is empty, and where it ends."""
    match = _PIECE.match(text, offset)
    assert match is not None  # the last of its ways takes anything
    minus, written, sign, quoted, regex, word = match.groups()
    out, name, end = minus is not None, (written or "").lower(), match.end()
    field = FIELDS.get(name)
    if name and field is None:
        if not _is_text(name, sign, word):
            near = _near(name)
            meant = MEANT.format(near=near) if near else ""
            _fail(text, match.start(2), "field", name=name, meant=meant, fields=", ".join(FIELDS))
        word, end = _run(text, match.start(2))
        return [Term("word", value=word, excluded=out)], end
    if field is not None and field.kind == "number":
        if sign == ":":
            _fail(text, match.start(3), "number", name=name, example=field.example)
        return [_compared(text, match, name, field)], end
    if field is not None and sign != ":":
        _fail(text, match.start(3), "compared", name=name)
    if quoted is not None:
        value = quoted.replace('""', '"')
        return [Term("exact", name, value, excluded=out)] if name or value else [], end
    if regex is not None and name == "scope":  # the slashes are the path's
        word, end = _run(text, match.end(3))
        return [Term("word", name, word, excluded=out)], end
    if regex is not None:
        wrong = fault(regex)
        if wrong is not None:
            number, cannot = str(wrong + 1), regex[wrong]
            _fail(text, match.start(5) - 1, "regex", number=number, sign=cannot)
        return [Term("regex", name, regex, compiled(regex), excluded=out)], end
    if word.startswith('"'):
        _fail(text, match.start(6), "quote")
    if field is not None and not word:
        _fail(text, end, "text", name=name, example=field.example)
    if not name and (index := _INDEX.fullmatch(word)):
        return [Term("index", number=float(index[1]), excluded=out)], end
    return [Term("word", name, word, excluded=out)], end


def _run(text: str, offset: int) -> tuple[str, int]:
    """The characters from `at` up to a blank, and where that is."""
    blank = _BLANK.search(text, offset)
    end = blank.start() if blank else len(text)
    return text[offset:end], end


def _is_text(name: str, sign: str, word: str | None) -> bool:
    """Whether what looks like a field that there is not is a part of a name."""
    if sign == ":":
        return word is not None and _PORT.fullmatch(word) is not None
    return word is None or not (_NUMBER.fullmatch(word) and _near(name))


def _near(name: str) -> str:
    """The field that was meant; "" where none is near."""
    instead = (known for known, field in FIELDS.items() if name in field.instead)
    return next(instead, "") or nearest(name, tuple(FIELDS), LIMITS["alike"])


def _compared(text: str, match: re.Match[str], name: str, field: QueryField) -> Term:
    """A number of the layer beside another."""
    parts = _NUMBER.fullmatch(match[6] or "")
    unit = parts[2].lower() if parts else ""
    if parts is None or unit not in field.units:
        units = ", ".join(unit for unit in field.units if unit.isascii() and unit)
        _fail(text, match.end(3), "units", name=name, units=units, example=field.example)
    number, excluded = float(parts[1]) * field.units[unit], match[1] is not None
    sign = cast(Sign, match[3])
    return Term("number", name, sign=sign, number=number, unit=unit, excluded=excluded)


def _fail(text: str, offset: int, mistake: Mistake, **words: str) -> NoReturn:
    """Points at a place of the query."""
    message, expected = (sentence.format(**words) for sentence in MISTAKES[mistake])
    shown, caret = excerpt(text, offset + 1)
    raise ReadError(
        Problem(Place("--query", 1, offset + 1), "ELV410", message, shown, caret, expected)
    )
