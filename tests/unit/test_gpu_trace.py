"""Traces of the GPU in the syntax of `nsys stats --report gputrace`; the launches are invented."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from anonymised import anonymised
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main
from fuzz import budget

LOG = FIXTURES / "classic" / "8.6-gpu-trace.log"
TRACE = LOG.with_name("8.6-gpu-trace.profile.json")
HOSTILE = 'void k<a, "b", float const*>(int, "c")'


def written(file: Path, launches: Iterable[tuple[str, int]], unit: str = "nsec") -> Path:
    """The launches one after another."""
    rows = [
        {"Start(sec)": at / 1e6, f"Duration({unit})": ns, "Device": "Oak (0)", "Name": name}
        for at, (name, ns) in enumerate(launches)
    ]
    file.write_text(json.dumps(rows), "utf-8")
    return file


def launches() -> list[tuple[str, int]]:
    return [(row["Name"], row["Duration(nsec)"]) for row in json.loads(TRACE.read_text("utf-8"))]


def as_csv(rows: list[tuple[str, int]]) -> str:
    """As `nsys stats --report cuda_gpu_trace --format csv` since 2022, with what stands before."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["Start (ns)", "Duration (ns)", "CorrId", "Device", "Strm", "Name"])
    for at, (name, ns) in enumerate(rows):
        table.writerow([at * 20_000, ns, at, "Oak (0)", 7, name])
    return "Processing [r.sqlite] with [cuda_gpu_trace.py]...\n" + text.getvalue()


def test_a_table_in_csv_times_as_the_json_does(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(as_csv(launches()), "utf-8")
    (other,) = elv.read(LOG, tmp_path / "trace").engines
    (engine,) = elv.read(LOG, TRACE).engines
    assert other.layers == engine.layers and engine.total_ms == pytest.approx(0.0207)
    assert other.facts is not None and other.facts.device is not None
    assert other.facts.device.name == "Oak"


def test_without_runs_a_kernel_of_one_layer_times_it(tmp_path: Path) -> None:
    turned = list(reversed(launches()))
    build = elv.read(LOG, written(tmp_path / "t.json", turned), force=True)
    (engine,) = build.engines
    sums = {la.name: la.time.total_ms for la in engine.layers if la.time is not None}
    assert sums == pytest.approx({"lily_conv": 0.0462, "shore_fc": 0.0089})  # with the tuning
    assert {la.time.average_ms for la in engine.layers if la.time is not None} == {None}
    told = next(one for one in build.problems if one.code == "ELV211")
    assert "no run of the engine is found" in told.message
    left = engine.profile.unmatched_rows if engine.profile is not None else ()
    assert engine.layers[0].kernel in left  # of two layers, so of none


def test_few_kernels_are_no_run(tmp_path: Path) -> None:
    """The builder times a tactic again and again, too."""
    log = tmp_path / "b.log"
    lines = [line for line in LOG.read_text("utf-8").split("\n") if "shore_fc" not in line]
    log.write_text("\n".join(lines), "utf-8")
    (engine,) = elv.read(log, TRACE, force=True).engines
    assert engine.layers[1].time is not None and engine.layers[1].time.n is None


def test_a_trace_alone_is_kernels_with_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("[CUDA memcpy HtoD]", 1000), (HOSTILE, 2000), ("[CUDA memset]", 500), (HOSTILE, 500)]
    for file in (written(tmp_path / "t.json", rows), tmp_path / "t.csv"):
        if not file.exists():
            file.write_text(as_csv(rows), "utf-8")
        (engine,) = elv.read(file).engines
        assert [one.code for one in engine.problems] == ["ELV211"]
        assert [la.name for la in engine.layers] == ["[CUDA memcpy HtoD]", HOSTILE, "[CUDA memset]"]
        assert [la.type for la in engine.layers] == ["Copy", "Kernel", "Memset"]
        assert [la.time.parts for la in engine.layers if la.time is not None] == [1, 2, 1]
        assert main(["summary", str(file)]) == 0
        out = capsys.readouterr().out
        assert "4.00 µs together, measured over an unknown number of runs" in " ".join(out.split())
        assert "62.5 %" in out and "on Oak" in out
        assert "unknown number of runs, with all else that was traced" in " ".join(out.split())
        assert "1 of 4 launches, 1.00 µs, precede the first kernel" in engine.problems[0].message
        assert main(["lint", str(file)]) == 0
        copied = "Copying to the GPU is 25.0 % of what was traced"
        assert copied in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"Start(sec)": 1.0, "Duration(nsec)": 5, "Name": "k"}, {"Start(se', "not JSON"),
        ('[{"Start(sec)": 1.0, "Duration(nsec)": "x", "Name": "k"}]', "unreadable duration"),
        ("Start (ns),Duration (ns),Name\n", "without launches"),
        (f"Start (ns),Duration (ns),Name\n1,2,{'x' * 140_000}\n", "no object with a name"),
    ],
)
def test_bad_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "t").write_text(text, "utf-8")
    args = ["-o", str(tmp_path), "--log_file", str(LOG), "-p", str(tmp_path / "t")]
    assert main(args) == 1
    assert said in capsys.readouterr().err
    assert main(["summary", str(tmp_path / "t")]) == 3
    assert "this is a profile (`nsys stats`" in capsys.readouterr().err


@pytest.mark.slow
def test_many_launches_take_linear_time(tmp_path: Path) -> None:
    run = launches()[7:12]

    def prepared(runs: int) -> Callable[[], object]:
        return partial(elv.read, LOG, written(tmp_path / "t.json", run * runs))

    budget.linear(prepared, 4_000, 32_000)
    (engine,) = elv.read(LOG, tmp_path / "t.json").engines
    assert engine.layers[0].time is not None and engine.layers[0].time.n == 32_000


def test_anonymised_launches_find_the_anonymised_layers(tmp_path: Path) -> None:
    log, trace = anonymised([LOG, TRACE], tmp_path)
    (engine,) = elv.read(log, trace).engines
    assert engine.total_ms == pytest.approx(0.0207)
    assert not re.search("pond|shore|pooled", log.read_text("utf-8") + trace.read_text("utf-8"))
