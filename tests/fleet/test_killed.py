"""`collect` is killed at any moment, or its disk is full, and it is run again: no row is lost."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from faults.conftest import small_disk as small_disk
from program import Capture, Patch

from engine_layer_visualize.api import collect as api_collect
from engine_layer_visualize.api import collect_sources
from engine_layer_visualize.api.collect import Outcome
from engine_layer_visualize.api.collect_sources import Item
from engine_layer_visualize.commands import cli
from engine_layer_visualize.export.tables import SCHEMAS
from fleet.conftest import Collect, Start, collected_here, content, fleet, table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def done(ds: Path) -> int:
    """How many logs are there."""
    return len(list(ds.glob("engines/*-*.parquet")))


def unknown(ds: Path) -> set[str]:
    """The files of logs that are not there."""
    there = {path.name for path in ds.glob("engines/*-*")}
    return {path.name for path in ds.glob("*/*-*")} - there


def test_killed_at_any_moment_and_run_again(tmp_path: Path, start: Start, collect: Collect) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 40, layers=80), tmp_path / "ds", tmp_path / "calm"
    words, begun = (logs, "--jobs", "2", "--output_dir"), time.monotonic()
    collect(*words, calm)
    took, whole = time.monotonic() - begun, content(calm)
    chance, kills, between = random.Random(7), 0, 0
    while kills < 20:
        process = start(*words, ds)
        time.sleep(chance.uniform(0, took))
        if process.poll() is None:
            kills += 1
            if kills % 2:
                process.kill()  # its processes end themselves
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        between += 0 < done(ds) < 41
        if done(ds) == 41:
            shutil.rmtree(ds)
    assert between
    collect(*words, ds)
    assert content(ds) == whole
    assert "0 logs read, 41 known before" in collect(*words, ds)[1]
    assert not [path for path in ds.rglob(".*") if path.name != ".lock"]


def test_two_runs_at_once(tmp_path: Path, start: Start, collect: Collect) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 30, layers=30), tmp_path / "ds", tmp_path / "calm"
    collected_here(logs, "--output_dir", calm)
    both = [start(logs, "--output_dir", ds, "--jobs", "1") for _ in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] in ([0, 1], [1, 0])  # of notes.txt
    assert sum("another run writes into" in err for _, err in said) == 1
    assert content(ds) == content(calm)
    assert "0 logs read" in collect(logs, "--output_dir", ds)[1]


@pytest.mark.parametrize("written", [1, 4, 17])
def test_a_full_disk(tmp_path: Path, small_disk: Path, capsys: Capture, written: int) -> None:
    """It ends the run, and the next goes on. `written` kB are left."""
    logs, ds, calm = fleet(tmp_path / "logs", 6), small_disk / "ds", tmp_path / "calm"
    collected_here(logs, "--output_dir", calm)
    ballast = small_disk / "ballast"
    ds.mkdir()
    ballast.write_bytes(b"x" * (64 - 4 * written << 10))
    assert collected_here(logs, "--output_dir", ds) == 4
    assert "ELV501]: cannot be written: no space left on device" in capsys.readouterr().err
    assert not [path for path in ds.rglob(".*") if path.name != ".lock"]
    assert not unknown(ds)
    shutil.move(ds, tmp_path / "ds")
    collected_here(logs, "--output_dir", tmp_path / "ds")
    assert content(tmp_path / "ds") == content(calm)


def deadly(item: Item, folder: str) -> Outcome:
    """A reader that one log kills."""
    if "build001" in item.log.path:
        os.kill(os.getpid(), signal.SIGKILL)
    return safe(item, folder)


safe = api_collect.read_log


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_deadly_log(tmp_path: Path, monkeypatch: Patch, capsys: Capture, jobs: str) -> None:
    """One that kills its reader costs itself alone."""
    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    words = ["collect", str(logs), "--output_dir", str(ds), "--jobs", jobs]
    with monkeypatch.context() as patch:
        patch.setattr(api_collect, "read_log", deadly)
        assert cli.main(words) == 1
    said = "model1/gpu1/build001.log:1:1: error[ELV113]: the process that read it died"
    assert said in capsys.readouterr().err
    assert len(table(ds, "engines")) == 5
    assert cli.main(words) == 0  # it is tried again
    assert len(table(ds, "engines")) == 6


def slow(item: Item) -> Outcome:
    time.sleep(0.5)
    return Outcome([], 0, 1)


def test_a_log_that_takes_long_is_said(tmp_path: Path, monkeypatch: Patch) -> None:
    said: list[str] = []
    monkeypatch.setattr(api_collect, "_PATIENCE", 0.1)
    items: list[Any] = [collected_item(tmp_path)]
    workers = partial(api_collect.processes, 1)
    ((_, came),) = api_collect.read_all(items, slow, workers, said.append)
    assert came.engines == 1
    assert said[0] == "no log was done for 0 s; still waiting for build000.log"


def collected_item(folder: Path) -> Item:
    for name in SCHEMAS:
        (folder / name).mkdir()
    logs = fleet(folder / "logs", 1) / "model0" / "gpu0"
    (found,) = collect_sources.files([str(logs)], str(folder / "ds"), print)
    return Item("0" * 16, found, ())


@pytest.mark.parametrize("how", ["stdin", "file"])
def test_a_program_without_a_guard(tmp_path: Path, environment: dict[str, str], how: str) -> None:
    """What stands on stdin is no file that another process could run; a file without
    `if __name__ == "__main__":` would call `collect` in each process again."""
    words = ["collect", str(fleet(tmp_path / "logs", 4)), "-o", str(tmp_path / "ds"), "--jobs", "2"]
    program = f"from engine_layer_visualize.commands import cli\nprint(cli.main({words!r}))\n"
    (tmp_path / "program.py").write_text(program, "utf-8")
    ended = subprocess.run(
        [sys.executable, *(["program.py"] if how == "file" else [])],
        input=program if how == "stdin" else "",
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "5 logs read, 0 known before, 1 without an engine" in ended.stdout
    assert "error" not in ended.stderr.lower().replace("notes.txt:1:1: error[elv402]", "")


def test_ctrl_c_ends_it_with_its_processes(tmp_path: Path, start: Start) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 40, layers=80), tmp_path / "ds", tmp_path / "calm"
    collected_here(logs, "--output_dir", calm)
    process = start(logs, "--output_dir", ds, "--jobs", "2")
    while not done(ds):
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err.strip()) == (130, "interrupted")
    assert not unknown(ds)
    collected_here(logs, "--output_dir", ds)
    assert content(ds) == content(calm)


def test_ctrl_c_while_processes_start_leaves_the_main_file() -> None:
    main = sys.modules["__main__"]
    with pytest.raises(KeyboardInterrupt), api_collect._undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
    assert sys.modules["__main__"] is main


def test_a_lack_of_memory_costs_one_log(tmp_path: Path, monkeypatch: Patch) -> None:
    def short(*_: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(api_collect, "_parquet", short)
    came = api_collect.read_log(collected_item(tmp_path), str(tmp_path))
    assert (came.rows, [problem.code for problem in came.problems]) == (None, ["ELV113"])
