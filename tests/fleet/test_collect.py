"""`collect`: what becomes of many logs, from run to run."""

import os
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from unittest import mock

import pyarrow
import pytest
from logtext import file_of
from paths import CENTERNET, FIXTURES, TIMES
from program import Capture, Patch
from pyarrow import parquet

import engine_layer_visualize as elv
from engine_layer_visualize.api import collect as api_collect
from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect_sources import File, Item
from engine_layer_visualize.commands import cli
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.reading import file_kinds
from fleet.conftest import Collect, collected_here, content, fleet, log, table
from fuzz import budget


@pytest.fixture
def run(tmp_path: Path, capsys: Capture) -> Collect:
    """`run(logs, …)` collects into `ds`: the exit code, stdout, stderr. `code`, `said`: how it has
    to end, and what has to be on stdout or stderr."""

    def collected(
        *words: str | Path, code: int | None = None, said: str = ""
    ) -> tuple[int, str, str]:
        capsys.readouterr()
        ended = collected_here(*words, "--output_dir", tmp_path / "ds")
        out, err = capsys.readouterr()
        assert code in (None, ended) and said in out + err, (ended, out, err)
        return ended, out, err

    return collected


def one(folder: Path, text: str, name: str = "a.log") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return file_of(folder, text, name)


# ---- what is in it -------------------------------------------------------------------------------


def test_a_dataset_has_the_rows_of_each_log(tmp_path: Path, run: Collect) -> None:
    logs, ds = fleet(tmp_path / "logs", 7), tmp_path / "ds"
    code, out, err = run(logs)
    assert code == 1 and "notes.txt:1:1: error[ELV402]" in err
    assert "8 logs read, 0 known before, 1 without an engine" in out
    rows = {name: table(ds, name) for name in SCHEMAS}
    for path in logs.rglob("*.log"):
        build = elv.read(path, facts=True)
        for name in SCHEMAS:
            own = [row for row in rows[name] if row["build_id"] == build.engines[0].build_id]
            wanted = pyarrow.table(build.tables[name]).to_pylist()
            for row in wanted if name in ("engines", "problems") else ():
                row["file"] = path.relative_to(logs).as_posix()
            assert own == wanted, name
    (row,) = (row for row in rows["problems"] if row["file"] == "notes.txt")
    assert (row["engine"], row["severity"], row["code"]) == (None, "error", "ELV402")
    assert row["build_id"] is not None
    for name, schema in SCHEMAS.items():
        files = [parquet.ParquetFile(path) for path in (ds / name).iterdir()]
        assert all(file.schema_arrow.names == list(schema.names) for file in files)
        none = [file for file in files if not file.metadata.num_rows]
        assert len(none) == 1 + (name == "engines")  # empty.parquet, and notes.txt


@pytest.mark.parametrize("name", ["broken/gzip-good.log.gz", "inspector_json/trtexec-pretty.json"])
def test_logs_of_each_kind_are_read(tmp_path: Path, run: Collect, name: str) -> None:
    assert run(FIXTURES / name)[0] == 0
    assert len(table(tmp_path / "ds", "engines")) == 1


def test_times_are_read_with_their_log(tmp_path: Path, run: Collect) -> None:
    logs, ds = tmp_path / "logs", tmp_path / "ds"
    shutil.copy(CENTERNET, one(logs, "", "build.log"))
    run(logs)
    (row,) = table(ds, "engines")
    assert row["time_kind"] != "measured"
    shutil.copy(TIMES, logs / "build.profile.json")
    for read in ("1 log read", "0 logs read"):
        code, out, err = run(logs)
        assert (code, read in out, err) == (0, True, "")
        (row,) = table(ds, "engines")
        assert row["time_kind"] == "measured"
    os.utime(logs / "build.profile.json", (1, 1))
    assert "1 log read" in run(logs)[1]
    assert len(table(ds, "engines")) == 1


def test_times_of_no_log_are_told(tmp_path: Path, run: Collect) -> None:
    logs = fleet(tmp_path / "logs", 2) / "model0" / "gpu0"
    one(logs, log("second"), "second.log")
    shutil.copy(TIMES, logs / "other.json")
    code, out, err = run(logs)
    assert (code, "2 logs read" in out) == (0, True)
    assert "1 file of times, such as other.json, fits no log" in err
    (logs / "second.log").unlink()
    (logs / "other.json").unlink()
    shutil.copy(FIXTURES / "times" / "10.times.json", logs / "times.json")  # of whole runs
    run(logs, code=0, said="1 file of times, such as times.json")


