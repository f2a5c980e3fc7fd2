"""Which nodes layers of recorded logs are made of, how they are headed, and what was chosen."""

from typing import Any

import pytest
from factories import layer_facts
from paths import recorded

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import labels, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import autotuning, fusions


def engine(number: str) -> elv.Engine:
    return elv.read(recorded(number)).engines[0]


def fused(of: elv.Engine) -> dict[int, Any]:
    rows: Any = fusions.data(Subject(Costs(of)), 99)
    return {row["index"]: (row["nodes"], row["operators"]) for row in rows}


@pytest.mark.parametrize(("number", "index"), [("334", 13), ("336", 10), ("338", 9)])
def test_a_helper_of_a_product_is_not_the_product(number: str, index: int) -> None:
    """`/Reshape + reshape_before_/classifier.0/Gemm` has the metadata of both nodes."""
    of = engine(number)
    assert of.layers[index].name == "/Reshape + reshape_before_/classifier.0/Gemm"
    assert origin.onnx_nodes_of(of.layers[index]).all == ("/Reshape",)
    assert labels.headline(of.layers[index]) == "Reshape" and index not in fused(of)


def test_a_layer_that_adds_the_bias_is_no_gemm() -> None:
    """Line 265 registers node_linear_1, an ElementWise, for the Gemm of layer 8."""
    assert fused(engine("027"))[10] == (2, {"Relu": 1})


def test_an_activation_behind_an_unknown_layer_does_not_head_it() -> None:
    heads = [labels.headline(layer) for layer in engine("324").layers[:5]]
    assert heads == ["layer", "Pooling", "LRN", "layer", "layer"]


def test_a_piece_of_the_dla_has_its_layers() -> None:
    """The name of the second row has 139 commas between braces."""
    assert fused(engine("177"))[1][0] == 140


def test_a_profiling_whose_beginning_is_left_out_was_one() -> None:
    """Line 208: 0x280b0ad3c23d8442 in 0.0194743 ms, which line 219 lists."""
    known = layer_facts(engine("147").layers[1])
    assert known.candidates.chosen is not None and known.build_ms == 0.0194743
    assert known.candidates.chosen.tactic == "0x280b0ad3c23d8442"


@pytest.mark.parametrize("number", ["127", "133", "324"])
def test_times_alone_are_not_said_to_be_a_filtered_log(number: str) -> None:
    assert not list(autotuning.blocks(Subject(Costs(engine(number))), 5))


def test_two_logs_of_one_script_get_one_advice() -> None:
    """Neither has options of trtexec: a Python script built both."""
    subjects = [Subject(Costs(engine(number))) for number in ("012", "014")]
    found = [each for subject in subjects for each in findings_of(subject)]
    advice = {each.advice for each in found if each.code == "P15"}
    assert advice == {"allow FP16 (BuilderFlag.FP16), and check the accuracy"}


def test_times_alone_are_compared_by_exact_names_and_indices() -> None:
    """Rows `…_myl16_…` are of the ForeignNode that is layer 16; reformats have the same names."""
    found = compare(Costs(engine("027")), Costs(engine("032")))
    pairs = {(group.a, group.b) for group in found.groups}
    assert {((0,), (0,)), ((6,), (5,)), ((13,), (11,)), ((16,), (14, 15))} <= pairs
    assert not found.unmatched.b
    # Layers 2 and 7 run no kernel: the table has no rows of them.
    assert {i for group in found.groups for i in group.a_reformats} <= {2, 7}


def test_a_comparison_says_the_total_that_the_table_prints() -> None:
    """Line 105: 0.0760; the rounded averages of its rows add to 0.0761."""
    same = compare(Costs(engine("032")), Costs(engine("032")))
    assert "B takes as long as A (76.0 µs → 76.0 µs)" in sentences.first(same)
