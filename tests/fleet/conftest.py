"""Logs for datasets, what a dataset holds, and the command as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import pyarrow
import pytest
from logtext import HEADER

import engine_layer_visualize as elv
from engine_layer_visualize import cli
from engine_layer_visualize.fleet import processes

RECORD = "[V] [TRT] Layer(Conv): {name}, Tactic: 0x{n:x}, t{n} (Half[1,8]) -> t{m} (Half[1,8])\n"
VERSION = (
    "[I] TensorRT version: {}\n"
    "[W] [TRT] onnx2trt_utils.cpp:377: Your ONNX model has been generated with INT64 weights\n"
)
PROGRAM = """
from engine_layer_visualize import cli
from engine_layer_visualize.fleet import collecting
collecting.LEAST, collecting.TASK = 1, 1 << 13  # parts of few logs: it is killed in mid-run
raise SystemExit(cli.main())
"""
Start: TypeAlias = Callable[..., "subprocess.Popen[str]"]
Rows: TypeAlias = dict[str, list[str]]


def log(title: str, layers: int = 3, trt: str = "10.3.0") -> str:
    """A log of one engine of an ONNX network: a chain of layers."""
    rows = (RECORD.format(name=f"{title}_{n}", n=n, m=n + 1) for n in range(layers))
    return VERSION.format(trt) + HEADER + "".join(rows)


def fleet(folder: Path, count: int, layers: int = 3) -> Path:
    """A folder of logs, each of another content, of two versions; and one that is no log."""
    for number in range(count):
        path = folder / f"model{number % 3}" / f"gpu{number % 2}" / f"build{number:03}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        version = ("10.3.0", "8.6.1")[number % 2]
        path.write_text(log(f"conv{number}", layers + number % 3, version), "utf-8")
    (folder / "notes.txt").write_text("nothing was built here\n", "utf-8")
    return folder


def arrow(table: Any) -> Any:
    return pyarrow.table(table)


def content(dataset: Path | str) -> Rows:
    """The rows that count, sorted: what two equal datasets have in common."""
    found = elv.dataset(dataset)
    return {name: sorted(map(repr, arrow(found[name]).to_pylist())) for name in found.tables}


def globbed(dataset: Path) -> Rows:
    """The rows of all Parquet files that are there."""
    import polars

    found = {}
    for name in elv.dataset(dataset).tables:
        parts = sorted(dataset.glob(f"{name}/*/*.parquet"))
        rows = [row for part in parts for row in polars.read_parquet(part).to_arrow().to_pylist()]
        found[name] = sorted(map(repr, rows))
    return found


# ---- runs in this process ------------------------------------------------------------------------


class Here:
    """Workers that are this process."""

    def run(
        self, do: Callable[..., Any], tasks: Iterable[Sequence[Any]], *more: Any
    ) -> Iterator[tuple[Sequence[Any], Any]]:
        for task in tasks:
            yield task, do(task, *more)

    def close(self) -> None:
        """There is nothing to end."""


class Silent:
    def problem(self, problem: object) -> None:
        """Nobody listens."""

    def progress(self, count: int, size: int | None) -> None:
        """Nobody listens."""


def collected_here(*words: str | Path) -> int:
    """`collect` without processes of its own, each of which would import everything again."""
    with mock.patch.object(processes, "Processes", lambda _: Here()):
        return cli.main(["collect", *map(str, words), "--jobs", "1"])


# ---- runs in others ------------------------------------------------------------------------------


@pytest.fixture
def start(environment: dict[str, str]) -> Start:
    """`start("logs", "--output_dir", …)` begins `collect`."""

    def begun(*words: str | Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, "collect", *map(str, words)]
        return subprocess.Popen(
            command,
            env=environment | {"OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=os.name == "posix",
        )

    return begun


@pytest.fixture
def collect(start: Start) -> Callable[..., tuple[int, str, str]]:
    """Runs it to its end: the exit code, stdout, stderr."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        process = start(*words)
        out, err = process.communicate(timeout=120)
        assert "Traceback" not in err, err
        return process.returncode, out, err

    return run
