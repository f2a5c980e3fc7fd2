"""What a ForeignNode holds, by the scopes of its ONNX nodes."""

from __future__ import annotations

import json

import pytest
from factories import engine_of
from paths import FIXTURES

from engine_layer_visualize.analysis import labels
from engine_layer_visualize.commands import cli

BOX = FIXTURES / "facts" / "10.5-blocks-in-one-box.log"
GRAPH = FIXTURES / "facts" / "10.5-graph-in-one-box.log"


def test_the_parts_of_a_box() -> None:
    (box,) = engine_of(BOX.read_bytes(), facts=True).layers
    found = labels.contents(box)
    assert [(part.path, part.depth, part.nodes) for part in found] == [
        ("", 0, 11),
        ("/tower", 1, 9),
        *(
            row
            for block in range(3)
            for row in (
                (f"/tower/block.{block}", 2, 3),
                (f"/tower/block.{block}/mix", 3, 2),
            )
        ),
        ("/head", 1, 2),
    ]
    assert dict(found[2].operators) == {"MatMul": 1, "Add": 1, "Relu": 1}
    assert [(row.first.path, row.last.path, row.number) for row in labels.alike_parts(found)] == [
        ("/tower/block.0", "/tower/block.2", 3),
        ("/head", "/head", 1),
    ]


def test_rows_of_a_profile_are_no_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    """A row may stand for many kernels of a ForeignNode: one of Nsight Systems counts them."""
    files = [str(GRAPH), "--profile_file", str(GRAPH.with_suffix(".profile.json"))]
    sections = ["--sections", "foreign_nodes", "--width", "160"]
    assert cli.main(["summary", *files, *sections]) == 0
    said = capsys.readouterr().out
    assert "rows of the profile" in said and "kernels" not in said
    assert cli.main(["summary", *files, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["engines"][0]["foreign_nodes"]
    assert {row["kernels"] for row in rows} == {None}
    assert max(row["rows"] for row in rows) > 1


def test_the_report_and_the_data_tell_the_blocks(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["summary", str(BOX), "--sections", "foreign_nodes"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "3 /tower/block.0 … /tower/block.2 3 1 MatMul, 1 Add, 1 Relu" in said
    assert cli.main([str(BOX), "-f", "json", "-o", str(tmp_path), "--quiet"]) == 0
    with open(f"{tmp_path}/EngineLayers_0.json", encoding="utf-8") as file:
        (data,) = json.load(file)["layers"]
    assert data["scope"] is None
    assert [part["scope"] for part in data["inside"]][:2] == [None, "/tower"]
