"""Tables in files: every format is read again, and has every row."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from xml.etree import ElementTree
from zipfile import ZipFile

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.export.columns import held, plain
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.linting.subject import Subject
from fuzz.networks import network

_FORMULA: Final = tuple("=+-@")
Rows = dict[str, list[dict[str, Any]]]


def tables(data: bytes) -> None:
    """All tables of a network in one format; nothing where a package is missing."""
    engine = network(data[1:])
    if engine is None:
        return
    format = list(_READERS)[data[0] % len(_READERS) if data else 0]
    subject = Subject(Costs(engine))
    rows = {
        name: [dict(zip(one.names, row)) for row in plain(one.columns, one.rows_of(subject))]
        for name, one in SCHEMAS.items()
    }
    try:
        module = draw.table_format(format)
    except ReadError:
        return
    with TemporaryDirectory(prefix="elv-fuzz-") as folder:
        writer = module.writer(Path(folder), list(SCHEMAS.values()), ("x",))
        try:
            writer.add(subject)
            writer.finish()
        finally:
            writer.close()
        _READERS[format](Path(folder), rows)


def _csv(folder: Path, rows: Rows) -> None:
    for name, own in rows.items():
        text = (folder / f"{name}.csv").read_bytes().decode()
        head, *lines = csv.reader(StringIO(text, newline=""))
        assert tuple(head) == SCHEMAS[name].names
        assert len(lines) == len(own)
        for line, row in zip(lines, own):
            for cell, value in zip(line, row.values(), strict=True):
                is_number = cell.removeprefix("-").isdecimal()
                assert not isinstance(value, str) or is_number or not cell.startswith(_FORMULA)


def _jsonl(folder: Path, rows: Rows) -> None:
    for name, own in rows.items():
        lines = (folder / f"{name}.jsonl").read_bytes().decode().split("\n")[:-1]
        assert [json.loads(line) for line in lines] == json.loads(json.dumps(own))


def _arrow(folder: Path, rows: Rows) -> None:
    from pyarrow import ipc

    _read({name: ipc.open_file(str(folder / f"{name}.arrow")).read_all() for name in rows}, rows)


def _parquet(folder: Path, rows: Rows) -> None:
    from pyarrow import parquet

    _read({name: parquet.read_table(folder / f"{name}.parquet") for name in rows}, rows)


def _read(found: dict[str, Any], rows: Rows) -> None:
    for name, own in rows.items():
        for column in SCHEMAS[name].columns:
            wanted = [_held(row[column.name]) for row in own]
            assert found[name][column.name].to_pylist() == wanted, (name, column.name)


def _held(value: Any) -> Any:
    """What Arrow holds of a plain value."""
    if isinstance(value, dict):
        return {key: _held(one) for key, one in value.items()}
    return [_held(one) for one in value] if isinstance(value, list) else held(value)


def _xlsx(folder: Path, rows: Rows) -> None:
    with ZipFile(folder / "EngineLayers.xlsx") as packed:
        for name in packed.namelist():
            ElementTree.fromstring(packed.read(name))
        filled = [own for own in rows.values() if own] or [[]]
        for number, own in enumerate(filled, 1):
            sheet = ElementTree.fromstring(packed.read(f"xl/worksheets/sheet{number}.xml"))
            assert len(sheet.findall(".//{*}sheetData/{*}row")) == len(own) + 1
            assert sheet.find(".//{*}c/{*}f") is None


_READERS: Final[dict[str, Callable[[Path, Rows], None]]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "arrow": _arrow,
    "parquet": _parquet,
    "xlsx": _xlsx,
}
