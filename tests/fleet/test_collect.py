"""`collect`: what becomes of many logs, from run to run."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from logtext import file_of
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize import cli
from engine_layer_visualize.fleet import collecting, inputs, processes, rewriting
from engine_layer_visualize.fleet.reading import Item, Result
from engine_layer_visualize.io import marks, places
from engine_layer_visualize.io.atomic_file import Spool
from engine_layer_visualize.tables import SCHEMAS
from fleet.conftest import Here, Silent, arrow, collected_here, content, fleet, globbed, log
from fuzz import budget

Collect: TypeAlias = Callable[..., tuple[int, str, str]]
Capture: TypeAlias = "pytest.CaptureFixture[str]"


def collected(capsys: Capture, *words: str | Path) -> tuple[int, str, str]:
    code = collected_here(*words)
    out, err = capsys.readouterr()
    return code, out, err


def entries(dataset: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(dataset.glob("_manifest/*.json"))]


def test_a_dataset_has_the_rows_of_each_log(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 7), tmp_path / "ds"
    code, out, err = collected(capsys, logs, "--output_dir", ds)
    assert code == 1  # of notes.txt
    assert "ELV402" in err
    assert "notes.txt" in err
    assert "8 logs read, 0 known before, 1 without an engine" in out
    assert content(ds) == globbed(ds)
    dataset = elv.dataset(ds)
    for path in logs.rglob("*.log"):
        build = elv.read(path, facts=True)
        (engine,) = build.engines
        for name in ("layers", "tensors", "edges"):
            rows = arrow(dataset[name]).to_pylist()
            own = [row for row in rows if row["build_id"] == engine.build_id]
            assert own == arrow(build.tables[name]).to_pylist()
    assert sorted(path.name for path in (ds / "layers").iterdir()) == ["trt=10.3", "trt=8.6"]


def test_a_log_without_an_engine_is_a_row_of_problems(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    rows = arrow(elv.dataset(ds)["problems"]).to_pylist()
    (row,) = [row for row in rows if row["file"] == "notes.txt"]
    assert (row["engine"], row["severity"], row["code"]) == (None, "error", "ELV402")
    (entry,) = [one for one in entries(ds) if one["problem"]]
    assert row["build_id"] == entry["build_id"]


def test_what_was_read_is_not_read_again(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    before = sorted(path.name for path in ds.rglob("*.parquet"))
    code, out, _ = collected(capsys, logs, "--output_dir", ds)
    assert (code, "0 logs read, 5 known before" in out) == (0, True)
    assert sorted(path.name for path in ds.rglob("*.parquet")) == before
    shutil.copy(logs / "model0/gpu0/build000.log", logs / "copy.log")  # the same content
    (logs / "new.log").write_text(log("new"), "utf-8")
    assert "1 log read, 6 known before" in collected(capsys, logs, "--output_dir", ds)[1]
    assert len(elv.dataset(ds)["engines"]) == 5


def test_a_new_version_reads_again_if_asked_to(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    whole = content(ds)
    for number, path in enumerate(sorted(ds.glob("_manifest/*.json"))):
        if number % 2:
            path.write_text(json.dumps(json.loads(path.read_text()) | {"version": "0.1"}))
    assert "0 logs read" in collected(capsys, logs, "--output_dir", ds)[1]
    assert "2 logs read" in collected(capsys, logs, "--output_dir", ds, "--refresh")[1]
    assert content(ds) == globbed(ds) == whole
    assert {one["version"] for one in entries(ds)} == {elv.__version__}


def test_small_parts_are_written_together(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    for path in sorted(logs.rglob("*.log")):
        collected(capsys, path, "--output_dir", ds)
    whole = content(ds)
    assert len(list(ds.glob("layers/trt=10.3/*"))) == 3
    code, out, _ = collected(capsys, logs / "model0", "--output_dir", ds, "--compact")
    assert (code, "0 logs read" in out) == (0, True)
    assert len(list(ds.glob("layers/trt=10.3/*"))) == 1
    assert content(ds) == globbed(ds) == whole


def test_few_small_logs_are_one_part_whatever_the_jobs(tmp_path: Path) -> None:
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    cli.main(["collect", str(logs), "--output_dir", str(ds), "--jobs", "4"])
    assert len(list(ds.glob("layers/trt=10.3/*"))) == 1


def test_a_part_has_the_units_of_its_columns(tmp_path: Path, capsys: Capture) -> None:
    from pyarrow import parquet

    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    (part, *_) = ds.glob("layers/*/*.parquet")
    units = {one.name: (one.metadata or {}).get(b"unit") for one in parquet.read_schema(part)}
    assert units["ms"] == b"ms"
    assert {name: unit and unit.decode() for name, unit in units.items()} == {
        one.name: one.unit or None for one in SCHEMAS["layers"].columns
    }


def test_parts_end_where_they_are_large(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    for path in sorted(logs.rglob("*.log")):
        collected(capsys, path, "--output_dir", ds)
    store, whole = places.store(str(ds)), content(ds)
    sizes = [path.stat().st_size for path in ds.glob("layers/*/*")]
    from engine_layer_visualize.fleet import manifest

    rewriting.tidy(store, manifest.entries(store, ""), compact=True, large=2 * max(sizes))
    assert 3 <= len(list(ds.glob("layers/*/*"))) < 6
    assert content(ds) == globbed(ds) == whole


def test_paths_give_columns(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    collected(capsys, logs / "model0", "--output_dir", ds)
    meta = "path=(?P<model>model[^/]+)/(?P<gpu>[^/]+)/"
    assert "5 logs read" in collected(capsys, logs, "--output_dir", ds, "--meta", meta)[1]
    for name in SCHEMAS:
        assert {"model", "gpu"} <= set(arrow(elv.dataset(ds)[name]).column_names)
    rows = arrow(elv.dataset(ds)["engines"]).to_pylist()
    assert {(row["model"], row["gpu"]) for row in rows} == {
        *(("model0", "gpu0"), ("model0", "gpu1"), ("model1", "gpu1"), ("model2", "gpu0"))
    }
    (row,) = arrow(elv.dataset(ds)["problems"]).to_pylist()  # of notes.txt, in no such folder
    assert (row["model"], row["gpu"]) == (None, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(?P<model>.*)", "write path=REGEX"),
        ("path=(?P<model>", "not a pattern"),
        ("path=model", "no named group"),
        ("path=(?P<ms>.*)", "a table has a column ms"),
        ("path=(?P<trt>.*)", "a table has a column trt"),
        ("path=(?P<Layer>.*)", "a table has a column Layer"),
    ],
)
def test_a_wrong_pattern_is_refused(capsys: Capture, text: str, said: str) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["collect", ".", "--output_dir", "ds", "--meta", text])
    assert left.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("how", ["stem", "folder"])
def test_times_are_read_with_their_log(tmp_path: Path, capsys: Capture, how: str) -> None:
    logs, ds = tmp_path / "logs", tmp_path / "ds"
    logs.mkdir()
    shutil.copy(FIXTURES / "classic" / "8.0-centernet.log", logs / "build.log")
    shutil.copy(FIXTURES / "classic" / "8.0-centernet.profile.json", logs / "build.profile.json")
    _, out, err = collected(capsys, logs, "--output_dir", ds)
    assert "1 file of times" in out
    assert f"times in {logs / 'build.profile.json'} are not read: --pair stem" in err
    (row,) = arrow(elv.dataset(ds)["engines"]).to_pylist()
    assert row["time_kind"] != "measured"
    assert "1 log read" in collected(capsys, logs, "--output_dir", ds, "--pair", how)[1]
    (row,) = arrow(elv.dataset(ds)["engines"]).to_pylist()
    assert row["time_kind"] == "measured"
    assert "0 logs read" in collected(capsys, logs, "--output_dir", ds, "--pair", how)[1]
    assert "not read:" not in collected(capsys, logs, "--output_dir", ds)[2]  # it has them


def test_times_of_no_single_log_are_said(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    for name in ("a.json", "b.json"):
        shutil.copy(FIXTURES / "classic" / "8.0-centernet.profile.json", logs / name)
    _, _, err = collected(capsys, logs, "--output_dir", ds, "--pair", "stem")
    assert f"times in 2 files, such as {logs / 'a.json'}, are not read: no log stands beside" in err


def test_a_flag_that_is_not_given_takes_nothing_away(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = tmp_path / "logs", tmp_path / "ds"
    logs.mkdir()
    shutil.copy(FIXTURES / "classic" / "8.0-centernet.log", logs / "build.log")
    times = logs / "build.profile.json"
    shutil.copy(FIXTURES / "classic" / "8.0-centernet.profile.json", times)

    def kind(*flags: str) -> tuple[str, str]:
        code, out, _ = collected(capsys, logs, "--output_dir", ds, *flags)
        assert (code, "1 log read" in out) == (0, True)
        (row,) = arrow(elv.dataset(ds)["engines"]).to_pylist()
        return row["time_kind"], row["model"]

    meta = ("--meta", "path=(?P<model>log)s/")
    assert kind("--pair", "stem", *meta) == ("measured", "log")
    assert kind("--meta", "path=(?P<model>logs)/") == ("measured", "logs")
    times.rename(logs / "build.json")
    assert kind("--pair", "stem") == ("measured", "logs")
    (path,) = ds.glob("_manifest/*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": "0.1"}))
    assert kind("--refresh") == ("measured", "logs")


def test_a_pair_is_told_by_the_longest_stem() -> None:
    logs = ["a/build.log", "a/build.fp16.log.gz", "b/x.log", "b/y.log"]
    times = ["a/build.fp16.profile.json", "a/build.json", "b/z.json", "a/builder.json"]
    found, left = inputs.paired(logs, times, "stem")
    assert found == {"a/build.fp16.log.gz": [times[0]], "a/build.log": [times[1]]}
    assert left == times[2:]
    assert inputs.paired(logs, times, "folder") == ({}, times)


def test_pairs_are_found_in_linear_time() -> None:
    def prepared(number: int) -> Callable[[], object]:
        stems = [f"logs/build{n}" for n in range(number)]
        return partial(
            inputs.paired,
            [f"{stem}.log" for stem in stems],
            [f"{stem}.profile.json" for stem in stems],
            "stem",
        )

    budget.linear(prepared, 2_500, 20_000)
    assert prepared(2)() == (
        {f"logs/build{n}.log": [f"logs/build{n}.profile.json"] for n in (0, 1)},
        [],
    )


@pytest.mark.parametrize("moved", [True, False])
def test_a_log_that_was_moved_or_copied(tmp_path: Path, capsys: Capture, moved: bool) -> None:
    old, new, ds = tmp_path / "old" / "a.log", tmp_path / "new" / "a.log", tmp_path / "ds"
    for path in (old, new):
        path.parent.mkdir()
    old.write_text(log("a"), "utf-8")
    pattern = r"path=(?P<model>\w+)/a"
    collected(capsys, tmp_path / "old", "--output_dir", ds, "--meta", pattern)
    (shutil.move if moved else shutil.copy)(old, new)
    collected(capsys, tmp_path / "new", "--output_dir", ds, "--meta", pattern)
    (engine,) = arrow(elv.dataset(ds)["engines"]).to_pylist()
    assert engine["model"] == ("new" if moved else "old")


def test_a_log_and_a_link_to_it_are_read_once(tmp_path: Path, capsys: Capture) -> None:
    old, new, ds = tmp_path / "old" / "a.log", tmp_path / "new" / "a.log", tmp_path / "ds"
    for path in (old, new):
        path.parent.mkdir()
    old.write_text(log("a"), "utf-8")
    new.symlink_to(old)
    words = (tmp_path, "--output_dir", ds, "--meta", r"path=(?P<model>\w+)/a")
    assert "1 log read, 1 known" in collected(capsys, *words)[1]
    assert "0 logs read, 2 known" in collected(capsys, *words)[1]


@pytest.mark.parametrize("form", ["pattern", "list", "file"])
def test_what_is_read_is_named_in_several_ways(tmp_path: Path, capsys: Capture, form: str) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    paths = sorted(logs.rglob("*.log"))
    (tmp_path / "list.txt").write_text("".join(f"{path}\n" for path in paths[:3]), "utf-8")
    given = {
        "pattern": str(logs / "**" / "*0.log"),
        "list": f"@{tmp_path / 'list.txt'}",
        "file": str(paths[0]),
    }
    assert collected(capsys, given[form], "--output_dir", ds)[0] == 0
    assert len(elv.dataset(ds)["engines"]) == {"pattern": 1, "list": 3, "file": 1}[form]


@pytest.mark.parametrize("form", ["-", "@list.txt"])
def test_a_list_is_read_as_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, form: str
) -> None:
    name = os.fsdecode(b"caf\xe9.log") if sys.platform == "linux" else "café.log"
    for path in (tmp_path / "first.log", tmp_path / name):
        path.write_text(log(path.name[:3]), "utf-8")
    listed = b"\xef\xbb\xbffirst.log\r\n" + os.fsencode(name) + b"\n"
    (tmp_path / "list.txt").write_bytes(listed)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(listed), "utf-8"))
    monkeypatch.chdir(tmp_path)
    assert collected(capsys, form, "--output_dir", "ds")[0] == 0
    assert len(elv.dataset("ds")["engines"]) == 2


def test_a_path_that_cannot_be_is_one_bad_log(
    tmp_path: Path, collect: Callable[..., tuple[int, str, str]]
) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    good = logs / "model0" / "gpu0" / "build000.log"
    (tmp_path / "list.txt").write_bytes(b"a\0/b.log\n" + os.fsencode(good) + b"\n")
    code, out, err = collect(f"@{tmp_path / 'list.txt'}", "--output_dir", ds, "--jobs", "1")
    assert (code, "null byte" in err, "2 logs read" in out) == (1, True, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    os.mkfifo(logs / "pipe")
    opened = os.open(logs / "pipe", os.O_RDWR)  # a reader would wait for its end
    later = threading.Timer(30, os.close, (opened,))
    later.start()
    code, _, err = collected(capsys, logs, "--output_dir", ds)
    assert later.is_alive()
    later.cancel()
    os.close(opened)
    assert (code, "pipe:1:1: error[ELV401]" in err) == (1, True)
    assert len(elv.dataset(ds)["engines"]) == 2


def test_a_folder_that_is_no_dataset_stays(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 1), tmp_path / "ds"
    (ds / "_manifest").mkdir(parents=True)
    mine = {"notes.txt": "mine", "_manifest/notes.json": "{}", "layers/part-1.parquet": "mine"}
    (ds / "layers").mkdir()
    for name, text in mine.items():
        (ds / name).write_text(text)
        code, said, err = collected(capsys, logs, "--output_dir", ds)
        assert (code, said) == (4, "")
        assert f"{ds}: error[ELV505]: this folder is no dataset, and holds " in err
        assert {p.relative_to(ds).as_posix() for p in ds.rglob("*") if p.is_file()} <= mine.keys()
    assert collected(capsys, logs, "--output_dir", ds, "--force")[0] in (0, 1)
    assert {name: (ds / name).read_text() for name in mine} == mine
    assert collected(capsys, logs, "--output_dir", ds)[0] in (0, 1), "it is a dataset now"


def test_what_a_killed_run_left_goes_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    (ds / "layers" / ".ipynb_checkpoints").mkdir(parents=True)
    (ds / "layers" / ".gitkeep").touch()
    left = Spool(ds / "layers", "part-1.parquet")  # as of a run that was killed
    collected(capsys, logs, "--output_dir", ds)
    hidden = sorted(path.name for path in (ds / "layers").glob(".*"))
    left.close()
    assert hidden == [".gitkeep", ".ipynb_checkpoints"]


def test_no_logs_is_said(tmp_path: Path, capsys: Capture) -> None:
    code, _, err = collected(capsys, tmp_path, "--output_dir", tmp_path / "ds")
    assert code == 3
    assert "no file is there to be read" in err


def test_files_of_the_dataset_alone_are_said_to_be_that(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    code, _, err = collected(capsys, ds, "--output_dir", ds)
    assert (code, "all files here are of the dataset itself" in err) == (3, True)


def test_a_word_that_names_nothing_is_no_log(tmp_path: Path, capsys: Capture) -> None:
    logs, ds, typo = fleet(tmp_path / "logs", 2), tmp_path / "ds", tmp_path / "lgos"
    assert collected(capsys, typo, "--output_dir", ds)[0] == 3
    assert not ds.exists()
    code, out, err = collected(capsys, typo, logs, "--output_dir", ds)
    assert (code, "3 logs read" in out) == (1, True)
    assert f"{typo}:1:1: error[ELV401]: cannot be read: no such file" in err


@pytest.mark.parametrize("start", ["", "file://"])
def test_a_name_with_the_signs_of_a_pattern(tmp_path: Path, capsys: Capture, start: str) -> None:
    folder = tmp_path / "runs [a]"
    folder.mkdir()
    path = file_of(folder, log("conv"), "build [1].log")
    (tmp_path / "list.txt").write_text(f"{start}{path}\n", "utf-8")
    escaped = tmp_path / "runs [[]a]" / "*.log"
    sources = [f"{start}{one}" for one in (path, folder, escaped)] + [f"@{tmp_path / 'list.txt'}"]
    for number, given in enumerate(sources):
        ds = tmp_path / f"ds{number}"
        assert collected(capsys, given, "--output_dir", ds)[0] == 0
        assert len(elv.dataset(ds)["engines"]) == 1
    code, _, err = collected(capsys, f"{start}{folder}/*.log", "--output_dir", tmp_path / "no")
    assert code == 3
    assert "a pattern writes the signs *, ? and [ of a name as [*], [?] and [[]" in err


def test_the_dataset_may_stand_among_the_logs(tmp_path: Path, capsys: Capture) -> None:
    logs = fleet(tmp_path, 2)
    collected(capsys, logs, "--output_dir", logs / "ds")
    assert "0 logs read, 3 known" in collected(capsys, logs, "--output_dir", logs / "ds")[1]


@pytest.mark.parametrize("how", ["link", "file URL", "other URL"])
def test_a_dataset_among_the_logs_is_known_by_any_name(
    tmp_path: Path, capsys: Capture, how: str
) -> None:
    logs = fleet(tmp_path / "logs", 2)
    source, ds = str(logs), str(logs / "ds")
    if how == "link":
        (tmp_path / "link").symlink_to(logs)
        ds = str(tmp_path / "link" / "ds")
    elif how == "file URL":
        pytest.importorskip("fsspec", reason="the extra dask")
        ds = (logs / "ds").as_uri()
    else:
        fsspec = pytest.importorskip("fsspec", reason="the extra dask")
        memory = fsspec.filesystem("memory")
        memory.put(str(logs), "/among", recursive=True)
        memory.pipe("/among/ds/layers/part-0.parquet", b"1")
        found = [file.name for file in inputs.files(["memory://among"], "memory://among/ds/", [])]
        memory.rm("/among", recursive=True)
        assert len(found) == 3
        return
    collected(capsys, source, "--output_dir", ds)
    assert "0 logs read, 3 known" in collected(capsys, source, "--output_dir", ds)[1]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_folder_without_permission_is_reported(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 3), tmp_path / "ds"
    (logs / "model0").chmod(0)
    try:
        code, _, err = collected(capsys, logs, "--output_dir", ds)
    finally:
        (logs / "model0").chmod(0o755)
    assert (code, "permission denied" in err) == (1, True)
    assert len(elv.dataset(ds)["engines"]) == 2


def test_a_file_that_cannot_be_opened_is_a_row_until_it_can(
    tmp_path: Path, capsys: Capture
) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    (logs / "later.log").symlink_to(tmp_path / "absent.log")
    for _ in range(2):
        code, _, err = collected(capsys, logs, "--output_dir", ds)
        assert (code, "ELV401" in err) == (1, True)
        rows = arrow(elv.dataset(ds)["problems"]).to_pylist()
        (row,) = [row for row in rows if row["file"] == "later.log"]
        assert (row["build_id"], row["code"]) == (None, "ELV401")
        assert content(ds) == globbed(ds)
    (tmp_path / "absent.log").write_text(log("late"), "utf-8")
    assert collected(capsys, logs, "--output_dir", ds, "--compact")[0] == 0
    assert len(elv.dataset(ds)["engines"]) == 3
    assert "later.log" not in {
        row["file"] for row in arrow(elv.dataset(ds)["problems"]).to_pylist()
    }
    assert content(ds) == globbed(ds)


def test_a_file_that_proves_to_be_no_log_is_no_row(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    (logs / "later.json").symlink_to(tmp_path / "absent.json")
    collected(capsys, logs, "--output_dir", ds)
    shutil.copy(FIXTURES / "classic" / "8.0-centernet.profile.json", tmp_path / "absent.json")
    assert "1 file of times" in collected(capsys, logs, "--output_dir", ds)[1]
    rows = arrow(elv.dataset(ds)["problems"]).to_pylist()
    assert "later.json" not in {row["file"] for row in rows}


def test_a_log_that_vanished_is_read_when_it_is_back(tmp_path: Path, capsys: Capture) -> None:
    from engine_layer_visualize.fleet import reading

    logs, ds, away = fleet(tmp_path / "logs", 2), tmp_path / "ds", tmp_path / "away"
    path = logs / "model0" / "gpu0" / "build000.log"

    class Late(Here):
        def run(self, do: Callable[..., Any], *more: Any) -> Iterator[Any]:
            if do is reading.read:
                path.rename(away)
            yield from super().run(do, *more)

    files = inputs.files([str(logs)], str(ds), [])
    collecting.collect(files, places.store(str(ds)), str(ds), Late(), collecting.Wishes(), Silent())
    assert len(elv.dataset(ds)["engines"]) == 1
    assert "0 logs read" in collected(capsys, logs, "--output_dir", ds)[1]
    away.rename(path)
    assert "1 log read" in collected(capsys, logs, "--output_dir", ds)[1]
    assert len(elv.dataset(ds)["engines"]) == 2
    assert content(ds) == globbed(ds)


def test_a_part_that_is_gone_is_written_again(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    whole = content(ds)
    next(ds.glob("layers/trt=10.3/*")).unlink()
    next(ds.glob("_manifest/*")).write_text("7", "utf-8")
    with pytest.raises(elv.ReadError, match="a part that the manifest lists is gone"):
        elv.dataset(ds)
    collected(capsys, logs, "--output_dir", ds)
    assert content(ds) == globbed(ds) == whole


def test_many_parts_are_not_open_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    for path in sorted(logs.rglob("*.log")):
        collected(capsys, path, "--output_dir", ds)
    opened: list[io.BufferedReader] = []

    def reader(self: places.Folder, name: str) -> io.BufferedReader:
        assert all(file.closed for file in opened)
        opened.append(open(ds / name, "rb"))  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr(places.Folder, "reader", reader)
    assert collected(capsys, logs / "model0", "--output_dir", ds, "--compact")[0] == 0
    assert len(opened) > 20


@pytest.mark.skipif(not hasattr(os, "sync"), reason="a call of POSIX")
def test_old_parts_go_when_the_manifest_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    for path in sorted(logs.rglob("*.log")):
        collected(capsys, path, "--output_dir", ds)
    done, delete = ["nothing"], places.Folder.delete

    def deleted(self: places.Folder, name: str) -> None:
        done.append(name)
        delete(self, name)

    monkeypatch.setattr(os, "sync", lambda: done.append("sync"))
    monkeypatch.setattr(places.Folder, "delete", deleted)
    collected(capsys, logs / "model0", "--output_dir", ds, "--compact")
    assert done[1] == "sync"
    assert len(done) > 20


def test_a_dataset_is_read_while_a_run_writes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    from engine_layer_visualize.fleet import manifest

    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    for path in sorted(logs.rglob("*.log")):
        collected(capsys, path, "--output_dir", ds)
    whole, read, names = content(ds), manifest.entries, places.Folder.names

    def compacted(store: places.Store, where: str) -> dict[str, manifest.Entry]:
        found = read(store, where)
        monkeypatch.setattr(manifest, "entries", read)
        collected(capsys, logs / "model0", "--output_dir", ds, "--compact")
        return found

    def more(self: places.Folder, folder: str) -> list[str]:
        return [*names(self, folder), f"{folder}/.half.json.0123456789ab"]  # it has its name now

    monkeypatch.setattr(manifest, "entries", compacted)
    monkeypatch.setattr(places.Folder, "names", more)
    assert content(ds) == whole


def test_a_dataset_of_a_newer_program_is_left_alone(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    collected(capsys, logs, "--output_dir", ds)
    first = min(ds.glob("_manifest/*.json"))
    first.write_text(json.dumps(json.loads(first.read_text()) | {"schema": 2, "more": 1}))
    before = {path: path.read_bytes() for path in ds.rglob("*.*") if path.is_file()}
    code, _, err = collected(capsys, logs, "--output_dir", ds)
    assert (code, "ELV507" in err) == (4, True)
    assert {path: path.read_bytes() for path in ds.rglob("*.*") if path.is_file()} == before
    with pytest.raises(elv.ReadError, match="ELV507"):
        elv.dataset(ds)


def test_two_runs_do_not_write_at_once(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    with places.store(str(ds)).locked():
        code, _, err = collected(capsys, logs, "--output_dir", ds)
    assert (code, "ELV506" in err) == (4, True)
    assert collected(capsys, logs, "--output_dir", ds)[0] == 1  # of notes.txt
    assert len(elv.dataset(ds)["engines"]) == 2


def test_a_folder_and_its_url_are_one_place(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("fsspec", reason="the extra dask")
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    with places.store(str(ds)).locked():
        code, _, err = collected(capsys, logs, "--output_dir", ds.as_uri())
    assert (code, "ELV506" in err) == (4, True)


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of a place without locks, where marks are quick."""
    fsspec = pytest.importorskip("fsspec", reason="the extra dask")
    monkeypatch.setattr(marks, "EVERY", 0.05)
    yield "memory://marks/ds"
    fsspec.filesystem("memory").rm("/marks", recursive=True)


