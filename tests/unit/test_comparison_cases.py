"""What `compare` says of pairs that were told wrongly once; how two engines stand as columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compared import compared, conv, timed
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import causes, sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.build_info import Device, EngineFacts, Measure, Performance
from engine_layer_visualize.core.model import Engine, Tensor
from engine_layer_visualize.page import look as tones
from engine_layer_visualize.reports.compare import of_comparison


def case(a: str, b: str, *, timed: bool = True) -> Comparison:
    first, second = (
        elv.read(
            FIXTURES / f"cases/{name}.layers.json",
            profiles=[FIXTURES / f"cases/{name}.profile.json"] if timed else [],
        ).engines[0]
        for name in (a, b)
    )
    return compare(Costs(first), Costs(second))


def test_types_of_tensors_tell_the_precision_of_foreign_nodes() -> None:
    found = case("05-myelin-fp32", "05-myelin-fp16")
    assert sentences.first(found) == (
        "B is 3.17 × faster (1.90 ms → 600 µs): 3 layers went from Float tensors to Half tensors "
        "(−1.30 ms)."
    )
    assert {step.cause: round(step.ms, 6) for step in found.waterfall if step.ms} == {
        "precision": -1.3
    }
    assert [group.kernels_known for group in found.groups] == [False] * 3
    mixed = case("05-myelin-fp32ctx", "05-myelin-fp16mixed", timed=False)
    said = {change for group in mixed.groups for change in causes.changes(mixed, group)}
    assert "Float tensors → Half tensors, Float tensors" in said


def test_one_factor_of_all_layers_tells_nothing_of_the_engine() -> None:
    found = case("06-same-engine-a", "06-same-engine-b")
    # The ratios of the two files' averageMs, sorted: the 12th and 13th are 4.1961 and 4.2016.
    uniform = of_comparison(found)["uniform"]
    assert uniform == pytest.approx({"factor": 4.198825, "low": 4.014400, "high": 4.600448})
    assert sentences.first(found) == (
        "B is 4.25 × slower (940 µs → 4.00 ms): 24 layers with the same kernels are slower by "
        "about 4.20 × (half of them by 4.01 to 4.60 ×): another GPU, other clocks or another "
        "load, which tells nothing of the engine (+3.06 ms)."
    )
    back = sentences.first(case("06-same-engine-b", "06-same-engine-a"))
    assert "24 layers with the same kernels are faster by about 4.20 × (half of them by" in back


def chain(*ms: float, outputs: int = 1) -> Engine:
    layers = [
        conv(n, f"Conv_{n}", f"t{n}", f"t{n + 1}", each, kernel="k") for n, each in enumerate(ms)
    ]
    heads = [
        conv(len(ms) + n, f"Head_{n}", f"t{len(ms)}", f"o{n}", 0.1, kernel="k")
        for n in range(outputs - 1)
    ]
    return timed(*layers, *heads)


def test_unlike_ratios_are_no_factor() -> None:
    a = chain(1.0, 1.0, 1.0, 1.0, 1.0)
    assert causes.uniform(compared(a, chain(2.0, 2.0, 2.1, 2.0, 4.0))) == (2.0, 2.0, 2.1)
    assert causes.uniform(compared(a, chain(1.5, 1.0, 2.1, 3.0, 4.0))) is None
    assert causes.uniform(compared(a, chain(1.04, 1.04, 1.04, 1.04, 1.04))) is None


def test_the_factor_of_another_gpu_is_no_cause_of_what_is_slower_than_it() -> None:
    """Seven of eight layers take twice as long, the last six times: 4 ms more than these tell."""
    a, b = (
        replace(engine, facts=EngineFacts(device=Device(name)))
        for name, engine in (("Tern", chain(*[1.0] * 8)), ("Gull", chain(*[2.0] * 7, 6.0)))
    )
    found = compared(a, b)
    assert found.factor == (2.0, 2.0, 2.0)
    assert {step.cause: step.ms for step in found.waterfall if step.ms} == {"factor": 8, "time": 4}
    assert sentences.first(found).endswith(
        "layers that compute the same are slower by about 2.00 × (half of them by 2.00 to 2.00 ×) "
        "on this GPU (+8.00 ms), 8 layers take another time with the same kernels (+4.00 ms)."
    )
    (told,) = causes.advice(found)
    text = "look at layer 7 `Conv_7`: it takes 6.00 times as long, equal layers 2.00 times"
    assert told == ("", text, 4, "new")


def test_other_outputs_are_told_but_for_their_batch() -> None:
    def of(dtype: str, dims: str) -> Engine:
        (layer,) = chain(1.0).layers
        shape = tuple(map(int, dims.split(",")))
        return timed(replace(layer, outputs=(Tensor("y", dtype, dims, shape),)))

    def told(a: Engine, b: Engine) -> list[tuple[str | None, ...]]:
        return [tuple(each) for each in compared(a, b).builds]

    assert told(of("Int32", "-1,1"), of("Int64", "-1")) == [
        ("outputs", "Int32 [-1,1]", "Int64 [-1]")
    ]
    assert not told(of("Float", "1,8,4"), of("Float", "32,8,4"))
    assert told(of("Float", "1,8,4"), of("Float", "1,8,5"))


def test_outputs_that_stand_in_another_order_are_the_same() -> None:
    """A listing's order is that of the layers, and another one in the next build."""
    heads = [
        replace(conv(n, f"/head.{n}/Conv", "x", name), outputs=(Tensor(name, "Half", dims, shape),))
        for n, (name, dims, shape) in enumerate(
            (("hm", "1,4,8", (1, 4, 8)), ("wh", "1,2,8", (1, 2, 8)))
        )
    ]
    a, b = timed(*heads), timed(*(replace(one, index=n) for n, one in enumerate(heads[::-1])))
    assert [each for each in compared(a, b).builds if each.what == "outputs"] == []


