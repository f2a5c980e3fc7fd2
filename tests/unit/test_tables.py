"""Tables: the same columns for every engine and format, and what their readers make of them."""

import gzip
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest
from factories import chain, layer, linked
from logtext import file_of
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet
from paths import CENTERNET, FIXTURES, TIMES
from program import Patch, Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.export import table_files
from engine_layer_visualize.export.tables import SCHEMAS, tables
from engine_layer_visualize.linting.subject import Subject

SEVERAL = FIXTURES / "classic" / "8.5-host-prefixes.log"
ARROW = ("parquet", "arrow")
TABLES = {  # of what other programs depend on: a column more is no harm, one less is
    "engines": "build_id engine dialect tensorrt device compute_capability precisions layers edges "
    "ms time_kind latency_ms throughput_qps",
    "layers": "build_id engine layer line name type tactic kernel ms time_kind build_ms runner "
    "onnx_nodes inputs outputs",
    "tensors": "build_id engine layer direction position name dtype shape format strides bytes",
    "edges": "build_id engine from to tensor",
    "reformats": "build_id engine layer reason ms from to",
    "onnx_nodes": "build_id engine layer node",
    "findings": "build_id engine code severity",
    "problems": "build_id engine file line column severity code message",
}


def rows(engine: elv.Engine, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in tables([engine])[table].rows()]


def written(engine: elv.Engine, format: str, folder: Path, *names: str) -> list[str]:
    """Writes some tables of an engine; gives the remarks."""
    writer = draw.table_format(format).writer(folder, [SCHEMAS[n] for n in names], ("build.log",))
    writer.add(Subject(Costs(engine)))
    writer.finish()
    writer.close()
    return writer.remarks


def test_the_columns_that_scripts_rely_on() -> None:
    assert set(SCHEMAS) == set(TABLES)
    for name, schema in SCHEMAS.items():
        wanted = tuple(TABLES[name].split())
        assert schema.names[: len(wanted)] == wanted
        assert len(set(schema.names)) == len(schema.names)
        assert all(column.doc for column in schema.columns)
        for column in schema.columns:
            assert column.unit == "ms" or not f"_{column.name}".endswith("_ms")


