"""Rows in; JSON Lines out: an object for each row, with every column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from engine_layer_visualize.outputs.data.engine_json import dump
from engine_layer_visualize.outputs.tables.files import About, Files
from engine_layer_visualize.outputs.tables.schema import ListOf, Row, Scalar, Schema, Struct, Type


class _Lines:
    def __init__(self, table: Schema, file: BinaryIO) -> None:
        self._file, self._row = (
            file,
            _valued(Struct(tuple((c.name, c.type) for c in table.columns))),
        )

    def add(self, rows: Iterable[Row]) -> None:
        encode = ((dump(self._row(row)) + "\n").encode("utf-8", "backslashreplace") for row in rows)
        self._file.writelines(encode)

    def end(self) -> None:
        """Nothing is to be written after the last row."""


def _valued(type: Type) -> Callable[[Any], Any]:
    """What makes JSON of a value; None stays."""
    if isinstance(type, Scalar):
        return lambda value: value
    if isinstance(type, ListOf):
        if isinstance(type.of, Scalar):
            return lambda value: value
        one = _valued(type.of)
        return lambda value: None if value is None else [one(item) for item in value]
    names = [name for name, _ in type.fields]
    nested = [(at, _valued(inner)) for at, (_, inner) in enumerate(type.fields)]
    nested = [(at, one) for at, one in nested if not isinstance(type.fields[at][1], Scalar)]

    def value(row: Row) -> dict[str, Any]:
        found = dict(zip(names, row))
        for at, one in nested:
            found[names[at]] = one(row[at])
        return found

    return value


def writer(folder: Path, tables: Sequence[Schema], about: About) -> Files:
    """The files of the tables."""
    return Files(folder, "jsonl", tables, about, lambda table, about, file: _Lines(table, file))