def paired(folder: str, logs: Iterable[str], times: Collection[str]) -> dict[str, list[str]]:
    """The files of times of each log by names; those of no log are under ""."""
    found = sorted(File(f"{folder}/{name}", name, 1, 1) for name in (*logs, *times))

    def is_of_times(path: str) -> bool:
        return os.path.basename(path) in times

    with mock.patch.multiple(
        file_kinds, has_times_alone=is_of_times, has_times_of_runs=lambda _: False
    ):
        items, left = collect_sources.items(found, ())
    of_logs = {item.log.name: [os.path.basename(path) for path in item.profiles] for item in items}
    return {**of_logs, "": left}


def test_times_are_of_the_log_with_the_longest_stem_or_of_the_only_one() -> None:
    logs = ["build.fp16.log.gz", "build.log", "x.log", "x.log.xz"]
    times = ["build.fp16.profile.json", "build.json", "builder.json", "x.json"]
    of_builds = {"build.fp16.log.gz": ["build.fp16.profile.json"], "build.log": ["build.json"]}
    others = {"x.log": [], "x.log.xz": [], "": ["builder.json", "x.json"]}
    assert paired("/a", logs, times) == {**of_builds, **others}
    assert paired("/a", ["build.log"], times) == {"build.log": times, "": []}

    def prepared(number: int) -> Callable[[], object]:
        stems = [f"build{n}" for n in range(number)]
        logs = [f"{stem}.log" for stem in stems]
        return partial(paired, "/a", logs, dict.fromkeys(f"{stem}.profile.json" for stem in stems))

    budget.linear(prepared, 1_000, 8_000)


def test_hostile_names_stay_as_they_are(tmp_path: Path, run: Collect) -> None:
    names = ["=1+1", "@cmd", "a\x01b\x1fc", "x" * 40_000]
    for number, name in enumerate(names):
        one(tmp_path / "logs", log(name, 1), f"=cmd|{number}\x07.log")
    assert run(tmp_path / "logs")[0] == 0
    ds = tmp_path / "ds"
    assert {row["name"] for row in table(ds, "layers")} == {f"{name}_0" for name in names}
    files = {row["file"] for row in table(ds, "engines")}
    assert files == {f"=cmd|{number}\x07.log" for number in range(len(names))}


# ---- from run to run -----------------------------------------------------------------------------


def test_what_was_read_stays_closed(tmp_path: Path, run: Collect, monkeypatch: Patch) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    run(logs)
    before = {path: path.stat().st_mtime_ns for path in ds.rglob("*.parquet")}
    with monkeypatch.context() as patch:
        patch.setattr(file_kinds, "has_times_alone", None)
        patch.setattr(api_collect, "Log", None)
        run(logs, code=0, said="0 logs read, 5 known before")
    assert {path: path.stat().st_mtime_ns for path in ds.rglob("*.parquet")} == before
    one(logs, log("new"), "new.log")
    assert "1 log read, 5 known before" in run(logs)[1]
    assert len(table(ds, "engines")) == 5
    whole = content(ds)
    assert "6 logs read, 0 known before" in run(logs, "--refresh")[1]
    assert content(ds) == whole


def test_a_changed_log_has_its_new_rows_a_gone_one_its_old(tmp_path: Path, run: Collect) -> None:
    ds, path = tmp_path / "ds", one(tmp_path / "logs", log("old"))
    gone = one(tmp_path / "logs", log("gone"), "gone.log")
    run(tmp_path / "logs")
    gone.unlink()
    path.write_text(log("new", 5), "utf-8")
    assert "1 log read" in run(tmp_path / "logs")[1]
    names = {row["name"].partition("_")[0] for row in table(ds, "layers")}
    assert (names, len(table(ds, "layers"))) == ({"new", "gone"}, 8)
    path.write_bytes(b"")  # no engine comes of it: the old ones are none of this log
    assert run(tmp_path / "logs")[0] == 1
    assert {row["name"].partition("_")[0] for row in table(ds, "layers")} == {"gone"}


