"""Which times an engine gets where there are several, and how a file's format is told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from factories import engine_in
from logtext import HEADER, classic, exported, file_of, listing_of, pieces, text
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import HEAD, Source
from engine_layer_visualize.reading import profiles

WITH_TABLE = FIXTURES / "classic" / "8.2-trtexec-table.log"


def written(file: Path, names: Iterable[str]) -> Path:
    file.write_text(exported(*((name, 0.5) for name in names), runs=1), "utf-8")
    return file


def listing(*layers: str) -> str:
    """`TYPE NAME` for each layer; each reads what the one before it writes."""
    words = (layer.split(" ", 1) for layer in layers)
    records = (classic(name, f"t{at}", f"t{at + 1}", kind) for at, (kind, name) in enumerate(words))
    return HEADER + text(*records)


def timed(engine: elv.Engine) -> list[str]:
    return [layer.name for layer in engine.layers if layer.time is not None]


def test_the_log_s_table_stays_where_it_knows_more_than_a_file(tmp_path: Path) -> None:
    (own,) = elv.read(WITH_TABLE).engines  # one row of the table is of the runtime
    known = timed(own)
    file = written(tmp_path / "other.json", [*known[:-1], "pine", "fir"])
    build = elv.read(WITH_TABLE, file)
    assert build.engines[0].layers == own.layers and build.engines[0].profile == own.profile
    (problem,) = (one for one in build.problems if one.place.line == 1)
    assert (problem.code, problem.place.file) == ("ELV206", str(file))
    assert f"table has times for {len(known)}" in problem.message
    forced = elv.read(WITH_TABLE, file, force=True)
    assert timed(forced.engines[0]) == known[:-1]
    table, rest = forced.problems
    assert (table.code, table.place.file, rest.code) == ("ELV206", str(WITH_TABLE), "ELV203")
    assert table.message.startswith(f"times are from other.json, for {len(known) - 1} of ")
    as_good = elv.read(WITH_TABLE, written(file, known))
    assert not as_good.problems and as_good.engines[0].total_ms == len(known) / 2


@pytest.mark.parametrize(
    ("times", "runs"),
    [
        (("0.116288", "0.019232"), 1),  # ticks of 32 ns, as CUDA's events have
        (("0.116288", "0.019233"), None),
        (("0.5", "0.008"), None),  # a person's numbers
    ],
)
def test_times_in_ticks_of_the_gpu_are_of_one_run(
    tmp_path: Path, times: tuple[str, ...], runs: int | None
) -> None:
    lines = text(*(f"l{at}: {ms}ms" for at, ms in enumerate(times)))
    engine = engine_in(tmp_path, listing_of("l0", "l1", kind="Scale"), lines)
    assert [layer.time and layer.time.n for layer in engine.layers] == [runs, runs]


@pytest.mark.parametrize(
    ("names", "is_used"),
    [
        (("oak", "elm"), True),
        (("oak",), False),  # of four layers that run, whatever a profile may leave out
        (("oak", "bark", "knot", "bole"), False),
        (("oak [profile 1]", "elm [profile 1]", "ash [profile 1]"), True),
    ],
)
def test_half_of_the_layers_must_have_times(
    tmp_path: Path, names: tuple[str, ...], is_used: bool
) -> None:
    """A file without the rows of no-ops and constants is whole, and so is one of one optimisation
    profile; a part, or another network's, is not taken for the engine's times."""
    trees = ("CaskConvolution oak", "CaskConvolution elm", "Reduce ash", "Reformat yew")
    idle = ("NoOp bark", "NoOp knot", "Constant bole", "NoOp burl", "Constant gall")
    copies = [f"{one} [profile {k}]" for k in (1, 2) for one in trees]
    log = file_of(tmp_path, listing(*trees, *idle, *(copies if "1" in names[0] else ())))
    file = written(tmp_path / "times.json", names)
    build = elv.read(log, file)
    assert [problem.code for problem in build.problems] == ([] if is_used else ["ELV209"])
    assert timed(build.engines[0]) == [name for name in names if is_used]
    forced = elv.read(log, file, force=True)
    assert not forced.problems and len(timed(forced.engines[0])) == len(names)


# ---- the format is told by the first bytes, and further down only where these tell none ----------


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
    source = Source("x", chunks=pieces(data, size))
    assert source.head() == data[:HEAD]
    assert source.head(20) == data[:20]
    spans = list(source.spans())
    assert b"".join(span.data for span in spans) == data
    assert [span.line for span in spans[:2]] == [1, 2]
