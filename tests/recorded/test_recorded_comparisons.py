"""Engines of real logs, compared with themselves and with others of the same network."""

from pathlib import Path

import pytest
import recorded_logs
from paths import recorded
from recorded_logs import LOGS, engines_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import read
from engine_layer_visualize.comparison import causes, sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison, ms_of_run
from engine_layer_visualize.core.build_info import INCOMPLETE

# Engines of one network: `014.1` is engine 1 of log 014. How many groups there are, and by what.
PAIRS = [
    ("131.0", "132.0", 25, "names"),
    ("020.0", "038.0", 8, "names"),
    ("033.0", "038.0", 8, "structure"),  # another exporter
    ("012.0", "014.0", 5, "structure"),  # another front end; one optimisation profile and two
    ("014.1", "014.2", 10, "names"),  # two verbosities, two optimisation profiles
    ("012.1", "012.2", 5, "names"),
    ("049.0", "049.1", 23, "names"),
    ("049.0", "049.2", 22, "structure"),  # another width
    ("056.0", "056.1", 12, "names"),
    ("066.0", "066.1", 22, "names"),  # matrix products with their rows flattened
    ("149.0", "165.0", 11, "structure"),  # ONNX and PyTorch
]


def engine(place: str) -> Engine:
    number, _, index = place.partition(".")
    return recorded_logs.engine(number, int(index))


def places(found: Comparison, one: int) -> list[int]:
    rests = ((found.overhead.a, found.unmatched.a), (found.overhead.b, found.unmatched.b))[one]
    return sorted([*(i for group in found.groups for i in group.all[one]), *rests[0], *rests[1]])


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_an_engine_and_itself_match_one_to_one(path: Path) -> None:
    for one in engines_of(path):
        same = compare(Costs(one), Costs(one))
        assert places(same, 0) == list(range(len(one.layers)))
        assert same.same_network
        known = one.source.state not in INCOMPLETE and Costs(one).total is not None
        assert same.delta_ms == (0 if known else None)
        assert not any(same.alone) and not same.builds
        for group in same.groups:
            assert group.a == group.b and len(group.a) == 1
            assert not group.changes and group.delta_ms in (0, None)


@pytest.mark.parametrize(("a", "b", "groups", "confidence"), PAIRS)
def test_engines_of_one_network(a: str, b: str, groups: int, confidence: str) -> None:
    one, other = engine(a), engine(b)
    found, back = compare(Costs(one), Costs(other)), compare(Costs(other), Costs(one))
    assert found.same_network
    assert len(found.groups) == groups
    assert {g.confidence for g in found.groups if g.cause != "overhead"} <= {confidence, "region"}
    assert places(found, 0) == list(range(len(one.layers)))
    assert places(found, 1) == list(range(len(other.layers)))
    assert {group.all for group in found.groups} == {group.all[::-1] for group in back.groups}


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        (  # lines 1145, 1149, 1151 and 1152 of A, 869, 873, 875 and 876 of B
            "033.0",
            "038.0",
            {1: "tactic", 5: "tactic", 7: "tactic", 8: "CublasConvolution → CudnnConvolution"},
        ),
        ("020.0", "033.0", {1: "tactic", 5: "tactic", 7: "tactic"}),  # lines 1010, 1014, 1016 of A
        (  # lines 4436, 4438, 4439 and 4440 of A, 4688, 4689, 4691 and 4692 of B
            "027.0",
            "320.0",
            {
                1: "Half → Float; CaskConvolution → Myelin; formats",
                3: "Half → Float; kernel; formats",
                4: "CaskConvolution → Myelin",
                5: "kernel",
            },
        ),
    ],
)
def test_another_type_or_tactic_is_another_kernel(a: str, b: str, told: dict[int, str]) -> None:
    found = compare(Costs(engine(a)), Costs(engine(b)))
    assert told == {
        group.a[0]: "; ".join(causes.changes(found, group)).partition("; reformats")[0]
        for group in found.groups
        if "kernel" in group.changes
    }


def test_two_networks_are_told_apart() -> None:
    for a, b in (("079.0", "141.0"), ("101.0", "143.0"), ("000.0", "131.0"), ("000.0", "141.0")):
        found = compare(Costs(engine(a)), Costs(engine(b)))
        assert not found.same_network and not found.groups