def test_each_path_has_rows_of_its_own(tmp_path: Path, run: Collect) -> None:
    ds, first = tmp_path / "ds", one(tmp_path / "logs", log("a"))
    shutil.copy(first, first.with_name("b.log"))
    assert "2 logs read" in run(tmp_path / "logs")[1]
    engines = table(ds, "engines")
    assert sorted(row["file"] for row in engines) == ["a.log", "b.log"]
    assert len({row["build_id"] for row in engines}) == 1  # by which a query finds copies
    first.write_text(log("c"), "utf-8")
    run(first)
    assert sorted({row["name"][0] for row in table(ds, "layers")}) == ["a", "c"]


@pytest.mark.parametrize("damage", ["cut", "emptied", "deleted"])
@pytest.mark.parametrize("name", ["engines", "layers", "edges"])
def test_a_damaged_file_is_read_anew(tmp_path: Path, run: Collect, damage: str, name: str) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    run(logs)
    whole, path = content(ds), next((ds / name).glob("*-*"))
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 if damage == "cut" else 0])
    assert "1 log read, 4 known before" in run(logs)[1]
    assert content(ds) == whole
    assert "0 logs read" in run(logs)[1]


def test_damaged_files_of_a_log_that_is_gone_go(tmp_path: Path, run: Collect) -> None:
    logs, ds = fleet(tmp_path / "logs", 4), tmp_path / "ds"
    run(logs)
    next((ds / "layers").glob("*-*")).write_bytes(b"")
    assert "damaged files of 1 log go, which are not read now" in run(one(logs, log("a")))[2]
    assert len(list((ds / "layers").iterdir())) == len(list((ds / "engines").glob("*-*"))) == 5


def test_a_table_that_is_gone_is_known(tmp_path: Path, run: Collect, monkeypatch: Patch) -> None:
    """Older versions wrote `candidates`."""
    path = one(tmp_path / "logs", log("conv"))
    run(path)
    left = [name for name in api_collect._TABLES if name != "layers"]
    monkeypatch.setattr(api_collect, "_TABLES", left)
    run(path, said="0 logs read, 1 known before")


def test_a_log_that_changes_while_it_is_read_is_left_for_the_next_run(tmp_path: Path) -> None:
    path = one(tmp_path, log("conv"))
    (found,) = collect_sources.files([str(path)], str(tmp_path / "ds"), print)
    path.write_text(log("other", 9), "utf-8")
    for name in SCHEMAS:
        (tmp_path / name).mkdir()
    done = api_collect.read_log(Item("0", found, ()), str(tmp_path))
    assert ([problem.code for problem in done.problems], done.rows) == (["ELV108"], None)
    assert not [*tmp_path.glob("*/*")]


def test_a_failure_of_the_reader_is_told(tmp_path: Path, run: Collect, monkeypatch: Patch) -> None:
    """And the log is tried again."""

    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    one(tmp_path / "logs", log("conv"))
    with monkeypatch.context() as patch:
        patch.setattr(api_collect, "Log", fail)
        said = "a.log:1:1: error[ELV113]: reading it failed: RecursionError"
        run(tmp_path / "logs", code=1, said=said)
    assert not [*(tmp_path / "ds").rglob("*-*.parquet")]
    assert run(tmp_path / "logs")[0] == 0


# ---- which files are read ------------------------------------------------------------------------


def test_a_file_a_folder_and_a_pattern_are_read(tmp_path: Path, run: Collect) -> None:
    """Whose names have the signs of a pattern."""
    path = one(tmp_path / "runs [a]", log("conv"), "build [1].log")
    patterns = tmp_path / "runs [[]a]" / "*.log", tmp_path / "**" / "build*.log"
    for given in (path, path.parent, *patterns):
        shutil.rmtree(tmp_path / "ds", ignore_errors=True)
        assert run(given)[0] == 0
        assert len(table(tmp_path / "ds", "engines")) == 1
    run(path.parent / "*.log", code=3, said="in which `[*]` is a `*` of a name")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path: Path, run: Collect) -> None:
    logs = fleet(tmp_path / "logs", 2)
    os.mkfifo(logs / "pipe")
    opened = os.open(logs / "pipe", os.O_RDWR)  # a reader would wait for its end
    later = threading.Timer(30, os.close, (opened,))
    later.start()
    run(logs, code=1, said="pipe:1:1: error[ELV401]")
    assert later.is_alive()
    later.cancel()
    os.close(opened)
    assert len(table(tmp_path / "ds", "engines")) == 2