def test_engines_of_other_outputs_have_no_causes() -> None:
    found = compared(chain(1.0, 1.0, outputs=1), chain(1.0, 1.0, outputs=4))
    said = sentences.first(found)
    assert said.startswith("A has 1 output, B 3: they compute other things. B is 1.15 × slower")
    assert "counterpart" not in said
    assert of_comparison(found)["outputs"] == {"a": 1, "b": 3}


def test_a_network_is_known_by_its_nodes_however_they_are_fused() -> None:
    names = [f"/block.{n}/Conv" for n in range(6)]
    a = timed(*(conv(n, name, f"t{n}", f"t{n + 1}") for n, name in enumerate(names)))
    foreign = "{ForeignNode[/block.0/Conv.../block.5/Conv]}"
    b = timed(conv(0, foreign, "t0", "t6", type="Myelin"))
    inside = replace(b.layers[0].known, onnx_nodes=tuple(names), onnx_nodes_from="graph")
    b = replace(b, layers=(replace(b.layers[0], facts=inside),))
    assert compared(a, b).same_network
    other = timed(*(conv(n, f"/other.{n}/Conv", f"u{n}", f"u{n + 1}") for n in range(6)))
    assert not compared(other, b).same_network


def test_a_median_that_the_mean_contradicts_is_noise() -> None:
    def run(median: float, mean: float) -> Engine:
        row = Measure("GPU Compute Time", None, None, mean, median, (), 1)
        facts = EngineFacts(performance=Performance(measures=(row,)))
        return replace(chain(1.0), facts=facts)

    found = compared(run(2.00, 2.02), run(1.97, 2.05))
    assert (
        "B takes as long as A, within what runs vary (GPU compute time, median: 2.00 ms → 1.97 "
        "ms)" in sentences.first(found)
    )
    assert of_comparison(found)["noise"] is True
    sure = compared(run(2.00, 2.02), run(1.50, 1.52))
    assert of_comparison(sure)["noise"] is False


# ---- two engines as columns with bands: what is one box, where it stands, what colour it has -----


FP16, INT8 = (FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log"))


def of(a: Engine, b: Engine) -> Comparison:
    return compare(Costs(a), Costs(b))


@pytest.fixture(scope="module")
def found() -> Comparison:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    return of(a, b)


@pytest.mark.parametrize(
    ("a", "b", "step"),
    [
        (1.0, 1.0, 0),
        (1.0, 1.04, 0),
        (1.0, 1.06, -1),
        (2.5, 1.0, 4),
        (6.0, 1.0, 5),
        (0.0, 1.0, -5),
        (1.25, 1.0, 2),
    ],
)
def test_the_colour_is_the_speed_up(found: Comparison, a: float, b: float, step: int) -> None:
    group = found.groups[0]._replace(ms_a=a, ms_b=b, delta_ms=b - a)
    assert tones.tone_of(found, [group], timed=True) == tones.SAME + step
    assert tones.tone_of(found, [group._replace(delta_ms=None)], timed=True) == tones.UNTIMED


def test_a_notebook_shows_the_report() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, INT8))
    said = elv.compare(a, b)._repr_html_()
    assert "mathjax_ignore" in said and "B is 1.57 × faster" in said
    assert said.count("<table>") == 5 and '<td style="text-align:right">−161 µs</td>' in said
    assert "<code>4 /block1" not in said and "4 <code>/block1/conv2/Conv" in said


def test_a_finding_of_one_engine_alone_is_advice() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, INT8))
    told = "let the layers on both sides run in one precision"
    # The reformat of layer 7 takes 11 µs, `Int8 -> Half` in front of the addition: int8.log:31.
    for first, second, state in ((a, b, "new"), (b, a, "gone")):
        (found,) = elv.compare(first, second).data["advice"]
        assert found == {"code": "F04", "text": told, "ms": 0.011, "state": state}
    assert elv.compare(a, a).data["advice"] == []
