"""`collect` on a Dask cluster."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import Capture, Patch

from engine_layer_visualize.api import collect
from engine_layer_visualize.commands import cli
from fleet.conftest import Collect, Start, collected_here, content, fleet

distributed = pytest.importorskip("distributed", reason="the extra dask")


@pytest.fixture
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_worker(tmp_path: Path, cluster: Any, start: Start, collect: Collect) -> None:
    """It costs nothing: others do its work."""
    logs, ds, calm = fleet(tmp_path / "logs", 60, layers=60), tmp_path / "ds", tmp_path / "calm"
    collected_here(logs, "--output_dir", calm)
    words = (logs, "--output_dir", ds, "--scheduler", cluster.scheduler_address)
    process, end = start(*words), time.monotonic() + 100
    while not any(ds.glob("engines/*-*.parquet")) and time.monotonic() < end:
        time.sleep(0.001)
    before = len(list(ds.glob("engines/*-*.parquet")))
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 1, err  # of notes.txt
    assert 0 < before < 61  # it was in mid-run
    assert content(ds) == content(calm)
    assert "0 logs read" in collect(*words)[1]


def test_a_cluster_without_workers(tmp_path: Path, monkeypatch: Patch, capsys: Capture) -> None:
    """It is waited for, and said."""
    monkeypatch.setattr(collect, "_PATIENCE", 0.2)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as found:
        words = ["collect", str(fleet(tmp_path / "logs", 2)), "-o", str(tmp_path / "ds")]
        found.loop.call_later(2, lambda: found.scale(1))
        assert cli.main([*words, "--scheduler", found.scheduler_address]) == 1  # of notes.txt
    said = capsys.readouterr()
    assert "no log was done for 0 s; still waiting for" in said.err
    assert "3 logs read" in said.out


def test_a_silent_scheduler_is_said(tmp_path: Path, capsys: Capture) -> None:
    dask = pytest.importorskip("dask")
    logs, ds = fleet(tmp_path / "logs", 1), tmp_path / "ds"
    with dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}):
        words = ["collect", str(logs), "-o", str(ds), "--scheduler", "tcp://127.0.0.1:9"]
        assert cli.main(words) == 4
    assert "error[ELV502]: no scheduler of Dask answers" in capsys.readouterr().err
