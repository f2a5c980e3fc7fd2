"""Engines with eight times as many layers, or optimisation profiles, take about eight times as
long to judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from factories import chain

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings import of_profiles
from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.totals import at_stake
from engine_layer_visualize.pipeline import Log
from fuzz import budget

pytestmark = pytest.mark.slow

CHARACTERS = 64  # of the text that stands for a layer
Lines = Callable[[int], Iterator[str]]


def record(type: str, name: str, read: str, written: str, dtypes: str = "Half Half") -> str:
    own, other = dtypes.split()
    return (
        f"Layer({type}): {name}, Tactic: 0x1, {read}[{own}(1,8,4,4)] -> {written}[{other}(1,8,4,4)]"
    )


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


@pytest.mark.parametrize("lines", [concatenated, copied, dequantised, fed, read, profiles])
def test_time_grows_with_the_layers(lines: Lines) -> None:
    @cache
    def costs(number: int) -> Costs:
        data = "\n".join(["[V] [TRT] Engine Layer Information:", *lines(number), ""]).encode()
        (engine,) = Log("build.log", [], chunks=[data], facts=True).engines()
        return Costs(engine)

    def text(size: int) -> str:
        costs(max(2, size // CHARACTERS))
        return "x" * size

    def work(text: str) -> None:
        assert of_profiles(costs(max(2, len(text) // CHARACTERS)))

    budget.in_time(work, text)


def test_what_is_at_stake_is_summed_in_linear_time() -> None:
    """Each finding joins two groups of others, which grow."""
    rule = Rule("F02", "x")

    @cache
    def costs(number: int) -> Costs:
        return Costs(chain(*(f"r{at}" for at in range(number)), timed=True))

    def text(size: int) -> str:
        costs(max(2, size // CHARACTERS))
        return "x" * size

    def work(text: str) -> None:
        number = max(2, len(text) // CHARACTERS)
        each = [(at, at + width) for width in (1, 2, 4, 8) for at in range(0, number - width, 2)]
        at_stake([Finding(rule, layers, 0.1, "why", "do") for layers in each], costs(number))

    budget.in_time(work, text)
