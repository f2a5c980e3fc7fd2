"""A `Subject` in; the islands out: layers in one type and format, with reformats on all sides.

An island is what stays together when all reformats are taken away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from engine_layer_visualize.analysis.connected import connected
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer


class Island(NamedTuple):
    """`outside`, `inside`: type and format in words; `layers`: those between the `reformats`."""

    outside: str
    inside: str
    layers: tuple[Layer, ...]
    reformats: tuple[Layer, ...]


def islands(subject: Subject) -> Iterator[Island]:
    """Each of which all ways in lead from one format to another, and all ways out lead back."""
    changes = {(one.before, one.after) for one in subject.reasons.values()}
    if not any((after, before) in changes for before, after in changes if before != after):
        return
    parts = _parts(subject)
    entries: dict[int, list[Reason]] = defaultdict(list)
    exits: dict[int, list[Reason]] = defaultdict(list)
    for reason in subject.reasons.values():
        for found, sides in ((entries, reason.targets), (exits, reason.sources)):
            for part in {parts[side.layer] for side in sides if side.layer in parts}:
                found[part].append(reason)
    members: dict[int, list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if layer.index in parts:
            members[parts[layer.index]].append(layer)
    open_ends = _open(subject, parts)
    for part, into in entries.items():
        ways_in = {(one.before, one.after) for one in into}
        ways_out = {(one.after, one.before) for one in exits[part]}
        if len(ways_in) != 1 or ways_in != ways_out or part in open_ends:
            continue
        ((outside, inside),) = ways_in
        inner = any(side.layer is not None for one in into for side in one.sources)
        inner = inner or any(side.layer is not None for one in exits[part] for side in one.targets)
        if outside != inside and inner:  # else it is the whole engine
            several = dict.fromkeys(one.layer for one in (*into, *exits[part]))
            reformats = tuple(subject.engine.layers[index] for index in several)
            yield Island(outside, inside, tuple(members[part]), reformats)


def _parts(subject: Subject) -> dict[int, int]:
    """By layer, without reformats and constants, the part that it is in."""
    inner = (la for la in subject.layers if not is_reformat(la) and la.type != "Constant")
    pairs = ((edge.source, edge.target) for edge in subject.edges)
    found = connected([layer.index for layer in inner], pairs)
    return {index: at for at, part in enumerate(found) for index in part}


def _open(subject: Subject, parts: dict[int, int]) -> set[int]:
    """The parts that read an input of the engine or write one of its outputs themselves."""
    inputs, outputs = {*subject.engine.inputs}, {*subject.engine.outputs}
    found = set()
    for edge in subject.edges:
        if edge.source is None and edge.target in parts and edge.tensor in inputs:
            found.add(parts[edge.target])
        elif edge.target is None and edge.source in parts and edge.tensor in outputs:
            found.add(parts[edge.source])
    return found
