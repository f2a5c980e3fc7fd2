"""An engine in, groups of its layers by their ONNX nodes out; which of two engines' are the same.

A later build, which may be fused otherwise, has its layers in the same groups, or in a few of them.
Groups that names do not join are matched by their work and their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import satellites, sequences
from engine_layer_visualize.comparison.pairing import Keyed, glued_at_most, joined, same_names
from engine_layer_visualize.comparison.side import COMPILED, Side, alike
from engine_layer_visualize.comparison.trust import flattened, like
from engine_layer_visualize.core.snapshot import LayerGroup
from engine_layer_visualize.trt.node_names import base_name

_NO_NODE: Final = "\0"  # before a name that is no node's
_ONE_NETWORK: Final = 0.5  # part of the groups that do the same work
_LOOKED_AT: Final = 8  # groups of a side
_SAY_NOTHING: Final = (None, "pointwise", *COMPILED)
_MATCH: Final = 2.0  # score of groups that do the same work
_NO_MATCH: Final = -9.0
Pair = tuple[tuple[int, ...], tuple[int, ...]]


class Pairs(NamedTuple):
    """`groups`: numbers of the baseline's groups and of the new engine's that do the same work.
    `same_network`: None where it cannot be told."""

    same_network: bool | None
    groups: tuple[Pair, ...]


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
    """The groups that share a node or, without nodes, a name, where both do the same work; then,
    between these, groups of the same work in the same order."""
    sides = baseline, new
    computing = [sum(one.operator is not None for one in own) for own in sides]
    smaller = 0 if computing[0] <= computing[1] else 1
    shared = [*_sharing(baseline, new)]
    named = [pair for pair in shared if _agree(sides, pair, _same_work)]
    if _half(sides, named)[smaller]:  # a few shapes may have changed
        named = [pair for pair in shared if _agree(sides, pair, _same_operator)]
    found = [*named, *_in_order(sides, named)]
    enough = _half(sides, found)
    if enough[smaller] if named else all(enough):
        return Pairs(True, tuple(found))
    contradict = _lacking(baseline, new) or _lacking(new, baseline)
    return Pairs(False if contradict else None, ())


def _half(
    sides: tuple[Sequence[LayerGroup], Sequence[LayerGroup]], found: Sequence[Pair]
) -> list[bool]:
    """Of each side, whether half of the groups that compute are in these pairs."""
    enough = []
    for at, own in enumerate(sides):
        placed = {number for pair in found for number in pair[at]}
        computing = [number for number, one in enumerate(own) if one.operator is not None]
        part = sum(number in placed for number in computing)
        enough.append(part >= _ONE_NETWORK * len(computing))
    return enough


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
    sides: tuple[Sequence[LayerGroup], Sequence[LayerGroup]],
    pair: Pair,
    alike_: Callable[[LayerGroup, LayerGroup], bool],
) -> bool:
    """Whether two of them compute the same last, as far as it is known."""
    a, b = (
        [own[n] for n in numbers if own[n].operator is not None][-_LOOKED_AT:]
        for own, numbers in zip(sides, pair, strict=True)
    )
    if not a or not b:
        return not a and not b
    return any(alike_(one, other) for one, other in product(a, b))


def _same_operator(one: LayerGroup, other: LayerGroup) -> bool:
    a, b = one.operator, other.operator
    return a is not None and b is not None and like(a, b)


def _same_work(one: LayerGroup, other: LayerGroup) -> bool:
    a, b = one.operator, other.operator
    if a is None or b is None or not like(a, b):
        return False
    return alike(one.output, other.output) or flattened(a, one.output, b, other.output)


def _in_order(
    sides: tuple[Sequence[LayerGroup], Sequence[LayerGroup]], named: Sequence[Pair]
) -> Iterator[Pair]:
    """Of the groups that names did not join. Those that they did stay where they are."""
    words: dict[object, int] = {}
    works: list[LayerGroup | None] = []
    rows: list[list[tuple[int, int]]] = []  # number of a group, and its word
    for at, own in enumerate(sides):
        anchors = {pair[at][0]: number for number, pair in enumerate(named)}
        taken = {number for pair in named for number in pair[at]}
        row = []
        for number, group in enumerate(own):
            if number not in anchors and (group.operator is None or number in taken):
                continue
            sign = anchors.get(number, (group.operator, group.output))
            if sign not in words:
                words[sign] = len(words)
                works.append(None if number in anchors else group)
            row.append((number, words[sign]))
        rows.append(row)

    def score(a: int, b: int) -> float:
        one, other = works[a], works[b]
        if one is None or other is None:
            return _MATCH if a == b else _NO_MATCH
        return _MATCH + (a == b) if _same_work(one, other) else _NO_MATCH

    mine, yours = rows
    for i, j in sequences.aligned([word for _, word in mine], [word for _, word in yours], score):
        (a, word), (b, other) = mine[i], yours[j]
        if works[word] is not None and score(word, other) > 0:
            yield (a,), (b,)


def _lacking(own: Sequence[LayerGroup], other: Sequence[LayerGroup]) -> bool:
    """Whether most of the work of an engine is nowhere in the other. What was compiled may hold
    any work, and any layer may hold what is pointwise."""
    if any(group.operator in COMPILED for group in other):
        return False
    works = Counter((one.operator, one.output) for one in own if one.operator not in _SAY_NOTHING)
    mine, theirs = ({(one.operator, one.output): one for one in side} for side in (own, other))
    lacking = sum(
        number
        for sign, number in works.items()
        if not any(_same_work(mine[sign], one) for one in theirs.values())
    )
    return lacking > _ONE_NETWORK * works.total()