def test_what_is_not_known_is_none() -> None:
    """Neither 0 nor an empty text, and no bytes of a dimension that is not known."""
    engine = linked(layer(0, "a", ["x"], ["y"]))
    (record,) = engine.layers
    unknown = record.inputs[0]._replace(shape=(1, -1, 8), dims="1,-1,8")
    engine = engine._replace(layers=(record._replace(inputs=(unknown,)),))
    (row,) = rows(engine, "layers")
    names = ("ms", "time_kind", "build_ms", "runner", "onnx_nodes", "kernel", "scratch", "scope")
    assert [name for name in names if row[name] is not None] == []
    first, second = rows(engine, "tensors")
    assert first["bytes"] is None and first["shape"] == [1, -1, 8] and first["strides"] is None
    assert second["bytes"] == 2 * 64 * 56 * 56
    (whole,) = rows(engine, "engines")
    assert whole["ms"] is whole["device"] is whole["latency_ms"] is whole["build_id"] is None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_build_s_log(tmp_path: Path, monkeypatch: Patch, pack: Callable[[bytes], bytes]) -> None:
    """By the file as it lies on the disk or comes through a pipe, whatever else was asked for."""
    data = pack(CENTERNET.read_bytes())
    path = file_of(tmp_path, data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    builds = (elv.read(path), elv.read(path, facts=True), elv.read("-"))
    assert {build.engines[0].build_id for build in builds} == {hashlib.sha256(data).hexdigest()}


def test_a_file_that_changed_since_has_none(tmp_path: Path) -> None:
    path = file_of(tmp_path, CENTERNET.read_bytes())
    engine = elv.read(path).engines[0]
    with path.open("ab") as file:
        file.write(b"more\n")
    assert engine.build_id is None
    again = elv.read(path).engines[0]
    path.unlink()
    assert again.build_id is None


def test_a_row_is_read_by_place_and_by_name(build: elv.Build) -> None:
    table = build.tables["layers"]
    row = next(table.rows())
    assert row["name"] == row[4] == dict(zip((c.name for c in table.columns), row))["name"]
    assert dict(row)["inputs"] == [
        {"name": "input", "dtype": "Float", "shape": [1, 3, -17, -18], "format": None,
         "strides": None}
    ]  # fmt: skip
    ms = next(column for column in table.columns if column.name == "ms")
    assert (ms.type, ms.unit) == ("float64", "ms")
    assert list(table.rows()) == list(table.rows())


@pytest.mark.slow
def test_pandas_polars_duckdb_and_pyarrow_read_a_table(build: elv.Build) -> None:
    import duckdb
    import pandas
    import polars
    import pyarrow

    layers = build.tables["layers"]
    total = pytest.approx(build.engines[0].time.total_ms)
    assert polars.DataFrame(layers)["ms"].sum() == total
    assert polars.DataFrame(layers).schema["onnx_nodes"] == polars.List(polars.String)
    table = pyarrow.table(layers)
    assert table.schema.field("ms").metadata[b"unit"] == b"ms"
    assert table.schema.metadata[b"elv.schema"] == b"1"
    assert duckdb.execute("select sum(ms) from layers").fetchall() == [(total,)]
    (most,) = duckdb.execute("select max(len(inputs)) from layers").fetchall()
    assert most == (2,)
    if hasattr(pandas.DataFrame, "from_arrow"):  # pandas 3
        assert pandas.DataFrame.from_arrow(layers)["ms"].sum() == total


def test_an_engine_is_a_data_frame(build: elv.Build) -> None:
    frame = build.engines[0].to_dataframe()
    assert frame["ms"].sum() == pytest.approx(build.engines[0].time.total_ms)
    assert list(frame.columns) == list(SCHEMAS["layers"].names)
    empty = linked(layer(0, "a", ["x"], ["y"]))
    for name in SCHEMAS:
        types = build.engines[0].to_dataframe(name).dtypes
        assert list(types) == list(empty.to_dataframe(name).dtypes)
    with pytest.raises(ValueError, match="no table 'layer'; did you mean layers"):
        build.engines[0].to_dataframe("layer")


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_a_missing_package(build: elv.Build, monkeypatch: Patch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    table = build.tables["layers"]
    with pytest.raises(ModuleNotFoundError, match=f"pip install {package}") as error:
        table.to_pandas() if package == "pandas" else table.__arrow_c_stream__()
    assert "\n" not in str(error.value)


def test_a_data_frame_needs_no_pyarrow(build: elv.Build, monkeypatch: Patch) -> None:
    place = "engine_layer_visualize.export.columns.pyarrow"
    monkeypatch.setattr(place, lambda: pytest.fail("pyarrow"))
    assert len(build.engines[0].to_dataframe()) == 54


def read_back(path: Path, format: str) -> list[dict[str, Any]]:
    if format == "jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    from pyarrow import feather, parquet

    table: Any = (parquet if format == "parquet" else feather).read_table(path)
    return list(table.to_pylist())


@pytest.mark.parametrize("format", ["jsonl", *ARROW])
def test_files_have_the_cells_of_the_rows(build: elv.Build, tmp_path: Path, format: str) -> None:
    (engine,) = build.engines
    written(engine, format, tmp_path, *SCHEMAS)
    for name in SCHEMAS:
        wanted = [dict(row) for row in rows(engine, name)]
        for row in wanted if name == "engines" else ():
            row["file"] = engine.source.file  # Python's has no folder
        assert read_back(tmp_path / f"{name}.{format}", format) == wanted


@pytest.mark.parametrize("format", ARROW)
def test_numbers_of_more_than_64_bits_are_unknown(tmp_path: Path, format: str) -> None:
    engine = linked(layer(0, "a", ["x"], ["y"]))
    (record,) = engine.layers
    vast = record.inputs[0]._replace(shape=(1 << 63, 8), dims=f"{1 << 63},8")
    engine = engine._replace(layers=(record._replace(inputs=(vast,)),))
    written(engine, format, tmp_path, "tensors", "layers")
    first, _ = read_back(tmp_path / f"tensors.{format}", format)
    assert (first["shape"], first["bytes"]) == ([None, 8], None)
    (row,) = read_back(tmp_path / f"layers.{format}", format)
    assert row["inputs"][0]["shape"] == [None, 8]


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 4097])
def test_arrays_of_any_length(count: int) -> None:
    """More than a batch, and gaps at any bit."""
    import pyarrow

    names = [f"n{n}" * (n % 3) for n in range(count)]
    engine = chain(*names) if count else linked()
    gaps = tuple(
        record._replace(tactic=None if n % 3 else "0x1", kernel="k" if n % 5 else None)
        for n, record in enumerate(engine.layers)
    )
    table = tables([engine._replace(layers=gaps)])["layers"]
    arrow = pyarrow.table(table)
    arrow.validate(full=True)
    assert arrow.to_pylist() == [dict(row) for row in table.rows()]


