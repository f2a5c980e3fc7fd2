"""What a roofline shows: dots under their roofs, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from factories import engine
from test_work import A100, convolution, timed

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Graph, Layer
from engine_layer_visualize.drawing.roofline import Plot
from engine_layer_visualize.linting.subject import Subject


def layers(*times: float) -> list[Layer]:
    """Convolutions of other sizes."""
    made = []
    for n, ms in enumerate(times):
        dims = f"1,{8 << n},16,16"
        one = timed(convolution(dims, dims, 3, pad=1), ms)
        made.append(replace(one, index=n, name=f"Conv_{n}"))
    return made


def plot(*several: Layer, known: bool = True, peak: str | None = None) -> Plot:
    facts = EngineFacts(device=A100) if known else EngineFacts()
    timed = any(one.time is not None for one in several)
    made = engine(*several, graph=Graph((), (), ()), timed=timed, facts=facts)
    costs = Costs(made, peak=peaks.parse(peak))
    return Plot(costs, Subject(costs).work)


def words(of: Plot) -> str:
    worst = [text for one in of.worst for text in (one.named(), one.told())]
    roofs = [roof.words for roof in of.roofs]
    return "\n".join((of.device(), of.shown(), of.bandwidth_words(), *roofs, *worst))


def test_each_layer_is_a_dot_under_the_roof() -> None:
    of = plot(*layers(0.01, 0.02, 0.04))
    assert [dot.layer.index for dot in of.dots] == [2, 1, 0]
    for dot in of.dots:
        assert dot.rate == pytest.approx((dot.done.flop or 0) / dot.ms * 1e3)
        assert dot.rate <= min(312e12 * 1.01, (dot.done.intensity or 0.0) * 1555.2e9)
    text = words(of)
    assert "FP16: 312 TFLOP/s" in text and "1,555 GB/s" in text
    assert "3 of 3 layers are drawn" in text


def test_equal_layers_are_named_together() -> None:
    long, *_ = layers(0.5)
    heads = [replace(long, index=n, name=f"Conv_{n}") for n in range(3)]
    alone = replace(layers(0.1, 0.2)[1], index=3)
    of = plot(*heads, alone)
    assert [[dot.layer.index for dot in one.dots] for one in of.worst] == [[0, 1, 2], [3]]
    above = sum(of.work.of(one).above_ms or 0.0 for one in heads)
    assert of.worst[0].group.above_ms == pytest.approx(above)
    text = words(of)
    assert "above their bounds" in text and "#0 Conv and 2 more" in text


def test_without_a_device_there_are_dots_alone() -> None:
    of = plot(*layers(0.01, 0.02), known=False)
    assert of.roofs == [] and len(of.dots) == 2
    assert "There are no roofs" in words(of)
    given = plot(*layers(0.01), known=False, peak="fp16=100")
    assert [value for value, _, _ in given.roofs] == [100e12]


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
    of = plot(*layers(0.1), known=known, peak=peak)
    assert of.device().startswith(said)
    assert bool(of.roofs) == ("fp16" in (peak or "fp16"))


def test_halves_have_the_roof_of_floats_where_no_other_is_known() -> None:
    """The same that their bounds are of."""
    of = plot(*layers(0.1), known=False, peak="fp32=20,bw=1000")
    assert [(roof.value, roof.words) for roof in of.roofs] == [(20e12, "FP32: 20.0 TFLOP/s")]
    assert of.dots[0].done.bound_ms == pytest.approx((of.dots[0].done.flop or 0) / 20e9)
