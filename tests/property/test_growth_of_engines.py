"""Engines of eight times as many layers, profiles or tensors cost about eight times as much
to compare, to judge, and to write."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeVar

import pytest
from factories import chain, engine, engine_of, layer, linked
from program import Patch

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.assembly.graph import build
from engine_layer_visualize.comparison import structure
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Engine, Layer, Tensor, Timing
from engine_layer_visualize.linting import decided, of_profiles, subject
from engine_layer_visualize.linting.rules import Finding, Rule
from fuzz import budget

Nodes = Callable[[int], Sequence[str]]
Made = TypeVar("Made")

HEADER = "[V] [TRT] Engine Layer Information:"


def check(make: Callable[[int], Made], work: Callable[[Made], object], characters: int) -> None:
    """`characters`: of the text that stands for one layer, which costs nothing to make."""
    known = cache(make)

    def made(size: int) -> Made:
        return known(max(8, size // characters))

    def text(size: int) -> str:
        made(size)
        return "x" * size

    budget.in_time(lambda text: work(made(len(text))), text)


# ---- two engines -------------------------------------------------------------------------------


def conv(at: int, nodes: Sequence[str], name: str = "", type: str = "CaskConvolution") -> Layer:
    metadata = "\x1e".join(f"[ONNX Layer: {node}]" for node in nodes)
    return layer(
        at, name or f"layer_{at}_myl0_{at}", [f"t{at}"], [f"t{at + 1}"], type=type,
        attributes=(("Metadata", metadata),) if nodes else (),
    )  # fmt: skip


def convs(number: int, nodes: Nodes, name: str = "", odd: str = "CaskConvolution") -> Engine:
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
    named = ((n, f"{{ForeignNode[a{n}...b{n}]}}", own) for n, own in enumerate(nodes))
    whole = (conv(n, (), name, "Myelin")._replace(facts=own) for n, name, own in named)
    ends = [f"{which}{at}" for which in "ab" for at in range(half)]
    apart = (
        layer(at, name, [f"t{max(0, at - before)}" for before in range(16)], [f"t{at + 1}"])
        for at, name in enumerate(ends)
    )
    return linked(*whole), linked(*apart)


def copies_of_four(number: int) -> Engine:
    """Optimisation profiles of four layers each."""
    each = ((k, at) for k in range(number // 4) for at in range(4))
    names = [(f" [profile {k}]" if k else "", at) for k, at in each]
    return linked(
        *(layer(n, f"c{at}{end}", [f"t{at}{end}"], [f"t{at + 1}{end}"])
          for n, (end, at) in enumerate(names))
    )  # fmt: skip


def alone(at: int) -> list[str]:
    return [f"n{at}"]


def joined_by_one(at: int) -> list[str]:
    return [f"n{at}", f"q{at}", f"q{at + 1}"]


def none(at: int) -> list[str]:
    return []


PAIRS: dict[str, Callable[[int], tuple[Engine, Engine]]] = {
    "names": lambda n: (convs(n, alone), convs(n, alone, odd="PointWiseV2")),
    "names that join all": lambda n: (
        convs(n, joined_by_one, "a"),
        convs(n, joined_by_one, "b", "PointWiseV2"),
    ),
    "no names": lambda n: (convs(n, none), convs(n, none)),
    "no names, an edit": lambda n: (convs(n, none, odd="Softmax"), convs(n - 1, none)),
    "a ForeignNode of all": lambda n: (whole(n), convs(n, alone)),
    "reformats of reformats": lambda n: (copies(n), copies(n)),
    "all through one reformat": lambda n: (through_one(n, "a"), through_one(n, "b")),
    "ForeignNodes that overlap": foreign,
    "optimisation profiles": lambda n: (copies_of_four(n), copies_of_four(n)),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_comparison(pair: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(structure, "_MAX_CELLS", 20_000)  # so that most sequences are long

    def costs(number: int) -> tuple[Costs, Costs]:
        a, b = PAIRS[pair](number)
        return Costs(a), Costs(b)

    check(costs, lambda both: compare(*both), 16)


# ---- findings ----------------------------------------------------------------------------------


def record(type: str, name: str, read: str, written: str, dtypes: str = "Half Half") -> str:
    own, other = (f"{dtype}(1,8,4,4)" for dtype in dtypes.split())
    return f"Layer({type}): {name}, Tactic: 0x1, {read}[{own}] -> {written}[{other}]"


def concatenated(number: int) -> Iterator[str]:
    """Parts of a tensor, and as many readers behind its reformat."""
    for at in range(number):
        yield record("CaskConvolution", f"w{at}", f"x{at}", "t", "Int8 Half")
    yield record("Reformat", "r", "t", "u")
    for at in range(number):
        yield record("CaskPooling", f"p{at}", "u", f"y{at}")


def copied(number: int) -> Iterator[str]:
    """Copies for one layer with many inputs."""
    for at in range(number):
        yield record("Reformat", f"b{at} copy", f"b{at}", f"a{at}")
    reads = ", ".join(f"a{at}[Half(1,8,4,4)]" for at in range(number))
    yield f"Layer(CaskConvolution): c, Tactic: 0x1, {reads} -> y[Half(1,8,4,4)]"


def dequantised(number: int) -> Iterator[str]:
    """Outputs, each behind a reformat of its own."""
    yield record("CaskConvolution", "c", "x", "a", "Int8 Int8")
    for at in range(number):
        yield record("Reformat", f"DequantizeLinear_{at}", "a", f"y{at}", "Int8 Half")


def narrowed(number: int) -> Iterator[str]:
    """Outputs in fewer bits than the layers that write them."""
    for at in range(number):
        yield record("CaskConvolution", f"c{at}", f"x{at}", f"a{at}", "Float Float")
        yield record("Reformat", f"r{at}", f"a{at}", f"y{at}", "Float Half")


def cut(number: int) -> Iterator[str]:
    """Inputs, each behind two parts of a quantiser that was cut."""
    for at in range(number):
        for clone in range(2):
            name = f"QuantizeLinear_{at}_clone_{clone}"
            yield record("Reformat", name, f"x{at}", f"a{at}_{clone}", "Float Int8")
            yield record("CaskConvolution", f"c{at}_{clone}", f"a{at}_{clone}", f"y{at}_{clone}")


def fed(number: int) -> Iterator[str]:
    """Pointwise layers that read a product and an input each."""
    for at in range(number):
        yield record("CaskConvolution", f"c{at}", f"x{at}", f"a{at}")
        yield record("PointWiseV2", f"p{at}", f"z{at}[Half(1,8,4,4)], a{at}", f"y{at}")


def read(number: int) -> Iterator[str]:
    """Readers of one product."""
    yield record("CaskConvolution", "c", "x", "a")
    for at in range(number):
        yield record(("PointWiseV2", "Scale")[at % 2], f"BatchNormalization_{at}", "a", f"y{at}")


def profiles(number: int) -> Iterator[str]:
    """Two layers in each optimisation profile."""
    for at in range(number):
        own = f" [profile {at}]" if at else ""
        yield record("Reformat", f"r{own}", f"x{own}", f"a{own}", "Float Half")
        yield record("CaskConvolution", f"c{own}", f"a{own}", f"y{own}")


@pytest.mark.parametrize(
    "lines", [concatenated, copied, cut, dequantised, fed, narrowed, read, profiles]
)
def test_findings(lines: Callable[[int], Iterator[str]]) -> None:
    def costs(number: int) -> Costs:
        return Costs(engine_of("\n".join([HEADER, *lines(number), ""]), facts=True))

    check(costs, of_profiles, 64)


@pytest.mark.parametrize("codes", [("F02",), ("F02", "F03"), ("P15", "F02")])
def test_causes(codes: tuple[str, ...]) -> None:
    """Of one rule, of two of one cause, of two of which one has half of the other's layers: many
    findings of two layers each, and one of all layers."""

    def findings(number: int) -> tuple[list[Finding], subject.Subject]:
        pairs = [(at, at + width) for width in (1, 2, 4, 8) for at in range(0, number - width, 2)]
        first, last = codes[0], codes[-1]
        found = [Finding(Rule(first, "x"), layers, 0.1, "why", "do") for layers in pairs]
        found.append(Finding(Rule(last, "y"), tuple(range(number)), 0.1, "why", "do"))
        return found, subject.Subject(Costs(chain(*(f"r{at}" for at in range(number)), timed=True)))

    check(findings, lambda found: decided(*found), 64)


# ---- outputs -----------------------------------------------------------------------------------


OUTPUTS = ("json", "dot", "svg", "html", "trace")


def of_one_tensor(number: int) -> Engine:
    """Half of the layers write a tensor, which the others read: n² edges, but for the bound."""
    writers = [layer(at, "w", ["x"], ["t"]) for at in range(number)]
    return linked(*writers, *(layer(number + at, "r", ["t"], ["y"]) for at in range(number)))


def of_many_shapes(number: int) -> Engine:
    """Each layer reads and writes one tensor, with dims that no other has."""
    read = [Tensor("t", "Float", f"1,{at + 1}", (1, at + 1)) for at in range(number)]
    written = [
        Tensor("t", "Float", f"1,{2 * number + at}", (1, 2 * number + at)) for at in range(number)
    ]
    ends = enumerate(zip(read, written))
    layers = [layer(at, "l", [], [])._replace(inputs=(a,), outputs=(b,)) for at, (a, b) in ends]
    return linked(*layers)


@pytest.mark.parametrize("make", [of_one_tensor, of_many_shapes])
def test_edges_of_one_tensor(make: Callable[[int], Engine]) -> None:
    check(lambda number: make(number).layers, build, 60)


@pytest.mark.parametrize("format", OUTPUTS[:-1])
def test_an_output_of_one_tensor(format: str) -> None:
    check(of_one_tensor, lambda engine: render(engine, format), 8)  # more than are kept, at once


@pytest.mark.parametrize("format", OUTPUTS)
def test_the_tensors_of_a_layer(format: str) -> None:
    def two(number: int) -> Engine:
        many = [f"t{at}" for at in range(number)]
        layers = [layer(0, "a", ["x"], many), layer(1, "b", many, ["y"])]
        timed = [one._replace(time=Timing(1.0)) for one in layers]
        return engine(*timed, graph=build(timed), timed=True)

    check(two, lambda engine: render(engine, format), 8)
