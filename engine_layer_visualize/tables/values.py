"""Makes rows of Python's plain values, as JSON has them, and fits them into 64 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, SupportsIndex

from engine_layer_visualize.fields.field import ListOf, Scalar, Type
from engine_layer_visualize.tables.schema import Row, Schema


class Record(tuple[Any, ...]):
    """A row: its cells in the order of the columns, and by their names (`row["ms"]`)."""

    _places: ClassVar[dict[str, int]]

    def __getitem__(self, key: str | SupportsIndex | slice) -> Any:
        return super().__getitem__(self._places[key] if isinstance(key, str) else key)

    def keys(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self._places)

    def __repr__(self) -> str:
        return repr(dict(self))


def records(table: Schema, rows: Iterable[Row]) -> Iterator[Record]:
    """The rows of a table, with plain values."""
    places = {name: place for place, name in enumerate(table.names)}
    return map(type("Record", (Record,), {"_places": places}), plain(table, rows))


def plain(table: Schema, rows: Iterable[Row]) -> Iterator[list[Any]]:
    """The rows of a table: a list is a list, and a value with names is a dictionary."""
    nested = [
        (place, convert) for place, c in enumerate(table.columns) if (convert := _plain(c.kind))
    ]
    for row in rows:
        cells = list(row)
        for place, convert in nested:
            if cells[place] is not None:
                cells[place] = convert(cells[place])
        yield cells


def _plain(type: Type) -> Callable[[Any], Any] | None:
    """What makes a plain value of one that is not None; None where it is plain."""
    if isinstance(type, Scalar):
        return None
    if isinstance(type, ListOf):
        convert = _plain(type.of)
        return list if convert is None else lambda several: [convert(value) for value in several]
    fields = [(name, _plain(inner)) for name, inner in type.fields]

    def named(row: Row) -> dict[str, Any]:
        return {
            name: value if made is None or value is None else made(value)
            for (name, made), value in zip(fields, row)
        }

    return named


def held(cell: Any) -> Any:
    """A cell where 64 bits and Unicode hold it.

    A larger number is None, and a character that is none is escaped.
    """
    if isinstance(cell, str):
        return cell.encode("utf-8", "backslashreplace").decode()
    if isinstance(cell, (tuple, list)):
        return tuple(map(held, cell))
    if isinstance(cell, int) and not -(1 << 63) <= cell < 1 << 63:
        return None
    return cell
