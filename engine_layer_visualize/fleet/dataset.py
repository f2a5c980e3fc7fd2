"""Gives Python the rows of a dataset that `collect` wrote, as its manifest lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.fleet import manifest, parquet
from engine_layer_visualize.fleet.manifest import Entry, Owned, Part
from engine_layer_visualize.io.places import Store, store
from engine_layer_visualize.tables import SCHEMAS, arrow
from engine_layer_visualize.tables.files import About
from engine_layer_visualize.tables.schema import Schema


class Dataset:
    """The tables of all logs that `collect` has read.

    `dataset["layers"]` is one of them, which pandas, Polars, pyarrow and DuckDB read. It is as it
    was when it was opened; once a run has written its parts anew, reading it raises OSError, and
    it is to be opened again.
    """

    def __init__(self, path: str, store: Store) -> None:
        self._path = path
        self._store = store
        self._entries: dict[str, Entry] = {}
        missing, before = [("", "", "")], None
        while missing and self._entries != before:  # a run may write others in their place
            before, self._entries = self._entries or None, manifest.entries(store, path)
            owned = manifest.owned(self._entries.values())
            there = {part[:3]: part for part in manifest.parts(store)}
            missing = sorted(set(owned) - set(there))
        if missing:
            table, trt, id = missing[0]
            name = Part(table, trt, id, owned[missing[0]].rows).name
            raise ReadError(
                Problem(Place(path), "ELV401", f"a part that the manifest lists is gone: {name}")
            )
        self._parts = {there[key]: rows for key, rows in owned.items()}

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(SCHEMAS)

    @property
    def logs(self) -> tuple[str, ...]:
        """The paths of the logs that were read, sorted."""
        return tuple(sorted(entry.path for entry in self._entries.values()))

    @property
    def paths(self) -> dict[str, str]:
        """The path of each log that could be opened, by its `build_id`."""
        known = self._entries.values()
        return {entry.build_id: entry.path for entry in known if entry.build_id is not None}

    def __getitem__(self, table: str) -> DatasetTable:
        if table not in SCHEMAS:
            raise ValueError(not_among("table", table, tuple(SCHEMAS)))
        parts = {part: owned for part, owned in self._parts.items() if part.table == table}
        meta = dict.fromkeys(name for entry in self._entries.values() for name in entry.meta)
        return DatasetTable(manifest.schemas(tuple(meta))[table], self._store, parts)

    def __repr__(self) -> str:
        """Returns text such as `<Dataset ds: 1000 logs>`."""
        return f"<Dataset {self._path}: {len(self._entries)} logs>"


class DatasetTable:
    """One table of a dataset."""

    def __init__(self, schema: Schema, store: Store, parts: Mapping[Part, Owned]) -> None:
        self.name = schema.name
        self._table = schema
        self._store = store
        self._parts = parts

    def __len__(self) -> int:
        return sum(owned.rows for owned in self._parts.values())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Gives the rows as a stream of Arrow."""
        made = self._schema()
        reader = arrow.library().RecordBatchReader.from_batches(made, self._batches(made))
        return reader.__arrow_c_stream__(requested_schema)

    def _schema(self) -> Any:
        from engine_layer_visualize.core import __version__

        schemas = [arrow.schema(self._table, About((), __version__))]
        for part in self._parts:
            with self._store.reader(part.name) as file:
                schemas.append(parquet.schema(file))
        return parquet.common(schemas)

    def _batches(self, schema: Any) -> Iterator[Any]:
        for part, owned in sorted(self._parts.items()):
            with self._store.reader(part.name) as file:
                builds = None if owned.rows == part.rows else owned.builds
                for batch in parquet.batches(file, builds):
                    yield parquet.aligned(batch, schema)

    def __repr__(self) -> str:
        """Returns text such as `<DatasetTable layers: 54,000 rows>`."""
        return f"<DatasetTable {self.name}: {len(self):,} rows>"


def dataset(path: str | Path) -> Dataset:
    """Opens the dataset of a folder, or of a URL that fsspec opens.

    Raises:
        ReadError: Where there is none, or a newer program wrote it.
        ModuleNotFoundError: Without pyarrow.
    """
    arrow.library()
    text = str(path)
    place = store(text)
    try:
        if not place.names(manifest.FOLDER):
            message = "no dataset: it has no manifest"
            raise ReadError(Problem(Place(text), "ELV401", message), "write one with `collect`")
        return Dataset(text, place)
    except OSError as error:
        message = f"cannot be read: {reason_of(error)}"
        raise ReadError(Problem(Place(text), "ELV401", message)) from error
