"""Reports of Nsight Systems: each layer's time is what was placed in its range."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nsight_reports import (
    CALLS,
    COPIES,
    DOMAIN,
    ENQUEUE,
    GRAPHS,
    KERNELS,
    LATER,
    MYELIN,
    NODES,
    NVTX,
    SETS,
    STARTED,
    STRINGS,
    Report,
    log_of,
    thread,
)

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main
from engine_layer_visualize.io.source import _Raw

PINE = {"pine/conv": [1_000, 2_500], "pine/add": [300], "pine/noop": []}
NSIGHT = "engine_layer_visualize.inputs.profiles.nsight"
RUNS = 4  # too few for one to be dropped


def read(tmp_path: Path, report: Report, *engines: Any, **how: Any) -> elv.Build:
    log = tmp_path / "build.log"
    log.write_text(log_of(*(engines or (PINE,))), "utf-8")
    return elv.read(log, report.write(tmp_path / "report.sqlite", **how))


def times(build: elv.Build, engine: int = 0) -> dict[str, float | None]:
    layers = build.engines[engine].layers
    return {la.name: None if la.time is None else la.time.average_ms for la in layers}


def check(build: elv.Build, report: Report, dropped: int = 0) -> None:
    """Each layer of the only engine has what was placed in its range, and nothing else is said."""
    assert build.problems == ()
    found = times(build)
    assert found == {
        name: pytest.approx(report.mean_ms(name, dropped), rel=1e-12) for name in found
    }
    n = {layer.time.n for layer in build.engines[0].layers if layer.time is not None}
    assert n == {len(report.expected["pine/conv"]) - dropped}


def several(report: Report, runs: int = RUNS, **more: Any) -> Report:
    """Runs whose times differ."""
    for at in range(runs):
        report.run({name: [ns + 7 * at * at for ns in all_] for name, all_ in PINE.items()}, **more)
    return report


# ---- where names, ranges and work stand ----------------------------------------------------------


@pytest.mark.parametrize("ids", [True, False])
def test_names_stand_in_string_ids_or_in_the_row(tmp_path: Path, ids: bool) -> None:
    report = several(Report(ids=ids))
    check(read(tmp_path, report), report)


def test_all_that_is_known_of_a_layer(tmp_path: Path) -> None:
    report = Report()
    for ns in (4_000, 1_000, 2_000, 3_000):
        report.run({"pine/conv": [ns, 500]})
    (layer,) = read(tmp_path, report, ["pine/conv"]).engines[0].layers
    time = layer.time
    assert time is not None and time.n == 4
    assert (time.min_ms, time.max_ms, time.p95_ms) == (0.0015, 0.0045, 0.0045)
    assert (time.average_ms, time.median_ms, time.total_ms) == (0.003, 0.003, 0.012)
    (kernel,) = time.kernels
    assert time.rows == ()
    assert (kernel.name, kernel.launches, kernel.average_ms) == ("gemm<float>", 2, 0.003)


def test_a_range_without_an_end_ends_with_the_recording(tmp_path: Path) -> None:
    report = Report()
    report.range(report.now, None, "epoch", thread())  # around all, never popped
    several(report)
    *_, last, run = report.rows[NVTX]
    last["end"] = run["end"] = None
    check(read(tmp_path, report), report)


def test_a_layer_that_the_recording_cut_is_no_sample(tmp_path: Path) -> None:
    report = several(Report())
    whole = len(report.rows[NVTX])
    report.run({"pine/conv": [1_000], "pine/add": [300], "pine/noop": []}, counts=False)
    for row in report.rows[NVTX][whole:]:
        row["end"] = None
    check(read(tmp_path, report), report)


def test_a_run_whose_work_the_recording_cut_is_no_sample(tmp_path: Path) -> None:
    report = several(Report())
    report.run(PINE, counts=False)
    report.run(PINE, counts=False)  # the host is ahead of the GPU
    del report.rows[KERNELS][-4:]
    check(read(tmp_path, report), report)


def test_a_last_run_of_fewer_calls_is_a_sample(tmp_path: Path) -> None:
    report = several(Report())
    report.run({**PINE, "pine/conv": [1_000]})  # as its input was smaller
    check(read(tmp_path, report), report, dropped=1)


def test_processes_count_their_calls_from_one(tmp_path: Path) -> None:
    report = Report()
    for at in range(RUNS // 2):
        for process in (77, 99):
            conv = [1_000 + 100 * at, 3 * process]
            report.run({**PINE, "pine/conv": conv}, thread(process))
    check(read(tmp_path, report), report)


def test_threads_have_their_own_ranges(tmp_path: Path) -> None:
    report, one, other = Report(), thread(77, 1), thread(77, 2)
    for at in range(RUNS // 2):  # one thread's run is inside of the other's layer, in time
        begin = report.now
        report.work(500 + at, report.call(one), one)
        report.run(PINE, other)
        report.work(700, report.call(one), one)
        middle = report.now
        report.work(80, report.call(one), one)
        report.range(begin, middle, "pine/conv", one)
        report.range(middle, report.now, "pine/add", one)
        report.range(report.now, report.now + 10, "pine/noop", one)
        report.range(begin, report.now + 20, ENQUEUE, one)
        report.now += 1_000
        for name, ns in {"pine/conv": 1_200 + at, "pine/add": 80, "pine/noop": 0}.items():
            report.expected[name].append(ns)
    check(read(tmp_path, report), report)


def test_each_run_on_a_thread_of_its_own(tmp_path: Path) -> None:
    report = Report()
    for at in range(1_001):  # more than engines that a program can have
        report.run({**PINE, "pine/add": [300 + at % 7]}, thread(77, 100 + at))
    check(read(tmp_path, report), report, dropped=10)


@pytest.mark.parametrize("enqueued", [False, True])
def test_kernels_of_a_graph_are_of_the_layers_that_were_captured(
    tmp_path: Path, enqueued: bool
) -> None:
    report, of, node = Report(), thread(), 5_000
    begin, nodes = report.now, []
    for name, kernels in PINE.items():
        at = report.now
        for ns in kernels:
            report.call(of)  # captured: it launches nothing
            report.row(NODES, start=report.now, globalTid=of, graphNodeId=node)
            nodes.append((name, node, ns))
            node += 1
        report.now += 10
        report.range(at, report.now, name, of)
    report.range(begin, report.now, ENQUEUE, of)
    report.now += 1_000
    for _, made, _ in nodes:  # the graph's instance has copies
        report.row(NODES, start=report.now, globalTid=of, graphNodeId=made + 100,
                   originalGraphNodeId=made)  # fmt: skip
    for at in range(RUNS):
        begin = report.now
        launch = report.call(of)
        if enqueued:  # in a run, but in no layer
            report.range(begin, report.now, ENQUEUE, of)
            report.now += 10
        for name in PINE:
            report.expected[name].append(0)
        for name, made, ns in nodes:
            report.work(ns + at, launch, of, graphNodeId=made + 100)
            report.expected[name][-1] += ns + at
    check(read(tmp_path, report), report)


def captured(report: Report, layers: Mapping[str, Sequence[int]], of: int) -> list[tuple[int, int]]:
    """A run whose launches become nodes of a graph, numbered from 1: the nodes, with their ns."""
    nodes: list[tuple[int, int]] = []
    begin = report.now
    for name, kernels in layers.items():
        at = report.now
        for ns in kernels:
            report.call(of)
            nodes.append((len(nodes) + 1, ns))
            report.row(NODES, start=report.now, globalTid=of, graphNodeId=len(nodes))
        report.now += 10
        report.range(at, report.now, name, of)
    report.range(begin, report.now, ENQUEUE, of)
    report.now += 1_000
    return nodes


def replayed(report: Report, nodes: list[tuple[int, int]], of: int) -> None:
    launch = report.call(of)
    for node, ns in nodes:
        report.work(ns, launch, of, graphNodeId=node)


def test_processes_number_the_nodes_of_their_graphs_from_one(tmp_path: Path) -> None:
    report, one, other = Report(), thread(77), thread(99)
    pine, oak = captured(report, PINE, one), captured(report, OAK, other)
    for _ in range(RUNS):
        replayed(report, pine, one)
        replayed(report, oak, other)
    build = read(tmp_path, report, PINE, OAK)
    assert build.problems == ()
    for number, layers in enumerate((PINE, OAK)):
        assert times(build, number) == {name: sum(ns) / 1e6 for name, ns in layers.items()}


def graph_as_a_whole(report: Report, enqueued: bool = False) -> Report:
    report.run({name: [] for name in PINE}, counts=False)
    for _ in range(3):
        begin = report.now
        report.work(2_500_000, report.call(thread()), thread(), table=GRAPHS)
        if enqueued:  # in a run, but in no layer
            report.run({name: [] for name in PINE}, counts=False)
            report.rows[NVTX][-1]["start"] = begin
    return report


@pytest.mark.parametrize("enqueued", [False, True])
def test_a_graph_as_a_whole_times_no_layer(tmp_path: Path, enqueued: bool) -> None:
    build = read(tmp_path, graph_as_a_whole(Report(), enqueued))
    assert set(times(build).values()) == {None}
    (problem,) = build.problems
    assert problem.code == "ELV201" and "--cuda-graph-trace=node" in problem.message


def test_a_graph_as_a_whole_beside_runs_is_told(tmp_path: Path) -> None:
    report = graph_as_a_whole(several(Report()))
    build = read(tmp_path, report)
    (problem,) = build.problems
    assert problem.code == "ELV706" and "3 CUDA graphs" in problem.message
    assert "7.50 ms" in problem.message
    assert times(build)["pine/conv"] == pytest.approx(report.mean_ms("pine/conv"))


@pytest.mark.parametrize("known", [True, False])
def test_a_graph_that_was_captured_before_the_recording_is_told(
    tmp_path: Path, known: bool
) -> None:
    report = several(Report())
    if known:  # captured, but in no run: another library's
        report.row(NODES, start=report.now, globalTid=thread(), graphNodeId=1)
    replayed(report, [(1, 500_000)], thread())
    build = read(tmp_path, report)
    said = [(problem.code, problem.message[:21]) for problem in build.problems]
    assert said == ([] if known else [("ELV706", "1 kernel of CUDA grap")])
    assert times(build)["pine/conv"] == pytest.approx(report.mean_ms("pine/conv"))


def myelin() -> Report:
    """Two kernels of one ForeignNode, in start/end ranges of Myelin's own domain."""
    report, of = Report(), thread()
    for at in range(RUNS):
        begin = report.now
        for name, ns in (("__myl_Add", 700 + at), ("__myl_Fc", 2_000), ("__myl_Add", 40)):
            start = report.now
            report.work(ns, report.call(of), of, name=name)
            report.range(start, report.now, name, of, STARTED, MYELIN)
        report.range(begin, report.now, "{ForeignNode[a...b]}", of)
        report.range(begin, report.now + 10, ENQUEUE, of)
        report.now += 1_000
        report.expected["pine/conv"].append(2_740 + at)
        report.expected["__myl_Add_myl0_0"].append(700 + at)
        report.expected["__myl_Fc_myl0_1"].append(2_000)
        report.expected["__myl_Add_myl0_2"].append(40)
    return report


