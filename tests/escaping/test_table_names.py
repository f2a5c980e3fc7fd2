"""Names in tables: exact in JSON Lines, Parquet and Arrow; no formula, no link in CSV and Excel."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow
import pytest
from openpyxl import load_workbook
from pyarrow.parquet import read_table

from engine_layer_visualize.core.text import visible
from escaping.poison import POISON, kernel, tensor
from escaping.test_csv_names import FORMULA, said

TABLES = "layers,tensors,edges,attributes,onnx_nodes,problems"
Program = Callable[..., Any]


def unicode(text: str) -> str:
    """Lone surrogates, which no UTF-8 holds, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@pytest.fixture
def written(program: Program, poison_file: Path, tmp_path: Path) -> Callable[[str], Path]:
    def write(format: str) -> Path:
        words = ("--format", format, "--tables", TABLES, "--output_dir", tmp_path)
        done = program("table", "--log_file", poison_file, *words)
        assert done.returncode == 0, done.stderr
        return tmp_path

    return write


def arrow_rows(path: Path) -> list[dict[str, Any]]:
    with pyarrow.ipc.open_file(path) as file:
        rows: list[dict[str, Any]] = file.read_all().to_pylist()
    return rows


READERS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
    "jsonl": lambda path: [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]],
    "parquet": lambda path: read_table(path).to_pylist(),
    "arrow": arrow_rows,
}


@pytest.mark.parametrize("format", READERS)
def test_names_are_exact(written: Callable[[str], Path], format: str) -> None:
    folder = written(format)
    exact = unicode if format != "jsonl" else lambda text: text
    layers = READERS[format](folder / f"layers.{format}")
    assert [row["name"] for row in layers] == [exact(name) for name in POISON]
    assert [row["type"] for row in layers] == [exact(name) for name in POISON]
    numbers = range(len(POISON))
    assert [row["kernel"] for row in layers] == [exact(kernel(n)) for n in numbers]
    assert [row["inputs"][0]["name"] for row in layers] == [exact(tensor(n)) for n in numbers]
    keys = [row["key"] for row in READERS[format](folder / f"attributes.{format}")]
    assert {exact(name) for name in POISON} <= set(keys)
    edges = READERS[format](folder / f"edges.{format}")
    assert [row["tensor"] for row in edges] == [exact(tensor(n)) for n in range(len(POISON) + 1)]


def test_no_cell_of_csv_is_a_formula(written: Callable[[str], Path]) -> None:
    folder = written("csv")
    with (folder / "layers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert [said(row["name"]) for row in rows] == [visible(name) for name in POISON]
    for path in folder.glob("*.csv"):
        text = path.read_bytes().decode()
        assert "\r" not in text and "\0" not in text
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, strict=True):
                for cell in row:
                    assert not cell.startswith(FORMULA) or is_number(cell), (path.name, cell)
    assert (folder / "layers.csv").read_bytes().count(b"\n") == 1 + len(POISON)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_no_cell_of_excel_is_a_formula_or_a_link(written: Callable[[str], Path]) -> None:
    path = written("xlsx") / "EngineLayers.xlsx"
    book = load_workbook(path)
    names = [row[0] for row in book["Layers"].iter_rows(min_row=2, min_col=5, max_col=5,
                                                        values_only=True)]  # fmt: skip
    assert names == [visible(name) for name in POISON]
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                assert cell.hyperlink is None
    with ZipFile(path) as packed:
        for part in packed.namelist():
            text = packed.read(part).decode()
            assert "<f>" not in text and 'TargetMode="External"' not in text
