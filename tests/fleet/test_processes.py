"""Where `collect` reads: processes of this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from faults.conftest import until

from engine_layer_visualize.fleet.processes import Processes


def begun(task: Sequence[str]) -> str:
    """Says in a file that the process has begun the task."""
    Path(task[0]).touch()
    return task[0]


def test_a_process_reads_on_while_a_result_is_written(tmp_path: Path) -> None:
    tasks, results = [[str(tmp_path / "a")], [str(tmp_path / "b")]], []
    with closing(Processes(1)) as workers:
        for (name,), result in workers.run(begun, tasks):
            results.append((name, result))
            until((tmp_path / "b").exists)  # as if its rows were written
    assert results == [(name, name) for (name,) in tasks]


@pytest.mark.parametrize("how", ["stdin", "file"])
def test_a_program_calls_collect_without_a_guard(
    tmp_path: Path, environment: dict[str, str], how: str
) -> None:
    """What stands on stdin is no file that another process could run; a file without
    `if __name__ == "__main__":` would call `collect` in each process again."""
    from fleet.conftest import fleet

    words = ["collect", str(fleet(tmp_path / "logs", 4)), "-o", str(tmp_path / "ds"), "--jobs", "2"]
    program = f"from engine_layer_visualize import cli\nprint(cli.main({words!r}))\n"
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
