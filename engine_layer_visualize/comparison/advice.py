"""Tells what to do: findings that one of two engines has, and the other has not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.comparison import result
from engine_layer_visualize.comparison.causes import counted_groups
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.comparison.sentences import measured
from engine_layer_visualize.core.words import abridged
from engine_layer_visualize.linting import findings_of, seen
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.lever import faster_in_float
from engine_layer_visualize.linting.subject import Subject

_LEAST_MS: Final = 0.05  # of B: what is slower by less needs no look
_LONGEST_NAME: Final = 40  # characters


class Advice(NamedTuple):
    """A finding of one engine alone; `ms` is what it could save, None: unknown."""

    code: str  # the rule; empty: the comparison itself shows it
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
    own_findings = (
        Advice(found.code, found.advice, found.ms, state)
        for state, own, other in (("new", b, a), ("gone", a, b))
        for found in findings_of(own)
        if found.shown
        and not any(_says(one, found) for one in findings_of(other))
        and not _is_of_both(comparison, state, found, other)
    )
    return *_slower(comparison), *_unused(a, b), *own_findings


def _slower(comparison: Comparison) -> Iterator[Advice]:
    """Layers that are slower than the factor of all others tells."""
    if (found := comparison.factor) is None:
        return
    for group in counted_groups(comparison):
        more = (group.ms_b or 0.0) - found.factor * (group.ms_a or 0.0)
        ratio = result.of_groups(comparison, [group])
        if ratio and ratio > found.high and more > _LEAST_MS * (comparison.b.total or 0.0):
            first = comparison.b.engine.layers[group.b[0]]
            name = abridged(first.name, _LONGEST_NAME)
            text = (
                f"look at layer {first.index} `{name}`: it takes {ratio:.2f} times as long, equal "
                f"layers {found.factor:.2f} times"
            )
            yield Advice("", text, more, "new")


def _unused(a: Subject, b: Subject) -> Iterator[Advice]:
    """Precisions that B alone allows, and that the builder timed without a gain."""
    more = [
        one for one in b.facts.precisions if a.facts.precisions and one not in a.facts.precisions
    ]
    if more and all(b.dtype(layer) == "Float" for layer in b.multiplying):
        for why in faster_in_float(b):
            yield Advice("", f"expect nothing of {', '.join(more)}: {why}", None, "new")


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
