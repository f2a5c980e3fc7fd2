"""Commands called from Python: their files are those of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paths import CENTERNET, TIMES

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main


def test_anonymise_writes_what_the_command_writes(tmp_path: Path) -> None:
    for _ in range(2):  # a module of that name would hide the function at its second call
        written = elv.anonymise([CENTERNET, TIMES], tmp_path / "python")
    assert main(["anonymise", str(CENTERNET), str(TIMES), "-o", str(tmp_path / "command")]) == 0
    assert [path.name for path in written] == ["anonymised_0.log", "anonymised_1.json"]
    for path in written:
        assert path.parent == tmp_path / "python"
        assert path.read_bytes() == (tmp_path / "command" / path.name).read_bytes()


def test_what_may_not_be_replaced_is_an_error(tmp_path: Path) -> None:
    mine = tmp_path / "mine.log"
    mine.write_text("my own", "utf-8")
    with pytest.raises(elv.ReadError, match="ELV505"):
        elv.anonymise(CENTERNET, mine)
    assert mine.read_text("utf-8") == "my own"
    assert elv.anonymise(CENTERNET, mine, force=True) == [mine]


def test_snapshot_writes_what_the_command_writes(tmp_path: Path) -> None:
    (engine,) = elv.read(CENTERNET, TIMES).engines
    path = elv.snapshot(engine, tmp_path / "python.json")
    words = ["--log_file", str(CENTERNET), "--profile_file", str(TIMES)]
    assert main(["gate", "--save", str(tmp_path / "command.json"), *words]) == 0
    assert path == tmp_path / "python.json"
    rows = json.loads(TIMES.read_text("utf-8"))
    again = [{**row, "averageMs": 1.001 * row["averageMs"]} for row in rows if "name" in row]
    (tmp_path / "again.json").write_text(json.dumps([rows[0], *again]))
    (new,) = elv.read(CENTERNET, tmp_path / "again.json").engines
    assert elv.gate(path, new).verdict == "pass"
    assert path.read_bytes() == (tmp_path / "command.json").read_bytes()


def test_a_snapshot_is_of_an_engine() -> None:
    with pytest.raises(TypeError):
        elv.snapshot("build.log", "base.json")  # type: ignore[arg-type]


@pytest.mark.slow
def test_collect_writes_a_dataset(tmp_path: Path) -> None:
    """What is no reason to raise is a warning."""
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "empty.log").write_text("")
    dataset = tmp_path / "ds"
    with pytest.warns(UserWarning, match=r"empty\.log.*ELV402"):
        logs = [CENTERNET, tmp_path / "empty.log"]
        assert elv.collect(logs, dataset, jobs=1) == [dataset]
    files = dataset.glob("layers/*.parquet")
    assert sum(parquet.read_metadata(path).num_rows for path in files) == 54


def test_wrong_arguments_are_values(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="jobs: a number from 1 on"):
        elv.collect(CENTERNET, tmp_path / "ds", jobs=0)
    with pytest.raises(ValueError, match="builder: no value 'nvcc'"):
        elv.record("model.onnx", builder="nvcc")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="either layer or slowest is wanted"):
        elv.cut(CENTERNET, "model.onnx", layer=0, slowest=3)
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="ELV401"):
        elv.anonymise(tmp_path / "absent.log", tmp_path / "out.log")
    with pytest.raises(elv.ReadError):
        elv.record(tmp_path / "absent.onnx", tmp_path)
