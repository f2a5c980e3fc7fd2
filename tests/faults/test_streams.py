"""Streams that nobody reads, or that were closed before it began."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from logtext import file_of

from faults.conftest import Running, listing

Start = Callable[..., Running]
PROGRAM = (sys.executable, "-m", "engine_layer_visualize")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return file_of(tmp_path, listing(2000) + listing(50))


def nobody() -> int:
    """The end of a pipe to write to that nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    return writes


WORDS = (
    ["draw"],
    ["layers"],
    ["layers", "--format", "csv"],
    ["summary"],
    ["summary", "--format", "json"],
    ["summary", "--format", "csv"],
    ["summary", "--format", "markdown"],
    *(["--version"], ["--help"], ["summary", "--help"]),
)


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nobody_reads_stdout(start: Start, log: Path, tmp_path: Path, words: list[str]) -> None:
    """`| head -c 0`: files are written all the same."""
    if words == ["draw"]:
        words = [*words, "--format", "json,dot", "--output_dir", str(tmp_path / "out")]
    given = [] if words[-1].startswith("--") else ["--log_file", str(log)]
    pipe = nobody()
    ended = start(*words, *given, stdout=pipe).ended()
    os.close(pipe)
    assert (ended.code, ended.err) == (0, "")
    if words[0] == "draw":
        assert len(os.listdir(tmp_path / "out")) == 4


def test_nobody_reads_the_problems(start: Start, tmp_path: Path) -> None:
    path = file_of(tmp_path, listing(3) + "[V] [TRT] Layer(Conv): broken\n")
    pipe = nobody()
    running = start("--log_file", path, "--output_dir", tmp_path, stdout=pipe, stderr=pipe)
    assert running.ended().code == 1
    os.close(pipe)
    assert (tmp_path / "EngineLayers_0.dot").exists()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["draw", "summary"])
def test_closed_from_the_beginning(
    environment: dict[str, str], log: Path, tmp_path: Path, closed: str, command: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, command, "--log_file", str(log)],
        env=environment, cwd=tmp_path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    lost = command == "summary" and ">&-" in closed.replace("2>&-", "")
    assert done.returncode == (4 if lost else 0)
    if command == "draw":
        assert (tmp_path / "EngineLayers_1.dot").read_bytes().endswith(b"}\n")


def test_closed_stdin_as_the_log(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "--log_file", "-"],
        env=environment, cwd=tmp_path, capture_output=True, check=False, timeout=60, text=True,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("<stdin>:1:1: error[ELV401]: cannot be read: bad file descriptor")
