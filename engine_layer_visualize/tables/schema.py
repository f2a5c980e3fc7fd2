"""Defines the columns of all tables: their names, types, units and what they mean.

The types are the same for every engine. A cell that is not known is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.fields.field import INTEGER, NUMBER, TEXT, Field, Type
from engine_layer_visualize.fields.subject import Subject

VERSION: Final = 1  # of the schema: a new column is no new version

Row: TypeAlias = tuple[object, ...]


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Type
    doc: str  # what it means
    unit: str = ""  # ms, bytes …, empty where it has none

    @property
    def type(self) -> str:
        """The type as Arrow spells it: `int64`, `list<string>`."""
        return str(self.kind)

    def __repr__(self) -> str:
        """`<Column ms: float64, ms>`."""
        return f"<Column {self.name}: {', '.join(filter(None, (self.type, self.unit)))}>"


class Schema(NamedTuple):
    """A table: its columns, and what makes its rows."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    # of one engine, without the columns that every table begins with
    rows: Callable[[Subject], Iterable[Row]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def rows_of(self, subject: Subject) -> Iterator[Row]:
        """The rows of one engine, cells in the order of the columns."""
        start = (subject.build_id, subject.engine.index)
        return (start + row for row in self.rows(subject))


FIRST: Final = (
    Column("build_id", TEXT, "SHA-256 of the log's file, as `sha256sum` prints it"),
    Column("engine", INTEGER, "number of the engine in its log, from 0"),
)
MS: Final = Column("ms", NUMBER, "its time", "ms")
TIME_KIND: Final = Column("time_kind", TEXT, "whether `ms` is measured or estimated")
SHARE: Final = Column(
    "share", NUMBER, "part of its optimisation profile's time, from 0 to 1", "share"
)
OF_LAYER: Final = Column("layer", INTEGER, "index of the layer, from 0, in execution order")


def column(field: Field[Any]) -> Column:
    """The column of a field."""
    return Column(field.name, field.type, field.doc, field.unit)


def schema(
    name: str, doc: str, rows: Callable[[Subject], Iterable[Row]], *columns: Column
) -> Schema:
    """A table with the columns that all begin with."""
    return Schema(name, doc, (*FIRST, *columns), rows)
