"""One engine, written in all three ways: one graph, and the same names, types and shapes."""

from collections.abc import Sequence

import detailed_printers as printers
import pytest
import strategies
from detailed_printers import JSON_STYLES, LOCATED, PLAIN, RTX, Around, Inspected, Io, print_listing
from factories import engine_of
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import NEW, OLD, Record, Written, ends_at_its_descriptor, print_log, real_names

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Graph, Tensor

# One of each data type.
FORMATS = {dtype: words for words, dtype in printers.WORDS.items() if dtype}


# ---- engines -----------------------------------------------------------------------------------


def _is_decided(name: str, style: str) -> bool:
    """In every way of writing, as a tensor, on a line of its own, and in the network's lines."""
    return (
        "\n" not in name
        and " with dtype: " not in name
        and " as output: " not in name
        and ends_at_its_descriptor(name, style)
        and all(printers.ends_at_its_keys(name, form) for form in (PLAIN, LOCATED, RTX))
        and printers.stands_alone(name)
    )


def _tensor(name: str, dtype: str, shape: Sequence[int]) -> Tensor:
    return Tensor(name, dtype, ",".join(map(str, shape)), tuple(shape))


@st.composite
def engines(draw: st.DrawFn) -> tuple[str, tuple[Record, ...]]:
    """Layers over a few tensors, so that they meet: branches, slices, updates in place."""
    style = draw(st.sampled_from([OLD, NEW]))
    names = st.one_of(real_names, printers.hostile_names)
    tensor_names = names.filter(lambda name: _is_decided(name, style))
    pool = [
        _tensor(name, draw(st.sampled_from(sorted(FORMATS))), draw(st.sampled_from(_SHAPES)))
        for name in draw(st.lists(tensor_names, min_size=2, max_size=5, unique=True))
    ]

    def some() -> tuple[Tensor, ...]:
        chosen = draw(st.lists(st.sampled_from(pool), max_size=3))
        whole = draw(st.integers(0, 3)) > 0
        return tuple(
            tensor if whole or not tensor.shape else _slice(tensor, draw(st.integers(1, 3)))
            for tensor in chosen
        )

    layer_names = names.filter(lambda name: "\n" not in name and printers.ends_at_its_type(name))
    records = []
    for _ in range(draw(st.integers(1, 6))):
        tactic = draw(st.sampled_from(["0x0000000000000000", "0x84d1f6b03a9ec752"]))
        record = Record(draw(strategies.types), draw(layer_names), tactic, some(), some())
        assume(strategies.has_one_tactic(strategies.print_record(record, style)))
        records.append(record)
    return style, tuple(records)


_SHAPES = ((), (1,), (1, 64), (1, 12, 7, 7), (-1, 12), (-1, -1, 8))


def _slice(tensor: Tensor, extent: int) -> Tensor:
    return _tensor(tensor.name, tensor.dtype or "", (*tensor.shape[:-1], extent))


