"""Gathers the numbers of tensors, and finds the tensor that is furthest from a reference."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from engine_layer_visualize.core.build_info import AccuracyLoss, EngineFacts


def of(facts: EngineFacts | None) -> dict[str, dict[str, float]]:
    """The numbers of each tensor that has some: of a file, and losses that the log tells."""
    known = {one.tensor: dict(one.values) for one in facts.numbers} if facts else {}
    for loss in facts.accuracy if facts else ():
        if loss.line is not None and loss.loss is not None:
            known.setdefault(loss.tensor, {})[f"loss ({loss.algorithm})"] = loss.loss
    return known


def worst(losses: Sequence[AccuracyLoss]) -> AccuracyLoss | None:
    """The one that is furthest from its reference: of those that failed, if some did.

    What failed without a number, such as NaN, is furthest.
    """
    failed = [one for one in losses if one.failed]
    known = failed or [one for one in losses if one.loss is not None]
    alike = [one for one in known if one.algorithm == known[0].algorithm]
    return max(alike, key=_distance, default=None)


def _distance(one: AccuracyLoss) -> float:
    if one.loss is None:
        return inf
    return -one.loss if one.lower_is_worse else one.loss
