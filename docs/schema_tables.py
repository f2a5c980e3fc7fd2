"""The schemas of `docs/schemas/` in; each place that they describe, and tables of these, out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SCHEMAS: Final = Path(__file__).resolve().parent / "schemas"
NAMES: Final = (
    *("engine", "layers", "summary", "lint", "comparison", "brief", "brief_comparison", "gate"),
    "snapshot",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document (`layers[].time`), the types of its values, and what they mean."""

    path: str
    types: str
    words: str


def read(name: str) -> Any:
    """A schema by its name."""
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))


def places(name: str) -> Iterator[Place]:
    """Every place of a document: the keys of all objects, `[]` for items, `*` for free keys."""
    schema = read(name)
    yield from _places(schema, schema, "", "")


def _places(schema: Any, whole: Any, path: str, words: str) -> Iterator[Place]:
    """`whole`: the file that the schema stands in; `words`: of the reference that led here."""
    words = words or schema.get("description", "")
    if "$ref" in schema:
        yield from _places(*_referred(schema["$ref"], whole), path, words)
        return
    if "anyOf" in schema:  # null, or what a reference says
        for place in _places(schema["anyOf"][-1], whole, path, words):
            null = " or null" if place.path == path else ""
            yield Place(place.path, place.types + null, place.words)
        return
    items = [schema["items"]] if schema.get("items") else schema.get("prefixItems", [])
    inner = [place for item in items for place in _places(item, whole, f"{path}[]", "")]
    of = {place.types for place in inner if place.path == f"{path}[]"}
    yield Place(path, _types(schema) + "".join(f" of {types}" for types in of if items), words)
    yield from inner
    for key, value in schema.get("properties", {}).items():
        yield from _places(value, whole, f"{path}.{key}".lstrip("."), "")
    if _types(schema) in ("object", "object or null") and "properties" not in schema:
        yield Place(f"{path}.*", "", "")


def _referred(reference: str, whole: Any) -> tuple[Any, Any]:
    """What a reference leads to, and the file that this stands in."""
    file, _, steps = reference.partition("#/")
    found = whole = read(file.removesuffix(".schema.json")) if file else whole
    for step in steps.split("/"):
        found = found[step]
    return found, whole


def _types(schema: Any) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    kinds = schema["type"]
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def tables(name: str) -> str:
    """Markdown: a table for each object of the schema."""
    rows: dict[str, list[Place]] = defaultdict(list)
    for place in places(name):
        parent, _, key = place.path.rpartition(".")
        if key and key != "*" and not key.endswith("[]"):
            rows[parent].append(Place(key, place.types, place.words))
    text = []
    for parent, keys in rows.items():
        text += [f"### `{parent}`\n"] if parent else ["### The document\n"]
        text += ["| key | values | |", "|---|---|---|"]
        text += [f"| `{one.path}` | {one.types} | {one.words} |" for one in keys]
        text += [""]
    return "\n".join(text)
