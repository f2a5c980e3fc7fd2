"""Traces of the GPU in the syntax of `nsys stats --report gputrace`; the launches are invented."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main

LOG = FIXTURES / "classic" / "10-nsight.log"
HOSTILE = 'void k<a, "b", float const*>(int, "c")'


def written(file: Path, launches: Iterable[tuple[str, int]], unit: str = "nsec") -> Path:
    """The launches one after another."""
    rows = [
        {"Start(sec)": at / 1e6, f"Duration({unit})": ns, "Device": "Oak (0)", "Name": name}
        for at, (name, ns) in enumerate(launches)
    ]
    file.write_text(json.dumps(rows), "utf-8")
    return file


def as_csv(rows: list[tuple[str, int]]) -> str:
    """As `nsys stats --report cuda_gpu_trace --format csv` since 2022, with what stands before."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["Start (ns)", "Duration (ns)", "CorrId", "Device", "Strm", "Name"])
    for at, (name, ns) in enumerate(rows):
        table.writerow([at * 20_000, ns, at, "Oak (0)", 7, name])
    return "Processing [r.sqlite] with [cuda_gpu_trace.py]...\n" + text.getvalue()


def test_a_trace_times_no_layer_of_a_listing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are joined by the names of layers, and a trace has those of kernels."""
    trace = written(tmp_path / "t.json", [("oak_kernel", 1000)])
    assert main(["-o", str(tmp_path), "--log_file", str(LOG), "-p", str(trace)]) == 1
    told = capsys.readouterr()
    assert "ELV202" in told.err and "give the CSV of `nsys stats --report nvtx_kern_sum" in told.err
    assert "timed" not in told.out


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
        assert "4.00 µs, measured over an unknown number of runs" in " ".join(out.split())
        assert "62.5 %" in out and "on Oak" in out
        assert main(["lint", str(file)]) == 0
        told = " ".join(capsys.readouterr().out.split())
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
def test_bad_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "t").write_text(text, "utf-8")
    args = ["-o", str(tmp_path), "--log_file", str(LOG), "-p", str(tmp_path / "t")]
    assert main(args) == 1
    assert said in capsys.readouterr().err
    assert main(["summary", str(tmp_path / "t")]) == 3
    assert "this is a profile (`nsys stats`" in capsys.readouterr().err
