"""Gives every edge a path of right angles through the folded drawing.

It runs from its source's lower side to its reader's upper side, never behind a box or along a
stretch of another net.
"""

from typing import Final, NamedTuple

from engine_layer_visualize.drawing.folding import Folded, key
from engine_layer_visualize.drawing.rows import Net

Point = tuple[float, float]

_INSET: Final = 16.0  # of a box's upper and lower side, where no edge ends: its corners are round
_HAIR: Final = 0.0001  # slots; orders the edges of one box by their ports


class Route(NamedTuple):
    """The path of an edge."""

    edge: int  # its index
    net: int  # to which it belongs
    points: tuple[Point, ...]


def route(folded: Folded, edges: tuple[tuple[int, int], ...]) -> tuple[Route, ...]:
    """Returns a path for each of `edges` (those that were given to `layered`) that is not cut."""
    out = _out_ports(folded)
    into = _in_ports(folded, out)
    turns = [{net: i for i, net in enumerate(column.turns)} for column in folded.columns]

    def path(number: int, reader: int) -> tuple[Point, ...]:
        """Walks from row to row: down a lane, across a gap, or through a break."""
        f, source = folded, folded.rows.nets[number].source
        begin, end = f.rows.nodes[source], f.rows.nodes[reader]
        x = f.places[source][0] + out[number]
        port = f.places[reader][0] + into[reader, number]
        points = [(x, f.places[source][1] + begin.height)]
        row = begin.row
        while row < end.row:
            here, below = f.column_of[row], f.column_of[row + 1]
            # The x of the next stretch: at the reader, or in the lane.
            arrives = row + 1 == end.row
            after = port if arrives else f.lane_x(number, below)
            if here != below:
                # To the foot, through the passage, into the head of the next column.
                turn, column = turns[here][number], f.columns[here]
                head = f.spacing.track * (turn + 0.5)
                passage, foot = column.passage + f.spacing.track * turn, column.foot + head
                points += [(x, foot), (passage, foot), (passage, head), (after, head)]
            elif after != x:
                track = f.spacing.track * f.gaps[row].get(number, 0)
                y = f.bottoms[row] + f.spacing.gap / 2 + track
                points += [(x, y), (after, y)]
            x = after
            row += 1
            if not arrives:  # straight down, until the row before the reader or the break
                row = min(end.row - 1, f.columns[below].last)
        return (*points, (port, f.places[reader][1]))

    nets_of = enumerate(folded.rows.nets_of)
    return tuple(Route(i, net, path(net, edges[i][1])) for i, net in nets_of if net >= 0)


def _out_ports(folded: Folded) -> list[float]:
    """Returns for each net the offset from its box's middle, where one of them leaves.

    The others leave on the side to which they turn, at odd halves of the pitch, so that they never
    stand above a port of `_in_ports`.
    """
    rows = folded.rows
    of_box: dict[int, tuple[list[int], list[int]]] = {}
    for number, net in enumerate(rows.nets):
        if number != folded.middle[net.source]:
            left, right = of_box.setdefault(net.source, ([], []))
            (left if _turns_left(folded, net) else right).append(number)
    out = [0.0] * len(rows.nets)
    for box, (left, right) in of_box.items():
        pitch = _pitch(folded, box, 2 * max(len(left), len(right)))
        for side, nets in ((-pitch, left), (pitch, right)):
            for i, number in enumerate(nets):
                out[number] = side * (i + 0.5)
    return out


def _turns_left(folded: Folded, net: Net) -> bool:
    """Returns whether a net turns to the left below its box, and not to the right, too."""
    nodes = folded.rows.nodes
    row, slot = nodes[net.source].row, nodes[net.source].slot
    if folded.column_of[row] != folded.column_of[row + 1]:  # into the next column
        return False
    ends: list[float] = [nodes[r].slot for r in net.readers if nodes[r].row == row + 1]
    if net.lane is not None:
        ends.append(key(net.lane))
    return min(ends) < slot and max(ends) <= slot


def _in_ports(folded: Folded, out: list[float]) -> dict[tuple[int, int], float]:
    """Returns for each box and each net that it reads the offset from its middle.

    The net from straight above enters there; those from the left beside it, the farthest outside.
    """
    rows = folded.rows
    # Cells from which something may come straight down: boxes, lanes in slots.
    taken = {(node.row, node.slot) for node in rows.nodes}
    reads: dict[int, list[tuple[float, int]]] = {}  # from which slot each net comes, its number
    for number, net in enumerate(rows.nets):
        source = rows.nodes[net.source]
        if net.lane is not None and net.lane.track < 0:
            last = rows.nodes[net.readers[-1]].row
            taken |= {(row, net.lane.gutter) for row in range(source.row + 1, last)}
        for reader in net.readers:
            place = source.slot + out[number] * _HAIR
            if net.lane is not None and rows.nodes[reader].row > source.row + 1:
                place = key(net.lane)
            reads.setdefault(reader, []).append((place, number))
    ports: dict[tuple[int, int], float] = {}
    for box, nets in reads.items():
        node = rows.nodes[box]
        left = sorted(net for net in nets if net[0] < node.slot)
        right = sorted(net for net in nets if net[0] > node.slot)
        straight = [net for net in nets if net[0] == node.slot]
        if not straight and (node.row - 1, node.slot) not in taken:
            straight = [left.pop() if left else right.pop(0)]
        pitch = _pitch(folded, box, 2 * max(len(left), len(right)) + 1)
        ports.update(((box, number), 0.0) for _, number in straight)
        for side, nets in ((-pitch, left[::-1]), (pitch, right)):
            for i, (_, number) in enumerate(nets):
                ports[box, number] = side * (i + 1)
    return ports


def _pitch(folded: Folded, box: int, count: int) -> float:
    """Returns the distance of `count` ports at a box: narrower where they do not fit."""
    return min(folded.spacing.port, (folded.rows.nodes[box].width - _INSET) / max(1, count))
