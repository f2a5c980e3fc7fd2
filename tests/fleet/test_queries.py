"""The queries of docs/tables.md, run on a dataset of fixtures: DuckDB, Polars, pyarrow."""

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from logtext import exported
from paths import CENTERNET, FIXTURES, ROOT, TIMES
from program import Patch
from pyarrow import parquet

import engine_layer_visualize as elv
from engine_layer_visualize.commands import cli
from engine_layer_visualize.export.tables import SCHEMAS
from fleet.conftest import log, table

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("polars")
PAGE = (ROOT / "docs" / "tables.md").read_text("utf-8")
SQL = re.findall(r"```sql\n(.*?)```", PAGE, re.S)
(POLARS,) = re.findall(r"```python\n# needs a dataset\n(.*?)```", PAGE, re.S)
# Below `logs`: a fixture each, with a text that makes another log of it.
LOGS = {
    "centernet/T4/a.log": ("classic/8.0-centernet.log", "", ""),
    "centernet/T4/b.log": ("classic/8.0-centernet.log", "", ""),
    "resnet/A100/a.log": ("facts/8.6-runs.log", "", ""),
    "resnet/A100/new.log": ("facts/8.6-runs.log", "v8600", "v100300"),
    "bert/A100/a.log": ("detailed/10-build-detailed.log", "", ""),
}


BUILDS = {8: 1.0, 9: 1.02, 10: 1.01, 11: 1.2, 12: 1.23, 13: 1.21, 14: 1.0}  # ms of a layer


def write_builds(folder: Path) -> None:
    """Seven builds of one network; the eleventh and later ones are slower, but for the last."""
    folder.mkdir(parents=True)
    for number, ms in BUILDS.items():
        (folder / f"build{number}.log").write_text(log(f"mlp{number}", trt=f"10.{number}.0"))
        rows = [(f"mlp{number}_{n}", ms) for n in range(3)]
        (folder / f"build{number}.profile.json").write_text(exported(*rows, runs=1))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `ds`."""
    folder = tmp_path_factory.mktemp("home")
    for name, (fixture, old, new) in LOGS.items():
        path = folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (FIXTURES / fixture).read_text("utf-8")
        if name.endswith("b.log"):  # an equal build with another tactic
            text = re.sub(r"Tactic: (-?\d+), ", "Tactic: 77, ", text, count=1) + "\n"
        path.write_text(text.replace(old, new) if old else text, "utf-8")
    profile = FIXTURES / "classic" / "8.0-centernet.profile.json"
    shutil.copy(profile, folder / "logs/centernet/T4/a.profile.json")
    shutil.copy(profile, folder / "logs/centernet/T4/b.profile.json")
    write_builds(folder / "logs" / "mlp" / "T4")
    words = ["collect", str(folder / "logs"), "--output_dir", str(folder / "ds"), "--jobs", "1"]
    assert cli.main(words) in (0, 1)
    return folder


def asked(home: Path, query: str, monkeypatch: Patch) -> list[dict[str, Any]]:
    monkeypatch.chdir(home)
    found: list[dict[str, Any]] = pyarrow.table(duckdb.sql(query)).to_pylist()
    return found


def test_slowest_kernels(home: Path, monkeypatch: Patch) -> None:
    rows = asked(home, SQL[0], monkeypatch)
    devices = {(r["build_id"], r["engine"]): r["device"] for r in table(home / "ds", "engines")}
    sums: dict[tuple[str, str, str], float] = {}
    for row in table(home / "ds", "layers"):
        if row["kernel"] is not None and row["ms"] is not None:
            key = devices[row["build_id"], row["engine"]], row["time_kind"], row["kernel"]
            sums[key] = sums.get(key, 0) + row["ms"]
    assert rows
    for row in rows:
        assert row["ms"] == pytest.approx(sums[row["gpu"], row["time_kind"], row["kernel"]])
    for device, kind in {key[:2] for key in sums}:
        best = sorted((ms for key, ms in sums.items() if key[:2] == (device, kind)), reverse=True)
        own = [row["ms"] for row in rows if (row["gpu"], row["time_kind"]) == (device, kind)]
        assert own == pytest.approx(best[:3])


def test_share_of_reformats(home: Path, monkeypatch: Patch) -> None:
    (row,) = [r for r in asked(home, SQL[1], monkeypatch) if r["model"] == "centernet"]
    build = elv.read(CENTERNET, [TIMES])
    (engine,) = pyarrow.table(build.tables["engines"]).to_pylist()
    spent = sum(one["ms"] for one in pyarrow.table(build.tables["reformats"]).to_pylist())
    assert row["percent"] == pytest.approx(100 * spent / engine["ms"], abs=0.06)


def test_with_which_build_it_became_slower(home: Path, monkeypatch: Patch) -> None:
    (row,) = asked(home, SQL[2], monkeypatch)
    assert (row["folder"], row["file"]) == ("mlp/T4/", "mlp/T4/build11.log")
    assert row["percent_slower"] == pytest.approx(100 * (1.2 / 1.02 - 1), abs=0.06)
    assert SQL[2].count("\n") <= 20


def test_small_files_are_written_together(home: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(home)
    duckdb.sql(SQL[3])
    assert parquet.read_table("layers.parquet").num_rows == len(table(home / "ds", "layers"))


def test_polars(home: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(home)
    names: dict[str, Any] = {}
    exec(POLARS, names)
    assert names["slowest"]["ms"].sum() == pytest.approx(total(home))


def test_pyarrow(home: Path) -> None:
    from pyarrow import compute, dataset

    for name, schema in SCHEMAS.items():
        found = dataset.dataset(home / "ds" / name).to_table()
        assert found.num_rows == len(table(home / "ds", name))
        assert list(schema.names) == found.column_names
        if name == "layers":
            assert compute.sum(found["ms"]).as_py() == pytest.approx(total(home))


def total(home: Path) -> float:
    """The sum of all layers' times."""
    return sum(row["ms"] or 0 for row in table(home / "ds", "layers"))