def _detailed(record: Record, form: str) -> printers.Detailed:
    def shown(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        linear = "(Linear) Row major linear format"
        if form == RTX:
            return tuple(one._replace(format=linear, strides=one.dims) for one in tensors)
        return tuple(one._replace(format=FORMATS[one.dtype or ""]) for one in tensors)

    constants = () if form == RTX else None
    ends = shown(record.inputs), shown(record.outputs)
    return printers.Detailed(record.type, record.name, record.tactic, None, *ends, (), constants)


def _inspected(
    records: Sequence[Record], form: str, inputs: Sequence[str], outputs: Sequence[str]
) -> Inspected:
    detailed = tuple(_detailed(record, form) for record in records)
    if form == RTX:
        io = (*(Io(name, False) for name in inputs), *(Io(name, True) for name in outputs))
        return Inspected(form, detailed, io=io)
    return Inspected(form, detailed, tuple(dict.fromkeys((*inputs, *outputs))))


def _classic(
    style: str, records: tuple[Record, ...], inputs: Sequence[str], outputs: Sequence[str]
) -> str:
    network = strategies.print_network(inputs, outputs)
    return "".join(f"[V] {line}\n" for line in network) + print_log([Written(style, records)]).text


def _io(records: Sequence[Record]) -> tuple[list[str], list[str]]:
    """What is read before it is written, and what is written and never read."""
    written: dict[str, None] = {}
    read_first: dict[str, None] = {}
    read = {tensor.name for record in records for tensor in record.inputs}
    for record in records:
        read_first.update({t.name: None for t in record.inputs if t.name not in written})
        written.update({t.name: None for t in record.outputs})
    return list(read_first), [name for name in written if name not in read]


_REFORMATTED = _tensor("Reformatted Output Tensor 0 to b", "Float", ())
LOOSE = OLD, (Record("Conv", "b", "0x1", (_tensor("a", "Float", ()),), (_REFORMATTED,)),)


def _is_loose(records: Sequence[Record]) -> bool:
    return any(name.startswith("Reformatted ") for name in _io(records)[1])


Shown = list[tuple[str, str, tuple[tuple[str, str | None, tuple[int, ...]], ...]]]


def shown(engine: Engine) -> Shown:
    assert all(layer.raw is None for layer in engine.layers), "an opaque layer"
    ends = [[(t.name, t.dtype, t.shape) for t in (*la.inputs, *la.outputs)] for la in engine.layers]
    return [(la.type, la.name, tuple(own)) for la, own in zip(engine.layers, ends)]


# ---- the same graph ----------------------------------------------------------------------------


@given(engines(), st.sampled_from([PLAIN, LOCATED, RTX]), st.sampled_from(sorted(JSON_STYLES)))
@settings(max_examples=100)
def test_unnamed_ends(engine: tuple[str, tuple[Record, ...]], form: str, style: str) -> None:
    """Nothing names inputs and outputs: every dialect finds the same."""
    classic = engine_of(_classic(*engine, (), ()))
    inspected = _inspected(engine[1], form, (), ())
    detailed = engine_of(print_listing(inspected, Around(tail=False)).text)
    json = engine_of(printers.print_json(inspected, style))
    dialects = ["classic", "detailed", "inspector-json"]
    assert [e.dialect for e in (classic, detailed, json)] == dialects
    # A reformatted tensor was made for a layer that reads it: where nothing does, one is missing.
    assert (classic.source.complete and detailed.source.complete) is not _is_loose(engine[1])
    assume(not _is_loose(engine[1]))
    assert classic.graph == detailed.graph == json.graph
    assert shown(classic) == shown(detailed) == shown(json)


@given(engines(), st.sampled_from([PLAIN, LOCATED, RTX]), st.sampled_from(sorted(JSON_STYLES)))
@settings(max_examples=100)
def test_both_ends_are_named(engine: tuple[str, tuple[Record, ...]], form: str, style: str) -> None:
    """By the network's lines, by `Bindings:` or `I/O Tensors:`, and by the same keys of JSON."""
    inputs, outputs = _io(engine[1])
    assume(outputs or not inputs)  # every engine has outputs
    written = {tensor.name for record in engine[1] for tensor in record.outputs}
    if written & set(inputs):  # `Bindings:` tell no direction
        form = RTX
    inspected = _inspected(engine[1], form, inputs, outputs)
    printed = print_listing(inspected, Around()).text
    texts = (_classic(*engine, inputs, outputs), printed, printers.print_json(inspected, style))
    found = [*map(engine_of, texts)]
    for one in found:
        assert (one.inputs, one.outputs) == (tuple(inputs), tuple(outputs))
        assert one.graph == found[0].graph
        assert shown(one) == shown(found[0])


@given(engines(), st.sampled_from([PLAIN, LOCATED, RTX]))
@example(LOOSE, PLAIN)
@settings(max_examples=60)
def test_a_build_and_its_dump_are_one(engine: tuple[str, tuple[Record, ...]], form: str) -> None:
    """One engine, with that graph."""
    classic = _classic(*engine, (), ())
    inspected = _inspected(engine[1], form, (), ())
    dump = print_listing(inspected, Around(header=("[I] Layers:",), tail=False))
    merged, alone = engine_of(classic + dump.text), engine_of(classic)
    assert merged.dialect == "detailed"
    assert merged.source.complete == alone.source.complete != _is_loose(engine[1])
    # The log is cut at its end, or a person left out records: then it has no inputs that are sure.
    assert merged.graph == alone.graph or not alone.source.complete
    assert merged.graph.between == alone.graph.between
    assert shown(merged) == shown(alone)
    assert [one.also_line for one in merged.layers] == [one.place.line for one in alone.layers]


# ---- graphs that are known ---------------------------------------------------------------------


Edges = set[tuple[int | None, int | None, str]]
_ALL: dict[str, tuple[tuple[str, ...], Edges]] = {
    "chain": (("x:1 -> y:1", "y:1 -> z:1"), {(None, 0, "x"), (0, 1, "y"), (1, None, "z")}),
    "slices of one tensor": (
        ("x:4 -> c:1,2", "x:4 -> c:1,6", "c:1,8 -> z:1"),
        {(None, 0, "x"), (None, 1, "x"), (0, 2, "c"), (1, 2, "c"), (2, None, "z")},
    ),
    "a slice that is read in between": (
        ("x:4 -> c:1,2", "c:1,2 -> s:1", "s:1 -> c:1,6", "c:1,8 -> z:1"),
        {(None, 0, "x"), (0, 1, "c"), (1, 2, "s"), (0, 3, "c"), (2, 3, "c"), (3, None, "z")},
    ),
    "an update in place": (
        ("x:4 -> c:4", "c:4 -> c:4", "c:4 -> z:1"),
        {(None, 0, "x"), (0, 1, "c"), (1, 2, "c"), (2, None, "z")},
    ),
    "both arms of a branch": (
        ("-> c:4", "-> c:4", "c:4 -> z:1"),
        {(0, 2, "c"), (1, 2, "c"), (2, None, "z")},
    ),
    "scalars, and layers without tensors": (
        ("->", "n: -> m:", "-> k:"),
        {(None, 1, "n"), (1, None, "m"), (2, None, "k")},
    ),
    "the same tensor twice": (("x:1 x:1 -> y:1",), {(None, 0, "x"), (0, None, "y")}),
}


@pytest.mark.parametrize("form", [PLAIN, LOCATED, RTX])
@pytest.mark.parametrize("what", sorted(_ALL))
def test_a_known_graph(what: str, form: str) -> None:
    lines, expected = _ALL[what]
    records = strategies.records_of(*lines, dtype="Half")
    inputs, outputs = _io(records)
    for style in (OLD, NEW):
        graph = engine_of(_classic(style, records, inputs, outputs)).graph
        assert edges(graph) == expected
    inspected = _inspected(records, form, inputs, outputs)
    assert edges(engine_of(print_listing(inspected, Around()).text).graph) == expected
    for json in JSON_STYLES:
        assert edges(engine_of(printers.print_json(inspected, json)).graph) == expected


def edges(graph: Graph) -> Edges:
    found = {(edge.source, edge.target, edge.tensor) for edge in graph.edges}
    assert len(found) == len(graph.edges)
    return found
