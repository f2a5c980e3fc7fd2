"""The dot text, read back by Graphviz: what is in the picture, and that names stay names."""

import json
from pathlib import Path

import pytest
from factories import chain, engine, layer, tensor
from logtext import HEADER, file_of, text
from program import Program
from rendered import drawing, plain

from engine_layer_visualize.analysis.kinds import Kind
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core.model import Graph, Layer, Timing
from engine_layer_visualize.drawing.dot import LARGE
from engine_layer_visualize.drawing.theme import LIGHT


def test_an_input_that_no_record_mentions_is_drawn() -> None:
    """Other ends are in the golden outputs."""
    read = drawing(engine(layer(0, "a", [], []), graph=Graph(("size",), (), ())))
    assert "size" in read.nodes["input_0"]["label"]


def test_the_title_says_what_there_is() -> None:
    first = layer(0, "Conv_0", [], [], time=Timing(1.5))
    second = layer(1, "r", [], [], type="Reformat", time=Timing(0.5))
    third = layer(2, "c", [], [], type="Shuffle")
    no_op = layer(3, "n", [], [], type="NoOp")  # is no reformat
    of = engine(first, second, third, no_op, graph=Graph((), (), ()), timed=True, tensorrt="8.4.1")
    read = drawing(of)
    for words in (
        "TensorRT 8.4.1 · 0 edges · build.log",
        "The longest of the 2 timed layers: Conv Conv_0 with 1.50 ms, 75.0 % of the profile",
        "1 reformat takes 500 µs, 25.0 % of the profile",
        "Percentages are of the profile",
    ):
        assert words in read.title
    untimed = second._replace(index=2, time=None)
    said = "2 reformats take 500 µs, 25.0 % of the profile (1 of them timed)"
    assert said in drawing(of._replace(layers=(first, second, untimed))).title


def test_marks_stand_in_the_legend_only_if_they_occur() -> None:
    raw = 'Layer(Conv): a <b>, Tactic: 1, "zzz'
    ends = ["a"], [tensor("b", "Int8")]
    moved = layer(0, "h", *ends, type="Reformat", listed=False)
    kinds: list[tuple[Kind, Layer, list[str]]] = [
        ("reformat", layer(0, "r", [], [], type="NoOp"), ["NoOp"]),
        ("opaque", layer(0, "", [], [], raw=raw), ["unreadable record", "Tactic: 1"]),
        ("hidden", moved, ["not listed", "Half → Int8"]),
    ]
    bare = drawing(chain("Conv_1"))
    assert "no profile" in bare.title and "µs" not in bare.title
    assert bare.nodes["layer_0"]["fillcolor"] == LIGHT.marks["layer"].fill
    for kind, one, said in kinds:
        read = drawing(engine(one, graph=Graph((), (), ())))
        assert LIGHT.marks[kind].words in read.title and LIGHT.marks[kind].words not in bare.title
        node = read.nodes["layer_0"]
        assert all(words in node["label"] for words in said)
        assert (one.raw or "") in plain(node["tooltip"])
        assert node["color"] == LIGHT.marks[kind].line


def test_a_tooltip_tells_of_a_time_that_is_not_steady() -> None:
    """What else it tells is in the golden outputs."""
    of = engine(layer(0, "a", [], [], time=Timing(0.5, 0.4)), graph=Graph((), (), ()), timed=True)
    said = "mean and median differ by more than 10 %: this layer's time was not steady"
    assert said in plain(drawing(of).nodes["layer_0"]["tooltip"]).split("\n")


def test_a_large_engine_carries_dims_in_tooltips_only() -> None:
    names = [f"Conv_{i}" for i in range(LARGE + 1)]
    large, small = drawing(chain(*names)), drawing(chain(*names[:-1]))
    assert not any(edge.get("label") for _, _, edge in large.edges)
    assert any(edge.get("label") for _, _, edge in small.edges)
    assert all("1×64×56×56" in edge["tooltip"] for _, _, edge in large.edges)
    assert large.attributes["nslimit"] == large.attributes["mclimit"] == "0.05"


# ---- drawings of very many edges, of which some are left out and told ----------------------------


def test_of_too_many_edges_of_one_tensor_the_rest_is_told(tmp_path: Path, here: Program) -> None:
    lines = ["[V] [TRT] Engine Layer Information:"]
    for ends in ["x[Float(1,8)] -> t[Float(1,8)]"] * 300 + ["t[Float(1,8)] -> y[Float(1,8)]"] * 300:
        lines.append(f"[V] [TRT] Layer(Conv): l{len(lines)}, Tactic: 1, {ends}")
    log = file_of(tmp_path, text(*lines), "a.log")
    told = here("--log_file", log, "-f", "json", "-o", tmp_path, code=0).stderr
    assert "a.log:2:11: warning[ELV302]: 24,464 edges are left out" in told
    value = json.loads((tmp_path / "EngineLayers_0.json").read_text())
    kept = [edge for edge in value["edges"] if edge["tensor"] == "t"]
    assert len(kept) == 65_536 and len(value["layers"]) == 600


@pytest.mark.slow
def test_thousands_of_edges_between_two_layers_are_drawn(tmp_path: Path) -> None:
    between = ", ".join(f"t{number}[Float(1,8)]" for number in range(4_000))
    a = f"Layer(Conv): a, Tactic: 1, x[Float(1,8)] -> {between}"
    b = f"Layer(Conv): b, Tactic: 1, {between} -> y[Float(1,8)]"
    log = file_of(tmp_path, HEADER + text(a, b))
    assert main(["--log_file", str(log), "-f", "svg,html", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "EngineLayers_0.svg").read_text().endswith("</svg>\n")
