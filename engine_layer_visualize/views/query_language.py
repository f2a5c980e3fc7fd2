r"""Defines what a query may hold, as data: fields, units, patterns, limits and sentences.

`query.py` and `search.py` read it here, `query.js` and `search.js` in the page's data (`grammar`);
tests/viewer asks both the same random queries. Python and JavaScript must read a pattern alike: its
groups have numbers, and it has no `\s`, `\w`, `\d` or `.`, which mean other characters in each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.trt.data_types import SPELLINGS
from engine_layer_visualize.trt.memory_formats import FORMATS_OF_INPUTS

# What the texts of a field are, which says how a word is looked for in them.
TextKind = Literal["text", "tensor", "dtype", "dims", "format", "scope", "code"]


class QueryField(NamedTuple):
    """A field of queries, such as `kernel` in `kernel:sm80`.

    Attributes:
        kind: What the texts are, or `number` of values that are compared.
        example: A term with the field.
        about: What is searched or compared.
        units: The factor of each unit of a number, in small letters.
        instead: What some write for the name, which is answered with the name.
    """

    kind: TextKind | Literal["number"]
    example: str
    about: str
    units: Mapping[str, float] = {}
    instead: tuple[str, ...] = ()


_TIMES: Final = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3, "%": 0.01}
_SIZES: Final = {
    **{"": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9},
    **{"kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30},
}
_COUNTS: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_WAITS: Final = ("ms", "us", "duration", "latency", "share")

# Words, quotes and regular expressions without a field search those of the kind `text`: a layer
# that reads what another one writes is not called so.
FIELDS: Final[Mapping[str, QueryField]] = {
    "name": QueryField("text", "name:Conv_1", "the layer's name"),
    "type": QueryField("text", "type:conv", "the type in the listing"),
    "op": QueryField("text", "op:relu", "what the layer computes"),
    "kernel": QueryField("text", "kernel:sm80", "the kernel's name"),
    "tactic": QueryField("text", "tactic:0x21", "the tactic as printed"),
    "onnx": QueryField("text", "onnx:layer.3", "names of the ONNX nodes", instead=("node",)),
    "tensor": QueryField("tensor", "tensor:x", "names of the tensors read and written"),
    "record": QueryField("text", "record:Layer(", "the text of a record that could not be read"),
    "scope": QueryField(
        *("scope", "scope:/encoder/layer.3", "the module of the network, with all in it"),
        instead=("module",),
    ),
    "prec": QueryField(
        *("dtype", "prec:fp32", "the precision that the layer computes in"), instead=("precision",)
    ),
    "dtype": QueryField("dtype", "dtype:half", "data types of the tensors"),
    "dims": QueryField(
        *("dims", "dims:1x384", "dims of the tensors, or a part of them"), instead=("shape",)
    ),
    "format": QueryField(
        "format", "format:chw32", "memory formats of the tensors", instead=("layout",)
    ),
    "code": QueryField("code", "code:F02", "codes and names of findings", instead=("finding",)),
    "time": QueryField("number", "time>1%", "the layer's time, or its share", _TIMES, _WAITS),
    "bytes": QueryField("number", "bytes>1MB", "the layer's memory", _SIZES, ("memory", "size")),
    "macs": QueryField("number", "macs>1G", "multiplications with additions", _COUNTS, ("flops",)),
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
    (
        "conv relu",
        "all these words, in any text of a layer but its tensors' names and in any case; words "
        "such as FP32, 1x384, F02 and 43 too",
    ),
    ('"Conv_1"', "exactly this, and not as a piece of a longer word"),
    ("/conv_[0-9]+$/", "a regular expression"),
    ("#43", "the layer of this number"),
    ("-reformat", "not this"),
    ("gather | concat", "one or the other"),
)

# A field that there is not is an error before a colon; before another sign and a number, where it
# stands for a field or is so near to one. `alike`: of two names, from 0 to 1. `deepest`: brackets
# in brackets of a regular expression, of which Python does not read any number.
LIMITS: Final = {"alike": 0.6, "deepest": 50}

_BLANK: Final = (
    r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # Python's
)
_ESCAPED: Final = r"[dDwsStnrfv]|x[0-9A-Fa-f]{2}|u(?![dD][89A-Fa-f])[0-9A-Fa-f]{4}|[^0-9A-Za-z]"
_DOUBLED: Final = r"--|&&|~~|\|\|"  # Python is about to read these in brackets as sets
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
    # A word with one of these was meant as a regular expression.
    "meant": r"\.[*+?]|\\[\s\S]|^\^|\$$|[\])][*+?]|[0-9A-Za-z_]\|[0-9A-Za-z_]",
    # The pieces of a regular expression that mean the same in both languages: place, opening,
    # closing, bar, repetition, set, escape, anything else.
    "regex": rf"(\^|\$|\\[bB])|(\((?:\?(?::|<?[=!]))?)|(\))|(\|)"
    r"|((?:[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})\??)"
    rf"|(\[(?:\^|(?!\^))(?:(?!{_DOUBLED})[^\]\[\\]|\\(?:{_ESCAPED}))+\])|(\\(?:{_ESCAPED}|W))"
    r"|(\{(?!(?:[0-9]+,?[0-9]*|,[0-9]*)\})|[^\\\[(){*+?|^$])",
}

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
        "not a regular expression: its character {number}, '{sign}', cannot stand there",
        "a pair of brackets, or a backslash before a sign that means itself",
    ),
}
MEANT: Final = "did you mean {near}? "
AS_REGEX: Final = "write {regex} for a regular expression"


def grammar(fields: Mapping[str, QueryField] = FIELDS) -> dict[str, object]:
    """All of it, as the page needs it."""
    return {
        "fields": {name: field._asdict() for name, field in fields.items()},
        "terms": TERMS,
        "limits": LIMITS,
        "patterns": PATTERNS,
        "mistakes": MISTAKES,
        "meant": MEANT,
        "asRegex": AS_REGEX,
        "dtypes": SPELLINGS,
        "formats": FORMATS_OF_INPUTS,
    }
