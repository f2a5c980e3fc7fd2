"""`collect` on a Dask cluster, and with URLs of fsspec."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import engine_layer_visualize as elv
from engine_layer_visualize import cli
from fleet.conftest import Start, arrow, content, fleet, globbed

fsspec = pytest.importorskip("fsspec", reason="the extra dask")


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra dask")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_is_killed_costs_nothing(
    tmp_path: Path, cluster: Any, start: Start, collect: Callable[..., tuple[int, str, str]]
) -> None:
    logs, ds, calm = fleet(tmp_path / "logs", 60, layers=60), tmp_path / "ds", tmp_path / "calm"
    collect(logs, "--output_dir", calm, "--jobs", "1")
    process = start(
        logs, "--output_dir", ds, "--scheduler", cluster.scheduler_address, "--jobs", "2"
    )
    end = time.monotonic() + 100
    while not any(ds.glob("_manifest/*.json")) and time.monotonic() < end:
        time.sleep(0.001)
    before = len(list(ds.glob("_manifest/*.json")))
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 1, err  # of notes.txt
    assert 0 < before < 61  # it was in mid-run
    assert content(ds) == globbed(ds) == content(calm)


def test_logs_and_dataset_may_be_urls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs, ds = fleet(tmp_path / "logs", 5), tmp_path / "ds"
    cli.main(["collect", str(logs), "--output_dir", str(ds), "--jobs", "1"])
    memory = fsspec.filesystem("memory")
    memory.put(str(logs), "/fleet/logs", recursive=True)
    distributed = pytest.importorskip("distributed", reason="the extra dask")
    with distributed.LocalCluster(  # memory:// is of one process
        n_workers=1, processes=False, dashboard_address=None
    ) as found:
        words = ["collect", "memory://fleet/logs", "--output_dir", "memory://fleet/ds"]
        again = [*words, "--compact", "--scheduler", found.scheduler_address]
        assert cli.main([*words, "--scheduler", found.scheduler_address]) == 1  # of notes.txt
        whole = content("memory://fleet/ds")
        capsys.readouterr()
        assert cli.main(again) == 0
        assert "0 logs read, 6 known before" in capsys.readouterr().out
    assert whole == content("memory://fleet/ds") == content(ds)


def test_what_is_missing_for_a_url_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["collect", "nosuch://bucket/logs", "--output_dir", "ds"])
    assert code == 3
    assert "nosuch" in capsys.readouterr().err


def test_dask_reads_the_parts(tmp_path: Path) -> None:
    dask = pytest.importorskip("dask", reason="the extra dask")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import compute, parquet

    logs, ds = fleet(tmp_path / "logs", 6), tmp_path / "ds"
    cli.main(["collect", str(logs), "--output_dir", str(ds), "--jobs", "1"])
    parts = sorted(ds.glob("tensors/*/*.parquet"))

    @dask.delayed  # type: ignore[untyped-decorator]
    def total(path: Path) -> int:
        found = compute.sum(parquet.read_table(path, columns=["bytes"], partitioning=None)["bytes"])
        return int(found.as_py() or 0)

    (found,) = dask.compute(sum(map(total, parts), start=dask.delayed(0)))
    whole = arrow(elv.dataset(ds)["tensors"])
    assert isinstance(whole, pyarrow.Table)
    assert found == compute.sum(whole["bytes"]).as_py() > 0
