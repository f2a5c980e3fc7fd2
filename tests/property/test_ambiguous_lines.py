"""Lines with two readings: what is known of the build decides, else a preference and a warning."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from factories import engine_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import (
    NEW,
    OLD,
    Record,
    Written,
    dims,
    ends_at_its_descriptor,
    listing_of,
    print_log,
    print_tensor,
    real_names,
    tensor,
)

from engine_layer_visualize.display import Engine

STYLES = (OLD, NEW)


def read(lines: Sequence[str], *written: Written) -> Engine:
    """`lines` stand before the listing."""
    text = "".join(f"[V] {line}\n" for line in lines) + print_log(written).text
    engine = engine_of(text)
    return engine


def warnings(engine: Engine) -> list[tuple[str, int]]:
    return [(p.code, p.place.line) for p in engine.problems if p.code == "ELV107"]


def network(inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    return [
        *(
            f"Adding network input: {name} with dtype: float32, dimensions: (1, 3)"
            for name in inputs
        ),
        *(f"Marking {number} as output: {name}" for number, name in enumerate(outputs)),
    ]


def double(style: str, separator: str, first: str = "a", second: str = "b") -> str:
    """A name that holds a whole descriptor and a separator."""
    return print_tensor(tensor(first, "1,2"), style) + separator + second


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("separator", [", ", " -> "])
@given(first=real_names, second=real_names, size=dims)
@settings(max_examples=25)
def test_a_network_input_is_known(
    style: str, separator: str, first: str, second: str, size: str
) -> None:
    assume(all(ends_at_its_descriptor(name, style) for name in (first, second)))
    name = double(style, separator, first, second)
    assume(name not in ("out", "other"))
    record = Record(
        "Conv", "conv", "0x0f", (tensor("other", "1"), tensor(name, size)), (tensor("out", size),)
    )
    engine = read(network([name, "other"], ["out"]), Written(style, (record,)))
    assert listing_of(engine.layers) == (record,)
    assert engine.inputs == (name, "other")
    assert warnings(engine) == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("separator", [", ", " -> "])
@given(first=real_names, second=real_names, size=dims)
@settings(max_examples=25)
def test_a_network_output_is_known(
    style: str, separator: str, first: str, second: str, size: str
) -> None:
    assume(all(ends_at_its_descriptor(name, style) for name in (first, second)))
    name = double(style, separator, first, second)
    assume("in" not in (first, second))
    record = Record("Conv", "conv", "-3", (tensor("in", "1"),), (tensor(name, size),))
    engine = read(network(["in"], [name]), Written(style, (record,)))
    assert listing_of(engine.layers) == (record,)
    assert engine.outputs == (name,)
    assert warnings(engine) == []


@pytest.mark.parametrize("style", STYLES)
def test_an_earlier_output_is_known(style: str) -> None:
    """Known inputs decide the first line, the output that it writes decides the second."""
    name = double(style, " -> ")
    first = Record("Conv", "one", "1", (tensor("in", "1"),), (tensor(name, "4"),))
    second = Record("Conv", "two", "1", (tensor(name, "4"),), (tensor("out", "4"),))
    engine = read(network(["in"], ["out"]), Written(style, (first, second)))
    assert listing_of(engine.layers) == (first, second)
    assert [(edge.source, edge.target) for edge in engine.graph.between] == [(0, 1)]


@pytest.mark.parametrize("style", STYLES)
def test_nothing_decides_an_arrow(style: str) -> None:
    name = double(style, " -> ")
    record = Record("Conv", "conv", "0", (tensor(name, "3"),), (tensor("y", "4"),))
    engine = read([], Written(style, (record,)))
    (layer,) = engine.layers
    written = print_tensor(tensor("b", "3"), style) + " -> y"
    assert layer.raw is None
    assert layer.inputs == (tensor("a", "1,2"),)
    assert layer.outputs == (tensor(written, "4"),)
    assert warnings(engine) == [("ELV107", 2)]


@pytest.mark.parametrize("style", STYLES)
@given(names=st.lists(real_names, min_size=3, max_size=6, unique=True))
@settings(max_examples=25)
def test_any_number_of_arrows_is_one_warning_and_the_leftmost(style: str, names: list[str]) -> None:
    assume(all(ends_at_its_descriptor(name, style) for name in names))
    *held, last = [print_tensor(tensor(name, "7"), style) for name in names]
    line = f"Layer(Conv): conv, Tactic: 0, {' -> '.join((*held, last))}"
    text = f"Engine Layer Information:\n{line}\n"
    engine = engine_of(text)
    (layer,) = engine.layers
    assert layer.inputs == (tensor(names[0], "7"),)
    assert layer.outputs == (tensor(" -> ".join((*held[1:], names[-1])), "7"),)
    assert warnings(engine) == [("ELV107", 2)]


@pytest.mark.parametrize("style", STYLES)
def test_a_comma_that_nothing_doubts_separates_tensors(style: str) -> None:
    record = Record("Conv", "conv", "0", (tensor(double(style, ", "), "3"),), (tensor("y", "4"),))
    engine = read([], Written(style, (record,)))
    assert engine.layers[0].inputs == (tensor("a", "1,2"), tensor("b", "3"))
    assert engine.layers[0].outputs == (tensor("y", "4"),)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["a, b", "a, b(c, d", "[x], y"])
def test_a_name_with_a_comma_doubts_the_next_one(style: str, name: str) -> None:
    """`a, b (Float[1,2]), c` is one name, or two tensors' of which the first holds a comma."""
    record = Record(
        "Conv", "conv", "0", (tensor(double(style, ", ", name, "c"), "3"),), (tensor("y", "4"),)
    )
    engine = read([], Written(style, (record,)))
    assert engine.layers[0].inputs == (tensor(name, "1,2"), tensor("c", "3"))
    assert warnings(engine) == [("ELV107", 2)]
    told = read(network(["c"], ["y"]), Written(style, (record,)))
    assert told.layers[0].inputs == engine.layers[0].inputs
    assert warnings(told) == []


