"""The roofline as SVG: dots where they belong, under the roofs, and what is said of the others."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from factories import engine
from test_work import A100, convolution, timed

from engine_layer_visualize.analysis.work import peaks
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Graph, Layer
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.drawings.picture.roofline import Axis, Roofline
from engine_layer_visualize.drawings.picture.shapes import Text
from engine_layer_visualize.views.subgraph import part, whole
from engine_layer_visualize.writers import render

SVG = "{http://www.w3.org/2000/svg}"


def layers(*times: float) -> list[Layer]:
    """Convolutions of other sizes."""
    made = []
    for n, ms in enumerate(times):
        dims = f"1,{8 << n},16,16"
        one = timed(convolution(dims, dims, 3, pad=1), ms)
        made.append(replace(one, index=n, name=f"Conv_{n}"))
    return made


def picture(*several: Layer, **options: Any) -> Roofline:
    facts = EngineFacts(device=A100) if options.pop("known", True) else EngineFacts()
    whole_one = engine(*several, graph=Graph((), (), ()), timed=True, facts=facts)
    return Roofline(whole(whole_one), Options(**options))


def words(of: Roofline) -> str:
    return ElementTree.tostring(svg(of), "unicode", "text")


def svg(of: Roofline) -> ElementTree.Element:
    return ElementTree.fromstring(render(of.view, "roofline", Options(peak=of.costs.peak)))


def test_each_layer_is_a_dot_under_the_roof() -> None:
    of = picture(*layers(0.01, 0.02, 0.04))
    assert [dot.layer.index for dot in of.dots] == [2, 1, 0]
    for dot in of.dots:
        assert dot.rate == pytest.approx((dot.done.flop or 0) / dot.ms * 1e3)
        assert dot.rate <= min(312e12 * 1.01, dot.intensity * 1555.2e9)
    text = words(of)
    assert "FP16: 312 TFLOP/s" in text and "1,555 GB/s" in text
    assert "3 of 3 layers are drawn" in text
    assert len(svg(of).findall(f".//{SVG}g[@class='layer']")) == 3


def test_the_area_is_the_time() -> None:
    of = picture(*layers(0.4, 0.1))
    assert of._radius(0.4) == pytest.approx(2 * of._radius(0.1))
    many = picture(*layers(*[0.4] * 6))
    assert many._radius(0.4) <= of._radius(0.4)


def test_the_layers_farthest_above_their_bound_are_named() -> None:
    of = picture(*layers(0.01, 0.9, 0.04, 0.5))
    assert [one.dot.layer.index for one in of.worst] == [1, 3, 2]
    text = words(of)
    assert "above its bound" in text and "#1 Conv" in text
    assert {"10 %", "1 %", "bound by memory", "bound by computing"} <= set(texts(of))


def test_equal_layers_are_named_together() -> None:
    long, *_ = layers(0.5)
    heads = [replace(long, index=n, name=f"Conv_{n}") for n in range(3)]
    alone = replace(layers(0.1, 0.2)[1], index=3)
    of = picture(*heads, alone)
    assert [[dot.layer.index for dot in one.dots] for one in of.worst] == [[0, 1, 2], [3]]
    above = sum(of.plot.work.of(one).above_ms or 0.0 for one in heads)
    assert of.worst[0].group.above_ms == pytest.approx(above)
    text = words(of)
    assert "above their bounds" in text and "#0 Conv and 2 more" in text


@pytest.mark.parametrize("options", [{}, {"theme": "dark"}])
def test_without_a_device_there_are_dots_alone(options: dict[str, Any]) -> None:
    of = picture(*layers(0.01, 0.02), known=False, **options)
    assert of.roofs == [] and len(of.dots) == 2
    assert "There are no roofs" in words(of)
    given = picture(*layers(0.01), known=False, peak=peaks.parse("fp16=100"))
    assert [value for value, _, _ in given.roofs] == [100e12]
    assert "bandwidth is not known" in words(given)


def test_what_is_not_drawn_is_told() -> None:
    pool = replace(layers(0.3)[0], index=1, type="CaskPooling", attributes=())
    hidden = replace(pool, index=2, type="PluginV2")
    text = words(picture(layers(0.1)[0], pool, hidden))
    assert "1 of 3 layers is drawn; not 1 with unknown MACs, 1 without MACs" in text
    assert "(600 µs, 85.7 %)" in text


def test_layers_without_a_time_or_bytes_are_told() -> None:
    first, second, third, last = layers(0.1, 0.1, 0.1, 0.1)
    [tensor] = third.outputs
    third = replace(third, outputs=(replace(tensor, dtype="Odd"),))
    text = words(picture(first, replace(second, time=None), third, last))
    assert "2 of 4 layers are drawn; not 1 with unknown bytes, 1 without a time (100 µs" in text


def test_a_part_of_an_engine_is_called_one() -> None:
    several = layers(0.1, 0.2, 0.3)
    some = engine(*several, graph=Graph((), (), ()), timed=True)
    text = words(Roofline(part(some, query="Conv_1"), Options()))
    assert "1 of 3 layers shown (--query Conv_1)" in text
    assert "1 of 3 layers is drawn" in text and "not " not in text.split("is drawn")[1][:8]


@pytest.mark.parametrize(
    ("known", "peak", "said"),
    [
        (True, None, "The roofs are what the NVIDIA A100-PCIE-40GB can do at its maximum clock"),
        (
            *(True, "fp16=100"),
            "The roofs are what the NVIDIA A100-PCIE-40GB can do at its maximum clock, "
            "fp16 as given by --peak",
        ),
        (False, "fp16=100,bw=1000", "The roofs are as given by --peak"),
        (
            *(False, "bw=1555"),
            "The roof is as given by --peak. "
            "The device's peak in Half is not known: --peak gives it",
        ),
        (
            *(False, "fp16=100"),
            "The roof is as given by --peak. "
            "The device's memory bandwidth is not known: --peak gives it",
        ),
        (False, "int8=624", "There are no roofs: what the device can do is not known"),
    ],
)
def test_where_the_roofs_are_known_from(known: bool, peak: str | None, said: str) -> None:
    of = picture(*layers(0.1), known=known, peak=peaks.parse(peak))
    assert of.plot.device().startswith(said)
    assert ("maximum clock" in of.plot.device()) == ("maximum clock" in said)
    assert bool(of.roofs) == ("fp16" in (peak or "fp16"))


def test_halves_have_the_roof_of_floats_where_no_other_is_known() -> None:
    """The same that their bounds are of."""
    of = picture(*layers(0.1), known=False, peak=peaks.parse("fp32=20,bw=1000"))
    assert [(roof.value, roof.words) for roof in of.roofs] == [(20e12, "FP32: 20.0 TFLOP/s")]
    assert of.dots[0].done.bound_ms == pytest.approx((of.dots[0].done.flop or 0) / 20e9)


def test_without_times_there_is_a_sentence() -> None:
    one = replace(layers(0.1)[0], time=None)
    of = Roofline(whole(engine(one, graph=Graph((), (), ()))), Options())
    assert of.dots == [] and "there are no times" in words(of)


def texts(of: Roofline) -> dict[str, tuple[float, float, float, float]]:
    """The words in the plot, and the box of each."""
    return {
        one.words: (one.x, one.y - one.size, one.x + one.wide, one.y)
        for one in of._labels()
        if isinstance(one, Text)
    }


def apart(of: Roofline) -> bool:
    """Whether no words stand upon others, or upon a dot."""
    dots = [(of.x.place(one.intensity), of.y.place(one.rate)) for one in of.dots]
    return all(
        a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        for a, b in combinations(texts(of).values(), 2)
    ) and not any(
        left < x < right and top < y < bottom
        for left, top, right, bottom in texts(of).values()
        for x, y in dots
    )


def test_labels_do_not_meet() -> None:
    """Names of layers at one place, and of layers that lie along a roof."""
    one = layers(0.5)[0]
    assert apart(picture(*(replace(one, index=n, type=f"Conv{n}") for n in range(5))))
    assert apart(picture(*layers(*(0.001 * 3**n for n in range(9)))))


@pytest.mark.parametrize("theirs", ["fp32=19,tf32=20", "fp32=20,tf32=20.1,int8=21"])
def test_words_of_close_roofs_do_not_meet(theirs: str) -> None:
    one = layers(0.1)[0]
    several = [one]
    for n, dtype in enumerate(("Float", "Int8"), 1):
        ends = [tuple(replace(t, dtype=dtype) for t in each) for each in (one.inputs, one.outputs)]
        several.append(replace(one, index=n, inputs=ends[0], outputs=ends[1]))
    of = picture(*several, known=False, peak=peaks.parse(f"fp16=20.5,bw=1000,{theirs}"))
    lines = [of.y.place(roof.value) for roof in of.roofs]
    assert len(lines) == theirs.count("=") + 1 and lines[1] - lines[0] < 5
    assert {roof.words for roof in of.roofs} <= set(texts(of)) and apart(of)


def test_a_scale_has_its_powers_of_ten() -> None:
    scale = Axis(-0.5, 2.2, 100, 370)
    assert list(scale.decades()) == [1.0, 10.0, 100.0]
    assert scale.place(10**-0.5) == pytest.approx(100)
    assert scale.place(10**2.2) == pytest.approx(370)


def test_numbers_are_finite() -> None:
    found = render(picture(*layers(0.01, 1e-9)).view, "roofline").decode()
    assert not re.search(r"\b(?:nan|inf)\b", found)
