"""Commands called from Python: their files and reports are those of the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import made_search
import pytest
from gate import made_builds
from paths import ROOT

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main

LOG = ROOT / "fixtures" / "classic" / "8.0-centernet.log"
PROFILE = LOG.with_suffix(".profile.json")


def test_anonymise_writes_what_the_command_writes(tmp_path: Path) -> None:
    for _ in range(2):  # a module of that name would hide the function at its second call
        written = elv.anonymise([LOG, PROFILE], tmp_path / "python")
    assert main(["anonymise", str(LOG), str(PROFILE), "-o", str(tmp_path / "command")]) == 0
    names = ["anonymised_0.log", "anonymised_1.json"]
    assert [Path(path).name for path in written.paths] == names
    for name in names:
        assert (tmp_path / "python" / name).read_bytes() == (
            tmp_path / "command" / name
        ).read_bytes()
    assert str(written).split("\n") == [*written.paths]
    (remark,) = written.remarks
    assert "look at the result before you send it" in remark and written.problems == ()


def test_what_may_not_be_replaced_is_an_error(tmp_path: Path) -> None:
    mine = tmp_path / "mine.log"
    mine.write_text("my own", "utf-8")
    with pytest.raises(elv.ReadError, match="ELV505"):
        elv.anonymise(LOG, mine)
    assert mine.read_text("utf-8") == "my own"
    assert elv.anonymise(LOG, mine, force=True).paths == (str(mine),)


def test_snapshot_writes_what_the_command_writes(tmp_path: Path) -> None:
    (engine,) = elv.read(LOG, PROFILE).engines
    path = elv.snapshot(engine, tmp_path / "python.json")
    words = ["--log_file", str(LOG), "--profile_file", str(PROFILE)]
    assert main(["gate", "--save", str(tmp_path / "command.json"), *words]) == 0
    assert path == tmp_path / "python.json"
    assert elv.gate(path, engine).verdict == "pass"
    assert path.read_bytes() == (tmp_path / "command.json").read_bytes()


def test_a_snapshot_is_of_an_engine() -> None:
    with pytest.raises(TypeError):
        elv.snapshot("build.log", "base.json")  # type: ignore[arg-type]


def test_collect_writes_a_dataset(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pattern = "path=(?P<kind>[^/]+)/[^/]+$"
    written = elv.collect(LOG, tmp_path / "ds", meta=pattern, jobs=1)
    assert written.paths == (str(tmp_path / "ds"),)
    assert written.words[0].startswith("1 log read, 0 known before")
    dataset = elv.dataset(tmp_path / "ds")
    assert len(dataset["layers"]) == 54
    assert elv.collect([LOG], tmp_path / "ds", jobs=1).words[0].startswith("0 logs read, 1 known")


def as_the_command(
    capsys: pytest.CaptureFixture[str], report: elv.Report, *words: object
) -> dict[str, Any]:
    """Whether a report says in each format what the command prints."""
    for format in ("text", "markdown", "json", "csv"):
        width = ["--width", "140"] if format in ("text", "markdown") else []
        assert main([*map(str, words), "--format", format, *width]) == 0
        assert report.to(format).strip() == capsys.readouterr().out.strip()
    assert str(report) == report.to("text")
    assert "<svg" in report.to("svg") and report._repr_markdown_() == report.to("markdown")
    return report.data


def test_sweep_says_what_the_command_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, cache = made_search.write(tmp_path)
    report = elv.sweep([log, cache])
    assert repr(report) == "<Report: Sweep of 8 build routes>"
    data = as_the_command(capsys, report, "sweep", log, cache)
    assert data["sweep"]["best"] == 6 and report.problems == ()
    few = report.to("text", top=1)
    assert few != report.to("text") and report.to("text", top=1, full=True) == report.to("text")
    with pytest.raises(ValueError, match="no format 'xls'"):
        report.to("xls")
    (tmp_path / "empty.log").write_text("")
    logs: Sequence[Path] = [LOG, LOG.parent / "8.4-two-engines.log", tmp_path / "empty.log"]
    assert elv.sweep(logs, time="median").remarks


def test_history_says_what_the_command_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_builds.write(tmp_path)
    snapshots = sorted(tmp_path.glob("*.json"))
    report = elv.history(snapshots)
    data = as_the_command(capsys, report, "history", *snapshots)
    assert len(data["histories"][0]["builds"]) == 16 and report.problems == ()
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"schema": 1}))
    assert len(elv.history([*snapshots, broken]).problems) == 1
    with pytest.raises(elv.ReadError):
        elv.history([*snapshots, broken], strict=True)


def test_wrong_arguments_are_values(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pair: no value 'stam'"):
        elv.collect(LOG, tmp_path / "ds", pair="stam")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="write path=REGEX"):
        elv.collect(LOG, tmp_path / "ds", meta="kind")
    with pytest.raises(ValueError, match="jobs: a number from 1 on"):
        elv.collect(LOG, tmp_path / "ds", jobs=0)
    with pytest.raises(ValueError, match="builder: no value 'nvcc'"):
        elv.record("model.onnx", builder="nvcc")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exactly one of layer, slowest and group"):
        elv.cut(LOG, "model.onnx", layer=0, slowest=3)
    with pytest.raises(ValueError, match="time: no value 'max'"):
        elv.sweep([LOG, LOG], time="max")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no dataset is given"):
        elv.history([LOG, LOG], by="date")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(elv.ReadError, match="ELV401"):
        elv.anonymise(tmp_path / "absent.log", tmp_path / "out.log")
    with pytest.raises(elv.ReadError):
        elv.record(tmp_path / "absent.onnx", tmp_path)
    for tells in (elv.history, elv.sweep):
        with pytest.raises(elv.ReadError, match="ELV606"):
            tells(LOG)