def test_myelins_ranges_are_inside_its_layer(tmp_path: Path) -> None:
    report = myelin()
    build = read(tmp_path, report, ["{ForeignNode[a...b]}"])
    (layer,) = build.engines[0].layers
    assert build.problems == () and layer.time is not None
    assert layer.time.average_ms == pytest.approx(report.mean_ms("pine/conv"), rel=1e-12)
    assert layer.time.max_ms == max(report.expected["pine/conv"]) / 1e6
    assert [(one.name, one.launches) for one in layer.time.kernels] == [
        ("__myl_Add<float>", 2), ("__myl_Fc<float>", 1),
    ]  # fmt: skip
    assert [row.name for row in layer.time.rows] == ["__myl_Add", "__myl_Fc", "__myl_Add"]
    assert sum(row.time.average_ms or 0.0 for row in layer.time.rows) == pytest.approx(
        layer.time.average_ms
    )


def test_myelins_ranges_are_its_records_without_their_numbers(tmp_path: Path) -> None:
    report = myelin()
    names = ["__myl_Add_myl0_0", "__myl_Fc_myl0_1", "__myl_Add_myl0_2"]
    build = read(tmp_path, report, names)
    assert build.problems == ()
    assert times(build) == {name: pytest.approx(report.mean_ms(name)) for name in names}


