"""The workbook of `table --format xlsx`, as openpyxl reads it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from factories import chain, layer, linked, tensor
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Timing
from engine_layer_visualize.display import Engine
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.tables import SCHEMAS, xlsx
from engine_layer_visualize.tables.files import About
from engine_layer_visualize.tables.table import tables

LOG = FIXTURES / "classic" / "8.0-centernet.log"
PROFILE = FIXTURES / "classic" / "8.0-centernet.profile.json"
# openpyxl knows no solid bars.
pytestmark = pytest.mark.filterwarnings("ignore:.*extension:UserWarning")


def written(folder: Path, *engines: Engine, names: tuple[str, ...] = xlsx.DEFAULT) -> list[str]:
    writer = xlsx.writer(folder, [SCHEMAS[name] for name in names], About(("build.log",), "1"))
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
    assert book.sheetnames == ["Summary", "Engines", "Layers", "Reformats", "Findings", "Problems"]
    for name, table in tables([engine]).items():
        if name not in xlsx.DEFAULT:
            continue
        found = cells(book[name.capitalize()])
        wanted = [dict(row) for row in table.rows()]
        assert len(found) == len(wanted)
        for row, own in zip(found, wanted):
            for key, value in own.items():
                if not isinstance(value, list) and key != "file":
                    near = isinstance(value, float)  # a cell has 15 digits
                    assert row[key] == (pytest.approx(value, rel=1e-14) if near else value), key


def test_every_table_can_be_asked_for(tmp_path: Path, engine: Engine) -> None:
    written(tmp_path, engine, names=tuple(SCHEMAS))
    book = opened(tmp_path)
    assert [name.lower() for name in book.sheetnames[1:]] == list(SCHEMAS)
    assert len(cells(book["Edges"])) == len(engine.graph.edges)


def test_layers_are_filtered_and_have_bars(book: Workbook) -> None:
    sheet = book["Layers"]
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == sheet.dimensions
    names = {cell.value: cell.column_letter for cell in sheet[1]}
    barred = {
        str(area.sqref)
        for area in sheet.conditional_formatting
        for rule in area.rules
        if rule.type == "dataBar"
    }
    assert barred == {f"{names[name]}2:{names[name]}55" for name in ("ms", "share")}
    assert sheet[f"{names['share']}2"].number_format == "0.0%"
    assert sheet.column_dimensions["A"].hidden  # the same in every row


def test_rows_are_linked_to_their_layers(book: Workbook, engine: Engine) -> None:
    layers = book["Layers"]
    for name, column, of in (
        ("Findings", "code", "layers"),
        ("Reformats", "layer", "layer"),
        ("Summary", "", ""),
    ):
        sheet = book[name]
        linked_cells = [cell for row in sheet.iter_rows() for cell in row if cell.hyperlink]
        assert linked_cells, name
        named_in = next((cell.column for cell in sheet[1] if of and cell.value == of), 1)
        for cell in linked_cells:
            place = cell.hyperlink.location
            assert place.startswith("Layers!A") or place.startswith("'Layers'!A")
            row = int(place.rpartition("A")[2])
            named = str(sheet.cell(cell.row, named_in).value)
            first = int(named.removeprefix("layer ").partition(",")[0])
            assert layers.cell(row, 3).value == first
            if column:
                assert sheet.cell(1, cell.column).value == column


def test_links_are_seen_as_such(book: Workbook) -> None:
    for name in ("Findings", "Reformats"):
        cells = [cell for row in book[name].iter_rows(min_row=2) for cell in row]
        assert {cell.coordinate for cell in cells if cell.font.underline} == {
            cell.coordinate for cell in cells if cell.hyperlink
        }


def test_long_lists_of_layers_and_reasons_are_seen(tmp_path: Path) -> None:
    """A line breaks at blanks alone, and its row is as high as its lines."""
    records = []
    for n in range(40):
        fed, read = tensor(f"x{n}", "Float"), tensor(f"t{n}", "Half")
        reformat = layer(2 * n, "n" * 60, [], [], type="Reformat", time=Timing(1.0))
        records.append(replace(reformat, inputs=(fed,), outputs=(read,)))
        records.append(replace(layer(2 * n + 1, "c" * 60, [], [f"y{n}"]), inputs=(read,)))
    engine = replace(linked(*records), profile=chain("a", timed=True).profile)
    written(tmp_path, engine)
    book = opened(tmp_path)
    for name, column in (("Findings", "layers"), ("Reformats", "reason")):
        sheet = book[name]
        at = next(cell.column_letter for cell in sheet[1] if cell.value == column)
        row = max(range(2, sheet.max_row + 1), key=lambda row: len(str(sheet[f"{at}{row}"].value)))
        text, width = str(sheet[f"{at}{row}"].value), sheet.column_dimensions[at].width
        assert max(map(len, text.split(" "))) <= width < len(text)
        assert sheet[f"{at}{row}"].alignment.wrap_text
        assert sheet.row_dimensions[row].height >= 15 * min(8, len(text) / width)


def test_the_second_engine_is_linked_to_its_own_rows(tmp_path: Path, engine: Engine) -> None:
    written(tmp_path, engine, replace(engine, index=1))
    book = opened(tmp_path)
    places = [
        cell.hyperlink.location
        for row in book["Reformats"].iter_rows(min_row=2)
        for cell in row
        if cell.hyperlink
    ]
    rows = [int(place.rpartition("A")[2]) for place in places]
    half = len(rows) // 2
    assert [row + 54 for row in rows[:half]] == rows[half:]
    layers = book["Layers"]
    assert {layers.cell(row, 2).value for row in rows[half:]} == {1}
    assert not layers.column_dimensions["B"].hidden


def test_the_summary_has_a_chart_of_the_ten_slowest(
    book: Workbook, engine: Engine, tmp_path: Path
) -> None:
    sheet = book["Summary"]
    texts = [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert texts[0].startswith("Engine 0 of 8.0-centernet · 54 layers · ")
    slowest = Costs(engine).ranking[:10]
    first = next(row[0].row for row in sheet.iter_rows() if row[0].value == "slowest layers") + 1
    times = [sheet.cell(first + at, 4).value for at in range(10)]
    assert times == [Costs(engine).of(one) for one in slowest]
    written(tmp_path, engine)
    with ZipFile(tmp_path / "EngineLayers.xlsx") as packed:
        chart = packed.read("xl/charts/chart1.xml").decode()
    assert '<c:barDir val="bar"/>' in chart
    assert f"<c:f>Summary!$D${first}:$D${first + 9}</c:f>" in chart
    assert "The 10 slowest layers (measured, ms)" in chart


@pytest.mark.parametrize(("names", "said"), [
    (("engines", "layers"), "and 1 engine more: sheet Engines"), (("layers",), "and 1 engine more"),
])  # fmt: skip
def test_the_summary_counts_the_engines_that_it_leaves_out(
    tmp_path: Path, names: tuple[str, ...], said: str
) -> None:
    written(tmp_path, *(replace(chain("a"), index=at) for at in range(21)), names=names)
    texts = [row[0].value for row in opened(tmp_path)["Summary"].iter_rows() if row[0].value]
    assert texts[-1] == said


def test_an_engine_without_times_has_a_summary(tmp_path: Path) -> None:
    written(tmp_path, chain("a", "b"))
    assert opened(tmp_path)["Summary"]["A1"].value.startswith("Engine 0 of build · 2 layers")


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


def test_a_sheet_of_more_bytes_than_a_plain_zip_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 10_000)
    written(tmp_path, engine)
    assert len(cells(opened(tmp_path)["Layers"])) == 54


def test_more_links_than_a_sheet_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr(xlsx, "LINKS", 2)
    remarks = written(tmp_path, engine, names=("layers", "reformats"))
    rows = list(opened(tmp_path)["Reformats"].iter_rows(min_row=2))
    assert [row[2].hyperlink is not None for row in rows] == [True, True, False, False]
    assert [row[2].value for row in rows] == [
        one.index for one in engine.layers if one.type == "Reformat"
    ]
    assert remarks == ["a sheet of Excel holds 2 links: later rows of reformats have none"]


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
        sheet = packed.read("xl/worksheets/sheet3.xml").decode()
    assert "_x005F_x0041_" in sheet and "a_x005F_x000D_b" in sheet
    assert "\\x01" in sheet and "\x01" not in sheet


def test_layers_that_take_no_time_have_no_part(tmp_path: Path) -> None:
    engine = chain("a", "b", timed=True)
    zero = tuple(replace(one, time=Timing(0.0)) for one in engine.layers)
    written(tmp_path, replace(engine, layers=zero))
    assert [row["share"] for row in cells(opened(tmp_path)["Layers"])] == [0, 0]
