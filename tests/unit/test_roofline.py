"""What a roofline shows: dots under their roofs, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from factories import engine
from test_work import A100, convolution, timed

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Graph, Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.page.html import roofline


def layers(*times: float) -> list[Layer]:
    """Convolutions of other sizes."""
    made = []
    for n, ms in enumerate(times):
        dims = f"1,{8 << n},16,16"
        one = timed(convolution(dims, dims, 3, pad=1), ms)
        made.append(replace(one, index=n, name=f"Conv_{n}"))
    return made


class Plot:
    """The roofline of an engine with these layers."""

    def __init__(self, *several: Layer, known: bool = True, peak: str | None = None) -> None:
        facts = EngineFacts(device=A100) if known else EngineFacts()
        is_timed = any(one.time is not None for one in several)
        made = engine(*several, graph=Graph((), (), ()), timed=is_timed, facts=facts)
        costs = Costs(made, peak=peaks.parse(peak))
        self.work = Subject(costs).work
        self.of: dict[str, Any] = roofline(costs, self.work, lambda dtype: 0)

    @property
    def words(self) -> str:
        worst = [text for _, *texts in self.of["worst"] for text in texts]
        bandwidth = [self.of["bandwidth"][1]] if self.of["bandwidth"] else []
        roofs = [words for _, words, _ in self.of["roofs"]]
        return "\n".join((self.of["device"], self.of["shown"], *bandwidth, *roofs, *worst))


def test_each_layer_is_under_the_roof() -> None:
    several = layers(0.01, 0.02, 0.04)
    plot = Plot(*several)
    (highest, _, _), *_ = plot.of["roofs"]
    for one, ms in zip(several, (0.01, 0.02, 0.04)):
        done = plot.work.of(one)
        rate = (done.flop or 0) / ms * 1e3
        assert rate <= min(highest * 1.01, (done.intensity or 0.0) * plot.of["bandwidth"][0])
    assert "FP16: 312 TFLOP/s" in plot.words and "1,555 GB/s" in plot.words
    assert "3 of 3 layers are drawn" in plot.words
    assert {index for index, *_ in plot.of["worst"]} == {0, 1, 2}


def test_equal_layers_are_named_together() -> None:
    long, *_ = layers(0.5)
    heads = [replace(long, index=n, name=f"Conv_{n}") for n in range(3)]
    alone = replace(layers(0.1, 0.2)[1], index=3)
    plot = Plot(*heads, alone)
    above = sum(plot.work.of(one).above_ms or 0.0 for one in heads)
    (index, named, told), (other, *_) = plot.of["worst"]
    assert (index, other) == (0, 3) and named == "#0 Conv and 2 more"
    assert told == f"{milliseconds(above)} above their bounds"


def test_without_a_device_there_are_dots_alone() -> None:
    plot = Plot(*layers(0.01, 0.02), known=False)
    assert plot.of["roofs"] == [] and "2 of 2 layers are drawn" in plot.words
    assert "There are no roofs" in plot.words


@pytest.mark.parametrize(
    ("known", "peak", "said"),
    [
        (True, None, "NVIDIA A100-PCIE-40GB: FP32 19.5, TF32 156, FP16 312"),
        (False, "fp16=100,bw=1000", "FP16 100 TFLOPS, 1,000 GB/s"),
        (False, "fp16=100", "FP16 100 TFLOPS (dense, maximum clock); fp16 by --peak"),
        (False, "int8=624", "There are no roofs: what the device can do is not known"),
    ],
)
def test_where_the_roofs_are_known_from(known: bool, peak: str | None, said: str) -> None:
    plot = Plot(*layers(0.1), known=known, peak=peak)
    assert plot.of["device"].startswith(said)
    highest = [312e12] if known else [100e12] if "fp16" in (peak or "") else []
    assert [value for value, *_ in plot.of["roofs"][:1]] == pytest.approx(highest, rel=0.01)


def test_halves_have_the_roof_of_floats_where_no_other_is_known() -> None:
    """The same that their bounds are of."""
    (one,) = layers(0.1)
    plot = Plot(one, known=False, peak="fp32=20,bw=1000")
    assert [roof[:2] for roof in plot.of["roofs"]] == [[20e12, "FP32: 20.0 TFLOP/s"]]
    done = plot.work.of(one)
    assert done.bound_ms == pytest.approx((done.flop or 0) / 20e9)
