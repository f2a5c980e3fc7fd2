"""No row and no time is lost or given twice, whatever the names are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Record, layers, names, timings

from engine_layer_visualize.assembly import profiles as profile_matching
from engine_layer_visualize.core.model import Layer, Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place

_few = st.sampled_from(
    (
        *("a", "b", "c", "a_myl0_1", "k_myl1_0", "k_myl1_1", "k_myl2_0 [profile 1]"),
        *("b_myl007_3", "k_myl99_0", "k_myl1", "Total", "{ForeignNode[a...b]}"),
    )
)
_engines = st.lists(
    st.tuples(_few, st.sampled_from(["NoOp", "Myelin"])), min_size=1, max_size=8
).map(lambda pairs: layers([Record(type, name, "0", (), ()) for name, type in pairs]))


_TIMES = [Timing(number / 2) for number in range(8)]


def _rows(row_names: st.SearchStrategy[str]) -> st.SearchStrategy[list[ProfileRow]]:
    return st.lists(st.builds(ProfileRow, row_names, timings), max_size=12)


def _profile(rows: Sequence[ProfileRow]) -> Profile:
    return Profile(Place("p.json", 1), tuple(rows))


@given(_engines, _rows(_few))
def test_every_row_and_every_layer_is_accounted_for(
    engine: list[Layer], rows: list[ProfileRow]
) -> None:
    timed, found = profile_matching.join(engine, _profile(rows))
    assert [replace(layer, time=None) for layer in timed] == engine
    with_time = [layer for layer in timed if layer.time is not None]
    assert (found.matched, found.layers, found.rows) == (len(with_time), len(engine), len(rows))
    assert found.untimed_layers == tuple(layer.name for layer in timed if layer.time is None)
    used = sum(layer.time.parts for layer in timed if layer.time is not None)
    assert used + len(found.unmatched_rows) == len(rows)
    assert not Counter(found.unmatched_rows) - Counter(row.name for row in rows)
    # Rows of one name may differ in time, so the left over ones' sum is bounded, not known.
    total = sum(layer.time.average_ms or 0.0 for layer in timed if layer.time is not None)
    assert total <= sum(row.time.average_ms or 0.0 for row in rows) + 1e-6
    if not found.unmatched_rows:
        assert total == pytest.approx(sum(row.time.average_ms or 0.0 for row in rows))


@given(_engines, _rows(_few))
def test_the_nth_row_of_a_name_goes_to_its_nth_layer(
    engine: list[Layer], rows: list[ProfileRow]
) -> None:
    timed, _ = profile_matching.join(engine, _profile(rows))
    for name in {layer.name for layer in engine}:
        mine = [layer for layer in timed if layer.name == name]
        theirs = [row.time for row in rows if row.name == name]
        count = min(len(mine), len(theirs))
        assert [layer.time for layer in mine[:count]] == theirs[:count]
        for layer in mine[count:]:  # kernels may still time these, if they are of Myelin
            assert layer.time is None or layer.type == "Myelin"


@given(_engines, _rows(_few))
def test_kernels_are_summed_into_the_myelin_layer_of_their_index(
    engine: list[Layer], rows: list[ProfileRow]
) -> None:
    timed, _ = profile_matching.join(engine, _profile(rows))
    left = Counter(layer.name for layer in engine)
    exact: Counter[str] = Counter()
    kernels: dict[int, list[ProfileRow]] = {}
    for row in rows:
        if exact[row.name] < left[row.name]:
            exact[row.name] += 1
            continue
        bare = row.name.removesuffix(" [profile 1]")
        _, found, tail = bare.rpartition("_myl")
        parts = tail.split("_")
        if found and len(parts) == 2 and all(part.isdigit() for part in parts):
            kernels.setdefault(int(parts[0]), []).append(row)
    given: Counter[str] = Counter()
    for layer in timed:
        given[layer.name] += 1
        if given[layer.name] <= exact[layer.name] or layer.type != "Myelin":
            continue
        mine = kernels.get(layer.index, [])
        if not mine:
            assert layer.time is None
            continue
        assert layer.time is not None
        assert layer.time.parts == len(mine)
        assert layer.time.average_ms == pytest.approx(
            sum(row.time.average_ms or 0.0 for row in mine)
        )
        assert layer.time.median_ms == (mine[0].time.median_ms if len(mine) == 1 else None)


@given(
    st.lists(names, min_size=1, max_size=8, unique=True).flatmap(
        lambda drawn: st.tuples(
            st.just(layers([Record("NoOp", name, "0", (), ()) for name in drawn])),
            st.permutations([ProfileRow(name, time) for name, time in zip(drawn, _TIMES)]),
        )
    )
)
def test_the_order_of_distinct_rows_does_not_matter(
    drawn: tuple[list[Layer], list[ProfileRow]],
) -> None:
    engine, rows = drawn
    timed, found = profile_matching.join(engine, _profile(rows))
    assert (found.matched, found.unmatched_rows, found.untimed_layers) == (len(engine), (), ())
    by_name = {row.name: row.time for row in rows}
    assert [layer.time for layer in timed] == [by_name[layer.name] for layer in timed]


@given(_engines, _rows(_few))
def test_a_score_is_what_the_join_finds(engine: list[Layer], rows: list[ProfileRow]) -> None:
    timed, found = profile_matching.join(engine, _profile(rows))
    score = profile_matching.score(engine, _profile(rows))
    parts = sum(layer.time.parts for layer in timed if layer.time is not None)
    assert score.exact + score.kernels == parts == len(rows) - len(found.unmatched_rows)
    assert bool(score) == (found.matched > 0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_profiles_for_one_engine_the_better_one_is_taken(order: tuple[int, int]) -> None:
    few, many = profile_matching.Score(1, 0), profile_matching.Score(5, 0)
    scores = [[(few, many)[n]] for n in order]
    profiles = [_profile([ProfileRow(str(n), _TIMES[1])]) for n in order]
    paired, problems = profile_matching.pair(scores, profiles, [0])
    assert paired == {0: profiles[order.index(1)]}
    assert [problem.code for problem in problems] == ["ELV206"]