def test_times_of_two_networks_are_told_apart() -> None:
    """No name is in both; without edges nothing else tells layers."""

    def times(number: str) -> Costs:
        return Costs(read(recorded(number)).engines[0])

    for a, b in (("306", "177"), ("313", "306"), ("102", "142"), ("130", "150")):
        found = compare(times(a), times(b))
        assert not found.same_network and not found.groups and found.speedup is None


def test_a_foreign_node_took_in_the_layers_up_to_its_end() -> None:
    """Lines 123 to 126 of A; the ForeignNode on line 134 of B ends where line 126 does."""
    found = compare(Costs(engine("076.0")), Costs(engine("076.1")))
    (region,) = (group for group in found.groups if 3 in group.a)
    assert (region.a, region.a_reformats, region.b) == ((3, 4), (2, 5, 6), (2,))
    assert "fusion" in region.changes and found.alone == ((), ())


def test_a_reformat_is_of_what_reads_it_though_that_runs_nothing() -> None:
    """Record 12 of B writes what record 13, a NoOp, reads; the product is record 15."""
    found = compare(Costs(engine("336.0")), Costs(engine("334.0")))
    served = {group.b: group.b_reformats for group in found.groups}
    assert served[13,] == (12,) and served[15,] == (14,)


def test_what_both_engines_are_advised_is_of_neither_alone() -> None:
    # Both may allow FP16: of engine 0 the layer on line 773, of engine 2 products, too.
    assert ("new", "P15") not in told(engine("012.0"), engine("012.2"))
    # Of A's chain of products Q/DQ is advised behind "also".
    assert told(engine("066.0"), engine("066.1")) == {("gone", "U01")}
    # Of A FP16 is advised behind "also", of B larger batches.
    assert told(engine("334.0"), engine("338.0")).isdisjoint({("new", "P15"), ("gone", "H09")})


def told(a: Engine, b: Engine) -> set[tuple[str, str]]:
    return {(one.state, one.code) for one in causes.advice(compare(Costs(a), Costs(b)))}


def test_what_another_cause_has_there_is_not_gone() -> None:
    """In 334 rules see P15 in one layer, of which H09 tells; in 338, of FP32, in all."""
    assert told(engine("049.0"), engine("049.2")) == {("new", "H01")}
    a, b = (read(path).engines[0] for path in map(recorded, ("338", "334")))
    assert told(a, b) == {("new", "P06"), ("new", "F02"), ("gone", "P15")}


def test_times_alone_show_no_advice() -> None:
    assert not told(engine("131.0"), read(recorded("133")).engines[0])


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        # Lines 3019, 2953: 0.154663 and 0.152588 ms; the mean of 033 is 0.16247.
        ("033.0", "020.0", "takes as long as A, within what runs vary (GPU compute time, median"),
        ("012.0", "012.1", "takes as long as A by the builder's estimates, within what its timing"),
    ],
)
def test_what_runs_and_timings_vary_is_no_difference(a: str, b: str, said: str) -> None:
    found = compare(Costs(engine(a)), Costs(engine(b)))
    assert said in sentences.first(found) and sentences.is_noise(found)


def test_a_precision_that_was_allowed_without_a_gain_is_told() -> None:
    """Line 11 of 020 and of 033: FP32+FP16; line 11 of 038: FP32."""
    for b in ("020.0", "033.0"):
        found = compare(Costs(engine("038.0")), Costs(engine(b)))
        (told,) = (one.text for one in causes.advice(found) if not one.code)
        assert told.startswith("expect nothing of FP16: ") and "4 of 4 convolutions" in told


def test_what_is_slower_than_another_gpu_is_told() -> None:
    """A printed table's averages: 3.0399 ms on line 13178 of B, where five layers merge into one.

    In A 0.1017 + 0.1023 + 0.1016 + 0.1017 + 0.0562 ms, lines 16596 to 16664: 6.56 times as long.
    """
    found = compare(Costs(engine("143.0")), Costs(engine("323.0")))
    steps = sum(step.ms for step in found.waterfall)
    assert steps == pytest.approx(ms_of_run(found.b) - ms_of_run(found.a))
    (told,) = (one for one in causes.advice(found) if not one.code)
    assert told.text.startswith("look at layer 16 `Conv_62 + ") and "takes 6.56 times" in told.text
    assert found.factor is not None and 3.0 < found.factor.factor < 4.1
    assert told.ms == pytest.approx(3.0399 - found.factor.factor * 0.4635)