def test_the_command_writes_a_file_for_each_table(tmp_path: Path, here: Program) -> None:
    said = here("table", CENTERNET, TIMES, "--output_dir", tmp_path / "new", code=0)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(
        f"{name}.csv" for name in SCHEMAS
    )
    assert f"{tmp_path / 'new' / 'layers.csv'}  54 rows\n" in said.stdout
    assert said.stderr == ""
    here("table", file_of(tmp_path, "nothing\n", "empty.log"), "-o", tmp_path / "out", code=3)
    assert not (tmp_path / "out").exists()


def test_several_logs_are_in_one_set_of_files(tmp_path: Path, here: Program) -> None:
    words = ("--tables", "engines,layers", "--format", "jsonl", "-o", tmp_path)
    here("table", CENTERNET, SEVERAL, *words, code=0)
    engines = read_back(tmp_path / "engines.jsonl", "jsonl")
    logs = {hashlib.sha256(log.read_bytes()).hexdigest(): log.name for log in (CENTERNET, SEVERAL)}
    assert {row["build_id"]: row["file"] for row in engines} == logs
    layers = read_back(tmp_path / "layers.jsonl", "jsonl")
    assert len(layers) == sum(row["layers"] for row in engines)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["engines.jsonl", "layers.jsonl"]


@pytest.mark.parametrize(
    ("format", "package"), [("parquet", "pyarrow"), ("arrow", "pyarrow"), ("xlsx", "xlsxwriter")]
)
def test_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: Patch, format: str, package: str, here: Program
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = here("table", CENTERNET, "--format", format, "-o", tmp_path / "out", code=4)
    error, hint, _ = said.stderr.split("\n")
    assert "error[ELV502]: " in error and f"pip install {package}" in error
    assert hint.strip() == "--format csv and jsonl need nothing"
    assert not (tmp_path / "out").exists()


def test_problems_are_rows(tmp_path: Path, here: Program) -> None:
    log = FIXTURES / "broken" / "unreadable-among-good.log"
    here("table", log, "--tables", "problems", "--format", "jsonl", "-o", tmp_path, code=1)
    found = read_back(tmp_path / "problems.jsonl", "jsonl")
    assert {(row["file"], row["severity"]) for row in found} == {(log.name, "error")}
    places = [(row["code"], row["line"], row["column"]) for row in found]
    assert places == [("ELV101", 5, 21), ("ELV102", 7, 86), ("ELV103", 8, 79)]


