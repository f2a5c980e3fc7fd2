"""Engines are edited in known ways; the comparison finds what was done, and loses no layer."""

import math
import random
from collections import defaultdict

import edited_engines as edited
from edited_engines import Parts
from factories import fixture_engines
from hypothesis import given
from hypothesis import strategies as st

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine

TASKS = edited.residual(stages=3, blocks=4)
PIECES = edited.fused(TASKS)
places = st.sets(st.integers(0, len(PIECES) - 1), max_size=8)
Edited = tuple[Engine, Parts]


def compared(a: Edited, b: Edited) -> Comparison:
    """The comparison, which keeps what every comparison must."""
    found = compare(Costs(a[0]), Costs(b[0]))
    conserves(found, a[0], b[0])
    back = compare(Costs(b[0]), Costs(a[0]))
    assert told(back, -1) == told(found)
    return found


def conserves(found: Comparison, a: Engine, b: Engine) -> None:
    """Every layer is in one place, times are complete, the waterfall is the difference."""
    for one, engine in enumerate((a, b)):
        places = [*(i for group in found.groups for i in group.all[one])]
        places += found.alone[one]  # all that the text lists as without a counterpart
        assert sorted(places) == list(range(len(engine.layers)))
    for group in found.groups:
        for one, ms in enumerate((group.ms_a, group.ms_b)):
            costs = (found.a, found.b)[one]
            assert ms == costs.sum(costs.engine.layers[i] for i in group.all[one])
    if found.delta_ms is not None:
        assert found.a.total is not None and found.b.total is not None
        assert math.isclose(found.delta_ms, found.b.total - found.a.total, abs_tol=1e-12)
        per, steps = found.per_sample, math.fsum(step.ms for step in found.waterfall)
        if per is None:
            assert steps == found.delta_ms
        else:
            each = found.b.total / per.samples_b - found.a.total / per.samples_a
            assert math.isclose(steps, each, abs_tol=1e-12)


def told(found: Comparison, step: int = 1) -> object:
    """`step`: -1 for the other engine first."""
    sides = [(g.confidence, (g.a, g.a_reformats), (g.b, g.b_reformats)) for g in found.groups]
    rests = ((rest.a, rest.b)[::step] for rest in (found.overhead, found.unmatched))
    return {(known, *ends[::step]) for known, *ends in sides}, *rests


def right(found: Comparison, a: Edited, b: Edited) -> float:
    """The part of the true groups that was found: layers that share tasks, directly or not."""
    groups = defaultdict[int, tuple[set[int], set[int]]](lambda: (set(), set()))
    root = {task.number: task.number for task in TASKS}

    def top(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    for _, parts in (a, b):
        for own in parts:
            first, *more = own or [None]
            for number in more:
                root[top(number)] = top(first)  # type: ignore[arg-type]
    for one, (_, parts) in enumerate((a, b)):
        for at, own in enumerate(parts):
            if own:
                groups[top(min(own))][one].add(at)
    true = {(frozenset(mine), frozenset(yours)) for mine, yours in groups.values()}
    known = {(frozenset(group.a), frozenset(group.b)) for group in found.groups}
    return len(true & known) / len(true)


@given(places, places, places, st.sampled_from([1, 8]))
def test_names_find_it(splits: set[int], merges: set[int], reformats: set[int], batch: int) -> None:
    """What was split, merged and reformatted."""
    a = edited.engine(PIECES)
    pieces = edited.reformatted(edited.merged(edited.split(PIECES, splits), merges), reformats)
    b = edited.engine(pieces, batch=batch)
    found = compared(a, b)
    assert found.same_network
    assert right(found, a, b) == 1
    assert not found.unmatched.a and not found.unmatched.b
    moved = next(step.ms for step in found.waterfall if step.cause == "reformats")
    every = (one.ms for one in pieces if one.reformat)
    samples = 1 if found.per_sample is None else found.per_sample.samples_b
    assert math.isclose(samples * moved, math.fsum(every), abs_tol=1e-9)


@given(st.integers(1, len(TASKS) - 1), places)
def test_names_that_lie_are_not_believed(shift: int, reformats: set[int]) -> None:
    """Another export numbers its nodes anew: the same names, other layers."""
    names = [task.node for task in TASKS]
    others = names[shift:] + names[:shift]
    a = edited.engine(PIECES)
    pieces = edited.fused(edited.renamed(TASKS, dict(zip(names, others))))
    b = edited.engine(edited.reformatted(pieces, reformats))
    assert right(compared(a, b), a, b) >= 0.99


@given(places, st.booleans())
def test_structure_finds_layers_of_other_names(reformats: set[int], weights: bool) -> None:
    a = edited.engine(PIECES, weights=weights)
    names = {task.node: f"node_{task.number}" for task in TASKS}
    pieces = edited.reformatted(edited.fused(edited.renamed(TASKS, names)), reformats)
    b = edited.engine(pieces, batch=4, weights=weights)
    found = compared(a, b)
    assert found.same_network
    assert right(found, a, b) >= 0.99
    assert {group.confidence for group in found.groups} == {"structure"}


@given(places)
def test_names_are_found_without_metadata(splits: set[int]) -> None:
    a = edited.engine(PIECES)
    b = edited.engine(edited.split(PIECES, splits), metadata=False)
    found = compared(a, b)
    assert right(found, a, b) == 1
    assert {group.confidence for group in found.groups} == {"names"}


@given(st.randoms(use_true_random=False))
def test_branches_may_run_in_another_order(random_: random.Random) -> None:
    """The way around a block, which is a convolution in its first block, runs before or after."""
    pieces = list(PIECES)
    for at in range(1, len(pieces)):
        if "/down/" in pieces[at].tasks[0].node and random_.random() < 0.5:
            pieces[at - 1], pieces[at] = pieces[at], pieces[at - 1]
    a, b = edited.engine(PIECES), edited.engine(pieces)
    assert right(compared(a, b), a, b) == 1


def test_engines_of_fixtures_are_compared_with_themselves_and_with_others() -> None:
    engines = fixture_engines()
    assert len(engines) > 50
    for one, other in zip(engines, [*engines[1:], engines[0]]):
        compared((one, ()), (other, ()))
        same = compared((one, ()), (one, ()))
        assert all(g.a == g.b and len(g.a) == 1 and not g.changes for g in same.groups)
        assert not same.unmatched.a and not same.delta_ms and same.speedup in (None, 1)
        assert not any(group.delta_ms for group in same.groups)
