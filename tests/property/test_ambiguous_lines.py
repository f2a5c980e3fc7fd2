"""Lines with two readings: the leftmost is taken, and that is told; no other line changes."""

from collections.abc import Sequence
from functools import partial

import pytest
import strategies
from factories import engine_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import NEW, OLD, Record, Written, print_log, print_network, real_names, tensor

from engine_layer_visualize.api.engine import Engine
from fuzz import budget

STYLES = (OLD, NEW)


def read(lines: Sequence[str], *written: Written) -> Engine:
    """`lines` stand before the listing."""
    return engine_of("".join(f"[V] {line}\n" for line in lines) + print_log(written).text)


def warnings(engine: Engine) -> list[tuple[str, int]]:
    return [(p.code, p.place.line) for p in engine.problems if p.code == "ELV107"]


def double(style: str, separator: str, first: str = "a", second: str = "b") -> str:
    """A name that holds a whole descriptor and a separator."""
    return strategies.print_tensor(tensor(first, "1,2"), style) + separator + second


# ---- the promise: a hostile name costs its own record, and that is told --------------------------


@st.composite
def hostile(draw: st.DrawFn, style: str) -> tuple[list[str], Record]:
    """Lines that name the network's ends, and a record of which a name gives several readings."""
    first, second = draw(real_names), draw(real_names)
    assume(all(strategies.ends_at_its_descriptor(name, style) for name in (first, second)))
    whole = double(style, draw(st.sampled_from([", ", " -> "])), first, second)
    other = tensor("other", draw(strategies.dims))
    where = draw(st.sampled_from(["layer", "tactic", "input", "output", "arrow"]))
    if where in ("layer", "tactic"):
        name = whole if where == "layer" else f"{first}, Tactic: 5, {second}"
        return [], Record("Conv", name, "0x0f", (other,), (tensor("out", "1"),))
    if where == "arrow":  # nothing but the arrow tells
        whole, told = double(style, " -> ", first, second), print_network([], [])
    else:
        told = print_network([whole], []) if where == "input" else print_network([], [whole])
    if where == "output":
        return told, Record("Conv", "conv", "-3", (other,), (tensor(whole, "4"),))
    return told, Record("Conv", "conv", "-3", (tensor(whole, "4"), other), (tensor("out", "1"),))


@pytest.mark.parametrize("style", STYLES)
@given(data=st.data())
@settings(max_examples=60)
def test_a_hostile_name_costs_its_record_and_is_told(style: str, data: st.DataObject) -> None:
    tame = data.draw(st.lists(strategies.records(style, real_names), max_size=4))
    lines, record = data.draw(hostile(style))
    alone = read([], Written(style, tuple(tame))) if tame else None
    assume(alone is None or warnings(alone) == [])
    at = data.draw(st.integers(0, len(tame)))
    engine = read(lines, Written(style, (*tame[:at], record, *tame[at:])))
    assert len(engine.layers) == len(tame) + 1
    others = [layer for layer in engine.layers if layer.index != at]
    assert strategies.listing_of(others) == tuple(tame)
    assert warnings(engine) == [("ELV107", len(lines) + 2 + at)]


@pytest.mark.parametrize("style", STYLES)
@given(data=st.data())
@settings(max_examples=30)
def test_names_that_part_nothing_are_told_of_nowhere(style: str, data: st.DataObject) -> None:
    tame = tuple(data.draw(st.lists(strategies.records(style, real_names), min_size=1, max_size=4)))
    assume(all(strategies.ends_at_its_descriptor(record.name, style) for record in tame))
    engine = read([], Written(style, tame))
    assert strategies.listing_of(engine.layers) == tame
    assert warnings(engine) == []


@pytest.mark.parametrize("style", STYLES)
def test_a_line_of_many_hostile_tensors_takes_linear_time(style: str) -> None:
    def prepared(number: int) -> str:
        names = [double(style, ", ", f"a{each}", f"b{each}") for each in range(number)]
        reads = tuple(tensor(name, "4") for name in names)
        record = Record("Conv", "conv", "1", reads, (tensor("y", "4"),))
        lines = "".join(f"[V] {line}\n" for line in print_network(names, ["y"]))
        return lines + print_log([Written(style, (record,))]).text

    budget.linear(lambda number: partial(engine_of, prepared(number)), 500, 4_000)


# ---- one line ------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@given(names=st.lists(real_names, min_size=3, max_size=6, unique=True))
@settings(max_examples=25)
def test_any_number_of_arrows_is_one_warning_and_the_leftmost(style: str, names: list[str]) -> None:
    assume(all(strategies.ends_at_its_descriptor(name, style) for name in names))
    *held, last = [strategies.print_tensor(tensor(name, "7"), style) for name in names]
    line = f"Layer(Conv): conv, Tactic: 0, {' -> '.join((*held, last))}"
    text = f"Engine Layer Information:\n{line}\n"
    engine = engine_of(text)
    (layer,) = engine.layers
    assert layer.inputs == (tensor(names[0], "7"),)
    assert layer.outputs == (tensor(" -> ".join((*held[1:], names[-1])), "7"),)
    assert warnings(engine) == [("ELV107", 2)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("first", ["a", "Reformatted Input Tensor 0 to PWN(a, b)"])
def test_a_comma_separates_tensors(first: str, is_known: bool, style: str) -> None:
    """Also in a name that the network's lines tell, where that is said; none in its brackets."""
    name = double(style, ", ", first)
    record = Record("Conv", "conv", "0", (tensor(name, "3"),), (tensor("y", "4"),))
    lines = print_network([name], ["y"]) if is_known else []
    engine = read(lines, Written(style, (record,)))
    assert engine.layers[0].inputs == (tensor(first, "1,2"), tensor("b", "3"))
    assert engine.layers[0].outputs == (tensor("y", "4"),)
    assert warnings(engine) == ([("ELV107", 4)] if is_known else [])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("is_warned", [False, True])
def test_what_has_one_reading_is_read_as_it_was(style: str, is_warned: bool) -> None:
    """A descriptor of the other style in a name is none; two tactics may share a comma."""
    name = "Tactic: 5, z" if is_warned else double(NEW if style == OLD else OLD, " -> ")
    record = Record("Conv", "conv", "0x0f", (tensor(name, "3"),), (tensor("y", "4"),))
    engine = read([], Written(style, (record,)))
    assert strategies.listing_of(engine.layers) == (record,)
    assert warnings(engine) == ([("ELV107", 2)] if is_warned else [])


@pytest.mark.parametrize("style", STYLES)
def test_the_first_tactic_ends_a_name(style: str) -> None:
    ends = (tensor("x", "3"),), (tensor("y", "4"),)
    record = Record("Conv", "conv, Tactic: 5, rest", "0x0f", *ends)
    engine = read([], Written(style, (record,)))
    (layer,) = engine.layers
    assert (layer.name, layer.tactic) == ("conv", "5")
    assert layer.inputs == (tensor("rest, Tactic: 0x0f, x", "3"),)
    assert warnings(engine) == [("ELV107", 2)]