@pytest.mark.slow
@pytest.mark.parametrize("owns_process", [True, False])
def test_without_numpy(tmp_path: Path, environment: dict[str, str], owns_process: bool) -> None:
    words = ["table", str(CENTERNET), "--format", "parquet", "--output_dir", str(tmp_path / "out")]
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from engine_layer_visualize.commands import cli\n"
        f"sys.argv = ['elv', *{words}]\n"
        f"code = cli.main({'' if owns_process else 'sys.argv[1:]'})\n"
        "print(code, sys.modules.get('numpy') is None)\n"
        f"{'' if owns_process else 'import numpy'}\n"
    )
    said = subprocess.check_output([sys.executable, script], env=environment, text=True)
    assert said.splitlines()[-1] == f"0 {owns_process}"
    pytest.importorskip("pyarrow")
    assert read_back(tmp_path / "out" / "layers.parquet", "parquet")


# ---- the workbook of table --format xlsx, as openpyxl reads it -----------------------------------


def opened(folder: Path) -> Workbook:
    return load_workbook(folder / "EngineLayers.xlsx")


def cells(sheet: Worksheet) -> list[dict[str, Any]]:
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(map(str, head), row)) for row in rows]


@pytest.fixture(scope="module")
def book(build: elv.Build, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    folder = tmp_path_factory.mktemp("book")
    assert written(build.engines[0], "xlsx", folder, *table_files.IN_WORKBOOK) == []
    return opened(folder)


def test_a_sheet_for_each_table(book: Workbook, build: elv.Build) -> None:
    assert book.sheetnames == ["Engines", "Layers", "Reformats", "Findings"]
    for sheet in book:
        wanted = [dict(row) for row in build.tables[sheet.title.lower()].rows()]
        for row, own in zip(cells(sheet), wanted, strict=True):
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
    written(chain("a", "b"), "xlsx", tmp_path, *table_files.IN_WORKBOOK)
    assert opened(tmp_path).sheetnames == ["Engines", "Layers"]
    written(chain("a", "b"), "xlsx", tmp_path, "problems", "reformats")
    book = opened(tmp_path)
    assert book.sheetnames == ["Problems"]  # a workbook has one
    assert cells(book["Problems"]) == []


@pytest.mark.parametrize("wide", ["x", "層", "🙂"])
def test_a_longer_text_is_cut_and_that_is_said(tmp_path: Path, wide: str) -> None:
    units = len(wide.encode("utf-16-le")) // 2
    fits, longer = wide * (32_767 // units), wide * 40_000
    remarks = written(chain(fits, longer), "xlsx", tmp_path, "layers")
    first, second = cells(opened(tmp_path)["Layers"])
    assert first["name"] == fits
    assert second["name"].endswith("…") and longer.startswith(second["name"][:-1])
    assert 32_700 < len(second["name"].encode("utf-16-le")) // 2 <= 32_767
    assert len(remarks) == 1 and "32,767 characters" in remarks[0]


def test_more_rows_than_fit(tmp_path: Path, monkeypatch: Patch, build: elv.Build) -> None:
    monkeypatch.setattr(table_files, "_MOST_ROWS", 11)
    (said,) = written(build.engines[0], "xlsx", tmp_path, "layers")
    assert len(cells(opened(tmp_path)["Layers"])) == 10
    assert "44 rows of layers left out" in said


def test_a_number_of_more_than_53_bits_keeps_its_digits(tmp_path: Path) -> None:
    (record,) = linked(layer(0, "a", ["x"], ["y"])).layers
    vast = record.inputs[0]._replace(shape=((1 << 62) + 1,), dtype="Int8", dims="1")
    engine = linked(record._replace(inputs=(vast,)))
    written(engine, "xlsx", tmp_path, "tensors")
    first, _ = cells(opened(tmp_path)["Tensors"])
    assert first["bytes"] == str((1 << 62) + 1)


def test_names_that_excel_would_unescape(tmp_path: Path) -> None:
    """`_x0041_` is an A to Excel."""
    names = ["_x0041_", "a_x000D_b", "\x01_x0001_"]
    written(chain(*names), "xlsx", tmp_path, "layers")
    with ZipFile(tmp_path / "EngineLayers.xlsx") as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    assert "_x005F_x0041_" in sheet and "a_x005F_x000D_b" in sheet
    assert "\\x01" in sheet and "\x01" not in sheet
