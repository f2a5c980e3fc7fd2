"""A query's text in; what it asks for out: words, fields, numbers, as values.

`Query.any_of` holds alternatives, each of them terms that must all be met. `viewer/query.js` reads
the same grammar; tests/viewer/queries.json holds both to the same cases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, NoReturn, cast

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt
from engine_layer_visualize.core.wrong_values import nearest, not_among

# What the texts of a field are, which says how a word is looked for in them.
TextKind = Literal["text", "dtype", "dims", "format", "scope", "code"]
How = Literal["word", "exact", "regex", "index", "number"]
Sign = Literal[">", "<", ">=", "<=", "="]


class Field(NamedTuple):
    """`kind`: `number` is compared, the others are searched. `example`: a term with it. `about`:
    what is searched or compared. `units`: of numbers, in small letters, as factors."""

    kind: TextKind | Literal["number"]
    example: str
    about: str
    units: Mapping[str, float] = {}


_TIMES: Final = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3, "%": 0.01}
_SIZES: Final = {
    **{"": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9},
    **{"kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30},
}
_COUNTS: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}

# Words, quotes and regular expressions without a field search those of the kind `text`.
FIELDS: Final[Mapping[str, Field]] = {
    "name": Field("text", "name:Conv_1", "the layer's name"),
    "type": Field("text", "type:conv", "the type in the listing"),
    "op": Field("text", "op:relu", "what the layer computes"),
    "kernel": Field("text", "kernel:sm80", "the kernel's name"),
    "tactic": Field("text", "tactic:0x21", "the tactic as printed"),
    "onnx": Field("text", "onnx:layer.3", "names of the ONNX nodes"),
    "tensor": Field("text", "tensor:x", "names of the tensors read and written"),
    "record": Field("text", "record:Layer(", "the text of a record that could not be read"),
    "scope": Field("scope", "scope:/encoder/layer.3", "the module of the network, with all in it"),
    "prec": Field("dtype", "prec:fp32", "the precision that the layer computes in"),
    "dtype": Field("dtype", "dtype:half", "data types of the tensors"),
    "dims": Field("dims", "dims:1x384", "dims of the tensors, or a part of them"),
    "format": Field("format", "format:chw32", "memory formats of the tensors"),
    "code": Field("code", "code:F02", "codes and names of findings"),
    "time": Field("number", "time>1%", "the layer's time, or its share", _TIMES),
    "bytes": Field("number", "bytes>1MB", "the layer's memory", _SIZES),
    "macs": Field("number", "macs>1G", "multiplications with additions", _COUNTS),
}

_PIECE: Final = re.compile(
    r"""(?P<out>-(?=[^\s\d>-]))?
    (?:(?P<field>[A-Za-z]+)(?P<sign>>=|<=|[:<>=]))?
    (?:"(?P<exact>(?:[^"]|"")*)"|/(?P<regex>(?:[^\\]|\\.)+?)/(?=\s|\Z)|(?P<word>\S*))""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER: Final = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(\D*)", re.ASCII)
_PORT: Final = re.compile(r"[0-9]+|:.*", re.ASCII | re.DOTALL)  # `input:0`, `aten::conv2d`
_ALIKE: Final = 0.6  # of two names, from 0 to 1
_SIGNS: Final = re.compile(r"\.[*+?]|\\.|^\^|\$$|[\])][*+?]|\w\|\w", re.DOTALL | re.ASCII)


@dataclass(frozen=True, slots=True)
class Term:
    """`field`: of FIELDS; "": any. `how` says what counts: `value` as a `word` or `exact`ly,
    `pattern` (`regex`), `number` of the layer (`index`) or compared by `sign` (`number`) in units
    of `unit`. `excluded`: the layers that it does not fit are meant."""

    how: How
    field: str = ""
    value: str = ""
    pattern: re.Pattern[str] | None = None
    sign: Sign = "="
    number: float = 0.0
    unit: str = ""
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """`text` as it was given; `any_of`: alternatives; empty: all layers are meant."""

    text: str
    any_of: tuple[tuple[Term, ...], ...] = ()

    @property
    def as_regex(self) -> str:
        """A word with the signs of a regular expression, as one; empty where there is none."""
        words = (term.value for terms in self.any_of for term in terms if term.how == "word")
        return next((f"/{word}/" for word in words if _SIGNS.search(word)), "")


