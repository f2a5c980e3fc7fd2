"""What of an engine is shown: the words that choose it, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from factories import chain, layer, linked
from paths import FIXTURES
from rendered import drawing, plain

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.commands import cli
from engine_layer_visualize.core.model import Edge
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.facts.subgraph import Stub, View, part

CENTERNET = FIXTURES / "classic" / "8.0-centernet.log"


def indices(view: View) -> list[int]:
    return [layer.index for layer in view.layers]


def refusal(engine: Engine, around: str | int) -> str:
    with pytest.raises(ReadError) as caught:
        part(engine, around=around)
    assert caught.value.problem.code == "ELV407"
    return caught.value.problem.message


# ---- choosing ----------------------------------------------------------------------------------


def test_cut_lines_end_in_stubs() -> None:
    of = linked(
        layer(0, "a", ["x"], ["t"]),
        layer(1, "b", ["t"], ["u"]),
        layer(2, "c", ["t", "u"], ["v"]),
        layer(3, "d", ["v", "t"], ["y"]),
    )
    found = part(of, query="/^[bc]$/")
    assert indices(found) == [1, 2]
    assert found.edges == (Edge(1, 2, "u"),)
    assert set(found.stubs) == {Stub("t", True, (1, 2), (0,)), Stub("v", False, (2,), (3,))}
    assert (found.outside, found.cut) == (2, 3)
    assert (found.inputs, found.outputs) == ((), ())
    assert found.words == "2 of 4 layers shown (--query /^[bc]$/), 2 outside, 3 edges cut"
    shown = drawing(found)
    assert shown.pairs == {
        ("layer_1", "layer_2"),
        ("stub_0", "layer_1"),
        ("stub_0", "layer_2"),
        ("layer_2", "stub_1"),
    }
    assert "from layer 0, not shown" in shown.nodes["stub_0"]["label"]
    assert "to layer 3, not shown" in shown.nodes["stub_1"]["label"]
    assert "layer 3: d" in plain(shown.nodes["stub_1"]["tooltip"])
    assert "goes on outside this picture" in shown.title
    assert "2 outside, 3 edges cut" in shown.title


def test_a_layer_is_meant_by_name_by_a_part_of_it_or_by_index() -> None:
    of = chain("Conv_1", "Conv_10", "7", "Pool")
    for word, index in (("Conv_1", 0), ("v_10", 1), ("7", 2), ("3", 3), ("Poo", 3)):
        assert indices(part(of, around=word, radius=0)) == [index]
    assert indices(part(of, around=1, radius=0)) == [1]


def test_a_reformat_does_not_make_a_name_ambiguous() -> None:
    of = linked(layer(0, "copy for Pool", [], ["a"], type="Reformat"), layer(1, "Pool", ["a"], []))
    assert indices(part(of, around="Poo", radius=0)) == [1]
    assert indices(part(of, around="copy", radius=0)) == [0]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        (
            "Conv",
            "engine 0: `Conv` is in the names of 7 layers: 0 `Conv_0`, 1 `Conv_1`, 2 `Conv_2`, "
            "3 `Conv_3`, 4 `Conv_4` and 2 more; give an index",
        ),
        ("same", "`same` is the name of 2 layers: 7 `same`, 8 `same`; give an index"),
        ("conv_3", "no layer is called `conv_3`; there are 3 `Conv_3`"),
        ("Cnov_3", "no layer is called `Cnov_3`; there are 3 `Conv_3`"),
        ("zzzzz", "no layer is called `zzzzz`; layers are numbered 0 to 8"),
        ("99", "there is no layer 99; layers are numbered 0 to 8"),
    ],
)
def test_a_layer_that_is_not_clear_gets_its_candidates(word: str, told: str) -> None:
    of = chain(*(f"Conv_{i}" for i in range(7)), "same", "same")
    assert told in refusal(of, word)
    assert "the only layer is 0" in refusal(chain("a"), "9")


# ---- how it looks ------------------------------------------------------------------------------


# ---- the command line --------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_line_says_what_is_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--log_file", str(CENTERNET), "--around=MaxPool_12", "--radius", "1"]
    assert cli.main([*words, "--format", "dot,json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "EngineLayers_0.dot  54 layers, 69 edges; 3 of 54 layers shown "
        "(--around MaxPool_12 --radius 1), 51 outside, 3 edges cut",
        "EngineLayers_0.json  54 layers, 69 edges",
    ]
    assert len(json.loads((folder / "EngineLayers_0.json").read_bytes())["layers"]) == 54


def test_an_engine_without_it_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listing = (
        "Engine Layer Information:\nLayer(Conv): {0}, Tactic: 1, x[Float(1)] -> {0}[Float(1)]\n"
    )
    Path("two.log").write_text("".join(map(listing.format, "abc")))
    assert cli.main(["--log_file", "two.log", "--around", "b"]) == 1
    told = capsys.readouterr()
    assert told.out == "EngineLayers_1.dot  1 layer, 0 edges\n"
    assert told.err.count("error[ELV407]") == 2
    assert sorted(path.name for path in folder.iterdir()) == ["EngineLayers_1.dot", "two.log"]
