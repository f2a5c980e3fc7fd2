"""Writes what fields and columns mean into the docs: `python docs/field_docs.py`.

Made anew are the lists of tables.md, of traces.md and of json.md, and, in the schema of an engine,
the keys, types and descriptions of each object that fields describe. What a schema says more than
a field (a range, the items of a list, the words of an enumeration) stays.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import schema_tables

from engine_layer_visualize.export.columns import FIRST, Column
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import LEFT_OUT, Field, ListOf, Tree, Type, of_place, tree
from engine_layer_visualize.facts.layer import LAYER
from engine_layer_visualize.facts.log_facts import TENSOR

DOCS: Final = Path(__file__).resolve().parent
_FACTS: Final = "| key | unit | |\n|---|---|---|\n"  # of what other programs show of a layer
_START: Final = "Every table begins with:\n\n"  # what is above is written by hand
_TABLE: Final = "| column | type | unit | |\n|---|---|---|---|\n"

# ---- Markdown ----------------------------------------------------------------------------------


def tables(text: str) -> str:
    """The text of tables.md with its lists made anew."""
    above, start, _ = text.partition(_START)
    return above + start + "".join(_lists())


def traces(text: str) -> str:
    """The text of traces.md with its list made anew."""
    above, head, rest = text.partition(_FACTS)
    below = rest[rest.index("\n\n") :]
    fields = of_place(LAYER, "exchange")
    rows = [f"| `{one.key.rpartition('.')[2]}` | {one.unit} | {one.doc} |" for one in fields]
    return above + head + "\n".join(rows) + below


def _lists() -> Iterator[str]:
    yield _TABLE
    yield from map(_row, FIRST)
    for schema in SCHEMAS.values():
        yield f"\n### {schema.name}\n\n{schema.doc}\n\n{_TABLE}"
        yield from map(_row, schema.columns[len(FIRST) :])


def _row(column: Column) -> str:
    return f"| `{column.name}` | `{column.type}` | {column.unit} | {column.doc} |\n"


def json_keys(text: str) -> str:
    """The text of json.md with the table of each object made anew."""
    for path, branches in _objects():
        head = f"| key of `{path}` | values | unit | |\n|---|---|---|---|\n"
        assert head in text, path
        above, _, rest = text.partition(head)
        text = above + head + "".join(_keys(path, branches)) + re.sub(r"\A(\|.*\n)+", "", rest)
    return text


def _keys(path: str, branches: Tree) -> Iterator[str]:
    types = {place.path: place.types for place in schema_tables.places("engine")}
    for key, field in branches.items():
        if isinstance(field, Field):
            at = f"{path}.{key}"
            inner = re.compile(rf"{re.escape(at)}(?:\[\])?\.(\w+)")
            names = ", ".join(found[1] for one in types if (found := inner.fullmatch(one)))
            values = types[at].replace("object", f"`{{{names}}}`") if names else types[at]
            yield f"| `{key}` | {values} | {field.unit} | {field.doc} |\n"


def _objects() -> Iterator[tuple[str, Tree]]:
    """Every object of the JSON that fields describe, by its path, with its keys."""
    for root, fields in ROOTS.items():
        left = [(root, tree(fields))]
        for path, branches in left:
            yield path, branches
            inner = ((f"{path}.{key}", one) for key, one in branches.items())
            left += [(key, one) for key, one in inner if not isinstance(one, Field)]


# ---- the schema --------------------------------------------------------------------------------


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


_JSON: Final = {"int64": "integer", "float64": "number", "string": "string", "bool": "boolean"}


def _of_type(kind: Type, always: bool) -> dict[str, Any]:
    """The schema of values of a type."""
    name = "array" if isinstance(kind, ListOf) else _JSON.get(str(kind), "object")
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
    keys = key in ("properties", "$defs") and len(flat) > 100
    if not isinstance(value, dict) or ('"properties"' not in flat and not keys):
        return flat
    deeper = indent + "  "
    lines = (f"{deeper}{json.dumps(k)}: {_written(v, deeper, k)}" for k, v in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


ROOTS: Final[dict[str, tuple[Field[Any], ...]]] = {
    "engine": ENGINE,
    "layers[]": LAYER,
    "layers[].inputs[]": TENSOR,
}
PAGES: Final[dict[Path, Callable[[str], str]]] = {  # in this order: json.md reads the schema
    DOCS / "schemas" / "engine.schema.json": schema,
    DOCS / "json.md": json_keys,
    DOCS / "tables.md": tables,
    DOCS / "traces.md": traces,
}

if __name__ == "__main__":
    for path, made in PAGES.items():
        path.write_text(made(path.read_text("utf-8")), "utf-8")
