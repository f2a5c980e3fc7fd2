"""A model that Torch-TensorRT divides into several engines; made from the texts of its source."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main
from fuzz import budget

LOG = FIXTURES / "facts" / "torch-tensorrt-parts.log"
TITLE = "+" * 50 + " Dry-Run Results for Graph "


def divided() -> tuple[str, str]:
    """What the log has of the builds, and of the model."""
    builds, mark, run = LOG.read_text("utf-8").partition("DEBUG:torch_tensorrt.dynamo")
    return builds, mark + run


def written(folder: Path, *parts: str) -> Path:
    (folder / "b.log").write_text("".join(parts), "utf-8")
    return folder / "b.log"


def summary(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["summary", *words]) == 0
    return capsys.readouterr().out


def test_the_engines_are_told_together_before_each(capsys: pytest.CaptureFixture[str]) -> None:
    out = summary(capsys, str(LOG))
    assert out.index("Model of") < out.index("Engine 0 of") < out.index("Engine 1 of")
    assert out.count("Model of") == 1 and "2 engines of a graph of 6 operators" in out
    assert "Together they take 40.0 µs, by the builder's own estimates." in out.replace("\n  ", " ")
    rows = [line.split() for line in out.split("\n") if "_run_on_acc_" in line]
    assert rows == [
        ["0", "_run_on_acc_0", "1", "1", "1", "30.0", "µs", "75.0", "%"],
        ["1", "_run_on_acc_2", "2", "2", "1", "10.0", "µs", "25.0", "%"],
    ]
    assert "/reef/cumsum, with a comma, /reef/cumsum_1" in " ".join(out.split())
    brief = summary(capsys, str(LOG), "--brief")
    assert brief.index("Model of") < brief.index("Engine 0 of")


def test_the_json_has_the_model_and_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    (model,) = json.loads(summary(capsys, str(LOG), "--format", "json"))["models"]
    assert (model["parts"], model["operators"], model["supported"]) == (2, 6, 4)
    assert model["total_ms"] == pytest.approx(0.04)
    assert [(row["part"], row["share"]) for row in model["engines"]] == [
        ("_run_on_acc_0", 0.75),
        ("_run_on_acc_2", 0.25),
    ]
    nodes = [(node["operator"], node["name"]) for node in model["in_torch"]]
    assert nodes[0] == ("torch.ops.aten.bucketize.Tensor", "/kelp/bucketize")
    lines = LOG.read_text("utf-8").split("\n")
    assert all(node["name"] in lines[node["line"] - 1] for node in model["in_torch"])
    parts = [engine.facts.part for engine in elv.read(LOG).engines if engine.facts is not None]
    assert [(part.name, part.operators) for part in parts if part is not None] == [
        ("_run_on_acc_0", 1),
        ("_run_on_acc_2", 2),
    ]


def test_one_engine_of_a_model_has_no_total(capsys: pytest.CaptureFixture[str]) -> None:
    out = summary(capsys, str(LOG), "--engine", "1")
    assert "_run_on_acc_2" in out and "_run_on_acc_0" not in out and "Together" not in out


def test_several_builds_without_a_division_are_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path, divided()[0])
    assert "Model of" not in summary(capsys, str(log))
    assert json.loads(summary(capsys, str(log), "-f", "json"))["models"] == []


def test_a_dry_run_before_the_builds_is_the_same_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    builds, run = divided()
    log = written(tmp_path, run, builds, run)
    (model,) = json.loads(summary(capsys, str(log), "-f", "json"))["models"]
    assert [row["part"] for row in model["engines"]] == ["_run_on_acc_0", "_run_on_acc_2"]


def test_another_number_of_engines_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    builds, run = divided()
    log = written(tmp_path, builds[: builds.index("Original: 2 layers") - 55], run)
    out = summary(capsys, str(log)).replace("\n  ", " ")
    assert "which is which part is not known" in out and "_run_on_acc_" not in out
    assert "3 nodes run in PyTorch" in out


def test_two_models_of_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builds, run = divided()
    other = run.replace("_run_on_acc_", "other_acc_")
    log = written(tmp_path, builds, run, builds, other)
    models = json.loads(summary(capsys, str(log), "-f", "json"))["models"]
    assert [[row["engine"] for row in model["engines"]] for model in models] == [[0, 1], [2, 3]]
    assert summary(capsys, str(log)).count("Model of") == 2


def test_a_dry_run_alone_says_what_would_run_in_pytorch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path, divided()[1])
    assert main(["summary", str(log)]) == 3
    told = capsys.readouterr().err
    assert "2 engines planned, 3 nodes in PyTorch (torch.ops.aten.bucketize.Tensor, " in told


@pytest.mark.parametrize("cut", ["Note: Some", "Node: torch.ops.aten.cumsum", "Graph Structure"])
def test_a_division_that_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: str
) -> None:
    builds, run = divided()
    log = written(tmp_path, builds, run[: run.index(cut)])
    out = summary(capsys, str(log))
    assert "PyTorch" in out and "Engine 1 of" in out and "_run_on_acc_" not in out


def test_the_fewest_lines_that_tell_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builds, run = divided()
    kept = ("TRT Engine #", "The following nodes", "Node: ")
    lines = [line for line in run.split("\n") if any(mark in line for mark in kept)]
    out = summary(capsys, str(written(tmp_path, builds, "\n".join(lines), "\n")))
    assert "3 nodes run in PyTorch" in out and "_run_on_acc_2" in out


@pytest.mark.slow
def test_many_nodes_take_linear_time(tmp_path: Path) -> None:
    builds, run = divided()
    begin, node = run.index("Node: "), "Node: a.b, with layer location: /c\n"

    def prepared(number: int) -> Callable[[], object]:
        return partial(elv.read, written(tmp_path, builds, run[:begin], node * number, run[begin:]))

    budget.linear(prepared, 10_000, 80_000)
    facts = elv.read(tmp_path / "b.log").engines[0].facts
    assert facts is not None and facts.part is not None and len(facts.part.in_torch) == 80_003
