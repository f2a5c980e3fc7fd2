"""How a file's format is told: by its first bytes, and further down only where these tell none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from logtext import file_of

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import HEAD, Source
from engine_layer_visualize.reading import profiles

TABLE = """\
[I] === Profile (10 iterations ) ===
[I]    Layer   Time (ms)   Avg. Time (ms)   Time %
[I]    conv1        1.00            0.1000   100.0
[I]    Total        1.00            0.1000   100.0
"""


RUN = "&&&& RUNNING TensorRT.trtexec [TensorRT v8602] # trtexec\n[I] Latency: 3 ms\n"


@pytest.mark.parametrize(
    ("head", "filler", "times"),
    [("", "[V] ", TABLE), ("", "", "conv1: 0.1ms\n"), (RUN, "[V] ", TABLE)],
    ids=["a table", "lines", "a run that says milliseconds before its table"],
)
def test_times_far_from_the_start(head: str, filler: str, times: str, tmp_path: Path) -> None:
    filler = f"{filler}nothing of use\n" * (HEAD // 8)
    found, problems = profiles.read(file_of(tmp_path, (head + filler + times).encode()))
    assert not problems
    rows = [(row.name, row.time.average_ms) for profile in found for row in profile.rows]
    assert rows == [("conv1", 0.1)]


def test_a_trace_longer_than_the_head(tmp_path: Path) -> None:
    events = [{"ph": "X", "name": f"conv{n}", "dur": 100} for n in range(5000)]
    data = json.dumps(events).encode()
    assert len(data) > 2 * HEAD
    (found,), problems = profiles.read(file_of(tmp_path, data))
    assert not problems
    sums = [(row.name, row.time.total_ms, row.time.average_ms, row.time.n) for row in found.rows]
    assert sums == [(f"conv{n}", 0.1, None, None) for n in range(5000)]


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xc2\xa0\n"])
def test_a_file_of_nothing_is_called_empty(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        profiles.read(file_of(tmp_path, data))
    assert "empty" in caught.value.problem.message


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, HEAD - 1, HEAD, HEAD + 1, 1 << 20])
def test_what_was_looked_at_is_read_again(size: int) -> None:
    data = b"".join(b"%d\n" % number for number in range(30_000))
    source = Source("x", chunks=[data[at : at + size] for at in range(0, len(data), size)])
    assert source.head() == data[:HEAD]
    assert source.head(20) == data[:20]
    spans = list(source.spans())
    assert b"".join(span.data for span in spans) == data
    assert [span.line for span in spans[:2]] == [1, 2]
