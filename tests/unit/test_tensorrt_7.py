"""A log of TensorRT 7: it counts a no-op that it does not list, and prints strides backwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import engine_facts
from paths import FIXTURES
from summarised import data_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import kinds
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import reasons
from engine_layer_visualize.linting import lever
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import layout

LOG = FIXTURES / "facts" / "7.0-no-op.log"


def test_a_reformat_tells_what_it_changes() -> None:
    (engine,) = elv.read(LOG).engines
    found = reasons(engine)
    assert {index: reason.text for index, reason in found.items()} == {
        1: "`quay_conv + quay_relu` writes Float HWC; `pier_conv` reads Float linear",
        3: "`pier_conv` writes Float linear; `mast_conv` reads Float HWC",
    }


@pytest.mark.parametrize(
    ("strides", "words"),
    [
        ("Float(256,14336,1,802816)", "HWC"),
        ("Float(1,56,3136,802816)", "linear"),
        ("Half(1,8,64:2,128)", "CHW2"),
        ("Int32(1,10)", "linear"),
    ],
)
def test_strides_with_the_batch_last(strides: str, words: str) -> None:
    assert layout(strides) == words


def test_layers_named_by_their_kernels_are_convolutions() -> None:
    (engine,) = elv.read(LOG).engines
    assert [kinds.operation_of(layer) for layer in engine.layers] == [
        *("convolution", None, "convolution", None, "convolution")
    ]


def test_a_no_op_that_is_not_listed_is_not_missing() -> None:
    build = elv.read(LOG)
    (engine,) = build.engines
    assert (build.problems, engine.source.state) == ((), "whole")
    assert (engine.inputs, engine.outputs) == (("x",), ("score",))


def test_a_layer_that_is_missing_is_told(tmp_path: Path) -> None:
    log = tmp_path / "cut.log"
    log.write_text("".join(LOG.read_text().splitlines(keepends=True)[:-1]))
    (problem,) = elv.read(log).problems
    assert (problem.code, problem.message) == (
        "ELV114",
        "the listing ends at line 26, probably cut: it has 4 of at least 5 layers",
    )


def test_memory_and_passes_are_those_that_it_prints() -> None:
    (engine,) = elv.read(LOG).engines
    totals = data_of(engine)["memory"]["totals"]
    assert [(one["name"], one["bytes"]) for one in totals] == [
        *(("Activation and workspace limit", 4096), ("Host Persistent", 512)),
        *(("Device Persistent", 1024), ("Weights", 1584)),
    ]
    assert [(one.name, one.layers) for one in engine_facts(engine).passes] == [
        *(("Original", 5), ("dead-layer removal", 5), ("vertical fusions", 4)),
        *(("concat removal", 4), ("reformat layers", 6)),
    ]


def test_no_command_is_shown_that_cannot_run(tmp_path: Path) -> None:
    """The log names no version; its types of layers are those of TensorRT 7."""
    (engine,) = elv.read(LOG).engines
    assert {la.type for la in engine.layers} >= {"scudnn"} and engine.tensorrt is None
    told = lever.to_measure(Subject(Costs(engine)))
    assert "trtexec" not in told and "`IProfiler`" in told
    new = tmp_path / "8.log"
    new.write_text(LOG.read_text("utf-8").replace("scudnn", "CaskConvolution"))
    (engine,) = elv.read(new).engines
    assert "(TensorRT 8 and later)" in lever.to_measure(Subject(Costs(engine)))


def test_fully_connected_layers_in_one_kernel_multiply() -> None:
    """Line 47: a 3-layer MLP."""
    (engine, *_) = elv.read(FIXTURES / "classic" / "6.0-python-prefix-every-line.log").engines
    (fused,) = (layer for layer in engine.layers if "MLP" in layer.type)
    assert fused.name.startswith("3-layer MLP: ")
    assert kinds.operation_of(fused) == "product"
