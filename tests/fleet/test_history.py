"""The history of a dataset: its engines are those of the logs, in the order of builds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize import cli
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.gate import evidence
from engine_layer_visualize.fleet import snapshots
from fleet.conftest import collected_here, log

Capture = pytest.CaptureFixture[str]
FP16, INT8 = (FIXTURES / "comparison" / f"{name}.log" for name in ("fp16", "int8"))
UNKNOWN: Any = {"compute_clock_ghz": None, "memory_clock_ghz": None}  # no table has them


def collected(folder: Path, *words: str, code: int = 0) -> str:
    made = str(folder.parent / "ds")
    assert collected_here(folder, "-o", made, *words) == code
    return made


def builds(folder: Path) -> Path:
    """The same two engines in turn, of folders that are called as the builds."""
    for name, text in (("v2", FP16), ("v9", INT8), ("v10", FP16)):
        path = folder / name / "build.log"
        path.parent.mkdir(parents=True)
        path.write_text(f"build {name}\n" + text.read_text("utf-8"), "utf-8")
    return folder


def told(capsys: Capture, *words: object, code: int = 0) -> Any:
    capsys.readouterr()
    assert cli.main(["history", *map(str, words), "-f", "json"]) == code
    return json.loads(capsys.readouterr().out)["histories"]


@pytest.mark.parametrize("folder", ["comparison", "facts", "detailed", "classic"])
def test_snapshots_are_those_of_the_logs(tmp_path: Path, folder: str) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for path in sorted((FIXTURES / folder).glob("*.log")):
        copyfile(path, logs / path.name)
    if not list(logs.iterdir()):
        pytest.skip("no logs there")
    collected_here(logs, "-o", tmp_path / "ds")
    found = snapshots.of(elv.dataset(tmp_path / "ds"), "ds")
    for file, made in found.each:
        (engine,) = (one for one in elv.read(file).engines if one.index == made.engine)
        assert engine.facts is not None
        # No table has the shapes that the parser says.
        engine = replace(engine, facts=replace(engine.facts, inputs=()))
        wanted = evidence.of_engine([Costs(engine)], [], findings=False).snapshot
        assert made.conditions == wanted.conditions._replace(**UNKNOWN), file
        for name in ("reformats", "layers", "edges", "times", "profiles"):
            mine, yours = getattr(made, name), getattr(wanted, name)
            if name == "profiles":
                mine, yours = ([(run.ms, run.digest) for run in runs] for runs in (mine, yours))
            assert mine == yours, (file, name)
        means = [run.ms for run in wanted.runs if run.kind == "summary mean"]
        assert [run.ms for run in made.runs] == means[-1:], file
    assert found.number > 0


def test_builds_are_in_the_order_of_their_paths(tmp_path: Path, capsys: Capture) -> None:
    (known,) = told(capsys, collected(builds(tmp_path / "logs")))
    assert [one["label"] for one in known["builds"]] == [f"v{n}/build.log" for n in (2, 9, 10)]
    assert [one["reformats"] for one in known["builds"]] == [1, 2, 1]
    assert [one["layers"] for one in known["builds"]] == [10, 12, 10]
    assert known["kind"] == "summary mean" and all(one["ms"] for one in known["builds"])
    assert {one["name"] for one in known["modules"]} >= {"/block1", "/stem"}


def test_a_column_orders_and_names_builds(tmp_path: Path, capsys: Capture) -> None:
    ds = collected(builds(tmp_path / "logs"), "--meta", r"path=(?P<build>v(?:2|10))/")
    (known,) = told(capsys, ds, "--by", "build")
    assert [one["label"] for one in known["builds"]] == ["v2", "v10"]
    assert cli.main(["history", ds, "--by", "build"]) == 0
    assert "1 engine without a value of build left out" in capsys.readouterr().err
    (known,) = told(capsys, ds, "--by", "reformats")
    assert [one["reformats"] for one in known["builds"]] == [1, 1, 2]


@pytest.mark.parametrize(
    ("column", "said"),
    [("bild", "no column 'bild'; did you mean"), ("options", "has lists, which have no order")],
)
def test_other_columns_are_refused(tmp_path: Path, capsys: Capture, column: str, said: str) -> None:
    ds = collected(builds(tmp_path / "logs"))
    assert cli.main(["history", ds, "--by", column]) == 2
    assert said in capsys.readouterr().err


def test_snapshots_have_no_columns(capsys: Capture) -> None:
    assert cli.main(["history", "a.json", "--by", "date"]) == 2
    assert "no dataset is given" in capsys.readouterr().err


def test_what_a_dataset_lacks_is_unknown(tmp_path: Path, capsys: Capture) -> None:
    """Logs without times, one without an engine, and all in one folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"b{number}.log").write_text(log("conv", 3 + number), "utf-8")
    (folder / "notes.txt").write_text("nothing was built here\n", "utf-8")
    ds = collected(folder, code=1)
    (known,) = told(capsys, ds)
    assert known["kind"] is None and [one["ms"] for one in known["builds"]] == [None, None]
    assert [one["label"] for one in known["builds"]] == ["b1.log", "b2.log"]
    assert cli.main(["history", ds]) == 0
    assert "of 1 log no engine was read" in capsys.readouterr().err


def test_a_folder_that_is_no_dataset(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["history", str(tmp_path)]) == 3
    assert "no dataset: it has no manifest" in capsys.readouterr().err
