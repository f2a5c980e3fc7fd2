"""The dot text, read back by Graphviz: what is in the picture, and that names stay names."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from factories import HOSTILE_NAMES, chain, engine, layer, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from rendered import dot_text, drawing, plain

from engine_layer_visualize.core.model import Edge, Graph, Layer, Listing, Tensor, Timing
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawing.dot import LARGE
from engine_layer_visualize.drawing.theme import LIGHT, precision


def test_every_layer_is_a_node_and_every_edge_a_line() -> None:
    read = drawing(chain("Conv_1 + Relu_2", "MaxPool_3", "Gemm_4"))
    assert set(read.nodes) == {"input_0", "layer_0", "layer_1", "layer_2", "output_0"}
    assert read.pairs == {
        ("input_0", "layer_0"),
        ("layer_0", "layer_1"),
        ("layer_1", "layer_2"),
        ("layer_2", "output_0"),
    }
    label = read.nodes["layer_0"]["label"]
    assert "Conv + Relu" in label
    assert "CaskConvolution" in label
    assert "Conv_1 + Relu_2" in label


def test_several_tensors_between_two_layers_stay_several_lines() -> None:
    one = layer(0, "a", [], ["t", "u"])
    two = layer(1, "b", ["t", "u"], [])
    read = drawing(engine(one, two, graph=Graph((), (), (Edge(0, 1, "t"), Edge(0, 1, "u")))))
    tips = sorted(plain(edge["tooltip"]) for _, _, edge in read.edges)
    assert tips == ["t[Half 1×64×56×56]", "u[Half 1×64×56×56]"]


def test_a_line_bears_the_color_of_its_precision_and_the_dims() -> None:
    eight = tensor("t", "Int8", "1,64:32,-1")
    one = replace(layer(0, "a", [], []), outputs=(eight,))
    two = replace(layer(1, "b", [], []), inputs=(eight,))
    read = drawing(engine(one, two, graph=Graph((), (), (Edge(0, 1, "t"),))))
    [(_, _, edge)] = read.edges
    assert edge["color"] == precision("Int8").color
    assert edge["label"].strip() == "1×64:32×-1"
    assert "Int8" in read.title
    assert "Half" not in read.title


def test_a_view_says_both_dims() -> None:
    one = replace(layer(0, "a", [], []), outputs=(tensor("t", "Half", "1,8"),))
    two = replace(layer(1, "b", [], []), inputs=(tensor("t", "Half", "8"),))
    read = drawing(engine(one, two, graph=Graph((), (), (Edge(0, 1, "t"),))))
    [(_, _, edge)] = read.edges
    assert plain(edge["tooltip"]) == "t[Half 1×8]\nread as t[Half 8]"


def test_loose_ends_are_told_from_inputs_and_outputs() -> None:
    one = layer(0, "a", ["x", "ghost"], ["y", "spare"])
    lines = (
        Edge(None, 0, "x"),
        Edge(None, 0, "ghost"),
        Edge(0, None, "y"),
        Edge(0, None, "spare"),
    )
    read = drawing(engine(one, graph=Graph(("x", "size"), ("y",), lines, ("ghost",), ("spare",))))
    labels = {id: node["label"] for id, node in read.nodes.items()}
    assert "engine input" in labels["input_0"]
    assert "Half 1×64×56×56" in labels["input_0"]
    assert "engine output" in labels["output_0"]
    assert "no writer listed" in labels["unresolved_1"]
    assert "no reader listed" in labels["unused_1"]
    assert ("unresolved_1", "layer_0") in read.pairs
    assert ("layer_0", "unused_1") in read.pairs
    # An input that no record mentions is drawn too.
    assert any("size" in label for label in labels.values())
    title = read.title
    assert "read, but no listed layer writes it" in title
    assert "written, but no listed layer reads it" in title


def test_the_title_says_what_there_is() -> None:
    first = layer(0, "Conv_0", [], [], time=Timing(1.5))
    second = layer(1, "r", [], [], type="Reformat", time=Timing(0.5))
    third = layer(2, "c", [], [], type="Shuffle")
    of = engine(first, second, third, graph=Graph((), (), ()), timed=True, tensorrt="8.4.1")
    title = drawing(of).title
    for words in (
        "Engine 0 of build · 3 layers · 2.000 ms",
        "2 of 3 layers timed (the profile gives no time for the others)",
        "TensorRT 8.4.1 · 0 edges · build.log",
        "The longest of the 2 timed layers: Conv Conv_0 with 1.50 ms, 75.0 % of the profile",
        "1 reformat takes 500 µs, 25.0 % of the profile",
        "Percentages are of the profile",
    ):
        assert words in title
    assert "lowest" not in title
    label = drawing(of).nodes["layer_0"]["label"]
    assert "1.50 ms" in label
    assert "75.0 %" in label
    assert "not timed" in drawing(of).nodes["layer_2"]["label"]


def test_the_title_claims_no_time_that_was_not_measured() -> None:
    first = layer(0, "Conv_0", [], [], time=Timing(1.0))
    moves = [layer(1, "r", [], [], type="Reformat"), layer(2, "s", [], [], type="Reformat")]
    of = engine(first, *moves, graph=Graph((), (), ()), timed=True)
    assert "2 reformats, not timed" in drawing(of).title
    of = replace(of, layers=(first, replace(moves[0], time=Timing(1.0)), moves[1]))
    said = "2 reformats take 1.00 ms, 50.0 % of the profile (1 of them timed)"
    assert said in drawing(of).title


def test_a_no_op_is_no_reformat_and_misses_no_time() -> None:
    layers = [
        layer(0, "Conv_0", [], [], time=Timing(1.0)),
        layer(1, "n", [], [], type="NoOp"),
        layer(2, "r", [], [], type="Reformat", time=Timing(1.0)),
    ]
    read = drawing(engine(*layers, graph=Graph((), (), ()), timed=True))
    assert "1 reformat takes 1.00 ms" in read.title
    assert "not timed" not in read.nodes["layer_1"]["label"]
    assert "not timed" not in plain(read.nodes["layer_1"]["tooltip"])


def test_the_slowest_layer_is_the_hottest() -> None:
    times = [0.1, 0.9, 0.2]
    layers = [layer(i, f"Conv_{i}", [], [], time=Timing(ms)) for i, ms in enumerate(times)]
    read = drawing(engine(*layers, graph=Graph((), (), ()), timed=True))
    fills = [read.nodes[f"layer_{i}"]["fillcolor"] for i in range(3)]
    assert fills[1] == LIGHT.heat[-1]
    assert len(set(fills)) == 3


def test_no_profile_no_heat() -> None:
    read = drawing(chain("Conv_1", "Conv_2"))
    assert "no profile" in read.title
    assert "µs" not in read.title
    assert read.nodes["layer_0"]["fillcolor"] == LIGHT.marks["layer"].fill


def test_marks_stand_in_the_legend_only_if_they_occur() -> None:
    kinds = {
        "reformat": layer(0, "r", [], [], type="NoOp"),
        "opaque": layer(0, "o", [], [], raw="Layer(Conv): a, Tactic: 1, zzz"),
        "hidden": layer(0, "h", [], [], type="Reformat", listed=False),
    }
    none = drawing(chain("Conv_1")).title
    for name, one in kinds.items():
        words = next(mark.words for key, mark in LIGHT.marks.items() if key == name)
        read = drawing(engine(one, graph=Graph((), (), ())))
        assert words in read.title
        assert words not in none
        node = read.nodes["layer_0"]
        assert node["style"] != drawing(chain("Conv_1")).nodes["layer_0"]["style"] or (
            node["color"] == LIGHT.marks["opaque"].line
        )


def test_an_unreadable_record_shows_its_text() -> None:
    raw = 'Layer(Conv): a <b>, Tactic: 1, "zzz'
    read = drawing(engine(layer(0, "", [], [], raw=raw), graph=Graph((), (), ())))
    node = read.nodes["layer_0"]
    assert "unreadable record" in node["label"]
    assert "Tactic: 1" in node["label"]
    assert raw in plain(node["tooltip"])


def test_a_hidden_reformat_says_so_and_what_it_changes() -> None:
    one = Layer(
        0, Place("b", 1), "Reformat", "r", None,
        (tensor("a", "Half"),), (tensor("b", "Int8"),), listed=False,
    )  # fmt: skip
    label = drawing(engine(one, graph=Graph((), (), ()))).nodes["layer_0"]["label"]
    assert "not listed" in label
    assert "Half → Int8" in label


def test_the_tooltip_tells_all() -> None:
    one = layer(
        0, "Conv_0", ["x"], ["y"],
        kernel="sm80_xmma", time=Timing(0.5, 0.4, parts=3),
        attributes=(("Kernel", [5, 5]), ("Origin", "QDQ")),
    )  # fmt: skip
    of = engine(
        one, graph=Graph(("x",), ("y",), (Edge(None, 0, "x"), Edge(0, None, "y"))), timed=True
    )
    assert plain(drawing(of).nodes["layer_0"]["tooltip"]).split("\n") == [
        "Conv_0",
        "CaskConvolution, layer 0, build.log:10",
        "tactic: 0x1",
        "kernel: sm80_xmma",
        "time: 500 µs on average, 100.0 % of all, median 400 µs, sum of 3 rows of the profile",
        "mean and median differ by more than 10 %: this layer's time was not steady",
        "input: x[Half 1×64×56×56]",
        "output: y[Half 1×64×56×56]",
        "Kernel: [5, 5]",
        "Origin: QDQ",
    ]


def test_optimisation_profiles_are_boxes() -> None:
    names = ["a", "b", "a [profile 1]", "b [profile 1]", "a [profile 10]"]
    read = drawing(engine(*(layer(i, n, [], []) for i, n in enumerate(names)),
                          graph=Graph((), (), ())))  # fmt: skip
    assert read.boxes == {
        "cluster_profile_0": {"layer_0", "layer_1"},
        "cluster_profile_1": {"layer_2", "layer_3"},
        "cluster_profile_10": {"layer_4"},
    }
    assert drawing(chain("a", "b")).boxes == {}


def test_a_large_engine_carries_dims_in_tooltips_only() -> None:
    names = [f"Conv_{i}" for i in range(LARGE + 1)]
    large, small = drawing(chain(*names)), drawing(chain(*names[:-1]))
    assert not any(edge.get("label") for _, _, edge in large.edges)
    assert any(edge.get("label") for _, _, edge in small.edges)
    assert all("1×64×56×56" in edge["tooltip"] for _, _, edge in large.edges)
    assert large.attributes["nslimit"] == large.attributes["mclimit"] == "0.05"


def test_a_long_name_is_shortened_in_the_label_and_whole_in_the_tooltip() -> None:
    name = "start" + "x" * 500 + "end"
    node = drawing(chain(name)).nodes["layer_0"]
    assert name not in node["label"]
    assert "…" in node["label"]
    assert plain(node["tooltip"]).split("\n")[0] == name


def check_names(names: list[str]) -> None:
    of = chain(*names)
    read = drawing(of)
    assert len(read.nodes) == len(names) + 2
    for index, name in enumerate(names):
        told = plain(read.nodes[f"layer_{index}"]["tooltip"]).split("\n")
        assert told[0] == (visible(name) or "(no name)")
    tips = [plain(edge["tooltip"]) for _, _, edge in read.edges]
    for edge in of.graph.edges:
        assert f"{visible(edge.tensor)}[Half 1×64×56×56]" in tips


def test_hostile_names_come_back() -> None:
    check_names(HOSTILE_NAMES)
    for name in HOSTILE_NAMES:
        check_names([name])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters()), min_size=1, max_size=8))
def test_any_names_come_back(names: list[str]) -> None:
    check_names(names)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text('\\"<>&;nNl{}|:#x0 \n/'), min_size=1, max_size=8))
def test_names_of_special_characters_come_back(names: list[str]) -> None:
    check_names(names)


@pytest.mark.parametrize("text", HOSTILE_NAMES)
def test_hostile_text_anywhere(text: str) -> None:
    odd = Tensor(text, text or None, text, ())
    one = Layer(
        0, Place(text, 1), text, text, text, (odd,), (odd,), text, ((text, {text: [text]}),)
    )
    two = replace(one, index=1, raw=text)
    ends_ = Graph((text,), (text,), (Edge(None, 0, text), Edge(0, 1, text), Edge(1, None, text)))
    of = replace(engine(one, two, graph=ends_, tensorrt=text), source=Listing(text, 1, 2))
    assert len(drawing(of).edges) == 3


def test_the_same_engine_gives_the_same_bytes() -> None:
    script = (
        "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
        "from factories import chain; from rendered import dot_text;"
        "sys.stdout.buffer.write(dot_text(chain('a', 'b')))"
    )
    out = {
        subprocess.run(
            [sys.executable, "-c", script, json.dumps(sys.path)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert out == {dot_text(chain("a", "b"))}


def test_an_engine_without_layers_is_drawn() -> None:
    assert "0 layers" in drawing(engine(graph=Graph((), (), ()))).title