def test_two_runs_do_not_write_to_one_url_at_once(
    tmp_path: Path, capsys: Capture, url: str
) -> None:
    logs = fleet(tmp_path / "logs", 2)
    with places.store(url).locked():
        code, _, err = collected(capsys, logs, "--output_dir", url)
        assert (code, "marks/ds: error[ELV506]" in err) == (4, True)
        with pytest.raises(elv.ReadError, match="no manifest"):
            elv.dataset(url)
    assert collected(capsys, logs, "--output_dir", url)[0] == 1  # of notes.txt
    assert len(elv.dataset(url)["engines"]) == 2
    assert places.store(url).names(marks.FOLDER) == []


def test_the_mark_of_a_killed_run_stops_no_other_one(
    tmp_path: Path, capsys: Capture, url: str
) -> None:
    store = places.store(url)
    for name in (f"{marks.FOLDER}/dead", "layers/trt=10.3/part-0123456789abcdef-7.parquet"):
        with store.writer(name) as file:
            file.write(b"9")
    logs = fleet(tmp_path / "logs", 2)
    assert collected(capsys, logs, "--output_dir", url)[0] == 1  # of notes.txt
    assert len(elv.dataset(url)["engines"]) == 2
    assert store.names(marks.FOLDER) == []
    assert not any("0123456789abcdef" in name for name in store.names("layers"))