@pytest.mark.parametrize("style", STYLES)
def test_a_comma_in_brackets_doubts_nothing(style: str) -> None:
    name = double(style, ", ", "Reformatted Input Tensor 0 to PWN(a, b)", "c")
    record = Record("Conv", "conv", "0", (tensor(name, "3"),), (tensor("y", "4"),))
    engine = read([], Written(style, (record,)))
    assert len(engine.layers[0].inputs) == 2
    assert warnings(engine) == []


def detected(inputs: int, outputs: int) -> str:
    return f"Detected {inputs} inputs and {outputs} output network tensors."


def tuned(layer: str, formats: str) -> list[str]:
    stars = "*" * 15
    costs = f"=============== Computing costs for {layer}"
    return [costs, f"{stars} Autotuning format combination: {formats} {stars}"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("lines", "is_one", "warned"),
    [
        (tuned("conv", "Float(1) -> Float(1)"), True, False),
        (tuned("conv", "Float(2,1), Float(1) -> Float(2,1), Float(1)"), False, False),
        ([detected(1, 1)], True, False),
        (
            [*tuned("conv", "Float(2,1), Float(1) -> Float(2,1), Float(1)"), detected(1, 1)],
            False,
            False,
        ),
        ([detected(3, 3)], False, True),
        ([], False, True),
    ],
    ids=["tuned as one", "tuned as two", "detected", "both", "other numbers", "nothing"],
)
def test_an_input_and_an_output_that_begin_alike(
    style: str, lines: list[str], is_one: bool, warned: bool
) -> None:
    """`a, b` stands before two other names, and never last."""
    first, second = (double(style, ", ", "a, b", name) for name in ("read", "wrote"))
    record = Record("Conv", "conv", "0", (tensor(first, "3"),), (tensor(second, "4"),))
    engine = read(lines, Written(style, (record,)))
    assert (listing_of(engine.layers) == (record,)) == is_one
    assert warnings(engine) == ([("ELV107", 2 + len(lines))] if warned else [])


@pytest.mark.parametrize("style", STYLES)
def test_numbers_that_fit_one_name_better_are_told(style: str) -> None:
    """Without a comma in a name they prove nothing: an input may be in no record."""
    record = Record("Conv", "conv", "0", (tensor(double(style, ", "), "3"),), (tensor("y", "4"),))
    for inputs, warned in ((1, True), (2, False), (3, False)):
        engine = read([detected(inputs, 1)], Written(style, (record,)))
        assert engine.layers[0].inputs == (tensor("a", "1,2"), tensor("b", "3"))
        assert warnings(engine) == ([("ELV107", 3)] if warned else [])


@pytest.mark.parametrize("style", STYLES)
def test_the_other_style_in_a_name_is_no_descriptor(style: str) -> None:
    other = NEW if style == OLD else OLD
    name = double(other, " -> ")
    record = Record("Conv", "conv", "0", (tensor(name, "3"),), (tensor(name + "2", "4"),))
    engine = read([], Written(style, (record,)))
    assert listing_of(engine.layers) == (record,)
    assert warnings(engine) == []


# ---- two tactics -------------------------------------------------------------------------------


def _two_tactics(style: str) -> Record:
    name = "conv, Tactic: 5, rest"
    return Record("Conv", name, "0x0f", (tensor("x", "3"),), (tensor("y", "4"),))


@pytest.mark.parametrize("style", STYLES)
def test_the_first_tactic_ends_a_name_where_nothing_decides(style: str) -> None:
    engine = read([], Written(style, (_two_tactics(style),)))
    (layer,) = engine.layers
    assert (layer.name, layer.tactic) == ("conv", "5")
    assert layer.inputs == (tensor("rest, Tactic: 0x0f, x", "3"),)
    assert warnings(engine) == [("ELV107", 2)]


@pytest.mark.parametrize("style", STYLES)
def test_a_known_input_tells_which_tactic_is_the_layers(style: str) -> None:
    record = _two_tactics(style)
    engine = read(network(["x"], ["y"]), Written(style, (record,)))
    assert listing_of(engine.layers) == (record,)
    assert warnings(engine) == []


@pytest.mark.parametrize("style", STYLES)
def test_known_inputs_that_begin_like_a_tactic(style: str) -> None:
    left = (tensor("x", "3"), tensor("Tactic: 5, z", "3"))
    record = Record("Conv", "conv", "0x0f", left, (tensor("y", "4"),))
    engine = read(network(["x", "Tactic: 5, z"], ["y"]), Written(style, (record,)))
    assert listing_of(engine.layers) == (record,)
    assert warnings(engine) == []
