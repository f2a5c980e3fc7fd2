"""Tells what to do: findings that one of two engines has, and the other has not."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.linting import findings_of
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

    There are none where one has times of another kind: what these show, the other cannot.
    """
    kinds = {costs.kind for costs in comparison.sides}
    if not comparison.same_network or len(kinds) > 1:
        return ()
    a, b = (findings_of(Subject(costs)) for costs in comparison.sides)
    return tuple(
        Advice(found.code, found.advice, found.ms, state)
        for state, own, others in (("new", b, a), ("gone", a, b))
        for found in own
        if found.shown and not any(_says(other, found) for other in others)
    )


def _says(other: Finding, found: Finding) -> bool:
    """Whether a finding is of the same cause, or begins one of its advices with the same words."""
    starts = {_start(advice) for advice in (other.advice, *other.also)}
    return found.cause == other.cause or _start(found.advice) in starts


def _start(advice: str) -> str:
    """`use a larger batch` of `use a larger batch, or quantise`."""
    return re.split("[,:;(]", advice, maxsplit=1)[0].strip()
