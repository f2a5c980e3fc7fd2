"""Writes what the docs take from the program: `python docs/generate.py`.

Made anew are findings.md, from the docstrings of the rules; in other pages what stands between
`<!-- made: NAME -->` and `<!-- end -->`; and, in the schema of an engine, the keys, types and
descriptions of each object that fields describe. What a schema says more than a field stays.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import schema_tables

from engine_layer_visualize.commands import EXIT_CODES
from engine_layer_visualize.commands.arguments import COMMANDS, FURTHER_CODES, Parser
from engine_layer_visualize.core.problems import explanations
from engine_layer_visualize.export.columns import FIRST, Column
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import LEFT_OUT, Field, ListOf, Tree, Type, of_place, tree
from engine_layer_visualize.facts.layer import LAYER, TENSOR
from engine_layer_visualize.facts.query import FIELDS, TERMS
from engine_layer_visualize.linting.causes import retired
from engine_layer_visualize.linting.rules import all_rules

DOCS: Final = Path(__file__).resolve().parent
FINDINGS: Final = DOCS / "findings.md"
SCHEMA: Final = DOCS / "schemas" / "engine.schema.json"
MADE: Final = re.compile(r"(<!-- made: ([\w ]+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Returns a table of Markdown; `head` has the titles of its columns, with bars between."""
    titles = [title.strip() for title in head.split("|")]
    lines = [titles, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    written = [f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines]
    return "".join([written[0], "|---" * len(titles) + "|\n", *written[1:]])


# ---- findings.md -------------------------------------------------------------------------------

_FAMILIES: Final = {
    "P": "Precision",
    "F": "Formats and reformats",
    "T": "Tactics and tuning",
    "U": "Fusion and graph",
    "H": "Shapes and hardware",
}
_HEAD: Final = """\
# Findings

A rule looks for one reason why layers take time. What it finds is a finding with the rule's code.
[`lint`](why-slow.md#what-to-try) prints findings, and `explain` the text of a rule:

```sh
elv explain F02
```

A code never gets a second meaning. This page is made from the docstrings of the rules.
"""
_RETIRED: Final = """
## Retired

These find nothing any more. `explain`, `--select` and `--ignore` still know them.

"""


def findings() -> str:
    """Returns the page about all rules."""
    text, rules = _HEAD, all_rules()
    for letter, title in _FAMILIES.items():
        rows = [
            (f"[`{code}`](#{code.lower()}-{rule.name})", rule.summary, rule.severity)
            for code, (rule, _, _) in rules.items()
            if code.startswith(letter)
        ]
        text += f"\n**{title}**\n\n{table('code | found | severity', rows)}"
    for code, rule in rules.items():
        text += f"\n## {code} {rule.rule.name}\n\n{rule.page}"
    gone = [(f"`{code}`", one.name, one.why) for code, one in retired().items()]
    return text + _RETIRED + table("code | name | why", gone)


# ---- flags and codes ---------------------------------------------------------------------------


def flags() -> Iterator[str]:
    """Yields a table for each set of commands that have the same flags, the largest set first."""
    known: dict[tuple[str, str], tuple[str, ...]] = {}
    for command in COMMANDS:
        for action in Parser(command)._actions:
            known[_flag(action)] = (*known.get(_flag(action), ()), command)
    for takers in sorted(dict.fromkeys(known.values()), key=len, reverse=True):
        own = [key for key, those in known.items() if those == takers]
        yield f"**{_takers(takers)}**\n\n{table('flag | does', own)}\n"


def _flag(action: argparse.Action) -> tuple[str, str]:
    """Returns how a flag is written, and what it does."""
    choices = "\\|".join(map(str, action.choices or ()))
    value = action.metavar or choices or ("" if action.nargs == 0 else action.dest.upper())
    names = action.option_strings or [""]
    written = ", ".join(f"`{f'{name} {value}'.strip()}`".replace("\\|", "|") for name in names)
    return written, (action.help or "").replace("%%", "%")


def _takers(commands: tuple[str, ...]) -> str:
    """Returns the commands that take a flag, or those that do not where these are fewer."""
    others = [command for command in COMMANDS if command not in commands]
    if not others:
        return "all commands"
    return ", ".join(commands) if len(others) > 5 else f"all but {', '.join(others)}"


def exits() -> str:
    """Returns the table of exit codes."""
    rows = [(str(code), meaning) for code, meaning in EXIT_CODES.items()]
    for command, codes in FURTHER_CODES.items():
        rows += [(str(code), f"`{command}`: {meaning}") for code, meaning in codes.items()]
    rows.sort(key=lambda row: int(row[0]))
    return table("code | means", [*rows, ("130, 143", "ended by Ctrl-C, by SIGTERM")])


def queries() -> str:
    """Returns the table of what a query may hold."""
    rows = [(f"`{example}`", words) for example, words in TERMS]
    rows += [(f"`{one.example}`", one.about) for one in FIELDS.values()]
    return table("term | finds layers by", rows)


def problems() -> str:
    """Returns the table of the codes of problems."""
    told = explanations().items()
    rows = ((f"`{code}`", one.severity, one.meaning, one.remedy) for code, one in told)
    return table("code | | what it means | what to do", rows)


# ---- columns and keys --------------------------------------------------------------------------


def columns() -> Iterator[str]:
    """Yields the tables and their columns."""
    yield f"Every table begins with:\n\n{_columns(FIRST)}"
    for one in SCHEMAS.values():
        yield f"\n### {one.name}\n\n{one.doc}\n\n{_columns(one.columns[len(FIRST) :])}"


def _columns(shown: Iterable[Column]) -> str:
    rows = ((f"`{one.name}`", f"`{one.type}`", one.unit, one.doc) for one in shown)
    return table("column | type | unit | ", rows)


def exchanged() -> str:
    """Returns the table of what traces and ONNX files hold of a layer."""
    fields = of_place(LAYER, "exchange")
    rows = ((f"`{one.key.rpartition('.')[2]}`", one.unit, one.doc) for one in fields)
    return table("key | unit | ", rows)


def keys() -> Iterator[str]:
    """Yields a table for each object of the JSON of an engine that fields describe."""
    for path, branches in _objects():
        rows = _keys(path, branches)
        yield f"{table(f'key of `{path}` | values | unit | ', rows)}\n"


def _keys(path: str, branches: Tree) -> Iterator[tuple[str, str, str, str]]:
    types = {place.path: place.types for place in schema_tables.places("engine")}
    for key, field in branches.items():
        if isinstance(field, Field):
            at = f"{path}.{key}"
            inner = re.compile(rf"{re.escape(at)}(?:\[\])?\.(\w+)")
            names = ", ".join(found[1] for one in types if (found := inner.fullmatch(one)))
            values = types[at].replace("object", f"`{{{names}}}`") if names else types[at]
            yield f"`{key}`", values, field.unit, field.doc


ROOTS: Final[dict[str, tuple[Field[Any], ...]]] = {
    "engine": ENGINE,
    "layers[]": LAYER,
    "layers[].inputs[]": TENSOR,
}


def _objects() -> Iterator[tuple[str, Tree]]:
    """Every object of the JSON that fields describe, by its path, with its keys."""
    for root, fields in ROOTS.items():
        left = [(root, tree(fields))]
        for path, branches in left:
            yield path, branches
            inner = ((f"{path}.{key}", one) for key, one in branches.items())
            left += [(key, one) for key, one in inner if not isinstance(one, Field)]


# ---- the schema of an engine -------------------------------------------------------------------


def schema(text: str) -> str:
    """The text of the schema of an engine with what fields tell made anew."""
    whole = json.loads(text)
    for path, branches in _objects():
        described = whole
        for key in re.findall(r"\w+|\[\]", path):
            described = described["items"] if key == "[]" else described["properties"][key]
            while "$ref" in described or "anyOf" in described:  # `anyOf`: null, or a reference
                described = described.get("anyOf", [described])[-1]
                described = whole["$defs"][described["$ref"].rpartition("/")[2]]
        old = described.get("properties", {})
        described["required"] = [key for key in branches if key not in LEFT_OUT]
        described["properties"] = {
            key: _leaf(one, old.get(key, {}), whole)
            if isinstance(one, Field)
            else old.get(key, {"type": "object", "additionalProperties": False})
            for key, one in branches.items()
        }
    return _written(whole) + "\n"


def _leaf(field: Field[Any], old: dict[str, Any], whole: Any) -> dict[str, Any]:
    """What the schema says of a field: of its type what it said, if that is the field's."""
    always = field.always or field.key in LEFT_OUT
    made = _of_type(field.type, always)
    kept = old if _types(old, whole) == _types(made, whole) else made
    return {**kept, "description": field.doc}


_JSON: Final[dict[Type, str]] = {int: "integer", float: "number", str: "string", bool: "boolean"}


def _of_type(kind: Type, always: bool) -> dict[str, Any]:
    """The schema of values of a type."""
    name = "array" if isinstance(kind, ListOf) else _JSON.get(kind, "object")
    return {"type": name if always else [name, "null"]}


_NAMES: Final = {str: "string", type(None): "null"}


def _types(described: dict[str, Any], whole: Any) -> set[str]:
    """The names of the types that a schema allows."""
    if "$ref" in described:
        return _types(whole["$defs"][described["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in described:
        return set().union(*(_types(one, whole) for one in described["anyOf"]))
    if "enum" in described:
        return {_NAMES[type(value)] for value in described["enum"]}
    kinds = described.get("type", ())
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _written(value: Any, indent: str = "", key: str = "") -> str:
    """JSON with a line for each key of a described object."""
    flat = json.dumps(value, ensure_ascii=False)
    several = key in ("properties", "$defs") and len(flat) > 100
    if not isinstance(value, dict) or ('"properties"' not in flat and not several):
        return flat
    deeper = indent + "  "
    lines = (f"{deeper}{json.dumps(k)}: {_written(v, deeper, k)}" for k, v in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


# ---- the pages ---------------------------------------------------------------------------------

PARTS: Final[dict[str, Callable[[], Iterable[str]]]] = {
    "flags": flags,
    "exit codes": exits,
    "queries": queries,
    "problems": problems,
    "columns": columns,
    "facts of a layer": exchanged,
    "keys": keys,
}


def filled(text: str) -> str:
    """The text of a page with its parts made anew."""
    return MADE.sub(lambda part: f"{part[1]}\n{''.join(PARTS[part[2]]())}\n{part[3]}", text)


def files() -> Iterator[tuple[Path, str]]:
    """Yields every file that is made, with its text; the schema first, which the pages read."""
    yield SCHEMA, schema(SCHEMA.read_text("utf-8"))
    yield FINDINGS, findings()
    for page in sorted(DOCS.glob("*.md")):
        if page != FINDINGS:
            text = page.read_text("utf-8")
            yield page, filled(text)


if __name__ == "__main__":
    for path, made in files():
        path.write_text(made, "utf-8")
