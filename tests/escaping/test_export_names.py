"""Names in what is exported: CSV as a spreadsheet's reader takes it in, tables, JSON, ONNX."""

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import onnx_graphsurgeon
import pyarrow
import pytest
from exchange.onnx_files import attributes, edges, exported, info, model_of, words_of_a_shell
from factories import chain, layer, linked
from onnx import helper
from openpyxl import load_workbook
from program import Printed, Program
from pyarrow.parquet import read_table
from summarised import csv_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core import layer_facts, onnx_model
from engine_layer_visualize.core.model import Join, Listing, Tensor, Timing
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.export.piece import Cutter, trtexec_line
from escaping.poison import FORMULA, POISON, kernel, tensor

TEXTS = ("name", "type", "kernel", "onnx_nodes", "inputs", "outputs", "precision", "scope")


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
    rows = [*csv.reader(io.StringIO(table, newline=""), delimiter=delimiter)]
    assert len(rows) == 1 + len(POISON)
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


# ---- tables: exact in JSON Lines, Parquet and Arrow; no formula, no link in CSV and Excel --------


TABLES = "layers,tensors,edges,onnx_nodes,problems"


def unicode(text: str) -> str:
    """Lone surrogates, which no UTF-8 holds, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@pytest.fixture
def written(here: Program, poison_file: Path, tmp_path: Path) -> Callable[[str], Path]:
    def write(format: str) -> Path:
        words = ("--format", format, "--tables", TABLES, "--output_dir", tmp_path)
        here("table", "--log_file", poison_file, *words, code=0)
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


# ---- JSON: exactly what was read, lone surrogates included ---------------------------------------


def test_the_drawing_s_data(poisoned: Engine) -> None:
    text = render(poisoned, "json").decode("utf-8")
    found = json.loads(text)
    assert [layer["name"] for layer in found["layers"]] == list(POISON)
    assert [layer["type"] for layer in found["layers"]] == list(POISON)
    assert [layer["kernel"] for layer in found["layers"]] == [kernel(n) for n in range(len(POISON))]
    assert found["inputs"] == [tensor(0)]
    assert found["outputs"] == [tensor(len(POISON))]
    for number, told in enumerate(found["layers"]):
        assert [one["name"] for one in told["inputs"]] == [tensor(number)]
        assert told["attributes"][POISON[number]] == POISON[number]


def test_traces_of_other_tools(poisoned: Engine) -> None:
    time = Timing(0.5)
    layers = tuple(layer._replace(time=time) for layer in poisoned.layers)
    number = len(layers)
    timed = poisoned._replace(layers=layers, profile=Join("p", number, number, number, (), ()))
    events = json.loads(render(timed, "trace").decode("utf-8"))["traceEvents"]
    assert [one["name"] for one in events if one.get("cat") == "layer"] == list(POISON)


def test_lists_name_each_layer_and_each_type_as_it_is(printed: Printed, poison_file: Path) -> None:
    words = ("--format", "json", "--log_file", poison_file)
    (listed,) = json.loads(printed("layers", *words))["engines"]
    assert [layer["name"] for layer in listed["layers"]] == list(POISON)
    (summed,) = json.loads(printed("summary", *words, "--top", "1000"))["engines"]
    assert {row["type"] for row in summed["types"]} == set(POISON)


# ---- ONNX: as they are, but for lone surrogates, which protobuf cannot hold ----------------------


def test_an_engine_as_onnx(poisoned: Engine) -> None:
    made = exported(poisoned)
    found = made.graph.node
    assert [node.op_type for node in found] == [unicode(name) or "Opaque" for name in POISON]
    for number, node in enumerate(found):
        told = attributes(node)
        assert told["layer"].decode() == unicode(POISON[number])
        assert told["kernel"].decode() == unicode(kernel(number))
        assert node.name == unicode(POISON[number])
        assert list(node.input) == [unicode(tensor(number))]
    assert edges(made) == {(one.source, one.target) for one in poisoned.graph.between}
    onnx_graphsurgeon.import_onnx(made)


# ---- the command of a piece, which a shell runs --------------------------------------------------


@pytest.mark.parametrize("name", [one for one in POISON if "\ud800" not in one])
def test_the_shell_sees_words(name: str, tmp_path: Path) -> None:
    """The name is that of the node, of the layer, of its tensor and of the log."""
    first = helper.make_node("Relu", ["x"], [f"t{name}"], name="before")
    nodes = [first, helper.make_node("Relu", [f"t{name}"], ["y"], name=f"n{name}")]
    model = model_of(nodes, [info("x", "batch", 4)], [info("y", "batch", 4)])
    reads, writes = (Tensor(one, "Float", "-1,4", (-1, 4)) for one in (f"t{name}", "y"))
    facts = layer_facts.LayerFacts(onnx_nodes=(f"n{name}",), onnx_nodes_from="graph")
    only = layer(0, f"n{name}", [reads], [writes], type="Relu", facts=facts)
    engine = linked(only)._replace(source=Listing(f"l{name}.log", 1, 1))
    cutter = Cutter(engine, onnx_model.OnnxModel("model.onnx", model))
    piece, _ = cutter.cut(only)
    assert [one.name for one in piece.graph.input] == [f"t{name}"]
    # A terminal gets control characters spelled.
    line = visible(trtexec_line(cutter, Costs(engine), only, piece, tmp_path / "cut.onnx"))
    before = {*tmp_path.iterdir()}
    words = words_of_a_shell(line, tmp_path)
    assert words[0] == f"--onnx={tmp_path}/cut.onnx"
    assert f"--shapes={visible(f't{name}')}:?x4" in words
    exported = f"--exportProfile={tmp_path}/cut.profile.json"
    assert words[-3:] == ["--separateProfileRun", exported, ""]
    assert {*tmp_path.iterdir()} == before | {tmp_path / "tools"}
