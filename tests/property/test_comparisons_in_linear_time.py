"""Engines of eight times as many layers take about eight times as long to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest
from factories import layer, linked

from engine_layer_visualize.analysis.comparison import compare
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import LayerFacts
from engine_layer_visualize.core.model import Engine, Layer
from fuzz import budget

pytestmark = pytest.mark.slow

CHARACTERS = 16  # of the text that stands for a layer
Nodes = Callable[[int], Sequence[str]]


def conv(at: int, nodes: Sequence[str], name: str = "", type: str = "CaskConvolution") -> Layer:
    metadata = "\x1e".join(f"[ONNX Layer: {node}]" for node in nodes)
    return layer(
        at, name or f"layer_{at}_myl0_{at}", [f"t{at}"], [f"t{at + 1}"], type=type,
        attributes=(("Metadata", metadata),) if nodes else (),
    )  # fmt: skip


def chain(number: int, nodes: Nodes, name: str = "", odd: str = "CaskConvolution") -> Engine:
    types = ("CaskConvolution", odd)
    return linked(*(conv(at, nodes(at), name, types[at % 7 == 0]) for at in range(number)))


def whole(number: int) -> Engine:
    """A ForeignNode of all nodes."""
    return linked(conv(0, [f"n{at}" for at in range(number)], "{ForeignNode[n0...n9]}", "Myelin"))


def copies(number: int) -> Engine:
    """Reformats of reformats before one convolution."""
    last = number - 1
    return linked(
        *(conv(at, (), f"copy {at}", "Reformat" if at < last else "CaskConvolution")
          for at in range(number))
    )  # fmt: skip


def through_one(number: int, name: str) -> Engine:
    """Layers that write one tensor, a reformat of it, layers that read that."""
    half = number // 2
    ends = [(f"x{at}", "t") if at < half else ("u", f"y{at}") for at in range(number)]
    ends[half] = "t", "u"
    return linked(
        *(layer(at, f"{name} {at}", [reads], [writes],
                type="Reformat" if at == half else "Shuffle")
          for at, (reads, writes) in enumerate(ends))
    )  # fmt: skip


def foreign(number: int) -> tuple[Engine, Engine]:
    """ForeignNodes whose ends are far apart, so that all of them overlap."""
    half = number // 2
    nodes = [LayerFacts(onnx_nodes=(f"a{n}", f"b{n}"), onnx_nodes_from="name") for n in range(half)]
    whole = (
        replace(conv(n, (), f"{{ForeignNode[a{n}...b{n}]}}", "Myelin"), facts=own)
        for n, own in enumerate(nodes)
    )
    ends = [f"{which}{at}" for which in "ab" for at in range(half)]
    apart = (
        layer(at, name, [f"t{max(0, at - before)}" for before in range(16)], [f"t{at + 1}"])
        for at, name in enumerate(ends)
    )
    return linked(*whole), linked(*apart)


def profiles(number: int) -> Engine:
    """Optimisation profiles of four layers each."""
    each = ((k, at) for k in range(number // 4) for at in range(4))
    names = [(f" [profile {k}]" if k else "", at) for k, at in each]
    return linked(
        *(layer(n, f"c{at}{end}", [f"t{at}{end}"], [f"t{at + 1}{end}"])
          for n, (end, at) in enumerate(names))
    )  # fmt: skip


def own(at: int) -> list[str]:
    return [f"n{at}"]


def linked_by_one(at: int) -> list[str]:
    return [f"n{at}", f"q{at}", f"q{at + 1}"]


def none(at: int) -> list[str]:
    return []


PAIRS: dict[str, Callable[[int], tuple[Engine, Engine]]] = {
    "names": lambda n: (chain(n, own), chain(n, own, odd="PointWiseV2")),
    "names that join all": lambda n: (
        chain(n, linked_by_one, "a"),
        chain(n, linked_by_one, "b", "PointWiseV2"),
    ),
    "no names": lambda n: (chain(n, none), chain(n, none)),
    "no names, an edit": lambda n: (chain(n, none, odd="Softmax"), chain(n - 1, none)),
    "a ForeignNode of all": lambda n: (whole(n), chain(n, own)),
    "reformats of reformats": lambda n: (copies(n), copies(n)),
    "all through one reformat": lambda n: (through_one(n, "a"), through_one(n, "b")),
    "ForeignNodes that overlap": foreign,
    "optimisation profiles": lambda n: (profiles(n), profiles(n)),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_time_grows_with_the_layers(pair: str) -> None:
    @cache
    def engines(number: int) -> tuple[Costs, Costs]:
        a, b = PAIRS[pair](number)
        return Costs(a), Costs(b)

    def text(size: int) -> str:
        engines(max(8, size // CHARACTERS))
        return "x" * size

    def work(text: str) -> None:
        compare(*engines(max(8, len(text) // CHARACTERS)))

    budget.in_time(work, text)