def parse(text: str) -> Query:
    """Reads a query. Raises ReadError (ELV410), which points at what cannot be read."""
    alternatives: list[list[Term]] = [[]]
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "|" and not text[at + 1 : at + 2].strip():
            alternatives.append([])
            at += 1
        else:
            found, at = _term(text, at)
            alternatives[-1] += found
    return Query(text, tuple(tuple(terms) for terms in alternatives if terms))


def of(query: str | re.Pattern[str] | Query) -> Query:
    """A query; of a regular expression one with its own flags. Raises what `parse` raises."""
    if isinstance(query, re.Pattern):
        return Query(f"/{query.pattern}/", ((Term("regex", pattern=query),),))
    return parse(query) if isinstance(query, str) else query


def grammar() -> dict[str, object]:
    """The fields as the page needs them."""
    return {
        name: [field.kind, field.example, field.about, dict(field.units)]
        for name, field in FIELDS.items()
    }


# ---- one term ----------------------------------------------------------------------------------


def _term(text: str, at: int) -> tuple[list[Term], int]:
    """The term that begins at `at`, unless it is empty, and where it ends."""
    match = _PIECE.match(text, at)
    assert match is not None  # the last of its ways takes anything
    out = match["out"] is not None
    name, sign = (match["field"] or "").lower(), match["sign"]
    if name and name not in FIELDS and _is_text(match, name):
        word, end = _run(text, at + out)
        return [Term("word", value=word, excluded=out)], end
    if name and name not in FIELDS:
        _fail(text, match.start("field"), not_among("field", name, tuple(FIELDS)), _QUOTES)
    field = FIELDS.get(name)
    if field is not None and field.kind == "number":
        return [_compared(text, match, name, field, out)], match.end()
    if field is not None and sign != ":":
        _fail(text, match.start("sign"), f"{name} is not compared", f"{name}: and a text")
    if match["exact"] is not None:
        value = match["exact"].replace('""', '"')
        found = Term("exact", name, value, excluded=out)
        return [found] if name or value else [], match.end()
    if match["regex"] is not None and name == "scope":  # the slashes are the path's
        word, end = _run(text, match.end("sign"))
        return [Term("word", name, word, excluded=out)], end
    if match["regex"] is not None:
        pattern = _compiled(text, match)
        return [Term("regex", name, match["regex"], pattern, excluded=out)], match.end()
    word = match["word"]
    if word.startswith('"'):
        _fail(text, match.start("word"), "a quote without an end", 'another "')
    if field is not None and not word:
        _fail(text, match.end(), f"{name}: without a text", f"a text, such as {field.example}")
    if not name and re.fullmatch("#[0-9]+", word):
        return [Term("index", number=float(word[1:]), excluded=out)], match.end()
    return [Term("word", name, word, excluded=out)], match.end()


def _run(text: str, at: int) -> tuple[str, int]:
    """The characters from `at` up to a blank, and where that is."""
    end = next((n for n in range(at, len(text)) if text[n].isspace()), len(text))
    return text[at:end], end


_QUOTES: Final = "a field, or quotes around a text with such a sign"


def _is_text(match: re.Match[str], name: str) -> bool:
    """Whether what looks like a field that there is not is a part of a name."""
    value = match["word"]
    if match["sign"] == ":":
        return value is not None and _PORT.fullmatch(value) is not None
    return value is None or not (_NUMBER.fullmatch(value) and nearest(name, tuple(FIELDS), _ALIKE))


def _compared(text: str, match: re.Match[str], name: str, field: Field, out: bool) -> Term:
    """A number of the layer beside another."""
    if (sign := match["sign"]) == ":":
        _fail(text, match.start("sign"), f"{name} is a number", f"a sign, such as {field.example}")
    found = _NUMBER.fullmatch(match["word"] or "")
    unit = found[2].lower() if found else ""
    if found is None or unit not in field.units:
        units = [unit for unit in field.units if unit.isascii() and unit]
        _fail(
            text,
            match.end("sign"),
            f"no number for {name}",
            f"a number and one of {', '.join(units)}, such as {field.example}",
        )
    number = float(found[1]) * field.units[unit]
    return Term("number", name, sign=cast(Sign, sign), number=number, unit=unit, excluded=out)


def _compiled(text: str, match: re.Match[str]) -> re.Pattern[str]:
    try:
        return re.compile(match["regex"], re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        _fail(text, match.start("regex") - 1, f"not a regular expression: {error}", "another")


def _fail(text: str, at: int, message: str, expected: str) -> NoReturn:
    """Points at a place of the query."""
    shown, caret = excerpt(text, at + 1)
    raise ReadError(Problem(Place("--query", 1, at + 1), "ELV410", message, shown, caret, expected))
