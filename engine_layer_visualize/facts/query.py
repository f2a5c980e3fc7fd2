"""Reads a query: its words, fields and numbers become values.

`Query.any_of` holds alternatives, each of them terms that must all be met. `viewer/query.js` reads
queries in the same way, but for regular expressions: those are of its own language.
"""

import re
import warnings
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, NoReturn, cast

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import excerpt, nearest
from engine_layer_visualize.trt.types import SPELLINGS, WORDS_OF_INPUTS

# What a query may hold, as data: `query.js` and `search.js` have it from the page (`grammar`), and
# tests/viewer asks both the same random queries. Python and JavaScript must read a pattern alike:
# its groups have numbers, and no `\s`, `\w`, `\d` or `.`, which mean other characters in each.

# What the texts of a field are, which says how a word is looked for in them.
TextKind = Literal["text", "tensor", "dtype", "dims", "format", "scope", "code"]


class QueryField(NamedTuple):
    """A field of queries, such as `kernel` in `kernel:sm80`.

    Attributes:
        kind: What the texts are, or `number` of values that are compared.
        example: A term with the field.
        about: What is searched or compared.
        units: The factor of each unit of a number, in small letters.
    """

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

# Words, quotes and regular expressions without a field search those of the kind `text`: a layer
# that reads what another one writes is not called so.
FIELDS: Final[Mapping[str, QueryField]] = {
    "name": QueryField("text", "name:Conv_1", "the layer's name"),
    "type": QueryField("text", "type:conv", "the type in the listing"),
    "op": QueryField("text", "op:relu", "what the layer computes"),
    "kernel": QueryField("text", "kernel:sm80", "the kernel's name"),
    "tactic": QueryField("text", "tactic:0x21", "the tactic as printed"),
    "onnx": QueryField("text", "onnx:layer.3", "names of the ONNX nodes"),
    "tensor": QueryField("tensor", "tensor:x", "names of the tensors read and written"),
    "reads": QueryField("tensor", "reads:x", "tensors that it reads"),
    "writes": QueryField("tensor", "writes:x", "tensors that it writes"),
    "record": QueryField("text", "record:Layer(", "the text of a record that could not be read"),
    "scope": QueryField("scope", "scope:/encoder/layer.3", "the network's module, with all in it"),
    "prec": QueryField("dtype", "prec:fp32", "the precision that the layer computes in"),
    "dtype": QueryField("dtype", "dtype:half", "data types of the tensors"),
    "dims": QueryField("dims", "dims:1x384", "dims of the tensors, or a part of them"),
    "format": QueryField("format", "format:chw32", "memory formats of the tensors"),
    "code": QueryField("code", "code:F02", "codes and names of findings"),
    "time": QueryField("number", "time>1%", "the layer's time, or its share", _TIMES),
    "bytes": QueryField("number", "bytes>1MB", "the layer's memory", _SIZES),
    "macs": QueryField("number", "macs>1G", "multiplications with additions", _COUNTS),
}

# Those of the page of a comparison.
COMPARED: Final[Mapping[str, QueryField]] = {
    **{name: FIELDS[name] for name in ("name", "type", "op", "kernel", "prec")},
    "format": QueryField("text", "format:half", "data types, dims and formats of the tensors"),
    "change": QueryField("text", "change:kernel", "what changed"),
    "time": FIELDS["time"]._replace(
        example="time>10us",
        about="the layer's time",
        units={unit: ms for unit, ms in _TIMES.items() if unit != "%"},
    ),
}

# What a query is made of besides fields.
TERMS: Final = (
    ("conv relu", "all words in any case, in a layer's texts but tensors' names; also FP32, 1x384"),
    ('"Conv_1"', "exactly this, and not as a piece of a longer word"),
    ("/conv_[0-9]+$/", "a regular expression; capitals do not count"),
    ("#43", "the layer of this number"),
    ("-reformat", "not this"),
    ("gather | concat", "one or the other"),
)

# A field that there is not is an error before a colon; before another sign and a number, where it
# is so near to one: of two names, from 0 to 1.
ALIKE: Final = 0.6

_BLANK: Final = (
    r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # Python's
)
PATTERNS: Final = {
    "blank": f"[{_BLANK}]",
    "bar": rf"\|(?![^{_BLANK}])",
    # What may stand for a term: minus, field, sign; then a quote, a regular expression, or a word.
    "piece": rf"(-(?=[^{_BLANK}0-9>-]))?(?:([A-Za-z]{{1,80}})(>=|<=|[:<>=]))?"
    rf'(?:"((?:[^"]|"")*)"|/((?:[^\\]|\\[\s\S])+?)/(?![^{_BLANK}])|([^{_BLANK}]*))',
    "number": r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9]*)",
    "index": "#([0-9]+)",
    "layer": "[0-9]{1,9}",
    "port": r"[0-9]+|:[\s\S]*",  # after a field that there is not: `input:0`, `aten::conv2d`
    # Words without a field that are looked for in other fields, too.
    "dims": "-?[0-9]+(?::[0-9]+)?(?:[x×,]-?[0-9]+(?::[0-9]+)?)+",
    "code": "[a-z][0-9]{2}|[a-z0-9]+(?:-[a-z0-9]+)+",
    "vector": ":[0-9]+",  # of dims
}
COMPILED: Final = {name: lazy(pattern) for name, pattern in PATTERNS.items()}

