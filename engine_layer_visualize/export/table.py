"""Holds the tables of a build for Python, which are made when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import count, not_among
from engine_layer_visualize.export.columns import Column, Record, Schema, held, records
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.facts.field import INTEGER, NUMBER, TEXT, TRUTH, Type
from engine_layer_visualize.linting.subject import Subject

_DTYPES: Final[dict[Type, str]] = {
    INTEGER: "Int64",
    NUMBER: "float64",
    TEXT: "string",
    TRUTH: "boolean",
}


class Table:
    """One table about the engines of a build, as docs/reference.md describes it.

    `name`, `doc`: what it holds; `columns`: each with its `name`, `type`, `unit` and `doc`, which
    do not depend on the engine. pandas (from 3.0), Polars, pyarrow and DuckDB read a table as it
    is, where pyarrow is installed: `polars.DataFrame(build.tables["layers"])`.
    """

    def __init__(self, schema: Schema, subjects: Sequence[Subject]) -> None:
        self._schema, self._subjects = schema, subjects
        self.name: str = schema.name
        self.doc: str = schema.doc
        self.columns: tuple[Column, ...] = schema.columns

    def rows(self) -> Iterator[Record]:
        """The rows, one by one: cells in the order of the columns, or by name (`row["ms"]`).

        A cell that is not known is None.
        """
        return records(self._schema, self._rows())

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for subject in self._subjects:
            yield from self._schema.rows_of(subject)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table as a stream of Arrow, of which others make frames.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
        """
        from engine_layer_visualize.export import arrow

        files = dict.fromkeys(subject.engine.source.file for subject in self._subjects)
        made = arrow.schema(self._schema, tuple(files))
        reader = arrow.library().RecordBatchReader
        stream = reader.from_batches(made, arrow.batches(self._rows(), made))
        return stream.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, whose types do not depend on the engine.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            message = "a data frame needs pandas: pip install pandas"
            raise ModuleNotFoundError(message, name="pandas") from error
        cells = list(zip(*self.rows())) or [()] * len(self.columns)
        return pandas.DataFrame(
            {
                column.name: _series(column, column_cells)
                for column, column_cells in zip(self.columns, cells)
            }
        )

    def __repr__(self) -> str:
        """`<Table layers of 1 engine: 30 columns>`."""
        engines = count(len(self._subjects), "engine")
        return f"<Table {self.name} of {engines}: {count(len(self.columns), 'column')}>"


def _series(column: Column, cells: Sequence[Any]) -> Any:
    import pandas

    dtype = _DTYPES.get(column.kind, "object")
    try:
        return pandas.Series(cells, dtype=dtype)
    except (UnicodeError, OverflowError, TypeError):
        return pandas.Series(list(map(held, cells)), dtype=dtype)


def tables(engines: Iterable[Engine]) -> dict[str, Table]:
    """All tables about some engines, by name."""
    subjects = [
        Subject(Costs(engine_words.with_shown_files(engine, full_paths=False)))
        for engine in engines
    ]
    return {name: Table(schema, subjects) for name, schema in SCHEMAS.items()}


def frame(engine: Engine, table: str) -> Any:
    """A table about one engine as a `pandas.DataFrame`.

    Raises:
        ValueError: There is no such table.
        ModuleNotFoundError: pandas is not installed.
    """
    known = tables((engine,))
    if table not in known:
        raise ValueError(not_among("table", table, tuple(known)))
    return known[table].to_pandas()
