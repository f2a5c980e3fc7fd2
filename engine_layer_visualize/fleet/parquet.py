"""Writes and reads the parts of a dataset as Parquet files, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any, BinaryIO, Final

from engine_layer_visualize.tables.arrow import library

_NUMBERS: Final = ("int64", "double", "bool")
_HELD: Final = 1 << 24  # bytes of rows that are held before they are written


def writer(file: BinaryIO, schema: Any) -> Any:
    """Opens pyarrow's writer, a context."""
    from pyarrow.parquet import ParquetWriter

    # Of other texts the least and the greatest help no reader: they come in no order.
    kept = [col.name for col in schema if col.name == "build_id" or str(col.type) in _NUMBERS]
    return ParquetWriter(file, schema, compression="zstd", write_statistics=kept)


def schema(file: IO[bytes]) -> Any:
    """Reads the schema of a part."""
    from pyarrow.parquet import read_schema

    return read_schema(file)


def batches(file: IO[bytes], builds: frozenset[str | None] | None) -> Iterator[Any]:
    """Reads the rows of a part, of these builds alone; None: all."""
    from pyarrow import compute
    from pyarrow.parquet import ParquetFile

    wanted = None if builds is None else library().array(sorted(filter(None, builds)), "string")
    for batch in ParquetFile(file).iter_batches(batch_size=1 << 14):
        if wanted is not None:
            batch = batch.filter(compute.is_in(batch.column("build_id"), value_set=wanted))
        if batch.num_rows:
            yield batch


def aligned(batch: Any, schema: Any) -> Any:
    """Returns the rows with all columns of `schema`; those that the batch lacks are null."""
    pa = library()
    arrays = [
        batch.column(column.name)
        if column.name in batch.schema.names
        else pa.nulls(batch.num_rows, column.type)
        for column in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def common(schemas: Iterable[Any]) -> Any:
    """Returns the columns of all schemas, each once, in the order in which they come."""
    return library().unify_schemas(list(schemas))


def put(file: BinaryIO, schema: Any, rows: Iterable[Any]) -> int:
    """Writes batches, many as one group of rows. Returns the number of rows."""
    pa, held, size, count = library(), [], 0, 0
    with writer(file, schema) as out:
        for batch in rows:
            held.append(aligned(batch, schema))
            size += batch.nbytes
            count += batch.num_rows
            if size >= _HELD:
                out.write_table(pa.Table.from_batches(held, schema=schema))
                held, size = [], 0
        if held or not count:
            out.write_table(pa.Table.from_batches(held, schema=schema))
    return count