def test_a_run_that_was_taken_for_dead_writes_no_more(url: str) -> None:
    store = places.store(url)
    with store.locked():
        (own,) = store.names(marks.FOLDER)
        places.store(url).delete(own)
        time.sleep(0.5)
        with pytest.raises(OSError, match="asleep"), store.writer("layers/x") as file:
            file.write(b"x")
        with pytest.raises(OSError, match="asleep"):
            store.delete("layers/x")
    assert store.names("layers") == []


def test_a_url_is_no_pattern(tmp_path: Path, capsys: Capture, url: str) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), url + "[1]"
    collected(capsys, logs, "--output_dir", ds)
    assert "0 logs read, 3 known" in collected(capsys, logs, "--output_dir", ds)[1]


def test_hostile_names_stay_as_they_are(tmp_path: Path, capsys: Capture) -> None:
    logs, ds = tmp_path / "logs", tmp_path / "ds"
    logs.mkdir()
    names = ["=1+1", "@cmd", "a\x01b\x1fc", "x" * 40_000]
    for number, name in enumerate(names):
        (logs / f"=cmd|{number}\x07.log").write_text(log(name, 1), "utf-8")
    assert collected(capsys, logs, "--output_dir", ds)[0] == 0
    found = {row["name"] for row in arrow(elv.dataset(ds)["layers"]).to_pylist()}
    assert found == {f"{name}_0" for name in names}
    files = {row["file"] for row in arrow(elv.dataset(ds)["engines"]).to_pylist()}
    assert files == {f"=cmd|{number}\x07.log" for number in range(len(names))}


