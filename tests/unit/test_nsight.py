"""Times from Nsight Systems: the CSV of `nsys stats`, and traces of the GPU."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest
from logtext import file_of
from paths import FIXTURES
from program import Printed, Program

import engine_layer_visualize as elv
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.reading import profiles
from fuzz import budget

LOG = FIXTURES / "classic" / "10-nsight.log"
KERNELS = (
    *("NVTX Range", "Style", "PID", "TID"),
    *("NVTX Inst", "Kern Inst", "Total Time", "Kernel Name"),
)
SUMS = ("Range", "Style", "Total Proj Time", "Total Range Time", "Range Instances", "Proj Avg")
TRACE = ("Name", "Projected Start", "Projected Duration", "Orig Start", "Style", "PID", "RangeId")
TIMES = {"Total Time", "Total Proj Time", "Total Range Time", "Proj Avg", "Projected Duration"}
TIMES |= {"Projected Start", "Orig Start"}


def report(columns: tuple[str, ...], *rows: tuple[object, ...], unit: str = "ns") -> str:
    text = io.StringIO()
    named = [f"{name} ({unit})" if name in TIMES else name for name in columns]
    csv.writer(text, lineterminator="\n").writerows([named, *rows])
    return text.getvalue()


def kernels(*rows: tuple[object, ...], unit: str = "ns") -> str:
    """Rows: range, thread, ranges, launches, time, kernel."""
    each = [(r, "PushPop", 1, tid, n, k, ms, name) for r, tid, n, k, ms, name in rows]
    return report(KERNELS, *each, unit=unit)


def read(tmp_path: Path, text: str) -> tuple[Profile, list[str]]:
    (profile,), problems = profiles.read(file_of(tmp_path, text, "report"))
    return profile, [problem.code for problem in problems]


def times(profile: Profile) -> dict[str, tuple[float | None, float | None, int | None]]:
    return {row.name: (row.time.average_ms, row.time.total_ms, row.time.n) for row in profile.rows}


def test_a_layer_has_the_sum_of_its_kernels_over_its_runs(tmp_path: Path) -> None:
    text = kernels(
        ("TensorRT:a", 7, 4, 8, 8_000_000, "gemm<int, 2>"),
        ("TensorRT:a", 7, 4, 4, 4_000_000, "add"),
        ("TensorRT:a", 8, 2, 4, 3_000_000, "gemm<int, 2>"),
        ("TensorRT:b:c", 7, 4, 4, 1_000_000, "add"),
        ("TensorRT:ExecutionContext::enqueue", 7, 4, 20, 16_000_000, "add"),
        (":step", 7, 4, 4, 9_000_000, "grind"),
        ("NCCL:all", 7, 4, 4, 9_000_000, "ring"),
        ("", 7, "", 4, 9_000_000, "warm_up"),
    )
    profile, problems = read(tmp_path, text)
    assert problems == []
    assert times(profile) == {"a": (2.5, 15.0, 6), "b:c": (0.25, 1.0, 4)}
    inside = [(one.name, one.launches, one.average_ms) for one in profile.rows[0].time.kernels]
    assert inside == [("gemm<int, 2>", 2.0, 11 / 6), ("add", 4 / 6, 4 / 6)]
    assert profile.count is None


def test_kernels_go_before_what_was_projected(tmp_path: Path) -> None:
    trace = [("TensorRT:a", 0, 5_000_000, 0, "PushPop", 1, 1)] * 2
    trace += [("TensorRT:only here", 0, ns, 0, "PushPop", 1, 1) for ns in (1_000_000, 3_000_000)]
    sums = [("TensorRT:a", "PushPop", 9_000_000, 1, 3, 1)]
    sums += [("TensorRT:copy", "PushPop", 6_000_000, 1, 3, 1)]
    parts = [
        report(TRACE, *trace),
        "\nProcessing [r.sqlite with nvtx_gpu_proj_sum.py]...\n",
        report(SUMS, *sums),
        "\n** Start of something (ns) **\n\n",
        kernels(("TensorRT:a", 1, 3, 3, 6_000_000, "k")),
    ]
    told = {"a": (2.0, 6.0, 3), "only here": (2.0, 4.0, 2), "copy": (2.0, 6.0, 3)}
    for _ in range(4):
        assert times(read(tmp_path, "NOTICE: a file, was found\n" + "\n".join(parts))[0]) == told
        random.Random(1).shuffle(parts)


@pytest.mark.parametrize(("unit", "of_ms"), [("ns", 1e6), ("usec", 1e3), ("ms", 1), ("s", 1e-3)])
def test_columns_in_any_order_and_any_unit(tmp_path: Path, unit: str, of_ms: float) -> None:
    for seed in range(6):
        truth: dict[str, tuple[float, int]] = {}
        columns = ["NVTX Range", "NVTX Inst", "Total Time", "Kernel Name", "Med", "TID"]
        random.Random(seed).shuffle(columns)
        rows = []
        for layer in range(20):
            name, n = f"layer {layer}, (ns)", layer % 5 + 1
            for kernel in range(layer % 3 + 1):
                ms = (layer * 3 + kernel + 1) / 8
                cells = {"NVTX Range": f"TensorRT:{name}", "NVTX Inst": n, "TID": 3}
                cells |= {"Total Time": ms * of_ms, "Kernel Name": f"k{kernel} (ns)", "Med": 0}
                rows.append(tuple(cells[column] for column in columns))
                truth[name] = truth.get(name, (0.0, n))[0] + ms, n
        profile, problems = read(tmp_path, report(tuple(columns), *rows, unit=unit))
        assert problems == []
        averages = {row.name: row.time.average_ms for row in profile.rows}
        assert averages == pytest.approx({name: ms / n for name, (ms, n) in truth.items()})
        assert [row.time.n for row in profile.rows] == [n for _, n in truth.values()]


def test_without_the_number_of_ranges_a_time_is_a_sum(tmp_path: Path) -> None:
    columns = ("NVTX Range", "Total Time")
    profile, _ = read(tmp_path, report(columns, ("TensorRT:a", 2_000_000), ("TensorRT:a", 1e6)))
    assert times(profile) == {"a": (None, 3.0, None)}
    assert [*times(read(tmp_path, kernels((":a", 1, 2, 2, 4e6, "k")))[0])] == ["a"]  # no domain


@pytest.mark.parametrize("cell", ["-1", "nan", "x", "", "1e400"])
def test_a_number_that_is_none_is_told_and_the_others_are_read(tmp_path: Path, cell: str) -> None:
    rows = ("TensorRT:a", 1, 2, 2, cell, "k"), ("TensorRT:b", 1, 2, 2, 4_000_000, "k")
    profile, problems = read(tmp_path, kernels(*rows))
    assert problems == ["ELV204"]
    assert times(profile)["b"] == (2.0, 4.0, 2)


def test_a_cell_without_an_end_costs_what_follows_it_alone(tmp_path: Path) -> None:
    text = kernels(("TensorRT:a", 1, 2, 2, 4_000_000, "k"))
    profile, _ = read(tmp_path, text + '"TensorRT:b,PushPop,1,1\n' + "x" * 200_000 + "\n" + text)
    assert times(profile)["a"][2] == 2


def test_a_range_inside_myelin_is_its_record_without_the_number(tmp_path: Path) -> None:
    log = FIXTURES / "detailed" / "rtx-io-tensors.log"
    (engine,) = elv.read(log).engines
    names = [re.sub(r"_myl\d+_\d+$", "", layer.name) for layer in engine.layers]
    rows = [(f"TensorRT:{name}", 1, 2, 2, 4_000_000, "k") for name in dict.fromkeys(names)]
    (engine,) = elv.read(log, file_of(tmp_path, kernels(*rows), "t.csv")).engines
    timed = [layer.time for layer in engine.layers if "_myl0_" in layer.name]
    assert len(timed) == 18 and {time and time.average_ms for time in timed} == {2.0}


def test_another_report_says_which_are_read(tmp_path: Path, here: Program) -> None:
    text = "NOTICE: x\n\nTime (%),Total Time (ns),Instances,Avg (ns),Name\n9,9,9,9,k\n"
    other = file_of(tmp_path, text, "other.csv")
    for words, code in ((["summary", str(other)], 3), (["summary", str(LOG), str(other)], 1)):
        said = here(*words, code=code).stderr
        assert "error[ELV402]" in said and "`Time (%)`" in said and "nvtx_kern_sum" in said


def test_the_database_of_a_report_is_gone(tmp_path: Path, here: Program) -> None:
    database = file_of(tmp_path, b"SQLite format 3\0" + bytes(4000), "report.sqlite")
    said = here("summary", LOG, database, code=2)
    assert said.stdout == "" and "SQLite is gone" in said.stderr and "nsys stats" in said.stderr
    assert "nsys stats" in here("summary", database, code=3).stderr


@pytest.mark.slow
def test_time_grows_with_the_length(tmp_path: Path) -> None:
    def text(size: int) -> str:
        rows = [(f"TensorRT:l{i}", i % 3, 9, 9, 1000, f"k{i % 9}") for i in range(size)]
        return kernels(*rows) + "," * size + "\n" + '"' * size

    budget.in_time(lambda made: read(tmp_path, made), text)


# ---- traces of the GPU, as `nsys stats --report gputrace` writes them; the launches are invented -


HOSTILE = 'void k<a, "b", float const*>(int, "c")'


def as_json(launches: list[tuple[str, int]]) -> str:
    """The launches one after another."""
    rows = [
        {"Start(sec)": at / 1e6, "Duration(nsec)": ns, "Device": "Oak (0)", "Name": name}
        for at, (name, ns) in enumerate(launches)
    ]
    return json.dumps(rows)


def as_csv(rows: list[tuple[str, int]]) -> str:
    """As `nsys stats --report cuda_gpu_trace --format csv` since 2022, with what stands before."""
    columns = ("Start (ns)", "Duration (ns)", "CorrId", "Device", "Strm", "Name")
    launches = [(at * 20_000, ns, at, "Oak (0)", 7, name) for at, (name, ns) in enumerate(rows)]
    return f"Processing [r.sqlite] with [cuda_gpu_trace.py]...\n{report(columns, *launches)}"


def test_a_trace_times_no_layer_of_a_listing(tmp_path: Path, here: Program) -> None:
    """Rows are joined by the names of layers, and a trace has those of kernels."""
    trace = file_of(tmp_path, as_json([("oak_kernel", 1000)]), "t.json")
    told = here("-o", tmp_path, LOG, "-p", trace, code=1)
    assert "ELV202" in told.stderr
    assert "give the CSV of `nsys stats --report nvtx_kern_sum" in told.stderr
    assert "timed" not in told.stdout


def test_a_trace_alone_is_kernels_with_shares(tmp_path: Path, printed: Printed) -> None:
    rows = [("[CUDA memcpy HtoD]", 1000), (HOSTILE, 2000), ("[CUDA memset]", 500), (HOSTILE, 500)]
    for text in (as_json(rows), as_csv(rows)):
        file = file_of(tmp_path, text, "trace")
        (engine,) = elv.read(file).engines
        assert [one.code for one in engine.problems] == ["ELV211"]
        assert [la.name for la in engine.layers] == ["[CUDA memcpy HtoD]", HOSTILE, "[CUDA memset]"]
        assert [la.type for la in engine.layers] == ["Copy", "Kernel", "Memset"]
        assert [la.time.parts for la in engine.layers if la.time is not None] == [1, 2, 1]
        out = printed("summary", file)
        assert "4.00 µs, measured over an unknown number of runs" in " ".join(out.split())
        assert "62.5 %" in out and "on Oak" in out
        told = " ".join(printed("lint", file).split())
        assert "4.00 µs in all that was traced (measured over an unknown number of runs)" in told
        assert "Copying to the GPU is 25.0 % of what was traced" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"Start(sec)": 1.0, "Duration(nsec)": 5, "Name": "k"}, {"Start(se', "not JSON"),
        ('[{"Start(sec)": 1.0, "Duration(nsec)": "x", "Name": "k"}]', "unreadable duration"),
        ("Start (ns),Duration (ns),Name\n", "without launches"),
        (f"Start (ns),Duration (ns),Name\n1,2,{'x' * 140_000}\n", "no object with a name"),
    ],
)
def test_bad_traces(tmp_path: Path, here: Program, text: str, said: str) -> None:
    file = file_of(tmp_path, text, "t")
    assert said in here("-o", tmp_path, LOG, "-p", file, code=1).stderr
    assert "this is a profile (`nsys stats`" in here("summary", file, code=3).stderr
