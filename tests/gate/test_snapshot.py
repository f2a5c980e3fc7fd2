"""`gate --save`: its file, what it holds, and that it stands for the log."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from edited_engines import engine as made
from edited_engines import fused, merged, residual, split
from paths import CENTERNET, FIXTURES, TIMES
from program import Capture

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import cli
from engine_layer_visualize.comparison import gate_evidence
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.snapshot import Snapshot
from engine_layer_visualize.reading import baseline
from engine_layer_visualize.reports import gate
from gate.conftest import Gate, Kept
from gate.made_runs import FP16, INT8, ITERATIONS, again, run, times


def of_engine(found: Any) -> Snapshot:
    return gate_evidence.of_engine([Costs(found)], [])


def test_what_it_holds(capsys: Capture, kept: Kept) -> None:
    path = kept(FP16, "--times", ITERATIONS)
    assert capsys.readouterr().out == f"{path}\n"
    document = json.loads(path.read_text("utf-8"))
    found = document["snapshot"]
    assert document["schema"] == 2
    assert (found["file"], found["layers"]) == ("fp16.log", 10)
    assert found["conditions"]["device"] == "Orchard GA10"
    assert found["memory"][0] == {"part": "Activation", "bytes": 1572864}
    assert found["runs"][0]["file"] == "10.times.json"
    (profile,) = found["profiles"]
    assert len(profile.pop("digest")) == 50
    told = {"file": "fp16.log", "ms": 0.442, "drift": 0, "off": [], "kind": "layers"}
    assert profile == {**told, "iterations": 1000, "mean": None, "p99": None}
    run = found["runs"][0]
    assert run["iterations"] == 20 and run["mean"] > run["ms"] and run["p99"] > run["mean"]
    assert found["coverage"] == [{"timed": 10, "layers": 10, "part": 1}] and not found["unfit"]
    assert found["listing"][1] == [1, "/stem/Conv + /stem/Relu", [1], [2], [0.061], [], None]
    assert found["kinds"][1] == ["CaskConvolution", None, None, True, False]
    assert found["tensors"][2] == ["/stem/Relu_output_0", "Half", "1,64:8,64,64"]
    assert found["edges"][0] == [0, 1]
    assert sum(row[4][0] for row in found["listing"]) == pytest.approx(0.442)


def test_a_name_that_is_empty(capsys: Capture) -> None:
    assert cli.main(["gate", "--save=", str(FP16)]) == 4
    assert "ELV501" in capsys.readouterr().err


def test_files_have_no_folders(kept: Kept) -> None:
    text = kept(CENTERNET, TIMES, "--times", ITERATIONS).read_text("utf-8")
    found = json.loads(text)["snapshot"]
    assert [run["file"] for run in found["profiles"]] == [TIMES.name]
    assert str(FIXTURES) not in text
    whole = kept(CENTERNET, TIMES, "--full_paths").read_text("utf-8")
    assert whole.count(str(FIXTURES)) == 2


def test_a_snapshot_is_read_as_it_was_taken() -> None:
    costs = [Costs(made(fused(residual(2, 3)))[0])] * 3
    taken = gate_evidence.of_engine(costs, [run(Random(1))])
    assert baseline.of_text(b"".join(gate.snapshot_written(taken)).decode(), "x") == taken
    assert {len(layer.ms) for layer in taken.listing} == {3}


def test_what_an_older_version_wrote_is_passed_over(kept: Kept) -> None:
    taken = kept(FP16).read_text("utf-8")
    older = '"label": "a1b2",\n"reformats": 1,\n"findings": [{"code": "F02", "count": 1}],'
    labelled = taken.replace('"engine": 0,', f'"engine": 0,\n{older}', 1)
    assert "a1b2" in labelled
    assert baseline.of_text(labelled, "x") == baseline.of_text(taken, "x")


def test_three_hundred_layers_take_less_than_50_kb() -> None:
    engine, _ = made(fused(residual(4, 26)))
    assert len(engine.layers) > 300
    runs = [run(Random(number), iterations=500) for number in range(5)]
    taken = gate_evidence.of_engine([Costs(engine)] * 3, runs)
    assert len(b"".join(gate.snapshot_written(taken))) < 50_000


# ---- in a gate -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "new", "code"), [(FP16, FP16, 0), (FP16, INT8, 0), (INT8, FP16, 5)]
)
def test_it_gives_the_verdict_of_its_log(
    base: Path, new: Path, code: int, tmp_path: Path, gated: Gate, kept: Kept
) -> None:
    own = times(tmp_path, "a", *(2.0 if base == FP16 else 1.5 for _ in range(3)))
    other = times(tmp_path, "b", *(2.0 if new == FP16 else 1.5 for _ in range(3)))
    path = kept(base, *own)
    words = ["--log_file", new, *other, "--max_memory", "70%"]
    of_log = gated.found("--baseline", base, *own, *words, code=code)
    assert gated.found("--baseline", path, *words, code=code) == of_log


@pytest.mark.parametrize("edit", ["none", "split", "merged"])
def test_layers_are_found_again_where_they_are_fused_otherwise(edit: str) -> None:
    pieces = fused(residual(3, 6))
    edits: dict[str, Callable[[Any], Any]] = {
        "none": list,
        "split": lambda whole: split(whole, [4, 9, 20]),
        "merged": lambda whole: merged(whole, [5, 15]),
    }
    engines = [made(one)[0] for one in (pieces, edits[edit](pieces))]
    a, b = (gate_evidence.described_costs(of_engine(engine)) for engine in engines)
    kept, of_logs = compare(a, b), compare(Costs(engines[0]), Costs(engines[1]))
    assert kept.same_network
    assert [group.all for group in kept.groups] == [group.all for group in of_logs.groups]
    assert (kept.unmatched[:2], kept.overhead[:2]) == (of_logs.unmatched[:2], of_logs.overhead[:2])


# ---- what is none ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written() -> str:
    """The text of a baseline."""
    own = of_engine(elv.read(FP16).engines[0])
    return b"".join(gate.snapshot_written(own)).decode()


def changed(text: str, *path: Any, value: object) -> str:
    document = inner = json.loads(text)
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["schema"], 3, "of schema 3, and not 2"),
        (["snapshot"], ..., "its `snapshot` is not as `gate --save` writes it"),
        (["snapshot", "runs", 0, "ms"], -1, "`ms`"),
        (["snapshot", "runs"], {}, "`runs`"),
        (["snapshot", "conditions", "device"], 4, "`device`"),
        (["snapshot", "memory", 0, "bytes"], 1.5, "`bytes`"),
        (["snapshot", "engine"], True, "`engine`"),
        (["snapshot", "listing", 0], [1], "`listing`"),
        (["snapshot", "listing", 0, 4], [0.1, 0.2], "`ms`"),
        (["snapshot", "listing", 0, 2], [99], "`inputs`"),
        (["snapshot", "listing", 0, 3], [99], "`outputs`"),
        (["snapshot", "listing", 0, 0], 99, "`kind`"),
        (["snapshot", "listing"], [], "`layers`"),
        (["snapshot", "edges", 0, 0], 10, "`edges`"),
        (["snapshot", "edges", 0, 1], 10, "`edges`"),
        (["snapshot", "coverage"], [], "`coverage`"),
        (["snapshot", "runs", 0, "kind"], "mode", "`kind`"),
        (["snapshot", "kinds", 0], {"type": "Conv"}, "`weights`"),
    ],
)
def test_a_file_is_no_snapshot(path: list[Any], value: object, words: str, written: str) -> None:
    with pytest.raises(elv.ReadError, match="ELV705") as caught:
        baseline.of_text(changed(written, *path, value=value), "x")
    message = caught.value.problem.message
    assert message.startswith("no snapshot that can be used: ") and words in message


def test_a_file_that_is_cut_is_not_judged(written: str, tmp_path: Path, gated: Gate) -> None:
    base = tmp_path / "base.json"
    for text in (written[:300], written[:900], written[:-3]):
        base.write_text(text)
        said, problems = gated("--baseline", base, FP16, code=2)
        assert said == "" and "error[ELV705]: no snapshot: not JSON: " in problems
    for text in ('{"schema": ' + "[" * 100_000, '{"schema": ' + "1" * 10_000 + "}"):
        with pytest.raises(elv.ReadError, match="ELV705"):
            baseline.of_text(text, "x")


def test_a_snapshot_in_another_place(tmp_path: Path, gated: Gate, kept: Kept) -> None:
    base = kept(FP16)
    for flag, file in (("--times", ITERATIONS), ("--profile_file", TIMES)):
        assert "error[ELV705]: " in gated("--baseline", base, flag, file, FP16, code=2)[1]
    assert cli.main(["gate", "--save", str(tmp_path / "new.json"), str(base)]) == 2
    read, write = os.pipe()
    with os.fdopen(write, "wb") as pipe:
        pipe.write(FP16.read_bytes())
    gated("--baseline", f"/dev/fd/{read}", "--profile_file", TIMES, FP16, code=6)


def test_only_a_baseline_is_replaced(tmp_path: Path, capsys: Capture, kept: Kept) -> None:
    """That is what the flag is for; also a baseline of an earlier schema is one."""
    for log in (FP16, FP16, INT8):
        assert json.loads(kept(log).read_text("utf-8"))["snapshot"]["file"] == log.name
    base = tmp_path / "base.json"
    base.write_text('{"schema": 1, "snapshot": {\n"file": "x"}}')
    kept(FP16)
    for text in ("mine", '{"schema": 1, "engine": {}}'):
        base.write_text(text)
        kept(FP16, code=4)
        assert base.read_text("utf-8") == text
        assert "is no baseline; it is not replaced" in capsys.readouterr().err
    kept(FP16, "--force")


def test_without_measured_times_it_warns(capsys: Capture, gated: Gate, kept: Kept) -> None:
    base = kept(CENTERNET)
    assert "warning: this baseline has no times" in capsys.readouterr().err
    found = gated.found(base, CENTERNET, TIMES)
    assert found["verdict"] == "not comparable"
    kept(CENTERNET, TIMES)
    assert "warning" not in capsys.readouterr().err


def test_what_saving_has_no_use_for(capsys: Capture, kept: Kept) -> None:
    for flag, value in (("--format", "json"), ("--output", "x.json"), ("--max_memory", "3%")):
        base = kept(INT8, flag, value, code=2)
        said = capsys.readouterr().err
        assert f"--save judges nothing: {flag} has no use" in said and not base.exists()


def test_other_times_of_layers_are_not_compared(tmp_path: Path, gated: Gate, kept: Kept) -> None:
    base = kept(FP16)
    means = base.read_text("utf-8")
    base.write_text(means.replace('"statistic": "mean"', '"statistic": "median"'), "utf-8")
    said, _ = gated("--baseline", base, again(FP16, tmp_path), code=6)
    assert "The time of a layer differs: median in the baseline, mean" in said


def test_the_first_of_several_engines_is_kept(capsys: Capture, kept: Kept) -> None:
    two = FIXTURES / "classic" / "8.4-two-engines.log"
    first = json.loads(kept(two).read_text("utf-8"))["snapshot"]
    assert "8.4-two-engines.log, 0 is taken; --engine takes another" in capsys.readouterr().err
    kept(two, "--engine", "1", "--engine", "0")
    assert "8.4-two-engines.log, 1 is taken; " in capsys.readouterr().err
    second = json.loads(kept(two, "--engine", "1").read_text("utf-8"))["snapshot"]
    assert (first["engine"], second["engine"]) == (0, 1)
    assert "engines" not in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="needs a named pipe")
def test_a_snapshot_through_a_pipe(tmp_path: Path, gated: Gate, kept: Kept) -> None:
    """As of `git show main:base.json`."""
    from threading import Thread

    text, pipe = kept(FP16).read_text("utf-8"), tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    gated("--baseline", pipe, again(FP16, tmp_path), code=0)
    writer.join(5)
