"""Defines the columns of all tables, and their values as JSON has them, as text and as Arrow.

The types are the same for every engine. A cell that is not known is None.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple, SupportsIndex, TypeAlias

from engine_layer_visualize.core import __version__
from engine_layer_visualize.facts.field import Field, ListOf, Struct, Type
from engine_layer_visualize.facts.layer import TENSORS
from engine_layer_visualize.linting.subject import Subject

VERSION: Final = 1  # of the schema: a new column is no new version

Row: TypeAlias = tuple[object, ...]

# Arrow's, of the types of single values.
_NAMES: Final[dict[Type, str]] = {int: "int64", float: "float64", str: "string", bool: "bool"}


def _name(kind: Type) -> str:
    """A type as Arrow spells it."""
    if isinstance(kind, ListOf):
        return f"list<{_name(kind.of)}>"
    if isinstance(kind, Struct):
        return f"struct<{', '.join(f'{name}: {_name(inner)}' for name, inner in kind.fields)}>"
    return _NAMES[kind]


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Type
    doc: str  # what it means
    unit: str = ""  # ms, bytes …, empty where it has none

    @property
    def type(self) -> str:
        """The type as Arrow spells it: `int64`, `list<string>`."""
        return _name(self.kind)


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
        start = (subject.engine.build_id, subject.engine.index)
        return (start + row for row in self.rows(subject))


FIRST: Final = (
    Column("build_id", str, "SHA-256 of the log's file, as `sha256sum` prints it"),
    Column("engine", int, "number of the engine in its log, from 0"),
)


def column(field: Field[Any]) -> Column:
    """The column of a field."""
    return Column(field.name, field.type, field.doc, field.unit)


class Record(tuple[Any, ...]):
    """A row: its cells in the order of the columns, and by their names (`row["ms"]`)."""

    _places: ClassVar[dict[str, int]]

    def __getitem__(self, key: str | SupportsIndex | slice) -> Any:
        return super().__getitem__(self._places[key] if isinstance(key, str) else key)

    def keys(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self._places)


def package(name: str, what_needs: str) -> Any:
    """Imports a package of an extra. Raises ModuleNotFoundError with what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{what_needs} {name}: pip install {name}"
        raise ModuleNotFoundError(message, name=name) from error


def records(table: Schema, rows: Iterable[Row]) -> Iterator[Record]:
    """The rows of a table, with plain values."""
    places = {name: place for place, name in enumerate(table.names)}
    return map(type("Record", (Record,), {"_places": places}), plain(table.columns, rows))


def plain(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[list[Any]]:
    """Rows as JSON has them: a list is a list, and a value with names is a dictionary."""
    return converted(rows, [_plain(column.kind) for column in columns])


def converted(
    rows: Iterable[Row], makers: Iterable[Callable[[Any], Any] | None]
) -> Iterator[list[Any]]:
    """Rows with the cells that `makers` make, one for each column: None where the value is one."""
    nested = [(place, convert) for place, convert in enumerate(makers) if convert is not None]
    for row in rows:
        cells = list(row)
        for place, convert in nested:
            if cells[place] is not None:
                cells[place] = convert(cells[place])
        yield cells


def _plain(type: Type) -> Callable[[Any], Any] | None:
    """What makes a plain value of one that is not None; None where it is plain."""
    if isinstance(type, ListOf):
        convert = _plain(type.of)
        return list if convert is None else lambda several: [convert(value) for value in several]
    if not isinstance(type, Struct):
        return None
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


_BETWEEN: Final = "; "


def spelled(type: Type) -> Callable[[Any], Any] | None:
    """What makes a cell of a value that is not None; None where the value is the cell."""
    if type == TENSORS:
        return lambda several: _BETWEEN.join(map(_tensor, several))
    if isinstance(type, ListOf) and isinstance(type.of, Struct):
        return lambda several: _BETWEEN.join(map(_pair, several))
    if isinstance(type, ListOf):
        between = "," if type.of is int else _BETWEEN
        return lambda several: between.join(map(str, several))
    return (lambda value: "true" if value else "false") if type is bool else None


def _tensor(tensor: Row) -> str:
    """A tensor such as `255 Int8 1,3,17,18`; what is not known is left out."""
    name, dtype, shape, *_ = tensor
    extents = ",".join(map(str, shape)) if isinstance(shape, tuple) else None
    return " ".join(str(part) for part in (name, dtype, extents) if part)


def _pair(pair: Row) -> str:
    """A value with its name, such as `Activation: 1024`, or a text alone."""
    *keys, value = pair
    key = ".".join(str(part) for part in keys if part is not None)
    return f"{key}: {value}" if key else str(value)


# ---- Arrow: a text that is no Unicode is escaped, a number that 64 bits do not hold is null ------

BATCH: Final = 1 << 11  # rows that are held as Python's values


def pyarrow() -> Any:
    """Imports pyarrow. Raises ModuleNotFoundError with what to install."""
    return package("pyarrow", "tables as Arrow and Parquet need")


def schema(table: Schema, sources: Sequence[str], docs: bool = True) -> Any:
    """The `pyarrow.Schema` of a table: units and, where `docs`, meanings are metadata.

    `sources`: the logs' names.
    """
    said = {
        "elv.schema": str(VERSION),
        "elv.table": table.name,
        "elv.version": __version__,
        "elv.sources": json.dumps(sources),
    }
    return pyarrow().schema(_fields(table.columns, docs), metadata=said)


@cache
def _fields(columns: tuple[Column, ...], docs: bool) -> Sequence[Any]:
    fields = []
    for column in columns:
        words = {"doc": column.doc if docs else "", "unit": column.unit}
        said = {key: text for key, text in words.items() if text}
        fields.append(pyarrow().field(column.name, _type(column.kind), metadata=said or None))
    return fields


def _type(type: Type) -> Any:
    pa = pyarrow()
    if isinstance(type, ListOf):
        return pa.list_(_type(type.of))
    if isinstance(type, Struct):
        return pa.struct([pa.field(name, _type(inner)) for name, inner in type.fields])
    return pa.type_for_alias(_name(type))


def batches(rows: Iterable[Row], made: Any) -> Iterator[Any]:
    """The rows as record batches. `made`: the table's `pyarrow.Schema`."""
    rows = iter(rows)
    while cells := list(islice(rows, BATCH)):
        columns = list(map(_array, zip(*cells), made.types))
        yield pyarrow().RecordBatch.from_arrays(columns, schema=made)


def _array(cells: Sequence[Any], type: Any) -> Any:
    """The cells of a column. A number that is too large is null, a text that is none escaped."""
    pa = pyarrow()
    try:
        return pa.array(cells, type)
    except (OverflowError, UnicodeError, pa.ArrowInvalid):
        return pa.array(list(map(held, cells)), type)
