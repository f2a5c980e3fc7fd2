"""Chooses the nodes that a poster draws as boxes: about a dozen, the costly ones in detail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final

from engine_layer_visualize.drawings.poster.steps import Node, Steps, kind_of

MOST: Final = 14  # boxes
_ENOUGH: Final = 8  # boxes: then only what counts is opened
_USUAL: Final = 12  # boxes of a chain without groups
_LEAST_WEIGHT: Final = 0.06  # of a node that is opened though there are enough
_SMALL: Final = 0.03  # of two neighbours without names that become one box
_BY_NUMBER: Final = 0.2  # of a weight: the rest goes by time
_MOST_CUTS: Final = 240  # places where a chain may be cut
_CROSSING: Final = 0.0015  # what a cut costs for each edge that crosses it

Weigh = Callable[[int, int], float]


def parts(steps: Steps) -> list[Node]:
    """Returns nodes that have each step once, in order of execution."""
    weigh = _weights(steps)

    def weight(node: Node) -> float:
        return weigh(node.first, node.stop)

    chosen = [steps.root]
    while True:
        room = MOST - len(chosen)
        sets = [_alike(node, chosen) for node in chosen if len(node.children) > 1]
        fitting = [nodes for nodes in sets if sum(len(n.children) - 1 for n in nodes) <= room]
        best = max(fitting, key=lambda nodes: weight(nodes[0]), default=[])
        enough = len(chosen) >= _ENOUGH
        if best and (not enough or weight(best[0]) > _LEAST_WEIGHT):
            opened = {id(node): node.children for node in best}
        elif not enough and (single := [nodes[0] for nodes in sets if len(nodes) == 1]):
            crowded = max(single, key=weight)
            number = max(2, _USUAL - len(chosen) + 1)
            opened = {id(crowded): list(_pieces(crowded, number, weigh, steps))}
        else:
            break
        chosen = [inner for node in chosen for inner in opened.get(id(node), [node])]
    return list(_without_small(chosen, weight))


def _alike(node: Node, chosen: Sequence[Node]) -> list[Node]:
    """Returns a node and those whose names differ from its in numbers alone: all are opened."""
    key = kind_of(node.name)
    return [node, *(one for one in chosen if one is not node and key == kind_of(one.name) != "")]


def _weights(steps: Steps) -> Weigh:
    """Returns what a stretch of steps counts, from 0 to 1: by time where it is known."""
    total = sum(step.share or 0.0 for step in steps.all)
    by_number = _BY_NUMBER if total else 1.0
    each = [
        by_number / len(steps.all) + ((step.share or 0.0) / total * (1 - by_number) if total else 0)
        for step in steps.all
    ]
    sums = [0.0, *accumulate(each)]
    return lambda first, stop: sums[stop] - sums[first]


def _without_small(chosen: Sequence[Node], weight: Callable[[Node], float]) -> Iterator[Node]:
    """Yields the nodes; neighbours without names and with little time are one."""
    held: Node | None = None
    for number, node in enumerate(chosen):
        left = len(chosen) - number
        if held is not None:
            both = weight(held) + weight(node)
            if not held.name and not node.name and both < _SMALL and left > 1:
                node = Node("", held.first, node.stop, [held, node])
            else:
                yield held
        held = node
    if held is not None:
        yield held


def _pieces(node: Node, number: int, weigh: Weigh, steps: Steps) -> Iterator[Node]:
    """Yields stretches of a node's children: of alike blocks as many each, of others by weight."""
    children = node.children
    if all(child.name for child in children):
        size = -(-len(children) // number)
        cuts = [*range(0, len(children), size), len(children)]
    else:
        cuts = _cuts(children, number, weigh, steps)
    for first, stop in pairwise(cuts):
        held = children[first:stop]
        if len(held) == 1:
            yield held[0]
            continue
        named = node.name if node.blocks > 1 else ""
        blocks = len(held) if node.blocks > 1 else 1
        yield Node(named, held[0].first, held[-1].stop, held, blocks)


def _cuts(children: Sequence[Node], number: int, weigh: Weigh, steps: Steps) -> list[int]:
    """Returns where to cut: weights as equal as can be, where few edges cross."""
    crossing = _crossing(steps)
    stride = -(-len(children) // _MOST_CUTS)
    places = [
        min(range(at, min(at + stride, len(children))), key=lambda i: crossing[children[i].first])
        for at in range(stride, len(children), stride)
    ]
    places = [0, *dict.fromkeys(places), len(children)]
    ends = [*(children[place].first for place in places[:-1]), children[-1].stop]
    whole = weigh(ends[0], ends[-1]) or 1.0
    wished = 1 / number
    best = [(weigh(ends[0], end) / whole - wished) ** 2 for end in ends]
    before: list[list[int]] = []
    for _ in range(min(number, len(places) - 1) - 1):
        now, came = [float("inf")] * len(ends), [0] * len(ends)
        for at in range(1, len(ends)):
            for start in range(at):
                size = weigh(ends[start], ends[at]) / whole - wished
                cost = best[start] + size * size + _CROSSING * crossing[ends[start]]
                if start and cost < now[at]:
                    now[at], came[at] = cost, start
        best = now
        before.append(came)
    at, cuts = len(places) - 1, [len(children)]
    for came in reversed(before):
        at = came[at]
        cuts.append(places[at])
    return sorted({0, *cuts})


def _crossing(steps: Steps) -> list[int]:
    """Returns before each step how many steps before are read behind."""
    last: dict[int, int] = {}
    for source, target in steps.edges:
        last[source] = max(last.get(source, 0), target)
    change = [0] * (len(steps.all) + 2)
    for source, target in last.items():
        change[source + 1] += 1
        change[target + 1] -= 1
    return list(accumulate(change))