def test_a_file_that_cannot_be_opened_is_tried_again(tmp_path: Path, run: Collect) -> None:
    logs = fleet(tmp_path / "logs", 2)
    (logs / "later.log").symlink_to(tmp_path / "absent.log")
    for _ in range(2):
        run(logs, code=1, said="later.log:1:1: error[ELV401]")
    (tmp_path / "absent.log").write_text(log("late"), "utf-8")
    assert run(logs)[0] == 0
    assert len(table(tmp_path / "ds", "engines")) == 3


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_folder_without_permission_is_reported(tmp_path: Path, run: Collect) -> None:
    logs = fleet(tmp_path / "logs", 3)
    (logs / "model0").chmod(0)
    try:
        run(logs, code=1, said="permission denied")
    finally:
        (logs / "model0").chmod(0o755)
    assert len(table(tmp_path / "ds", "engines")) == 2


def test_what_is_no_log_is_said(tmp_path: Path, run: Collect) -> None:
    logs, typo = fleet(tmp_path / "logs", 2), tmp_path / "lgos"
    run(typo, code=2, said=f"{typo}:1:1: error[ELV401]: cannot be read: no such file")
    assert run(typo, logs)[0] == 2
    assert not (tmp_path / "ds").exists()
    run(logs, code=1, said="3 logs read")
    assert run(tmp_path / "ds")[0] == 3  # its own files are no logs


@pytest.mark.parametrize("which", ["source", "dataset"])
def test_a_url_is_a_mistake_that_says_what_to_do(capsys: Capture, which: str) -> None:
    words = ["s3://bucket/logs", "-o", "ds"] if which == "source" else [".", "-o", "s3://bucket/ds"]
    assert cli.main(["collect", *words]) == 2
    assert "is a URL: copy it to a folder, or mount it" in capsys.readouterr().err
    with pytest.raises(ValueError, match="is a URL"):
        elv.collect(words[0], words[2])


# ---- its folder ----------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["ds", "link/ds"])
def test_the_dataset_may_stand_among_the_logs(tmp_path: Path, capsys: Capture, named: str) -> None:
    logs = fleet(tmp_path / "logs", 2)
    (tmp_path / "link").symlink_to(logs)
    ds = (logs if named == "ds" else tmp_path) / named
    collected_here(logs, "--output_dir", ds)
    capsys.readouterr()
    collected_here(logs, "--output_dir", ds)
    assert "0 logs read, 3 known" in capsys.readouterr().out


def test_files_of_others_stay_and_what_a_killed_run_left_goes(tmp_path: Path, run: Collect) -> None:
    logs, ds = fleet(tmp_path / "logs", 2), tmp_path / "ds"
    mine = {"notes.txt": "mine", "layers/part-1.txt": "mine", "layers/.gitkeep": ""}
    key = "0123456789abcdef-0123456789ab-0123456789ab.parquet"
    left = [f"layers/{key}", f"engines/{key}", f"edges/.{key[:48]}.0123456789ab"]
    for name, text in {**mine, **dict.fromkeys(left, "half")}.items():
        (ds / name).parent.mkdir(parents=True, exist_ok=True)
        (ds / name).write_text(text)
    run(logs)
    assert {name: (ds / name).read_text() for name in mine} == mine
    assert not [name for name in left if (ds / name).exists()]


def test_a_file_in_the_place_of_the_dataset_is_said(tmp_path: Path, run: Collect) -> None:
    one(tmp_path, "mine", "ds")
    run(fleet(tmp_path / "logs", 1), code=4, said="ds: error[ELV501]: cannot be written")


def test_files_are_told_apart_in_linear_time() -> None:
    logs = [File(f"/a/{n % 50}/{n}.log", f"{n}.log", 1, n) for n in range(4_000)]
    known = {collect_sources._start(file) for file in logs}

    def prepared(number: int) -> Callable[[], tuple[Sequence[Item], Sequence[str]]]:
        found = sorted(logs[:number], key=lambda file: os.path.split(file.path))
        return lambda: collect_sources.items(found, known)

    budget.linear(prepared, 500, 4_000)
    assert len({item.key for item in prepared(4_000)()[0]}) == 4_000
