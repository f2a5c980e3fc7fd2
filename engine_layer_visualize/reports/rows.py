"""Makes tables of the rows of a section, column by column, and rows of the fields of layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents.blocks import Grid, word
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.facts.layer import BY_KEY
from engine_layer_visualize.linting.subject import Subject

_Row = TypeVar("_Row")


def grid(rows: Iterable[_Row], *columns: tuple[str, Callable[[_Row], Words]] | None) -> Grid:
    """A table with a row for each of the section. A column that is None is left out."""
    kept = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in kept) for row in rows)
    return Grid(tuple(head for head, _ in kept), cells)


def of_fields(subject: Subject, layer: Layer, *keys: str) -> dict[str, JsonValue]:
    """What these fields know of a layer, by the ends of their keys."""
    return {key.rpartition(".")[2]: plain(BY_KEY[key].value(subject, layer)) for key in keys}


def cell(subject: Subject, key: str) -> Callable[[Layer], str]:
    """The cells of a field; `–` where it knows nothing of a layer."""
    field = BY_KEY[key]

    def words(layer: Layer) -> str:
        value = field.value(subject, layer)
        return word(None if value is None else field.words(value))

    return words


def called(layer: Layer, kind: str = "") -> tuple[str | Name, ...]:
    """The layer for a cell, `16 CaskConvolution: Conv_60`; `kind` is what it is."""
    if not kind:
        return f"{layer.index} ", Name(layer.name)
    return f"{layer.index} ", Name(kind), ": ", Name(layer.name)
