"""`--format build-trace`: where the time of a build went, by the log's time stamps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from factories import engine_of
from hypothesis import given
from hypothesis import strategies as st
from logtext import classic, file_of
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize import cli
from engine_layer_visualize.core.build_timeline import BuildTimeline, Moment
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.inputs.buildlog.time_stamps import Clock
from engine_layer_visualize.pipeline import Log
from engine_layer_visualize.writers import render
from exchange.perfetto import misplaced

STARS, DASHES = "*" * 15, "-" * 15
# (second, words)
BUILD = (
    (0, "Registered plugin creator - ::A version 1"),
    (2, "Parsing node: stone/Conv [Conv]"),
    (3, "Original: 9 layers"),
    (3, "After dead-layer removal: 8 layers"),
    (5, "After vertical fusions: 2 layers"),
    (5, "Graph optimization time: 1.5 seconds."),
    (6, "=============== Computing costs for stone/Conv"),
    (6, f"{STARS} Autotuning format combination: Half(1,4) -> Half(1,4) {STARS}"),
    (6, f"{DASHES} Timing Runner: stone/Conv (CaskConvolution[0x80000009])"),
    (7, "Tactic: 0x0000000000000007 Time: 0.0123"),
    (7, "stone/Conv (CaskConvolution[0x80000009]) profiling completed in 1.25 seconds. Fastest "
        "Tactic: 0x0000000000000007 Time: 0.0123"),
    (7, f"{DASHES} Timing Runner: stone/Conv (CaskGemm[0x80000009])"),
    (9, "=============== Computing costs for moss/Relu"),
    (9, f"{DASHES} Timing Runner: moss/Relu (PointWiseV2)"),
    (12, "Formats and tactics selection completed in 6.5 seconds."),
    (13, "Engine generation completed in 10.5 seconds."),
    (13, "Engine Layer Information:"),
)  # fmt: skip
LISTING = classic("stone/Conv", "x", "y") + "\n"


def as_trtexec(lines: Sequence[tuple[int, str]]) -> str:
    """From 10:59:50 on, over the hour."""
    return "".join(
        f"[11/22/2026-{'10:59' if s < 10 else '11:00'}:{(50 + s) % 60:02}] [V] [TRT] {words}\n"
        for s, words in lines
    )


def timeline_of(log: str) -> BuildTimeline | None:
    data = log.encode()
    chunks = [data[at : at + 100] for at in range(0, len(data), 100)]
    (found,) = Log("build.log", chunks=chunks, timeline=True).engines()
    return found.timeline


def slices(log: str) -> list[tuple[str, str, float, float]]:
    """(category, name, start, duration) in seconds."""
    (found,) = Log("build.log", chunks=[log.encode()], timeline=True, facts=True).engines()
    events: list[dict[str, Any]] = json.loads(render(found, "build-trace"))["traceEvents"]
    assert not misplaced(events)
    return [
        (one["cat"], one["name"], round(one["ts"] / 1e6, 4), round(one["dur"] / 1e6, 4))
        for one in events
        if one["ph"] == "X"
    ]


def test_stages_passes_layers_and_implementations() -> None:
    assert slices(as_trtexec(BUILD) + LISTING) == [
        ("stage", "start", 0, 2),
        ("stage", "network definition", 2, 1),
        ("stage", "graph optimisation", 3, 3),
        ("pass", "Original", 3, 0),
        ("pass", "dead-layer removal", 3, 0),
        ("pass", "vertical fusions", 3, 2),
        ("stage", "autotuning", 6, 6),
        ("layer", "stone/Conv", 6, 3),
        ("timing", "CaskConvolution", 6, 1.25),
        ("timing", "CaskGemm", 7.25, 1.75),
        ("layer", "moss/Relu", 9, 3),
        ("timing", "PointWiseV2", 9, 3),
        ("stage", "engine generation", 12, 1),
        ("stage", "layer listing", 13, 0),
        ("phase", "Engine generation", 2.5, 10.5),
        ("phase", "Graph optimization", 3.5, 1.5),
        ("phase", "Formats and tactics selection", 5.5, 6.5),
    ]


def test_what_a_slice_says() -> None:
    log = as_trtexec(BUILD) + LISTING
    (found,) = Log("build.log", chunks=[log.encode()], timeline=True).engines()
    trace = json.loads(render(found, "build-trace"))
    assert trace["otherData"]["begins"] == "11/22/2026-10:59:50"
    assert trace["otherData"]["seconds"] == pytest.approx(13, abs=1e-4)
    assert trace["otherData"]["resolution_seconds"] == 1
    args = {one["name"]: one["args"] for one in trace["traceEvents"] if one["ph"] == "X"}
    assert args["CaskConvolution"] == {"line": 9, "formats": "Half(1,4) -> Half(1,4)"}
    assert args["dead-layer removal"] == {"line": 4, "left": "8 layers"}


def test_without_names_of_costs_a_layer_is_where_its_timings_are() -> None:
    lines = (
        (0, f"{DASHES} Timing Runner: stone (CaskConvolution)"),
        (2, f"{DASHES} Timing Runner: stone (CudnnConvolution)"),
        (3, f"{DASHES} Timing Runner: moss (PointWise)"),
        (3, "=============== Computing reformatting costs"),
        (3, f"{DASHES} Timing Runner: Optimizer Reformat(x -> <out>) (Reformat)"),
        (4, "Engine Layer Information:"),
    )
    assert slices(as_trtexec(lines) + LISTING)[2:] == [
        ("layer", "stone", 0, 3),
        ("timing", "CaskConvolution", 0, 2),
        ("timing", "CudnnConvolution", 2, 1),
        ("layer", "moss", 3, 0),
        ("timing", "PointWise", 3, 0),
        ("layer", "reformatting costs", 3, 1),
        ("timing", "Optimizer Reformat(x -> <out>)", 3, 1),
        ("stage", "layer listing", 4, 0),
    ]


def test_old_lines_name_a_layer_and_its_implementation_s_number() -> None:
    lines = ((0, f"{DASHES} Timing stone + moss(3)"), (1, "Engine Layer Information:"))
    assert slices(as_trtexec(lines) + LISTING)[2:4] == [
        ("layer", "stone + moss", 0, 1),
        ("timing", "3", 0, 1),
    ]


@pytest.mark.parametrize(
    ("stamps", "seconds"),
    [
        (["[03/24/2023-12:57:38] [V]", "[03/25/2023-00:00:01] [V]"], 39_743),
        (["[23:59:58] [V]", "[00:00:03] [V]"], 5),  # no date: midnight has passed
        (["2026-11-22T13:07:04.728123456Z [V]", "2026-11-22T13:07:05.5Z [V]"], 0.771877),
        (["2024-03-28 13:07:04.25 [W:onnxruntime:", "2024-02-29 13:07:05 [W:onnxruntime:"], 0),
        (["[13:07:04] [V]", "[13:07:02] [V]", "no stamp", "[13:07:06] [V]"], 2),
        (["[13:07:04] [V]", "[99/99/2023-13:07:06] [V]"], 2),
        (["[03/24/2023-25:61:61]", "[03/24/2023-13:07:04]", "[03/24/2023-13:07:06]"], 2),
        # A program's own stamps have no date.
        (["[03/24/2023-13:07:04]", "[13:07:05]", "[03/24/2023-13:07:06]", "[13:07:07]"], 3),
        (["[13:07:04]", "[03/24/2023-13:07:05]", "[13:07:06]", "[03/25/2023-00:00:01]"], 39_177),
        (["[03/24/2023-23:59:58]", "[00:00:01]", "[03/25/2023-00:00:02]", "[00:00:03]"], 5),
        (["[23:59:58]", "[03/25/2023-00:00:02]", "[00:00:03]"], 5),
        # Another thread's line comes after midnight's.
        (["[23:59:58]", "[00:00:01]", "[23:59:59]", "[00:00:03]"], 5),
    ],
)
def test_clocks(stamps: list[str], seconds: float) -> None:
    clock = Clock()
    for one in stamps:
        clock.read(one.encode())
    assert clock.now == pytest.approx(1e6 * seconds)
    first = next(one for one in stamps if "25:61" not in one)
    assert clock.begins is not None and first.startswith((clock.begins, f"[{clock.begins}"))


@pytest.mark.parametrize(
    "words",
    [
        "[V] [TRT] from 2024-03-28 13:07:04",
        "Layer 12:30:59 is",
        "1.2.3.4:5:6",
        "0:00:03.12",
        "12:3:4",
    ],
)
def test_what_is_no_time_stamp(words: str) -> None:
    clock = Clock()
    clock.read(words.encode())
    assert clock.begins is None


@pytest.mark.parametrize("after", ["moss\n" * 100, "moss\n" * 100_000, "moss" * 100_000 + "\n"])
def test_the_last_stamp_is_found_whatever_follows_it(after: str) -> None:
    log = "moss\n" * 3 + as_trtexec(BUILD) + LISTING + as_trtexec([(50, "All done")]) + after
    (found,) = Log("build.log", chunks=[log.encode()], timeline=True).engines()
    assert found.timeline is not None
    assert (found.timeline.us, found.timeline.moments[0].line) == (50_000_000, 4)


def test_stamps_of_a_container_are_read_before_they_are_taken_off() -> None:
    before = ((0, "Registered plugin creator"),) * 80  # enough lines to know the container by
    log = "".join(
        f"2026-11-22T10:00:{s:02}.250000000Z [V] [TRT] {words}\n" for s, words in (*before, *BUILD)
    )
    found = timeline_of(log + f"2026-11-22T10:00:20.500000000Z {LISTING}")
    assert found is not None
    assert (found.begins, found.resolution_us) == ("2026-11-22T10:00:00.250000000", 1)
    assert found.us == 20_250_000


def test_a_clock_that_goes_back_stands_still_and_is_told() -> None:
    lines = (*BUILD[:6], (1, "After late fusions: 1 layers"), *BUILD[6:])
    found = timeline_of(as_trtexec(lines) + LISTING)
    assert found is not None and found.backwards == 1
    assert [one.us for one in found.moments] == sorted(one.us for one in found.moments)
    log = as_trtexec(BUILD) + LISTING + as_trtexec([(13, "All done"), (14, "All done")])
    (engine,) = Log("build.log", chunks=[log.encode()], timeline=True).engines()
    assert engine.timeline is not None
    assert (engine.timeline.backwards, engine.timeline.us) == (0, 14_000_000)


def test_each_slice_has_a_width_by_which_viewers_order_it() -> None:
    log = as_trtexec([(0, words) for _, words in BUILD]) + LISTING
    (found,) = Log("build.log", chunks=[log.encode()], timeline=True).engines()
    events = json.loads(render(found, "build-trace"))["traceEvents"]
    inside = [one for one in events if one.get("cat") in ("stage", "pass", "layer", "timing")]
    assert min(one["dur"] for one in inside) >= 1
    ends = [one["ts"] + one["dur"] for one in inside if one["cat"] == "stage"]
    assert ends[:-1] == [one["ts"] for one in inside if one["cat"] == "stage"][1:]


def test_without_stamps_there_is_nothing_to_draw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = tmp_path / "plain.log"
    lines = (*BUILD, (0, "a cache of 2024-03-28 13:07:04"))
    plain.write_text("".join(f"[V] [TRT] {words}\n" for _, words in lines) + LISTING)
    for path in (plain, FIXTURES / "inspector_json" / "trtexec-pretty.json"):
        words = ["--log_file", str(path), "--output_dir", str(tmp_path / "out")]
        assert cli.main([*words, "--format", "build-trace"]) == 3
        assert "error[ELV411]: build-trace: no time stamps of the log" in capsys.readouterr().err
    with pytest.raises(ReadError) as refused:
        render(engine_of(LISTING), "build-trace")
    assert "elv.read(…, timeline=True)" in refused.value.hint


def test_one_file_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = file_of(tmp_path, (as_trtexec(BUILD) + LISTING) * 2)
    words = ["--log_file", str(log), "--output_dir", str(tmp_path / "out")]
    assert cli.main([*words, "--format", "build-trace"]) == 0
    assert capsys.readouterr().out.count("build-trace.json") == 1
    (written,) = (tmp_path / "out").iterdir()
    events = json.loads(written.read_text())["traceEvents"]
    assert sum(one["name"] == "autotuning" for one in events) == 2


def test_a_log_that_comes_in_pieces_is_read_once() -> None:
    whole = timeline_of(as_trtexec(BUILD) + LISTING)
    assert whole is not None and len(whole.moments) == 18


def test_python_reads_the_time_stamps_where_it_is_asked_to(tmp_path: Path) -> None:
    log = file_of(tmp_path, as_trtexec(BUILD) + LISTING)
    (without,) = elv.read(log).engines
    assert without.timeline is None
    (engine,) = elv.read(log, timeline=True).engines
    assert engine.timeline is not None
    elv.draw(engine, tmp_path / "EngineLayers_0.build-trace.json")
    tuned = [one.name for one in engine.timeline.moments if one.kind == "layer"]
    assert tuned == ["stone/Conv", "moss/Relu"]


FAILED = (*BUILD[:-3], (2_400, "10: Could not find any implementation for node moss/Relu."))


def failed_log() -> str:
    """After 40 minutes."""
    *lines, last = as_trtexec(FAILED).splitlines(keepends=True)
    return "".join(lines) + last.replace("11:00:50] [V]", "11:39:50] [E]")


def test_a_build_that_gave_no_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, out = tmp_path / "build.log", tmp_path / "out"
    log.write_text(failed_log())
    words = ["--log_file", str(log), "--output_dir", str(out), "--format", "dot,build-trace"]
    assert cli.main(words) == 3
    said = capsys.readouterr()
    (path,) = out.iterdir()
    assert said.out == f"{path}  no engine, 2400 s of a build\n"
    assert said.err.count("error[ELV404]: the build failed: 10: Could not find") == 1
    trace = json.loads(path.read_text())
    assert trace["otherData"]["no_engine"].startswith("the build failed: 10: Could not find")
    assert trace["otherData"]["source"] == {"file": "build.log", "first_line": 1}
    found = [
        (one["name"], round(one["ts"] / 1e6, 2), round(one["dur"] / 1e6, 2))
        for one in trace["traceEvents"]
        if one.get("cat") in ("layer", "timing")
    ]
    assert found == [
        ("stone/Conv", 6, 3),
        ("CaskConvolution", 6, 1.25),
        ("CaskGemm", 7.25, 1.75),
        ("moss/Relu", 9, 2391),
        ("PointWiseV2", 9, 2391),
    ]
    assert not misplaced(trace["traceEvents"])
    assert cli.main(words) == 3  # of the same log: no warning
    assert "ELV505" not in capsys.readouterr().err


def test_a_log_that_was_cut_short_and_one_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = as_trtexec(BUILD) + LISTING
    (tmp_path / "cut.log").write_text(whole[: whole.index("moss/Relu")])
    (tmp_path / "whole.log").write_text(whole)
    logs = [str(tmp_path / "cut.log"), "--log_file", str(tmp_path / "whole.log")]
    words = ["--log_file", *logs, "--output_dir", str(tmp_path / "out")]
    assert cli.main([*words, "--format", "build-trace"]) == 3
    said = capsys.readouterr().err
    assert "error[ELV412]" in said and "while timing" in said
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"cut_0.build-trace.json", "whole_0.build-trace.json"}


def test_a_log_of_no_build_has_no_trace_of_one(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    lines = ((0, "Loaded engine size: 5 MiB"), (3, "Starting inference"), (9, "All done"))
    log.write_text(as_trtexec(lines))
    words = ["--log_file", str(log), "--output_dir", str(tmp_path / "out")]
    assert cli.main([*words, "--format", "build-trace"]) == 3
    assert not (tmp_path / "out").exists()


def test_the_error_has_the_time_line_of_a_build_that_gave_no_engine(tmp_path: Path) -> None:
    log = file_of(tmp_path, failed_log())
    for asked in (False, True):
        with pytest.raises(ReadError) as raised:
            elv.read(log, timeline=asked)
        timeline = raised.value.timeline
        assert (timeline is None) != asked
    assert timeline is not None and timeline.us == 2_400_000_000


def phases(ended: Sequence[tuple[int, int]]) -> tuple[list[list[tuple[int, int]]], dict[str, Any]]:
    """The lanes of phases that ended then and took so long, in µs; and what the file says."""
    moments = tuple(Moment(us, "phase", "p", 1, "", took) for us, took in ended)
    timeline = BuildTimeline("10:00:00", 1_000_000, moments, 1)
    told = json.loads(render(replace(engine_of(LISTING), timeline=timeline), "build-trace"))
    lanes: dict[int, list[tuple[int, int]]] = {}
    for one in told["traceEvents"]:
        if one["ph"] == "X" and one["cat"] == "phase":
            lanes.setdefault(one["tid"], []).append((one["ts"], one["ts"] + one["dur"]))
    return list(lanes.values()), told["otherData"]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 15)), max_size=12))
def test_a_lane_takes_each_phase_that_nests_in_it(drawn: list[tuple[int, int]]) -> None:
    ended = [(at, took) for at, (_, took) in zip(accumulate(us for us, _ in drawn), drawn)]
    want: list[list[tuple[int, int]]] = []
    spans = [(max(0, end - took), end) for end, took in ended]
    for start, end in sorted(spans, key=lambda one: (one[0], -one[1])):
        lane = next((la for la in want if all(b <= start or end <= b for _, b in la)), None)
        if lane is None:
            want.append([(start, end)])
        else:
            lane.append((start, end))
    assert phases(ended)[0] == want


def test_phases_that_cross_have_a_bounded_number_of_lanes() -> None:
    lanes, said = phases([(1_000 + at, 1_000) for at in range(200)])
    assert (len(lanes), said["left_out"]) == (50, 150)
