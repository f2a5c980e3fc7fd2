"""Engines of eight times as many layers take about eight times as long to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from factories import layer, linked

from engine_layer_visualize.analysis.comparison import compare
from engine_layer_visualize.analysis.costs import Costs
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
