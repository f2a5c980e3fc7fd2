"""Tests of what is left out of a drawing of very many edges, and told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine_layer_visualize.commands.cli import main


def test_of_one_tensor_so_many_edges_are_kept_and_the_rest_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["[V] [TRT] Engine Layer Information:"]
    for ends in ["x[Float(1,8)] -> t[Float(1,8)]"] * 300 + ["t[Float(1,8)] -> y[Float(1,8)]"] * 300:
        lines.append(f"[V] [TRT] Layer(Conv): l{len(lines)}, Tactic: 1, {ends}")
    log = tmp_path / "a.log"
    log.write_text("\n".join(lines))
    assert main(["--log_file", str(log), "-f", "json", "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().err
    assert "a.log:2:11: warning[ELV302]: 24,464 edges are left out" in told
    value = json.loads((tmp_path / "EngineLayers_0.json").read_text())
    kept = [edge for edge in value["edges"] if edge["tensor"] == "t"]
    assert len(kept) == 65_536 and len(value["layers"]) == 600


@pytest.mark.slow
@pytest.mark.parametrize("tensors", [2_000, 4_000])
def test_thousands_of_edges_between_two_layers_are_drawn(tmp_path: Path, tensors: int) -> None:
    between = ", ".join(f"t{number}[Float(1,8)]" for number in range(tensors))
    log = tmp_path / "a.log"
    log.write_text(
        "[V] [TRT] Engine Layer Information:\n"
        f"[V] [TRT] Layer(Conv): a, Tactic: 1, x[Float(1,8)] -> {between}\n"
        f"[V] [TRT] Layer(Conv): b, Tactic: 1, {between} -> y[Float(1,8)]\n"
    )
    assert main(["--log_file", str(log), "-f", "svg,html", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "EngineLayers_0.svg").read_text().endswith("</svg>\n")
