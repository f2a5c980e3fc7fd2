"""Tells what is known of a layer, for other programs: the fields whose place is `exchange`.

The keys, their order and their values are the same in every format. Nothing is rounded, and what is
unknown is left out.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.fields.field import of_place
from engine_layer_visualize.fields.json import dump
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.fields.layer_values import attributes
from engine_layer_visualize.fields.subject import Subject

Fact = str | int | float | list[str]
_FIELDS: Final = tuple(
    (field.key.rpartition(".")[2], field.value) for field in of_place(LAYER, "exchange")
)


def of(subject: Subject, layer: Layer, name: str = "") -> dict[str, Fact]:
    """The facts of a layer by the ends of their keys.

    With a `name`, the layer's name stands first under that key, and every further key of its
    record, as printed, stands last.
    """
    known = {name: layer.name, **{key: value(subject, layer) for key, value in _FIELDS}}
    record = attributes(layer) if name else {}
    printed = {key: _printed(value) for key, value in record.items() if key not in known}
    told = {**known, **printed}
    return {key: _fact(value) for key, value in told.items() if key and value not in (None, "", ())}


def _fact(value: object) -> Fact:
    return list(value) if isinstance(value, tuple) else value  # type: ignore[return-value]


def _printed(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else dump(value)


def as_text(fact: Fact) -> str:
    """A fact as text, for formats that have texts alone."""
    return ", ".join(fact) if isinstance(fact, list) else str(fact)
