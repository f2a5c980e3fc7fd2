"""What is printed is what is read: every name, tensor and line number, under every host."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
import strategies
from factories import engines_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from readers import Reading, read_log, sides
from strategies import NEW, OLD, PREFIXES, Layout, Record, Written, engines, print_log, tensor


def check(printed: strategies.Printed, written: Sequence[Written]) -> None:
    found = engines_of([printed.data])
    assert [strategies.listing_of(one.layers) for one in found] == [one.listing for one in written]
    assert [engine.index for engine in found] == list(range(len(written)))
    for engine, header, lines in zip(found, printed.headers, printed.lines):
        assert [layer.place.line for layer in engine.layers] == lines
        assert (engine.source.first_line, engine.source.last_line) == (header, lines[-1])
        text = printed.text.split("\n")
        for layer in engine.layers:
            assert text[layer.place.line - 1][layer.place.column - 1 :].startswith("Layer(")


@given(st.lists(engines(), min_size=1, max_size=3), strategies.layouts)
@settings(max_examples=120)
def test_the_independent_reader_reads_the_same(written: list[Written], layout: Layout) -> None:
    printed = print_log(written, layout)
    check(printed, written)
    for engine, listing, lines in zip(written, read_log(printed.text), printed.lines, strict=True):
        assert [number for number, _ in listing] == lines
        for layer, (_, reading) in zip(strategies.layers(engine.listing), listing):
            assert reading is not None
            assert Reading(layer.type, layer.name, layer.tactic or "", *sides(layer)) == reading


@given(engines(), strategies.layouts)
@settings(max_examples=80)
def test_a_whole_listing_is_neither_cut_nor_a_part(written: Written, layout: Layout) -> None:
    """Its network is defined before it."""
    read = {tensor.name for record in written.listing for tensor in record.inputs}
    made = {tensor.name: None for record in written.listing for tensor in record.outputs}
    outputs = [name for name in made if name not in read]
    # For such a tensor a layer is missing that reads it.
    assume(not any(name.startswith("Reformatted ") for name in outputs))
    # Where no newline ends the log, a record without outputs looks torn, and so does a last line
    # such as `Layer( 3 of 9 )`.
    if not written.listing[-1].outputs or any(layout.after):
        layout = replace(layout, final_newline=True)
    network = [f"Marking {number} as output: {name}" for number, name in enumerate(outputs)]
    # Of a colour at the end of a line nobody knows whether it is the name's or the logger's.
    printable = [line for line in network if not set("\n\r\x1b") & set(line)]
    # Names that bear an optimisation profile are of copies, each with all outputs of the network.
    if any("[profile " in name for name in (*made, *(record.name for record in written.listing))):
        printable = []
    for before in ([], printable):
        lines = tuple(layout.prefix + line for line in before)
        log = print_log([written], replace(layout, before=(*lines, *layout.before)))
        assert [engine.source.state for engine in engines_of([log.data])] == ["whole"]


@pytest.mark.parametrize("every_line", [False, True])
@pytest.mark.parametrize("host", sorted(PREFIXES))
@given(written=engines(strategies.real_names, max_size=3))
@settings(max_examples=6)
def test_under_every_host(written: Written, host: str, every_line: bool) -> None:
    check(print_log([written], Layout(prefix=PREFIXES[host], every_line=every_line)), [written])


@pytest.mark.parametrize("style", [OLD, NEW])
@pytest.mark.parametrize("length", [4095, 80_000])
def test_long_names_are_read_as_they_were(style: str, length: int) -> None:
    name = ("conv, (x) -> [y] + " * length)[:length]
    record = Record("Myelin", name, "0", (tensor(name + "_in", "1"),), (tensor(name, "1,64:8"),))
    check(print_log([Written(style, (record, record))]), [Written(style, (record, record))])


@pytest.mark.parametrize("style", [OLD, NEW])
@pytest.mark.parametrize("name", ["first\nsecond", "a\nb\nc", "x\n -> y", "one\n\ntwo", "a\n> b"])
def test_a_layer_name_with_newlines(style: str, name: str) -> None:
    ordinary = Record("NoOp", "plain", "0", (tensor("b", "1"),), (tensor("c", "1"),))
    odd = Record("Myelin", name, "0x0f", (tensor("a", "1"),), (tensor("b", "1"),))
    found = engines_of([print_log([Written(style, (odd, ordinary))]).data])
    assert [strategies.listing_of(engine.layers) for engine in found] == [(odd, ordinary)]


def test_fifteen_stray_lines_do_not_end_a_listing() -> None:
    record = Record("NoOp", "a", "0", (), ())
    layout = Layout(strays=(("stray",) * 15,))
    written = Written(NEW, (record, record))
    check(print_log([written], layout), [written])
