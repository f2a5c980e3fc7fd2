"""An engine in, groups of its layers by their ONNX nodes out; which of two engines' are the same.

A later build, which may be fused otherwise, has its layers in the same groups, or in a few of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.comparison import satellites
from engine_layer_visualize.analysis.comparison.keys import base_name
from engine_layer_visualize.analysis.comparison.pairing import (
    Keyed,
    glued_at_most,
    joined,
    same_names,
)
from engine_layer_visualize.analysis.comparison.side import Side, alike
from engine_layer_visualize.analysis.comparison.trust import like
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.snapshot import LayerGroup

_NO_NODE: Final = "\0"  # before a name that is no node's
_ONE_NETWORK: Final = 0.5  # part of the groups that do the same work
_LOOKED_AT: Final = 8  # groups of a side
_RENAMED: Final = 0.9  # the same, where names say nothing


class Pairs(NamedTuple):
    """`groups`: numbers of the baseline's groups and of the new engine's that do the same work."""

    same_network: bool
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def groups(runs: Sequence[Costs]) -> tuple[LayerGroup, ...]:
    """All layers of the optimisation profile but constants and the like. `runs`: one engine, with
    the times of each run; without times, once."""
    side = Side(runs[0]).of_profile(runs[0].profile)
    keyed = _keyed(side)
    parts = [sorted(own) for own, _ in joined((keyed, {}), frozenset())]
    homes = satellites.homes(side, parts)
    serving: list[list[int]] = [[] for _ in parts]
    for index, number in homes.items():
        serving[number].append(index)
    found = (_group(side, keyed, own, more, runs) for own, more in zip(parts, serving, strict=True))
    return tuple(sorted(found, key=lambda one: one.layers))


def _keyed(side: Side) -> Keyed:
    """The nodes of each layer that computes or moves, without those that many have; else its
    name."""
    counts = Counter(key for index in side.members for key in side.keys[index].nodes)
    most = glued_at_most(len(side.layers))
    found = {}
    for index in side.members:
        if side.role[index] in ("computes", "moves"):
            nodes = frozenset(node for node in side.keys[index].nodes if counts[node] <= most)
            name = base_name(side.layers[index].name)
            found[index] = nodes or frozenset([_NO_NODE + name])
    return found


def _group(
    side: Side, keyed: Keyed, own: Sequence[int], serving: Sequence[int], runs: Sequence[Costs]
) -> LayerGroup:
    keys = sorted({key for index in own for key in keyed[index]})
    last = next((i for i in reversed(own) if side.role[i] == "computes"), None)
    work = None if last is None else side.work[last]
    layers = (*own, *sorted(serving))
    return LayerGroup(
        tuple(key for key in keys if not key.startswith(_NO_NODE)),
        tuple(key[len(_NO_NODE) :] for key in keys if key.startswith(_NO_NODE)),
        layers,
        None if work is None else work.operator,
        () if work is None else work.output,
        tuple(measured(one, layers) for one in runs if one.kind == "measured"),
    )


def measured(costs: Costs, layers: Sequence[int]) -> float | None:
    """Their time in a run, in ms with six digits; None where a layer that runs has none."""
    own = [costs.engine.layers[index] for index in layers]
    ms = None if any(map(costs.missing, own)) else costs.sum(own)
    return None if ms is None else rounded(ms)


def rounded(ms: float) -> float:
    """As in the file of a snapshot, so that a snapshot gives the verdict of its log."""
    return float(f"{ms:.6g}")


# ---- two engines -------------------------------------------------------------------------------


def paired(baseline: Sequence[LayerGroup], new: Sequence[LayerGroup]) -> Pairs:
    """The groups that share a node or, without nodes, a name, where both do the same work."""
    found = [pair for pair in _sharing(baseline, new) if _agree(baseline, new, pair)]
    computing = [sum(one.operator is not None for one in own) for own in (baseline, new)]
    agreed = [
        sum(own[number].operator is not None for pair in found for number in pair[at])
        for at, own in enumerate((baseline, new))
    ]
    smaller = 0 if computing[0] <= computing[1] else 1
    same = agreed[smaller] >= _ONE_NETWORK * computing[smaller]
    return Pairs(same or _same_work(baseline, new, max(computing)), tuple(found))


def _sharing(
    baseline: Sequence[LayerGroup], new: Sequence[LayerGroup]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    keys = [
        [{*one.nodes, *(_NO_NODE + name for name in one.names)} for one in own]
        for own in (baseline, new)
    ]
    same = same_names(*({key for own in side for key in own} for side in keys))
    back = {other: key for key, other in same.items()}
    keyed = (
        {number: frozenset(own & same.keys()) for number, own in enumerate(keys[0])},
        {
            number: frozenset(back[key] for key in own if key in back)
            for number, own in enumerate(keys[1])
        },
    )
    for a, b in joined(keyed, frozenset()):
        if a and b:
            yield tuple(sorted(a)), tuple(sorted(b))


def _agree(
    baseline: Sequence[LayerGroup],
    new: Sequence[LayerGroup],
    pair: tuple[tuple[int, ...], tuple[int, ...]],
) -> bool:
    """Whether two of them compute the same last, as far as it is known."""
    a, b = (
        [own[n] for n in numbers if own[n].operator is not None][-_LOOKED_AT:]
        for own, numbers in zip((baseline, new), pair, strict=True)
    )
    if not a or not b:
        return not a and not b
    return any(
        like(str(one.operator), str(other.operator)) and alike(one.output, other.output)
        for one, other in product(a, b)
    )


def _same_work(baseline: Sequence[LayerGroup], new: Sequence[LayerGroup], most: int) -> bool:
    """Whether nearly all groups have one of the same work on the other side, whatever its name."""
    works = [
        Counter((one.operator, one.output) for one in own if one.operator is not None)
        for own in (baseline, new)
    ]
    return (works[0] & works[1]).total() >= _RENAMED * most
