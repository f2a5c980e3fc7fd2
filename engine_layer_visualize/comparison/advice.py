"""Tells what to do: findings that one of two engines has, and the other has not."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.comparison.sentences import measured
from engine_layer_visualize.linting import findings_of, seen
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject


class Advice(NamedTuple):
    """A finding of one engine alone; `ms` is what it could save, None: unknown."""

    code: str
    text: str
    ms: float | None
    state: str  # `new`: of B alone; `gone`: of A alone


def of(comparison: Comparison) -> tuple[Advice, ...]:
    """Returns what B's findings advise and A's do not, then the reverse; none of two networks.

    There are none where one side has no edges, a part of a listing, or times of another kind: what
    the other shows, it cannot.
    """
    whole = all(
        costs.engine.graph.edges and costs.engine.source.complete for costs in comparison.sides
    )
    kinds = {costs.kind for costs in comparison.sides}
    if not comparison.same_network or not whole or len(kinds) > 1:
        return ()
    a, b = map(Subject, comparison.sides)
    return tuple(
        Advice(found.code, found.advice, found.ms, state)
        for state, own, other in (("new", b, a), ("gone", a, b))
        for found in findings_of(own)
        if found.shown
        and not any(_says(one, found) for one in findings_of(other))
        and not _is_of_both(comparison, state, found, other)
    )


def _says(other: Finding, found: Finding) -> bool:
    """Whether a finding is of the same cause, or begins one of its advices with the same words."""
    starts = {_start(advice) for advice in (other.advice, *other.also)}
    return found.cause == other.cause or _start(found.advice) in starts


def _is_of_both(comparison: Comparison, state: str, found: Finding, other: Subject) -> bool:
    """Whether a rule saw its layers in the other engine, where they are told under another cause.

    Or what is gone took no more time: then nothing was gained.
    """
    about, side = {*found.layers, *found.about}, int(state == "new")
    groups = [one for one in comparison.groups if about.intersection((one.a, one.b)[side])]
    layers = {i for one in groups for i in (one.a, one.b)[1 - side]}
    for sight in other.once(seen):
        is_same = of_rule(sight.code) == of_rule(found.code)
        if is_same and len(layers) < 2 * len(layers.intersection(sight.layers)):
            return True
    took = comparison.took(groups)
    if took is None and groups and (run := measured(comparison, "gpu_compute")) is not None:
        took = run.a, run.b
    return state == "gone" and took is not None and took[0] <= took[1]


def _start(advice: str) -> str:
    """`use a larger batch` of `use a larger batch, or quantise`."""
    return re.split("[,:;(]", advice, maxsplit=1)[0].strip()
