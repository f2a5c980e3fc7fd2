"""Names in CSV, as a spreadsheet's reader takes them in."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from factories import chain
from summarised import csv_of

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON, kernel

# What a spreadsheet takes for the start of a formula, full-width forms included.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
TEXTS = ("name", "type", "kernel", "onnx_nodes", "inputs", "outputs", "precision", "runner")


def said(cell: str) -> str:
    """The text of a cell: the apostrophe before it says that it is text."""
    return cell.removeprefix("'")


def test_no_name_is_a_formula_and_all_come_back(poisoned: Engine) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_of(poisoned), newline=""), strict=True))
    assert [said(row["name"]) for row in rows] == [visible(name) for name in POISON]
    assert [said(row["type"]) for row in rows] == [visible(name) for name in POISON]
    assert [said(row["kernel"]) for row in rows] == [visible(kernel(n)) for n in range(len(POISON))]
    for row in rows:
        assert None not in row
        for key in TEXTS:
            assert not row[key].startswith(FORMULA)


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("start", [*FORMULA, '"=', '""+'])
def test_no_part_of_a_name_is_a_formula(start: str, delimiter: str) -> None:
    """Spreadsheets of some countries split at semicolons."""
    engine = chain(f"a;{start}1+1", f"{start}1+1;{start}2", "a;'b", "a; b;c")
    text = csv_of(engine)
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        assert not any(cell.startswith(FORMULA) for cell in row)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["name"] for row in rows[2:]] == ["a;''b", "a; b;c"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_row_is_a_line_whatever_the_reader_splits_at(poisoned: Engine, delimiter: str) -> None:
    table = csv_of(poisoned)
    assert len(list(csv.reader(io.StringIO(table, newline=""), delimiter=delimiter))) == 1 + len(
        POISON
    )
    assert table.count("\n") == 1 + len(POISON)
    assert "\r" not in table and "\0" not in table


@pytest.mark.skipif(shutil.which("ssconvert") is None, reason="gnumeric is not installed")
def test_a_spreadsheet_takes_no_name_for_a_formula(poisoned: Engine, tmp_path: Path) -> None:
    table, read = tmp_path / "engine.csv", tmp_path / "engine.xml"
    table.write_text(csv_of(poisoned), "utf-8", newline="")
    words = ["ssconvert", "-T", "Gnumeric_XmlIO:sax:0", str(table), str(read)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    root = ElementTree.parse(read).getroot()
    cells = root.findall(".//{*}Cell")
    assert len({cell.get("Row") for cell in cells}) == 1 + len(POISON)
    # A formula's cell has no type of value, or says which expression it is.
    assert all(cell.get("ValueType") and not cell.get("ExprID") for cell in cells)
    assert not root.findall(".//{*}HyperLink")
    # It takes the apostrophe away by itself.
    assert {visible(name) for name in POISON} <= {cell.text for cell in cells}
