"""Marks at places without locks: stores that fail, runs that sleep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import engine_layer_visualize as elv
from engine_layer_visualize.io import marks

fsspec = pytest.importorskip("fsspec", reason="the extra dask")
ROOT = "/of-marks/ds"
FOLDER = f"{ROOT}/{marks.FOLDER}"


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A store that fails as often as `failures` says, with an error of its own."""
    from fsspec.implementations.memory import MemoryFileSystem

    class Failing(MemoryFileSystem):  # type: ignore[misc]
        cachable = False
        failures = 0
        kept = False

        def _fail(self) -> None:
            if self.failures:
                self.failures -= 1
                raise RuntimeError("503 slow down")

        def info(self, path: str, **more: Any) -> Any:
            self._fail()
            return super().info(path, **more)

        def ls(self, path: str, detail: bool = True, **more: Any) -> Any:
            self._fail()
            return super().ls(path, detail=detail, **more)

        def pipe_file(self, path: str, *more: Any, **others: Any) -> Any:
            self._fail()
            return super().pipe_file(path, *more, **others)

        def rm_file(self, path: str) -> None:
            if self.kept:
                raise PermissionError("no right to delete")
            super().rm_file(path)

    monkeypatch.setattr(marks, "EVERY", 0.05)
    found = Failing()
    yield found
    MemoryFileSystem.store.clear()


def own(system: Any) -> bytes:
    (path,) = system.ls(FOLDER, detail=False)
    return bytes(system.cat_file(path))


def test_a_store_that_fails_for_a_moment_ends_no_run(system: Any) -> None:
    mark = marks.Mark(system, ROOT)
    with mark.held():
        system.failures = 3
        end = time.monotonic() + 20
        while system.failures and time.monotonic() < end:
            time.sleep(0.01)
        before = own(system)
        while own(system) == before and time.monotonic() < end:
            time.sleep(0.01)
        assert own(system) != before
        mark.check()


def test_a_mark_that_cannot_be_removed_is_no_error(system: Any) -> None:
    with marks.Mark(system, ROOT).held():
        system.kept = True
    assert len(system.ls(FOLDER)) == 1


@pytest.mark.parametrize("late", [False, True])
def test_a_run_that_slept_looks_before_it_writes(
    system: Any, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    now = 1e9
    monkeypatch.setattr(marks, "time", SimpleNamespace(time=lambda: now, sleep=time.sleep))
    mark = marks.Mark(system, ROOT)
    with mark.held():
        mark._over.set()  # its thread sleeps
        now += 0.2
        mark.check()  # nobody has begun
        (path,) = system.ls(FOLDER, detail=False)
        if late:  # another one removed the mark, and then what was on its way to the store came
            system.pipe_file(f"{FOLDER}/other", b"1")
        else:
            system.rm_file(path)
        mark.check()  # it changed its mark a moment ago
        now += 0.2
        with pytest.raises(OSError, match="asleep"):
            mark.check()


def test_a_run_that_waits_slowly_takes_no_living_one_for_dead(
    system: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, slow = system.cat_file, 0.02 * 20  # each look takes as long as all of them should

    def cat_file(path: str) -> Any:
        time.sleep(slow)
        return read(path)

    with marks.Mark(system, ROOT).held():
        monkeypatch.setattr(system, "cat_file", cat_file)
        with pytest.raises(elv.ReadError, match="ELV506"), marks.Mark(system, ROOT).held():
            pytest.fail("two runs at once")


PROGRAM = """
import sys, time
from fsspec.implementations.local import LocalFileSystem
from engine_layer_visualize.io import marks, places
marks.EVERY = 0.2
store = places.Remote(LocalFileSystem(), sys.argv[1])
end = time.monotonic() + float(sys.argv[3])
with store.locked():
    print("begun", flush=True)
    for number in range(1 << 30):
        if time.monotonic() > end:
            break
        with store.writer(f"layers/{sys.argv[2]}{number}") as file:
            file.write(b"x")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_run_that_was_stopped_writes_nothing_when_it_goes_on(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    def start(name: str, seconds: float) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, str(tmp_path), name, str(seconds)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    first = start("first", 60)
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    first.send_signal(signal.SIGSTOP)
    second = start("second", 0.5)
    assert second.stdout is not None
    assert second.stdout.readline() == "begun\n"
    written = len(list(tmp_path.glob("layers/first*")))
    first.send_signal(signal.SIGCONT)
    assert "asleep" in first.communicate(timeout=60)[1]
    assert len(list(tmp_path.glob("layers/first*"))) <= written + 1  # one was on its way
    assert second.communicate(timeout=60)[1] == ""
    assert list(tmp_path.glob(f"{marks.FOLDER}/*")) == []
