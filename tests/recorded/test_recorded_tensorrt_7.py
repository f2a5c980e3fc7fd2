"""The first whole logs of TensorRT 7, with what a person read in them."""

import pytest
from factories import engine_facts
from paths import recorded

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import kinds, origin, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.subject import Subject


def test_each_reformat_changes_what_the_line_of_the_builder_says() -> None:
    """Lines 8000 to 8007, of outputs backwards, as the kernels beside them tell (`nhwc`)."""
    (engine,) = elv.read(recorded("330")).engines
    to_linear, to_last = "Float HWC → linear", "Float linear → HWC"
    assert {index: one.change for index, one in reformat_reasons.of(Costs(engine)).items()} == {
        **{12: to_last, 27: to_linear, 29: to_last, 32: to_linear},
        **{99: to_last, 101: to_linear, 104: to_last, 106: to_linear},
    }
    assert [origin.onnx_nodes_of(engine.layers[index]).all for index in (12, 27)] == [(), ()]


def test_convolutions_are_those_of_the_listing() -> None:
    """Of 115 layers 8 are reformats and 2 pools; the last is a product by a convolution, too."""
    (engine,) = elv.read(recorded("330")).engines
    found = [kinds.operation_of(layer) for layer in engine.layers]
    assert (found.count("convolution"), found.count("pooling"), found.count(None)) == (105, 2, 8)


@pytest.mark.parametrize(
    ("number", "layers", "ends", "last", "weights"),
    [
        ("330", 115, ("data", "resnetv18_dense0_fwd"), 116, 80_543_744),
        ("331", 72, ("input", "output"), 76, 17_935_360),
    ],
)
def test_the_log_is_whole(
    number: str, layers: int, ends: tuple[str, str], last: int, weights: int
) -> None:
    build = elv.read(recorded(number))
    (engine,) = build.engines
    assert (len(engine.layers), engine.source.state) == (layers, "whole")
    assert [problem.code for problem in build.problems if problem.severity == "error"] == []
    assert (engine.inputs, engine.outputs) == ((ends[0],), (ends[1],))
    facts = engine_facts(engine)
    assert (facts.passes[-1].name, facts.passes[-1].layers) == ("reformat layers", last)
    assert facts.total("Weights") == weights


def test_layers_of_one_implementation_are_timed() -> None:
    """Lines 1578, 1583, 1588, 1609, 1629, 1641: no line says what was chosen."""
    (engine,) = elv.read(recorded("331")).engines
    times = [layer.known.build_ms for layer in engine.layers[3:9]]
    assert times == [0.064512, 0.064768, 0.065312, 0.005344, 0.005376, 0.005408]
    costs = Costs(engine)
    assert (costs.now.timed, costs.now.layers) == (69, 69)
    assert costs.total == pytest.approx(1.205, abs=5e-4)


@pytest.mark.parametrize("number", ["330", "331"])
def test_advice_that_would_gain_nothing_is_not_given(number: str) -> None:
    """All skipped tactics are of CudaConvolution, and a Gather reads what its record leaves out."""
    (engine,) = elv.read(recorded(number)).engines
    assert {"T04", "U07"}.isdisjoint(one.code for one in findings_of(Subject(Costs(engine))))