def test_runs_on_two_gpus_are_all_samples(tmp_path: Path) -> None:
    report = Report()
    for at in range(RUNS // 2):
        for gpu in (0, 1):
            report.run({**PINE, "pine/add": [300 + 50 * gpu + at]}, thread(77, 80 + gpu))
    for row in report.rows[KERNELS]:
        row["deviceId"] = row["correlationId"] % 2
    check(read(tmp_path, report), report)


@pytest.mark.parametrize("lacks", [(), (COPIES, SETS, GRAPHS, NODES), ("ENUM_NSYS_EVENT_TYPE",)])
def test_tables_that_are_not_there(tmp_path: Path, lacks: tuple[str, ...]) -> None:
    report = several(Report(ids=False))
    check(read(tmp_path, report, lacks=(*lacks, STRINGS, "META_DATA_EXPORT")), report)


def test_columns_of_an_old_report(tmp_path: Path) -> None:
    report = several(Report(ids=False))
    build = read(tmp_path, report, without=LATER)
    check(build, report)


def test_numbers_of_events_are_those_of_the_report(tmp_path: Path) -> None:
    report = several(Report())
    kinds = {59: 33, 60: 34, 75: 49}
    for row in report.rows[NVTX]:
        row["eventType"] = kinds[row["eventType"]]
    names = {33: "NvtxPushPopRange", 34: "NvtxStartEndRange", 49: "NvtxDomainCreate"}
    for number, name in names.items():
        report.row("ENUM_NSYS_EVENT_TYPE", id=number, name=name, start=0)
    check(read(tmp_path, report), report)


OAK = {"pine/conv": [9_000], "oak/pool": [40], "oak/fc": [60]}


def both_engines() -> tuple[Report, Report]:
    """Runs of two engines by turns, in one report; and what is expected of the second one."""
    report, oak = Report(), Report()
    for at in range(RUNS):
        report.run(PINE)
        report.run({**OAK, "pine/conv": [9_000 + at]}, counts=False)
        oak.expected["pine/conv"].append(9_000 + at)
        oak.expected["oak/pool"].append(40)
        oak.expected["oak/fc"].append(60)
    return report, oak


def test_a_layers_name_in_two_engines(tmp_path: Path) -> None:
    report, oak = both_engines()
    build = read(tmp_path, report, PINE, OAK)
    assert build.problems == ()
    for number, (layers, expected) in enumerate(((PINE, report), (OAK, oak))):
        found = {name: pytest.approx(expected.mean_ms(name)) for name in layers}
        assert times(build, number) == found


def test_runs_of_an_engine_that_is_not_in_the_log_count_nowhere(tmp_path: Path) -> None:
    report, _ = both_engines()
    check(read(tmp_path, report), report)


def test_a_report_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    report, _ = both_engines()
    once = read(tmp_path, report, PINE, OAK)
    path = tmp_path / "report.sqlite"
    build = elv.read(tmp_path / "build.log", [path, path])
    assert [times(build, number) for number in (0, 1)] == [times(once, number) for number in (0, 1)]
    assert [problem.code for problem in build.problems] == ["ELV206", "ELV206"]


def test_both_branches_of_an_if_are_timed(tmp_path: Path) -> None:
    report, names = Report(), ["pine/cond", "pine/then", "pine/else", "pine/join"]
    for at in range(2):
        for branch in ("then", "else", "else"):
            report.run({"pine/cond": [50 + at], f"pine/{branch}": [900], "pine/join": [at]})
    build = read(tmp_path, report, names)
    assert build.problems == ()
    assert times(build) == {name: pytest.approx(report.mean_ms(name)) for name in names}
    n = [layer.time.n for layer in build.engines[0].layers if layer.time is not None]
    assert n == [6, 2, 4, 6]


def test_a_layer_in_a_loop_is_the_sum_of_its_turns(tmp_path: Path) -> None:
    report, of = Report(), thread()
    for turns in (1, 3, 2, 2):
        begin = report.now
        for _ in range(turns):
            at = report.now
            report.work(100, report.call(of), of)
            report.range(at, report.now, "pine/body", of)
        report.range(begin, report.now, ENQUEUE, of)
        report.now += 1_000
    (layer,) = read(tmp_path, report, ["pine/body"]).engines[0].layers
    assert layer.time is not None and layer.time.n == 4
    assert (layer.time.average_ms, layer.time.max_ms) == (0.0002, 0.0003)


def test_build_and_warm_up_are_no_samples(tmp_path: Path) -> None:
    report, of = Report(), thread()
    begin = report.now
    report.run({**PINE, "pine/conv": [70_000]}, counts=False)
    report.range(begin, report.now, "Builder::buildSerializedNetwork", of)
    report.now += 100
    for at in range(20):
        report.run({**PINE, "pine/conv": [60_000 if at < 4 else 1_000 + at]})
    check(read(tmp_path, report), report, dropped=4)


def test_copies_and_sets_are_the_layers_that_launched_them(tmp_path: Path) -> None:
    report, of = Report(), thread()
    for at in range(RUNS):
        begin = report.now
        report.work(1_000 + at, report.call(of), of)
        report.work(200, report.call(of), of, table=COPIES, copyKind=8)
        report.work(30, report.call(of), of, table=SETS)
        report.range(begin, report.now, "pine/conv", of)
        report.range(begin - 5, report.now + 10, ENQUEUE, of)
        report.now += 1_000
        report.expected["pine/conv"].append(1_230 + at)
    build = read(tmp_path, report, ["pine/conv"])
    check(build, report)
    (layer,) = build.engines[0].layers
    assert layer.time is not None
    assert [one.name for one in layer.time.kernels] == [
        "gemm<float>", "[CUDA memcpy Device-to-Device]", "[CUDA memset]",
    ]  # fmt: skip


def test_rows_in_any_order(tmp_path: Path) -> None:
    report = several(Report())
    for table in (NVTX, CALLS, KERNELS):
        report.rows[table].reverse()
    check(read(tmp_path, report, in_order=False), report)


def test_a_clock_of_the_gpu_that_runs_ahead(tmp_path: Path) -> None:
    report = several(Report())
    for row in report.rows[KERNELS]:
        row["start"], row["end"] = row["start"] - 60_000, row["end"] - 60_000
    check(read(tmp_path, report), report)


def test_ranges_of_other_libraries_are_not_the_layers(tmp_path: Path) -> None:
    report, of = Report(), thread()
    for _ in range(RUNS):
        report.run(PINE)
    for row in [one for one in report.rows[NVTX] if one.get("end")]:  # in each range one of cuDNN
        report.range(row["start"], row["end"], "cudnnConvolutionForward", of, domain=9)
    check(read(tmp_path, report), report)


@pytest.mark.parametrize("name", ["", None, "NCCL"])
def test_only_domains_without_a_name_may_be_tensorrt_s(tmp_path: Path, name: str | None) -> None:
    """A second process of which no domain has TensorRT's name has ranges that look like it."""
    report = several(Report())
    for _ in range(RUNS):
        report.run(PINE, thread(99), counts=name != "NCCL")
    for row in report.rows[NVTX]:
        if row["eventType"] == DOMAIN and row["globalTid"] == thread(99):
            row["text"] = name
    report.range(report.now, report.now + 5, "mine", thread(99), domain=0)
    build = read(tmp_path, report)
    check(build, report, dropped=1 if name != "NCCL" else 0)
    time = build.engines[0].layers[0].time
    assert time is not None and time.n == (2 * RUNS - 1 if name != "NCCL" else RUNS)


def test_work_behind_too_many_calls_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sweep", "report"):
        monkeypatch.setattr(f"{NSIGHT}.{module}.MOST_WAITING", 8)
    report = Report()
    report.busy += 10_000_000  # all work begins after all calls, three of each run
    report.run(PINE, counts=False)
    several(report, 3)
    build = read(tmp_path, report)
    (problem,) = build.problems
    assert (problem.code, problem.severity) == ("ELV706", "warning")
    assert "4 kernels of runs began after more than 4 later calls" in problem.message
    lost = sum(PINE["pine/conv"]) + sum(PINE["pine/add"]) + PINE["pine/conv"][0]
    assert f"no layer has their {lost / 1e3:.2f} µs" in problem.message
    waits = Report()
    for _ in range(40):  # calls are forgotten, too, but their work has begun
        waits.run(PINE)
        waits.now = waits.busy
    check(read(tmp_path, waits), waits, dropped=8)


# ---- where it is shown ---------------------------------------------------------------------------


def files(tmp_path: Path, report: Report) -> tuple[str, str]:
    log = tmp_path / "build.log"
    log.write_text(log_of(PINE), "utf-8")
    return str(log), str(report.write(tmp_path / "report.sqlite"))


def test_kernels_and_runs_stand_in_every_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, path = files(tmp_path, several(Report()))
    given = ["--log_file", log, "--profile_file", path]
    assert main(["summary", *given]) == 0
    assert "gemm<float>" in capsys.readouterr().out
    assert main([*given, "--format", "svg,dot,html", "--output_dir", str(tmp_path)]) == 0
    words = (
        "runs: 4, 3.50 µs to 3.63 µs", "launching on the host: ", "launched in each run: 2 × ",
        "stream idle before it: ",
    )  # fmt: skip
    for suffix in ("svg", "dot"):
        drawn = (tmp_path / f"EngineLayers_0.{suffix}").read_text("utf-8")
        assert all(one in drawn for one in words), suffix
    page = (tmp_path / "EngineLayers_0.html").read_text("utf-8")
    assert all(one.split(": ")[0] in page for one in words)


def test_the_host_s_time_is_that_of_the_range(tmp_path: Path) -> None:
    build = read(tmp_path, several(Report()))
    assert [layer.time and layer.time.host_ms for layer in build.engines[0].layers] == [
        pytest.approx(410 / 1e6), pytest.approx(210 / 1e6), pytest.approx(10 / 1e6),
    ]  # fmt: skip


def test_the_host_s_time_is_unknown_where_graphs_were_launched(tmp_path: Path) -> None:
    report = several(Report())
    nodes = captured(report, PINE, thread())
    replayed(report, nodes, thread())
    build = read(tmp_path, report)
    assert [layer.time and layer.time.host_ms for layer in build.engines[0].layers] == [None] * 3


def test_the_host_s_time_in_a_range_inside_counts_once(tmp_path: Path) -> None:
    report, of = Report(), thread()
    begin = report.now
    report.work(100, report.call(of), of)
    for name in ("__myl_Add", "__myl_Fc"):
        start = report.now
        report.work(100, report.call(of), of)
        report.range(start, report.now, name, of, STARTED, MYELIN)
    report.range(begin, report.now, "{ForeignNode[a...b]}", of)
    report.range(begin, report.now + 10, ENQUEUE, of)
    (layer,) = read(tmp_path, report, ["{ForeignNode[a...b]}"]).engines[0].layers
    assert layer.time is not None and layer.time.host_ms == (report.now - begin) / 1e6


def test_a_host_s_time_of_many_seconds(tmp_path: Path) -> None:
    """Longer than what is kept in four bytes."""
    report = Report()
    of, begin, at = thread(), report.now, report.now + 10
    report.work(500, report.call(of), of)
    report.range(at, at + 5_000_000_000, next(iter(PINE)), of)
    report.now = at + 6_000_000_000
    report.range(begin, report.now, ENQUEUE, of)
    build = read(tmp_path, report, dict(list(PINE.items())[:1]))
    time = build.engines[0].layers[0].time
    assert time is not None and time.host_ms == pytest.approx(5000)


# ---- gaps ----------------------------------------------------------------------------------------

TREES = ("oak", "elm", "ash")


def waiting(report: Report, chance: Random, **more: Any) -> list[int]:
    """A run in which the host is late now and then; for how long nothing ran before each layer."""
    of, begin, found = thread(number=more.pop("number", 78)), report.now, []
    for name in TREES:
        report.now += chance.choice((10, 5_000, 40_000))
        at = report.now
        found.append(report.work(chance.randrange(500, 9_000), report.call(of), of, **more))
        report.work(700, report.call(of), of, **more)
        report.range(at, report.now, name, of)
    report.range(begin, report.now, ENQUEUE, of)
    report.now += 1_000
    return found


def gaps(build: elv.Build) -> list[float | None]:
    return [la.time.gap_ms if la.time else None for la in build.engines[0].layers]


def means(found: Sequence[Sequence[int]]) -> list[Any]:
    """Before the first layer of a run the stream was another run's."""
    return [None, *(pytest.approx(sum(one) / len(one) / 1e6) for one in list(zip(*found))[1:])]


@pytest.mark.parametrize(("runs", "dropped"), [(1, 0), (4, 0), (30, 6), (500, 10)])
def test_the_gap_before_a_layer(tmp_path: Path, runs: int, dropped: int) -> None:
    report, chance = Report(), Random(runs)
    found = [waiting(report, chance) for _ in range(runs)]
    assert gaps(read(tmp_path, report, TREES)) == means(found[dropped:])


def test_each_stream_has_its_own_gaps(tmp_path: Path) -> None:
    """Two threads run the engine at once, each with a stream or a GPU of its own."""
    for more in ({"streamId": 9}, {"deviceId": 1}):
        found, rows = [], []
        for number, own in ((78, {}), (79, more)):
            report, chance = Report(), Random(number)
            found += [waiting(report, chance, number=number, **own) for _ in range(2)]
            rows.append(report)
        both = rows[0]
        for table, own_rows in rows[1].rows.items():
            if table != STRINGS:
                of = {"correlationId": 1_000} if table in (CALLS, KERNELS) else {}
                both.rows[table] += [
                    row | {key: row[key] + more for key, more in of.items()} for row in own_rows
                ]
        both.rows[NVTX].sort(key=lambda row: (row["start"], -(row.get("end") or 0)))
        assert gaps(read(tmp_path, both, TREES)) == means(found)


def test_gaps_before_a_build_are_forgotten(tmp_path: Path) -> None:
    report, chance = Report(), Random(5)
    for _ in range(300):
        waiting(report, chance)
    report.range(report.now, report.now + 10, "Builder::buildSerializedNetwork", thread())
    report.now += 100_000
    found = [waiting(report, chance) for _ in range(40)]
    assert gaps(read(tmp_path, report, TREES)) == means(found[8:])


def test_after_another_program_s_kernel_the_gap_is_unknown(tmp_path: Path) -> None:
    report, of, other = Report(), thread(), thread(99)
    begin = report.now
    report.work(500, report.call(of), of)
    report.range(begin, report.now, "oak", of)
    report.work(90_000, report.call(other), other)
    at = report.now
    report.work(500, report.call(of), of)
    report.range(at, report.now, "elm", of)
    report.range(begin, report.now, ENQUEUE, of)
    assert gaps(read(tmp_path, report, TREES[:2])) == [None, None]


def test_a_layer_that_goes_on_after_a_range_inside_has_one_gap(tmp_path: Path) -> None:
    report, of = Report(), thread()
    begin = report.now
    report.work(500, report.call(of), of)
    report.range(begin, report.now, "oak", of)
    at = report.now = report.now + 30_000
    before = report.work(500, report.call(of), of)
    start = report.now = report.now + 50_000
    report.work(500, report.call(of), of)
    report.range(start, report.now, "inside", of)
    report.now += 60_000
    report.work(500, report.call(of), of)
    report.range(at, report.now, "elm", of)
    report.range(begin, report.now, ENQUEUE, of)
    assert before > 0
    assert gaps(read(tmp_path, report, TREES[:2])) == [None, pytest.approx(before / 1e6)]


def test_gaps_between_the_kernels_of_a_graph(tmp_path: Path) -> None:
    report = Report()
    nodes = captured(report, PINE, thread())
    for _ in range(RUNS):
        replayed(report, nodes, thread())
    kernels = sorted(report.rows[KERNELS], key=lambda row: row["start"])
    found = gaps(read(tmp_path, report))
    apart = [b["start"] - a["end"] for a, b in pairwise(kernels)]
    assert found[0] is None and found[2] is None
    assert found[1] == pytest.approx(sum(apart[1::3]) / RUNS / 1e6)


def test_where_streams_are_not_told_gaps_are_unknown(tmp_path: Path) -> None:
    report = several(Report())
    assert gaps(read(tmp_path, report, without=("streamId",))) == [None] * 3


def test_a_report_is_one_run_of_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = several(Report())
    report.run({name: [5] for name in [*PINE][:2]})  # of a part of the engine: another set of runs
    log, path = files(tmp_path, report)
    assert main(["gate", "--baseline", log, "-p", path, "--log_file", log, "-p", path]) == 0
    assert "With 1 run each " in capsys.readouterr().out


# ---- what is no report ---------------------------------------------------------------------------


def refused(tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a run that draws the engine without times."""
    log = tmp_path / "build.log"
    log.write_text(log_of(PINE), "utf-8")
    words = ["--log_file", str(log), "--profile_file", str(path), "--output_dir", str(tmp_path)]
    assert main([*words, "--format", "json"]) == 1
    engine = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))
    assert all(layer["time"] is None for layer in engine["layers"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{path}:1:1: error[ELV201]: ")
    return line


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(";".join(statements))
    connection.close()
    return path


ENDLESS = (
    "WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start+1 FROM n) SELECT start FROM n"
)


@pytest.mark.parametrize(
    "statements, reason",
    [
        (["CREATE TABLE songs(title)"], "no export of Nsight Systems"),
        ([f"CREATE TABLE {KERNELS}(start,end,correlationId)"], "without NVTX ranges"),
        ([f"CREATE VIEW {NVTX} AS {ENDLESS}"], "no export of Nsight Systems"),
        (
            [f"CREATE TABLE {NVTX}(start,end,eventType,globalTid)"],
            "without CUDA calls",
        ),
        (
            [
                f"CREATE TABLE {NVTX}(start,end,eventType,globalTid,text)",
                f"CREATE TABLE {CALLS}(start,globalTid,correlationId)",
                f"CREATE VIEW {KERNELS} AS {ENDLESS}",
            ],
            "without runs",
        ),
        (
            [
                f"CREATE TABLE {NVTX}(start,end,eventType,globalTid,text)",
                f"INSERT INTO {NVTX} VALUES('soon',x'00',59,1,'{ENQUEUE}')",
                f"CREATE TABLE {CALLS}(start,globalTid,correlationId)",
                f"INSERT INTO {CALLS} VALUES(1,1,1),(1.5,'x',zeroblob(99))",
            ],
            "damaged",
        ),
        (
            [
                f"CREATE TABLE {NVTX}(start,end,eventType,globalTid,"
                "text AS (hex(zeroblob(10000000))))",
                f"INSERT INTO {NVTX} VALUES(1,2,59,1)",
                f"CREATE TABLE {CALLS}(start,globalTid,correlationId)",
            ],
            "without runs",
        ),
    ],
)
def test_a_database_that_is_no_report(
    tmp_path: Path, statements: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refused(tmp_path, database(tmp_path / "x.sqlite", *statements), capsys)


def test_a_file_that_begins_like_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def kept(*words: Any, **more: Any) -> sqlite3.Connection:
        opened.append(connect(*words, **more))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", kept)
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"SQLite format 3\0" + bytes(100_000))
    assert "damaged" in refused(tmp_path, path, capsys)
    (connection,) = opened
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_damaged_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = several(Report(), 400).write(tmp_path / "x.sqlite")
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 20_000] = b"\xff" * 20_000
    path.write_bytes(data)
    assert "damaged" in refused(tmp_path, path, capsys)


def deep(report: Report) -> None:
    for at in range(100):
        report.range(report.now, None, f"range{at}", thread())
        report.now += 1


def many_threads(report: Report) -> None:
    for at in range(1 << 14):
        report.range(report.now, report.now + 1, "x", thread(5, at))


def many_kinds(report: Report) -> None:
    for at in range(1_001):
        report.run({f"layer{at}": [10]})


@pytest.mark.parametrize(
    "place, reason",
    [
        (deep, "64 in each other"),
        (many_threads, "more than 16,384 threads"),
        (many_kinds, "more than 1,000 engines"),
    ],
)
def test_more_than_a_program_can_have(
    tmp_path: Path, place: Any, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = several(Report())
    report.range(report.now, None, ENQUEUE, thread())
    report.now += 1
    place(report)
    report.run(PINE, thread(9))
    if place is many_kinds:  # the open run would be around them
        report.rows[NVTX] = [row for row in report.rows[NVTX] if row.get("end") or "text" in row]
    path = report.write(tmp_path / "x.sqlite")
    assert reason in refused(tmp_path, path, capsys)


def test_runs_before_a_build_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = several(Report())
    report.range(report.now, report.now + 10, "Builder::buildSerializedNetwork", thread())
    path = report.write(tmp_path / "x.sqlite")
    assert "no run on the GPU follows the last build" in refused(tmp_path, path, capsys)


def test_a_packed_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import gzip

    path = tmp_path / "report.sqlite.gz"
    path.write_bytes(gzip.compress(several(Report()).write(tmp_path / "x.sqlite").read_bytes()))
    assert "unpack it" in refused(tmp_path, path, capsys)


def test_a_trigger_is_not_run(tmp_path: Path) -> None:
    report = several(Report())
    path = report.write(tmp_path / "report.sqlite")
    database(path, f"CREATE TRIGGER t AFTER INSERT ON {NVTX} BEGIN DELETE FROM {KERNELS}; END")
    before = path.read_bytes()
    log = tmp_path / "build.log"
    log.write_text(log_of(PINE), "utf-8")
    check(elv.read(log, path), report)
    assert path.read_bytes() == before and not list(tmp_path.glob("*.sqlite-*"))


def test_a_report_without_a_log_is_times_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = files(tmp_path, several(Report()))
    assert main(["--log_file", path, "--output_dir", str(tmp_path)]) == 0
    assert "3 layers, times alone" in capsys.readouterr().out


def test_a_large_file_that_is_no_report_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 200) "
    blobs = f"INSERT INTO songs {rows} SELECT zeroblob(100000) FROM n"
    path = database(tmp_path / "x.sqlite", "CREATE TABLE songs(title)", blobs)
    read_bytes = 0
    fill = _Raw.read

    def counted(self: _Raw, size: int) -> bytes:
        nonlocal read_bytes
        data = fill(self, size)
        read_bytes += len(data)
        return data

    monkeypatch.setattr(_Raw, "read", counted)
    assert "no export" in refused(tmp_path, path, capsys)
    assert read_bytes < 1 << 20 < path.stat().st_size


def test_a_report_is_told_from_a_log_by_its_content(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, path = tmp_path / "build.log", several(Report()).write(tmp_path / "which")
    log.write_text(log_of(PINE), "utf-8")
    assert main([str(path), str(log), "--output_dir", str(tmp_path)]) == 0
    assert "3 of 3 timed" in capsys.readouterr().out


def test_a_report_that_was_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.nsys-rep"
    path.write_bytes(b"NSYS of another kind")
    assert "nor a report that `nsys export --type sqlite` wrote" in refused(tmp_path, path, capsys)
