"""Logs for datasets, what a dataset holds, and the command as a process."""

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import pytest
from faults.conftest import Running
from faults.conftest import start as running  # noqa: F401
from logtext import listing_of

from engine_layer_visualize.api import collect as collecting
from engine_layer_visualize.commands import cli
from engine_layer_visualize.export.tables import SCHEMAS

VERSION = (
    "[I] TensorRT version: {}\n"
    "[W] [TRT] onnx2trt_utils.cpp:377: Your ONNX model has been generated with INT64 weights\n"
)
Start: TypeAlias = Callable[..., "subprocess.Popen[Any]"]
Collect: TypeAlias = Callable[..., tuple[int, str, str]]
Rows: TypeAlias = dict[str, "Counter[str]"]


def log(title: str, layers: int = 3, trt: str = "10.3.0") -> str:
    """A log of one engine of an ONNX network: a chain of layers."""
    return VERSION.format(trt) + listing_of(*(f"{title}_{n}" for n in range(layers)), kind="Conv")


def fleet(folder: Path, count: int, layers: int = 3) -> Path:
    """A folder of logs, each of another content, of two versions; and one that is no log."""
    for number in range(count):
        path = folder / f"model{number % 3}" / f"gpu{number % 2}" / f"build{number:03}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        version = ("10.3.0", "8.6.1")[number % 2]
        path.write_text(log(f"conv{number}", layers + number % 3, version), "utf-8")
    (folder / "notes.txt").write_text("nothing was built here\n", "utf-8")
    return folder


def table(ds: Path | str, name: str) -> list[dict[str, Any]]:
    """The rows of a table, of all files that are there."""
    from pyarrow.parquet import ParquetFile

    paths = sorted(Path(ds, name).glob("*.parquet"))
    return [row for path in paths for row in ParquetFile(path).read().to_pylist()]


def content(ds: Path | str) -> Rows:
    """The rows of all tables, each with its number: what two equal datasets have in common."""
    return {name: Counter(map(repr, table(ds, name))) for name in SCHEMAS}


# ---- runs in this process ------------------------------------------------------------------------


class Here(Executor):
    """Reads in this process: others would have to import everything."""

    def submit(self, do: Any, /, *words: Any, **_: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(do(*words))
        except Exception as error:
            done.set_exception(error)
        return done


@contextmanager
def here(jobs: int) -> Iterator[tuple[Executor, int]]:
    yield Here(), 1


def collected_here(*words: str | Path) -> int:
    """The exit code of `collect` without processes of its own."""
    with mock.patch.object(collecting, "processes", here):
        return cli.main(["collect", *map(str, words)])


# ---- runs in others ------------------------------------------------------------------------------


@pytest.fixture
def start(running: Callable[..., Running], environment: dict[str, str]) -> Start:  # noqa: F811
    """`start("logs", "--output_dir", …)` begins `collect`."""
    options = {"env": environment | {"OMP_NUM_THREADS": "1"}, "text": True}
    return lambda *words: running("collect", *words, start_new_session=True, **options).process


@pytest.fixture
def collect(start: Start) -> Collect:
    """Runs it to its end: the exit code, stdout, stderr."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        process = start(*words)
        out, err = process.communicate(timeout=120)
        assert "Traceback" not in err, err
        return process.returncode, out, err

    return run
