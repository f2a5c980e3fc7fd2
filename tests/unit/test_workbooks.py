"""The workbook of `table --format xlsx`, as openpyxl reads it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from factories import chain, layer, linked
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.export import xlsx
from engine_layer_visualize.export.tables import SCHEMAS, tables
from engine_layer_visualize.linting.subject import Subject

LOG = FIXTURES / "classic" / "8.0-centernet.log"
PROFILE = FIXTURES / "classic" / "8.0-centernet.profile.json"


def written(folder: Path, *engines: Engine, names: tuple[str, ...] = xlsx.DEFAULT) -> list[str]:
    writer = xlsx.Workbook(folder, [SCHEMAS[name] for name in names], ("build.log",))
    for engine in engines:
        writer.add(Subject(Costs(engine)))
    writer.finish()
    writer.close()
    return writer.remarks


def opened(folder: Path) -> Workbook:
    return load_workbook(folder / "EngineLayers.xlsx")


def cells(sheet: Worksheet) -> list[dict[str, Any]]:
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(map(str, head), row)) for row in rows]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return elv.read(LOG, PROFILE, facts=True).engines[0]


@pytest.fixture(scope="module")
def book(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    folder = tmp_path_factory.mktemp("book")
    assert written(folder, engine) == []
    return opened(folder)


def test_a_sheet_for_each_table(book: Workbook, engine: Engine) -> None:
    assert book.sheetnames == ["Engines", "Layers", "Reformats", "Findings"]
    for name, table in tables([engine]).items():
        if name.capitalize() not in book.sheetnames:
            assert name not in xlsx.DEFAULT or not list(table.rows())
            continue
        found = cells(book[name.capitalize()])
        wanted = [dict(row) for row in table.rows()]
        assert len(found) == len(wanted)
        for row, own in zip(found, wanted):
            for key, value in own.items():
                if not isinstance(value, list) and key != "file":
                    near = isinstance(value, float)  # a cell has 15 digits
                    assert row[key] == (pytest.approx(value, rel=1e-14) if near else value), key


def test_numbers_are_numbers_below_a_header_that_stays(book: Workbook) -> None:
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert all(cell.font.bold for cell in sheet[1])
    (head, first, *_) = book["Layers"].iter_rows()
    kinds = {name.value: cell.data_type for name, cell in zip(head, first)}
    assert (kinds["layer"], kinds["ms"], kinds["share"], kinds["name"]) == ("n", "n", "n", "s")


def test_a_table_without_rows_has_no_sheet(tmp_path: Path) -> None:
    written(tmp_path, chain("a", "b"))
    assert opened(tmp_path).sheetnames == ["Engines", "Layers"]
    written(tmp_path, chain("a", "b"), names=("problems", "reformats"))
    book = opened(tmp_path)
    assert book.sheetnames == ["Problems"]  # a workbook has one
    assert cells(book["Problems"]) == []


@pytest.mark.parametrize("wide", ["x", "層", "🙂"])
def test_a_longer_text_is_cut_and_that_is_said(tmp_path: Path, wide: str) -> None:
    units = len(wide.encode("utf-16-le")) // 2
    fits, longer = wide * (32_767 // units), wide * 40_000
    remarks = written(tmp_path, chain(fits, longer))
    first, second = cells(opened(tmp_path)["Layers"])
    assert first["name"] == fits
    assert second["name"].endswith("…") and longer.startswith(second["name"][:-1])
    assert 32_700 < len(second["name"].encode("utf-16-le")) // 2 <= 32_767
    assert len(remarks) == 1 and "32,767 characters" in remarks[0]


def test_more_rows_than_a_sheet_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr(xlsx, "ROWS", 11)
    remarks = written(tmp_path, engine)
    assert len(cells(opened(tmp_path)["Layers"])) == 10
    (said,) = remarks
    assert "44 rows of layers left out" in said


def test_a_number_of_more_than_53_bits_keeps_its_digits(tmp_path: Path) -> None:
    (record,) = linked(layer(0, "a", ["x"], ["y"])).layers
    vast = replace(record.inputs[0], shape=((1 << 62) + 1,), dtype="Int8", dims="1")
    engine = linked(replace(record, inputs=(vast,)))
    written(tmp_path, engine, names=("tensors",))
    first, _ = cells(opened(tmp_path)["Tensors"])
    assert first["bytes"] == str((1 << 62) + 1)


def test_names_that_excel_would_unescape(tmp_path: Path) -> None:
    """`_x0041_` is an A to Excel."""
    names = ["_x0041_", "a_x000D_b", "\x01_x0001_"]
    written(tmp_path, chain(*names))
    with ZipFile(tmp_path / "EngineLayers.xlsx") as packed:
        sheet = packed.read("xl/worksheets/sheet2.xml").decode()
    assert "_x005F_x0041_" in sheet and "a_x005F_x000D_b" in sheet
    assert "\\x01" in sheet and "\x01" not in sheet