# ---- what goes wrong while it runs ---------------------------------------------------------------


def deadly(items: list[Item], meta: tuple[str, ...]) -> Result:
    """A reader that one log kills."""
    from engine_layer_visualize.fleet import reading

    if any("build001" in item.path for item in items):
        os.kill(os.getpid(), 9)
    return reading.read(items, meta)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_log_that_kills_its_reader_is_a_row_of_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    done = processes.Processes.run

    def run(self: object, do: object, *more: object) -> object:
        from engine_layer_visualize.fleet import reading

        return done(self, deadly if do is reading.read else do, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(processes.Processes, "run", run)
    assert cli.main(["collect", str(logs), "--output_dir", str(ds), "--jobs", "1"]) == 1
    assert "ELV113" in capsys.readouterr().err
    assert len(elv.dataset(ds)["engines"]) == 5
    rows = arrow(elv.dataset(ds)["problems"]).to_pylist()
    assert [row["file"] for row in rows if row["code"] == "ELV113"] == ["model1/gpu1/build001.log"]
    assert content(ds) == globbed(ds)


def test_a_failure_of_the_reader_is_a_row_of_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine_layer_visualize.fleet import reading

    path = file_of(tmp_path, log("conv"))

    def fail(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    (look,) = reading.looks([str(path)])
    assert look.sha256 is not None
    item = Item(str(path), "build.log", look.sha256, look.sha256, 1, 1)
    monkeypatch.setattr(reading, "Log", fail)
    result = reading.read([item], ())
    assert [problem.code for problem in result.problems] == ["ELV113"]
    assert result.entries[0].rows == {"__HIVE_DEFAULT_PARTITION__": {"problems": 1}}


def test_a_log_that_changes_is_left_for_the_next_run(tmp_path: Path) -> None:
    from engine_layer_visualize.fleet import reading

    path = file_of(tmp_path, log("conv"))
    result = reading.read([Item(str(path), "build.log", "ab", "ab", 1, 1)], ())
    assert result.entries == []
    assert [problem.code for problem in result.problems] == ["ELV108"]


def test_a_log_that_changed_is_not_counted_and_no_worker_stays(tmp_path: Path) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    store, files = places.store(str(ds)), inputs.files([str(logs)], str(ds), [])
    ends: list[str] = []

    class Growing(Here):
        def run(self, do: Callable[..., Any], *more: Any) -> Iterator[Any]:
            with open(files[0].path, "ab") as file:
                file.write(b"more\n")
            yield from super().run(do, *more)

        def close(self) -> None:
            ends.append("closed")

    done = collecting.collect(files, store, str(ds), Growing(), collecting.Wishes(), Silent())
    assert (done.read, len(entries(ds)), ends) == (2, 2, ["closed"])
    with places.store(str(ds)).locked(), pytest.raises(elv.ReadError, match="ELV506"):
        collecting.collect(files, store, str(ds), Growing(), collecting.Wishes(), Silent())
    assert ends == ["closed", "closed"]


@pytest.mark.parametrize("written", [0, 3, 14])
def test_a_full_disk_ends_the_run_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, written: int
) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 4), tmp_path / "ds", tmp_path / "calm"
    collected(capsys, logs, "--output_dir", calm)
    left, finish = [written], Spool.finish

    def full(self: Spool, path: Path, sync: bool) -> None:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        finish(self, path, sync)

    with monkeypatch.context() as patch:
        patch.setattr(Spool, "finish", full)
        code, _, err = collected(capsys, logs, "--output_dir", ds)
    assert (code, "no space left on device" in err) == (4, True)
    assert not [path for path in ds.rglob(".*") if path.name != ".lock"]
    collected(capsys, logs, "--output_dir", ds)
    assert content(ds) == globbed(ds) == content(calm)


def test_tasks_are_cut_by_size_and_shared_out() -> None:
    items = [Item(str(n), str(n), str(n), str(n), 1 << 20, 1) for n in range(100)]
    for jobs, count in ((1, 4), (3, 6), (4, 8)):
        tasks = list(collecting._tasks(items, jobs))
        assert [item for task in tasks for item in task] == items
        assert len(tasks) == count
        assert max(map(len, tasks)) <= -(-100 // count)
