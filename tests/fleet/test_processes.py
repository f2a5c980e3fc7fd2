"""Where `collect` reads: processes of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

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
