"""The live-writer walk, held to a slow and plain one that follows the text of the design."""

import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Record, layers, records_of, tensor

from engine_layer_visualize.assembly import graph
from engine_layer_visualize.core.model import Layer, Tensor

Edges = set[tuple[int | None, int | None, str]]

_NAMES = ["a", "b", "c", "a [profile 1]"]
_DIMS = st.sampled_from(
    (
        *("4", "2", "8", "1,8", "1,2", "2,4", "4,2", "1,8:4", "1,8:2", "", "-1,4", "-1,2"),
        *("-1,-1", "-7,4", "-7,8", "4,-7", "1,-1,4", "8,-1", "2,-1", "0"),
    )
)
_some = st.lists(st.builds(tensor, st.sampled_from(_NAMES), _DIMS), max_size=3).map(tuple)
_record = st.builds(Record, *map(st.just, ("NoOp", "n", "0")), _some, _some)
_listings = st.lists(_record, min_size=1, max_size=12)
_named = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3))


def takes_more(read: Tensor, written: Tensor) -> bool:
    if all(extent >= 0 for extent in (*read.shape, *written.shape)):
        count = {read: 1, written: 1}
        for one in (read, written):
            for extent in one.shape:
                count[one] *= extent
        return count[read] > count[written]
    if len(read.shape) != len(written.shape):
        return False
    different = [i for i in range(len(read.shape)) if read.shape[i] != written.shape[i]]
    if len(different) != 1:
        return False
    ours, theirs = written.shape[different[0]], read.shape[different[0]]
    if ours >= 0 and theirs >= 0:  # two numbers can be compared, whatever the other axes are
        return theirs > ours
    return True


def walk(engine: Sequence[Layer], outputs: Sequence[str] | None) -> Edges:
    edges: Edges = set()
    names = {one.name for layer in engine for one in (*layer.inputs, *layer.outputs)}
    for name in names:  # tensors have nothing to do with each other
        live: list[int] = []
        read_since_written = ever_read = ever_written = False
        for number, layer in enumerate(engine):
            if any(one.name == name for one in layer.inputs):
                ever_read = read_since_written = True
                if live:
                    edges |= {(writer, number, name) for writer in live}
                else:
                    edges.add((None, number, name))
            for write in layer.outputs:
                if write.name != name:
                    continue
                rest = (read for later in engine[number + 1 :] for read in later.inputs)
                partial = any(takes_more(read, write) for read in rest if read.name == name)
                if read_since_written and not partial:
                    live = []
                live.append(number)
                read_since_written = False
                ever_written = True
        is_output = outputs is not None and re.sub(r" \[profile \d+\]$", "", name) in outputs
        if ever_written and (not ever_read or is_output):
            edges |= {(writer, None, name) for writer in live}
    return edges


def found(engine: Sequence[Layer], outputs: Sequence[str] | None = None) -> Edges:
    edges = graph.build(engine, None, outputs).edges
    assert len(edges) == len(set(edges)), "an edge twice"
    return {(edge.source, edge.target, edge.tensor) for edge in edges}


@given(_listings, _named)
@settings(max_examples=500)
def test_edges_are_those_of_a_plain_walk(listing: list[Record], outputs: list[str] | None) -> None:
    engine = layers(listing)
    assert found(engine, outputs) == walk(engine, outputs)


@given(_listings)
def test_where_nothing_is_named_the_walk_decides(listing: list[Record]) -> None:
    engine = layers(listing)
    edges = walk(engine, None)
    drawn = graph.build(engine)
    assert set(drawn.inputs) == {name for source, _, name in edges if source is None}
    assert set(drawn.outputs) == {name for _, target, name in edges if target is None}
    assert len(set(drawn.inputs)) == len(drawn.inputs)
    assert len(set(drawn.outputs)) == len(drawn.outputs)
    assert (drawn.unresolved, drawn.unused) == ((), ())


@given(_listings, st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_named_ends_alone(listing: list[Record], inputs: list[str], outputs: list[str]) -> None:
    """What is named, and only that, is an input or an output."""
    engine = layers(listing)
    edges = walk(engine, outputs)
    drawn = graph.build(engine, inputs, outputs)
    assert set(drawn.inputs) == set(inputs)
    assert set(drawn.outputs) == set(outputs)
    bare = {name: name.removesuffix(" [profile 1]") for name in _NAMES}
    nowhere = {name for source, _, name in edges if source is None}
    nobody = {name for _, target, name in edges if target is None}
    assert set(drawn.unresolved) == {name for name in nowhere if bare[name] not in inputs}
    assert set(drawn.unused) == {name for name in nobody if bare[name] not in outputs}


def test_symbolic_slices_of_a_concatenation() -> None:
    engine = layers(records_of("-> c:-7,2", "c:-7,2 -> d:2", "-> c:-7,2", "c:-7,4 -> y:4"))
    assert {(0, 3, "c"), (2, 3, "c"), (0, 1, "c")} <= found(engine)


def test_an_output_that_is_read_has_both_edges() -> None:
    engine = layers(records_of("-> s:4", "s:4 -> y:1"))
    assert found(engine, ["s", "y"]) == {(0, 1, "s"), (0, None, "s"), (1, None, "y")}
