"""Where `collect` reads: processes of this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from engine_layer_visualize.fleet.processes import Processes


def begun(task: Sequence[str]) -> float:
    """When a process began a task."""
    return time.time()


def test_a_process_reads_on_while_a_result_is_written() -> None:
    began, written = [], []
    with closing(Processes(1)) as workers:
        for _, result in workers.run(begun, [["a"], ["b"]]):
            assert result is not None
            began.append(result)
            time.sleep(0.3)  # as if its rows were written
            written.append(time.time())
    assert began[1] < written[0]