Mistake = Literal["field", "compared", "number", "units", "quote", "text", "regex"]
# Of each mistake what it is, and what is expected.
MISTAKES: Final[Mapping[Mistake, tuple[str, str]]] = {
    "field": (
        "no field '{name}'; {meant}there are {fields}",
        "a field, or quotes around a text with such a sign",
    ),
    "compared": ("{name} is not compared", "{name}: and a text"),
    "number": ("{name} is a number", "a sign, such as {example}"),
    "units": ("no number for {name}", "a number and one of {units}, such as {example}"),
    "quote": ("a quote without an end", 'another "'),
    "text": ("{name}: without a text", "a text, such as {example}"),
    "regex": (
        "not a regular expression: {why}",
        "pairs of brackets, and a backslash before a sign that means itself",
    ),
}
MEANT: Final = "did you mean {near}? "


def grammar() -> dict[str, object]:
    """All of it, as the page needs it."""
    return {
        "fields": {name: field._asdict() for name, field in FIELDS.items()},
        "terms": TERMS,
        "alike": ALIKE,
        "patterns": PATTERNS,
        "mistakes": MISTAKES,
        "meant": MEANT,
        "dtypes": SPELLINGS,
        "formats": WORDS_OF_INPUTS,
    }


How = Literal["word", "exact", "regex", "index", "number"]
Sign = Literal[">", "<", ">=", "<=", "="]


class Term(NamedTuple):
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
    text: str = ""  # as it was given


class Query(NamedTuple):
    """A query as it was given, and the alternatives that it asks for."""

    text: str
    # alternatives, each of terms that must all be met; empty: all layers are meant
    any_of: tuple[tuple[Term, ...], ...] = ()


def parse(text: str) -> Query:
    """Reads a query. Raises ReadError (ELV410), which points at what cannot be read."""
    alternatives: list[list[Term]] = [[]]
    offset = 0
    while offset < len(text):
        if COMPILED["blank"].match(text, offset):
            offset += 1
        elif COMPILED["bar"].match(text, offset):
            alternatives.append([])
            offset += 1
        else:
            start = offset
            terms, offset = _term(text, start)
            alternatives[-1] += [term._replace(text=text[start:offset]) for term in terms]
    return Query(text, tuple(tuple(terms) for terms in alternatives if terms))


def of(query: str | re.Pattern[str] | Query) -> Query:
    """A query; of a regular expression one with its own flags. Raises what `parse` raises."""
    if isinstance(query, re.Pattern):
        return Query(f"/{query.pattern}/", ((Term("regex", pattern=query),),))
    return parse(query) if isinstance(query, str) else query


# ---- one term ----------------------------------------------------------------------------------


def _term(text: str, offset: int) -> tuple[list[Term], int]:
    """The term that begins at `offset`, unless it is empty, and where it ends."""
    match = COMPILED["piece"].match(text, offset)
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
        pattern = _pattern(text, match.start(5) - 1, regex)
        return [Term("regex", name, regex, pattern, excluded=out)], end
    if word.startswith('"'):
        _fail(text, match.start(6), "quote")
    if field is not None and not word:
        _fail(text, end, "text", name=name, example=field.example)
    if not name and (index := COMPILED["index"].fullmatch(word)):
        return [Term("index", number=float(index[1]), excluded=out)], end
    return [Term("word", name, word, excluded=out)], end


def _pattern(text: str, offset: int, regex: str) -> re.Pattern[str]:
    """A regular expression, which stands at `offset`. Capitals do not count."""
    try:
        with warnings.catch_warnings():  # of signs that will mean something in later Pythons
            warnings.simplefilter("ignore")
            return re.compile(regex, re.IGNORECASE)
    except (re.error, ValueError, RecursionError, OverflowError) as error:
        _fail(text, offset, "regex", why=str(error))


def _run(text: str, offset: int) -> tuple[str, int]:
    """The characters from `offset` up to a blank, and where that is."""
    blank = COMPILED["blank"].search(text, offset)
    end = blank.start() if blank else len(text)
    return text[offset:end], end


def _is_text(name: str, sign: str, word: str | None) -> bool:
    """Whether what looks like a field that there is not is a part of a name."""
    if sign == ":":
        return word is not None and COMPILED["port"].fullmatch(word) is not None
    return word is None or not (COMPILED["number"].fullmatch(word) and _near(name))


def _near(name: str) -> str:
    """The field that was meant; "" where none is near."""
    return nearest(name, tuple(FIELDS), ALIKE)


def _compared(text: str, match: re.Match[str], name: str, field: QueryField) -> Term:
    """A number of the layer beside another."""
    parts = COMPILED["number"].fullmatch(match[6] or "")
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
