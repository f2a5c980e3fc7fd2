"""`collect` is killed at any moment and run again: the dataset is as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine_layer_visualize.fleet import collecting, inputs
from engine_layer_visualize.io import places
from fleet.conftest import Here, Silent, Start, content, fleet, globbed

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and fork")
POINTS = 50


def collect(logs: Path, ds: Path, compact: bool = False) -> None:
    files = inputs.files([str(logs)], str(ds), [])
    wishes = collecting.Wishes(jobs=3, compact=compact)
    collecting.collect(files, places.store(str(ds)), str(ds), Here(), wishes, Silent())


def killed_after(seconds: float, *arguments: Any) -> bool:
    """Whether a process that collects was killed so late, and not ended before."""
    child = os.fork()
    if not child:
        try:
            collect(*arguments)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def is_part_of(some: dict[str, list[str]], whole: dict[str, list[str]]) -> bool:
    return all(Counter(some[name]) <= Counter(whole[name]) for name in whole)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_killed_at_random_points_and_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "LEAST", 1)
    monkeypatch.setattr(collecting, "TASK", 1 << 13)  # several parts
    logs, calm = fleet(tmp_path / "logs", 24, layers=20), tmp_path / "calm"
    collect(logs, calm)
    whole = content(calm)
    begun = time.monotonic()
    collect(logs, tmp_path / "again", compact=True)
    took = time.monotonic() - begun
    chance, kills = random.Random(7), 0
    for number in range(3 * POINTS):
        ds = tmp_path / f"ds{number}"
        while kills < POINTS:
            moment = chance.uniform(0, took * 1.2)
            if not killed_after(moment, logs, ds, True):
                took = min(took, moment)  # the machine was slower when it was measured
                break
            kills += 1
            if (ds / "_manifest").is_dir() and any((ds / "_manifest").glob("*.json")):
                assert is_part_of(content(ds), whole)
        collect(logs, ds, compact=True)
        assert content(ds) == globbed(ds) == whole
        if kills == POINTS:
            return
    pytest.fail(f"it was killed {kills} times only")


def test_the_command_is_killed_with_its_processes_at_work(
    tmp_path: Path, start: Start, collect: Callable[..., tuple[int, str, str]]
) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 30, layers=60), tmp_path / "ds", tmp_path / "calm"
    collect(logs, "--output_dir", calm, "--jobs", "2")
    process = start(logs, "--output_dir", ds, "--jobs", "2")
    end = time.monotonic() + 60
    while not any(ds.glob("_manifest/*.json")) and time.monotonic() < end:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    code, out, _ = collect(logs, "--output_dir", ds, "--jobs", "2")
    assert (code, "0 known" in out) in ((1, False), (0, False))
    assert content(ds) == globbed(ds) == content(calm)
    assert not [path for path in ds.rglob(".*") if path.name != ".lock"]
