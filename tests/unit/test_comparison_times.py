"""What a comparison says of times: the difference, its causes, and why there is none."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from compared import compared, conv, timed
from factories import linked
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.comparison import sentences
from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Engine, Layer


def chain(number: int, *more: Layer, first: float | None = 1.0) -> Engine:
    """Layers that take 1 ms each, and more."""
    own = (conv(n, f"Conv_{n}", f"t{n}", f"t{n + 1}", 1.0 if n else first) for n in range(number))
    return timed(*own, *more)


def other(type: str) -> Layer:
    return conv(9, "/x/Other_1", "t9", "y", None, type)


UNTIMED = replace(chain(9), profile=None, layers=linked(*chain(9, first=None).layers).layers)
ESTIMATED = replace(
    chain(9),
    profile=None,
    layers=tuple(replace(la, time=None, facts=LayerFacts(build_ms=2.0)) for la in chain(9).layers),
)
WHOLE = chain(4, conv(4, "/m/Conv_8 + /m/Conv_9", "t4", "t5", 10.0))
SPLIT = chain(4, conv(4, "/m/Conv_8", "t4", "u", 5.0), conv(5, "/m/Conv_9", "u", "t5", None))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (UNTIMED, UNTIMED, "neither engine has times of layers"),
        (chain(9), UNTIMED, "B has no times"),
        (chain(9), ESTIMATED, "the times of A are measured, those of B estimated"),
        (
            chain(9),
            chain(9, first=None),
            "1.00 ms of A (11.1 %) are in layers that have no time in B",
        ),
        (WHOLE, SPLIT, "10.0 ms of A (71.4 %) are in layers that have no time in B"),
        (SPLIT, WHOLE, "5.00 ms of A (55.6 %) are in layers that have no time in B"),
        (chain(9), chain(9, other("PluginV2")), "1 layer of B alone has no time"),
        (chain(9, other("Reformat")), chain(9), "1 layer of A alone has no time"),
    ],
)
def test_why_there_is_no_difference(a: Engine, b: Engine, why: str) -> None:
    found = compared(a, b)
    assert found.unknown.startswith(why)
    assert (found.delta_ms, found.speedup, found.waterfall) == (None, None, ())
    assert len(found.groups) >= 5


@pytest.mark.parametrize(("state", "why"), [("cut", "cut"), ("part", "a part of one")])
def test_an_engine_whose_listing_is_not_whole_has_no_difference(
    state: ListingState, why: str
) -> None:
    """What is not listed may take any time; it is said once in each report."""
    a = chain(4)
    b = replace(a, source=replace(a.source, state=state))
    for found in (compared(a, b), compared(b, a)):
        assert (found.delta_ms, found.speedup, found.waterfall) == (None, None, ())
        (remark,) = sentences.remarks(found)
        which = "B" if found.b.engine is b else "A"
        unknown = f"the listing of {which} is {why}"
        assert (remark.code, remark.message) == ("ELV704", f"no difference of times: {unknown}")
    shown = elv.compare(a, b)
    assert str(shown).replace("\n", " ").count(f"The listing of B is {why}.") == 1


def test_times_are_those_of_one_optimisation_profile() -> None:
    log = FIXTURES / "classic" / "10-two-profiles-myelin.log"
    profile = log.with_suffix(".profile.json")
    one = elv.read(log, profile, facts=True).engines[0]
    found = elv.compare(one, one)
    assert found.a.profiles == (0, 1)
    assert sorted(i for group in found.groups for i in group.all[0]) == sorted(
        i for group in found.groups for i in group.all[1]
    )
    for group in found.groups:
        assert len({found.a.profile_of(one.layers[i]) for i in group.all[0]}) == 1
    assert math.fsum(step.ms for step in found.waterfall) == found.delta_ms == 0


def test_a_group_without_a_time_in_either_engine_hides_no_difference() -> None:
    """Its layers have other names, as those of another export have; what it may take is told."""

    def engine(name: str, *ms: float) -> Engine:
        first = [conv(n, f"Conv_{n}", f"t{n}", f"t{n + 1}", took) for n, took in enumerate(ms)]
        return timed(*first, conv(len(ms), name, f"t{len(ms)}", "y", None, "TopK"))

    a, b = engine("/head/TopK_7", 1, 2, 3), engine("top_k_12", 1, 4, 3)
    for found, delta in ((compared(a, b), 2), (compared(b, a), -2)):
        assert found.delta_ms == delta == math.fsum(step.ms for step in found.waterfall)
        assert len(found.groups) == 4 and not found.unmatched.a
        assert "1 layer of A and 1 of B have no time, and have no part in this." in (
            sentences.first(found)
        )
    assert "no part" not in sentences.first(compared(chain(4), chain(4)))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(*[st.floats(1e-6, 10)] * 2, st.integers(0, 3)), min_size=2, max_size=9))
def test_the_causes_sum_to_the_difference_exactly(times: list[tuple[float, float, int]]) -> None:
    kernels = ("fp16", "int8")
    a, b = (
        timed(
            *(
                conv(
                    n, f"Conv_{n}", f"t{n}", f"t{n + 1}", ms[side], kernel=kernels[side * ms[2] % 2]
                )
                for n, ms in enumerate(times)
            )
        )
        for side in (0, 1)
    )
    found = compared(a, b)
    assert found.delta_ms is not None and found.a.total and found.b.total
    assert math.fsum(step.ms for step in found.waterfall) == found.delta_ms
    assert math.isclose(found.delta_ms, found.b.total - found.a.total, abs_tol=1e-12)
    assert compared(b, a).delta_ms == -found.delta_ms
