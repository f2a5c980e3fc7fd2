"""The queries that Python and the page must answer alike, and the engine that they are asked of."""

import json
import random
import string
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine_layer_visualize import read
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.facts.query import FIELDS

_TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "viewer" / "queries.json").read_text("utf-8")
)
CASES: list[tuple[str, list[int]]] = [(query, found) for query, found in _TABLE["cases"]]
ERRORS: list[tuple[str, int, str]] = [(query, at, said) for query, at, said in _TABLE["errors"]]


@cache
def engine() -> Engine:
    return _read(_TABLE["log"])


@cache
def odd_engine() -> Engine:
    """The same with names of many alphabets."""
    odd = {"/encoder": "/Ärger.ſ", "t1": "名前é٣", "copied": "copied\u2028\u200b😀"}
    odd |= {"implicit_gemm": "ΣΑΣ_𝐀_Ⅳ Straße", "last*": "İstanbul {3} [x] a]b"}
    lines = []
    for line in _TABLE["log"]:
        for plain, other in odd.items():
            line = line.replace(plain, other)
        lines.append(line)
    return _read(lines)


def _read(lines: list[str]) -> Engine:
    with TemporaryDirectory() as folder:
        log, profile = Path(folder, "queries.log"), Path(folder, "queries.json")
        log.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
        profile.write_text(json.dumps(_TABLE["profile"]), "utf-8")
        build = read(log, profiles=[profile], facts=True)
    assert build.problems == ()
    return build.engines[0]


# ---- queries by chance -------------------------------------------------------------------------

_NAMES = [*FIELDS, "shape", "precision", "tpye", "ms"]
_UNITS = [*{unit for field in FIELDS.values() for unit in field.units}, "x", "kbit", "Ms", "K"]
_WORDS = [
    *("conv", "relu", "Conv_1", "a", "t1", "x", "half", "FP32", "fp8é", "ınt8", "tf32", "chw32"),
    *("1x384", "1×64", "64:4x8", "F02", "c12", "reformat-at-input", "/encoder/layer.3", "layer.*"),
    *("0x21", "-17", "5", "#3", "#99", "input:0", "aten::conv", "a|b", "||", "->", "(", "{3}", "]"),
    *("Ärger", "straße", "ΣΑΣ", "Ⅳ", "𝐀onv", "名前", "é", "😀", "İ", "٣", "\\u2028", "K", "ſ"),
]
_BLANKS = [" "] * 12 + [
    *("", "  ", "\t", "\x1c", "\x85", "\xa0", "\u3000", "\ufeff", " | ", " | ", "|"),
]


def near() -> list[str]:
    """Every word that is one letter away from the name of a field."""
    found = {}
    for name in FIELDS:
        for at in range(len(name) + 1):
            before, after = name[:at], name[at:]
            found[before + after[1:]] = found[before] = 0
            found[before + after[1:2] + after[:1] + after[2:]] = 0
            for letter in string.ascii_lowercase:
                found[before + letter + after] = found[before + letter + after[1:]] = 0
    return [word for word in [*found, *_NAMES] if word]


def made(seed: int, count: int) -> list[str]:
    pick = random.Random(seed)
    found = []
    for _ in range(count):
        query = pick.choice(_BLANKS).join(_term(pick) for _ in range(pick.choice([1, 1, 1, 2, 3])))
        for _ in range(pick.choice([0, 0, 0, 1])):
            query = _changed(pick, query, string.printable + "é\ufeff😀×µ")
        found.append(query)
    return found


def _term(pick: random.Random) -> str:
    out = "-" if pick.random() < 0.2 else ""
    kind = pick.randrange(10)
    if kind < 3:
        return out + _value(pick)
    if kind < 5:
        return out + _cased(pick, pick.choice(list(FIELDS))) + ":" + _value(pick)
    if kind == 5:
        name = pick.choice([name for name, field in FIELDS.items() if field.kind == "number"])
    elif kind < 9:
        name = pick.choice(_NAMES)
        for _ in range(pick.randint(0, 3)):
            name = _changed(pick, name, string.ascii_letters)
    else:
        name = "".join(pick.choices(string.ascii_letters, k=pick.choice([1, 2, 4, 9, 81])))
    value = _number(pick) if pick.random() < 0.7 else _value(pick)
    return out + _cased(pick, name) + pick.choice([":", ">", "<", ">=", "<=", "="]) + value


def _value(pick: random.Random) -> str:
    kind = pick.randrange(7)
    if kind < 4:
        return pick.choice(_WORDS)
    if kind < 6:
        word = " ".join(pick.choices(_WORDS, k=pick.choice([0, 1, 1, 2])))
        return '"' + word.replace('"', '""') + pick.choice(['"', '"', '"', ""])
    return _number(pick)


def _number(pick: random.Random) -> str:
    number = pick.choice(["0", "1", "5.", ".3", "0.3", "10", "401408", "1e3", "-1", "1" * 400, "٣"])
    return number + pick.choice(_UNITS)


def _cased(pick: random.Random, name: str) -> str:
    return name.upper() if pick.random() < 0.1 else name


def _changed(pick: random.Random, text: str, letters: str) -> str:
    """With one character put in, taken out, changed, or exchanged with the next."""
    at = pick.randint(0, len(text))
    before, after, new = text[:at], text[at:], pick.choice(letters)
    swapped = before + after[1:2] + after[:1] + after[2:]
    return pick.choice(
        [before + new + after, before + after[1:], before + new + after[1:], swapped]
    )
