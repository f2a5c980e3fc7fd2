"""What a detailed listing or an inspector's JSON says is what is read, whatever the names hold."""

import json
from dataclasses import replace
from typing import Any

import detailed_printers as printers
import pytest
from detailed_printers import (
    JSON_STYLES,
    LOCATED,
    Around,
    Detailed,
    Inspected,
    Io,
    arounds,
    print_listing,
)
from factories import engine_of, engines_of
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import PREFIXES, Chunks, chunked

from engine_layer_visualize.analysis.kinds import optimization_profiles
from engine_layer_visualize.api import draw
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.core.problems import ReadError
from fuzz.shaken import damaged


def half(name: str) -> Tensor:
    """A tensor of the form `Location, Format/Datatype`."""
    return Tensor(name, "Half", "1,8", (1, 8), "Half")


def plain(name: str, read: str, written: str) -> Detailed:
    return Detailed("Conv", name, None, None, (half(read),), (half(written),))


TWO_LAYERS = Inspected(LOCATED, (plain("a", "x", "y"), plain("b", "y", "z")), ("x", "z"))


# ---- one record --------------------------------------------------------------------------------

_OBJECT = "{ Name: x, Location: Device, Dimensions: [1,8], Format/Datatype: Half }"
FIELDS = (
    f", LayerType: Conv, Inputs: [ {_OBJECT}, {_OBJECT}], Constants: [], Outputs: [ {_OBJECT}], "
    "Kernel: [3,3], TacticName: , TacticValue: 0x0f, Weights: a, b, Metadata: [ONNX Layer: a]"
)
SEPARATORS = (
    *("{ ", "{ Name: ", " }", "}, {", "[ ", "]", "[]", ", ", ":", ", Location: Device"),
    *(", Dimensions: [1]", ", Dimensions: [1], Format/Datatype: Half }", ", LayerType: Conv"),
    *(", Inputs: []", ", Constants: []", ", Outputs: []", ", Outputs: ", ", Key: v", ", Key:"),
    *(", Metadata: ", ", Metadata:", ", Metadata:x"),
)


JOINTS = [n for n in range(FIELDS.index("[ ") + 1, len(FIELDS) + 1) if not FIELDS[n - 1].isalnum()]


@given(st.lists(st.tuples(st.sampled_from(JOINTS), st.sampled_from(SEPARATORS)), max_size=3))
@example([(FIELDS.index(", Kernel"), ", Outputs: []")])
@example([(FIELDS.index(", Kernel"), ", Constants: []")])
@settings(max_examples=300)
def test_a_record_does_not_depend_on_the_way_it_is_read(inserted: list[tuple[int, str]]) -> None:
    """A name with `, LayerType: ` is read in pieces."""
    fields = FIELDS
    for at, separator in inserted:
        fields = fields[:at] + separator + fields[at:]
    found = []
    for name in ("a", "a, LayerType: -"):
        engine = engine_of(f"[V] Layers:\nName: {name}{fields}\n")
        (layer,) = engine.layers
        assert layer.raw is not None or layer.name == name
        wrong = (one for one in engine.problems if one.severity == "error")
        problems = [(one.place.column - len(name), one.code, one.expected) for one in wrong]
        rest = (layer.tactic, layer.inputs, layer.outputs, layer.kernel, layer.attributes)
        found.append((layer.raw is None, rest, problems))
    assert found[0] == found[1]


@pytest.mark.parametrize("end", ["", ", Metadata: [ONNX Layer: a]"])
def test_a_key_without_a_blank_is_a_part_of_the_value(end: str) -> None:
    record = "Name: a, LayerType: A, Inputs: [], Outputs: [], Key: x, Other:, Last: y"
    (layer,) = engine_of(f"[V] Layers:\n{record}{end}\n").layers
    assert layer.attributes[:2] == (("Key", "x, Other:"), ("Last", "y"))


# ---- the detailed listing ----------------------------------------------------------------------


def is_plain(engine: Inspected) -> bool:
    """Whether no name holds a classic header or record; without a header above such a record is
    found by itself."""
    printed = print_listing(engine, Around(header=(), tail=False)).text
    return "Engine Layer Information:" not in printed and "Layer(" not in printed


def check(engine: Inspected, around: Around) -> None:
    printed = print_listing(engine, around)
    found = engine_of(printed.text)
    assert found.dialect == "detailed"
    wanted = [printers.read_back(record, engine.form, listed=True) for record in engine.records]
    assert printers.detailed_of(found.layers) == tuple(wanted)
    (records,) = printed.lines
    assert [layer.place.line for layer in found.layers] == records
    first, *_ = (*printed.headers, *records)
    assert (found.source.first_line, found.source.last_line) == (first, records[-1])
    lines = printed.text.split("\n")
    for layer in found.layers:
        assert lines[layer.place.line - 1][layer.place.column - 1 :].startswith("Name: ")
    codes = {problem.code for problem in found.problems}
    # A reformatted tensor was made for a layer that reads it: where nothing does, one is missing.
    read = {tensor.name for record in engine.records for tensor in record.inputs}
    written = {tensor.name for record in engine.records for tensor in record.outputs}
    loose = any(name.startswith("Reformatted ") for name in written - read)
    assert bool(codes & {"ELV114", "ELV115"}) is (loose and bool(around.header))
    assert codes <= {"ELV106", "ELV114", "ELV115", "ELV301"}
    assert ("ELV106" in codes) is (not around.header)


@given(printers.listed, arounds)
@settings(max_examples=150)
def test_a_printed_listing_is_read_as_it_was(engine: Inspected, around: Around) -> None:
    assume(around.header or is_plain(engine))
    check(engine, around)


@pytest.mark.parametrize("form", printers.FORMS)
@given(data=st.data())
@settings(max_examples=10)
def test_under_every_header(form: str, data: st.DataObject) -> None:
    engine = data.draw(printers.listed_as(form))
    for header in printers.HEADERS.values():
        if header or is_plain(engine):
            check(engine, Around(header=header))


@given(printers.listed, arounds, chunked)
def test_any_cut_gives_the_same_engine(engine: Inspected, around: Around, chunks: Chunks) -> None:
    assume(around.header or is_plain(engine))
    data = print_listing(engine, around).text.encode()
    assert engines_of(chunks(data)) == engines_of([data])


@given(printers.listed, st.booleans())
def test_inputs_and_outputs_are_those_of_the_tail(engine: Inspected, crlf: bool) -> None:
    around = Around(newline="\r\n" if crlf else "\n")
    found = engine_of(print_listing(engine, around).text)
    if engine.io:
        sides = ([io.name for io in engine.io if io.output is output] for output in (False, True))
        inputs, outputs = (tuple(dict.fromkeys(names)) for names in sides)
        assert (found.inputs, found.outputs) == (inputs, outputs)
    elif engine.bindings:
        read_first: set[str] = set()
        written: set[str] = set()
        for record in engine.records:
            read_first |= {tensor.name for tensor in record.inputs} - written
            written |= {tensor.name for tensor in record.outputs}
        names = tuple(dict.fromkeys(engine.bindings))
        assume(all(" " not in name or name in read_first | written for name in names))
        assert found.inputs == tuple(name for name in names if name in read_first)
        assert found.outputs == tuple(name for name in names if name in written)


@pytest.mark.parametrize(
    "name",
    [
        'say "x", a[0] (b)',
        "{ Name: x }, { Name: y }",
        "a, Location: Deep Sea",
        "a, Format/Datatype: Half }], Outputs: [ { Name: b",
        "a, Dimensions: [1,2], Format/Datatyp",
        "a, LayerType: Conv, Inputs: none",
        "Name: a",
        "I/O Tensors:",
        "Engine Layer Information:",
        "Layer(Conv): a, Tactic: 1, x (Half[1]) -> y (Half[1])",
        "\x1e\x1f\x85\u2028\u2029\x0b\x0c",
        "=== Profile (3 iterations ) ===",
        "層 😀",
        "x" * 4095,
    ],
    ids=lambda name: ascii(name)[:30],
)
def test_a_name_everywhere(name: str) -> None:
    """As a layer, as its input and its output, and as the next one's input."""
    record = Detailed("Conv", name, "0x1", "k", (half(name),), (half(name), half("y")))
    engine = Inspected(LOCATED, (record, plain(f"{name}2", name, "z")), ("y",))
    check(engine, Around())
    assert engine_of(printers.print_json(engine)).layers[0].inputs[0].name == name


@pytest.mark.parametrize(
    "name",
    [
        "a Engine Layer Information: b",
        "Layer Information:",
        "Layer(Conv): a, Tactic: 1, x (Half[1]) -> y (Half[1])",
        "=== Profile (3 iterations ) ===",
    ],
)
def test_a_record_without_a_header_whose_names_look_like_one(name: str) -> None:
    """An inspector's text may stand under nothing; a whole record is a record all the same."""
    engine = Inspected(LOCATED, (plain(name, "x", "y"), plain("b", "y", "z")))
    check(engine, Around(header=(), tail=False))


STRIDED = Tensor("x", "Half", "1", (1,), "(Linear) Row major linear format", "1")
KERNEL = Detailed("kgen", "a", None, None, (STRIDED,), (STRIDED._replace(name="z"),), (), ())


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize(
    "engine",
    [TWO_LAYERS, Inspected(printers.RTX, (KERNEL,), io=(Io("x", False), Io("z", True)))],
    ids=["bindings", "I/O tensors"],
)
def test_the_tail_under_a_host_that_stands_on_every_line(engine: Inspected, prefix: str) -> None:
    """Docker, journald and Python's logger of TensorRT 7 begin every line with words of theirs."""
    lines = print_listing(engine, Around()).text.rstrip("\n").split("\n")
    found = engine_of("".join(f"{prefix}{line}\n" for line in lines))
    assert [layer.name for layer in found.layers] == [record.name for record in engine.records]
    assert (found.inputs, found.outputs) == (("x",), ("z",))
    assert found.problems == ()


@pytest.mark.parametrize("form", [printers.PLAIN, LOCATED])
@pytest.mark.parametrize("name", ["one\ntwo", "a\n\nb", "a\n}], ", "a\n", "a \nb"], ids=ascii)
@pytest.mark.parametrize("of_layer", [False, True])
def test_names_with_newlines(of_layer: bool, form: str, name: str) -> None:
    """Such a record may be opaque, but it is not lost without a word."""
    layer, tensor = (name, "u") if of_layer else ("b", name)
    records = (plain("a", "x", "y"), plain(layer, "y", tensor), plain("c", tensor, "z"))
    found = engine_of(print_listing(Inspected(form, records, ()), Around(tail=False)).text)
    assert [found.layers[at].name for at in (0, -1)] == ["a", "c"]
    assert of_layer or [one.name for one in found.layers] == ["a", "b", "c"]
    if any(problem.severity == "error" for problem in found.problems):
        return
    assert printers.detailed_of(found.layers) == records
    assert len(found.graph.between) == 2


def test_a_kernel_that_is_not_said() -> None:
    text = printers.print_detailed(plain("a", "x", "y"), LOCATED, empty_kernel=True)
    assert text.endswith(", TacticName: ")
    for line in (text, text.rstrip(), f"{text}, StreamId: 0", f"{text}, TacticValue: 0x5"):
        (layer,) = engine_of(f"[V] Layers:\n{line}\n").layers
        assert (layer.name, layer.kernel) == ("a", None)
        assert layer.tactic == ("0x5" if "TacticValue" in line else None)
        assert layer.attributes == ((("StreamId", "0"),) if "StreamId" in line else ())


@pytest.mark.parametrize("joint", ["\x1e", "\x1f"])
def test_metadata_are_the_onnx_nodes(joint: str) -> None:
    branch = "[ONNX Layer: n | tb (then_branch) | If_0 (If)]"
    words = joint.join(["[ONNX Layer: /a/Conv]", branch, "[ONNX Layer: c]"])
    record = replace(plain("a", "x", "y"), attributes=(("Metadata", words),))
    engine = Inspected(LOCATED, (record,))
    texts = (printers.print_json(engine, style) for style in sorted(JSON_STYLES))
    for text in (print_listing(engine, Around()).text, *texts):
        (layer,) = engine_of(text).layers
        assert layer.onnx_nodes == ("/a/Conv", "n", "c")


# ---- the inspector's JSON ----------------------------------------------------------------------


@pytest.mark.parametrize("style", sorted(JSON_STYLES))
@given(engine=printers.inspected)
@settings(max_examples=40)
def test_printed_json_is_read_as_it_was(style: str, engine: Inspected) -> None:
    text = printers.print_json(engine, style)
    found = engine_of(text)
    assert found.dialect == "inspector-json"
    wanted = [printers.read_back(record, engine.form, listed=False) for record in engine.records]
    assert printers.detailed_of(found.layers) == tuple(wanted)
    assert {problem.code for problem in found.problems} <= {"ELV301"}
    lines = text.split("\n")
    assert '"Layers"' in lines[found.source.first_line - 1]
    assert found.source.last_line == found.layers[-1].place.line
    for layer in found.layers:
        assert "{" in lines[layer.place.line - 1]


@given(printers.inspected, st.sampled_from(sorted(JSON_STYLES)), chunked)
def test_cuts_of_json_give_the_same_engine(engine: Inspected, style: str, chunks: Chunks) -> None:
    data = printers.print_json(engine, style).encode()
    assert engines_of(chunks(data)) == engines_of([data])


@pytest.mark.parametrize("style", sorted(JSON_STYLES))
def test_copies_of_optimisation_profiles_are_told_apart(style: str) -> None:
    ends = ("", " [profile 1]", " [profile 2]")
    copies = [plain(*(f"{one}{end}" for one in names)) for end in ends for names in ("axy", "byz")]
    whole = Inspected(LOCATED, tuple(copies), ("x", "z"))
    found = engine_of(printers.print_json(whole, style))
    assert optimization_profiles(found.layers) == (0, 0, 1, 1, 2, 2)
    assert [(e.source, e.target) for e in found.graph.between] == [(0, 1), (2, 3), (4, 5)]
    assert [layer.name for layer in found.layers][4:] == ["a [profile 2]", "b [profile 2]"]
    assert (found.inputs, found.outputs, found.problems) == (("x",), ("z",), ())
    text = print_listing(whole, Around()).text
    assert engine_of(text).graph == found.graph


@pytest.mark.parametrize("style", [{}, {"indent": 4}, {"separators": (",", ":")}])
def test_layer_names_alone(style: dict[str, Any]) -> None:
    names = ["a", "b, c", '"d"', "e\x1ff", "g [profile 1]"]
    found = engine_of(json.dumps({"Layers": names, "Bindings": ["x"]}, **style))
    assert [layer.name for layer in found.layers] == names
    assert [problem.code for problem in found.problems] == ["ELV111"]
    assert found.graph.edges == ()


@pytest.mark.parametrize("key", ["Name", "Dimensions"])
@pytest.mark.parametrize("value", [None, 5, "x", {"a": 1}, [None], ["1"], [1.5], [True]])
def test_a_tensor_that_is_none(key: str, value: object) -> None:
    """A record that cannot be read costs itself alone."""
    document = json.loads(printers.print_json(TWO_LAYERS))
    document["Layers"][0]["Inputs"][0][key] = value
    if key == "Name" and isinstance(value, str):
        return
    found = engine_of(json.dumps(document))
    assert [layer.raw is not None for layer in found.layers] == [True, False]
    assert [layer.name for layer in found.layers] == ["a", "b"]
    assert "ELV104" in [problem.code for problem in found.problems]


# ---- damage ------------------------------------------------------------------------------------


def survives(data: bytes) -> None:
    """It is read or refused, and what was read can be written."""
    try:
        engines = engines_of([data])
    except ReadError as error:
        assert str(error.problem).startswith("build.log:")
        return
    assert engines
    for engine in engines:
        assert engine.layers
        for format in ("json", "dot"):
            draw.render(engine, format).decode("utf-8")


_listed = st.builds(lambda one, around: print_listing(one, around).text, printers.listed, arounds)
_json = st.builds(printers.print_json, printers.inspected, st.sampled_from(sorted(JSON_STYLES)))


@given(damaged(st.one_of(_listed, _json).map(str.encode)))
@settings(max_examples=200)
def test_what_is_damaged_is_read_or_refused(data: bytes) -> None:
    survives(data)


@pytest.mark.parametrize("size", range(20))
def test_json_that_was_cut_keeps_the_layers_before(size: int) -> None:
    records = tuple(plain(f"n{number}", f"t{number}", f"t{number + 1}") for number in range(20))
    text = printers.print_json(Inspected(LOCATED, records))
    at = text.index(f'"n{size}"')
    if size == 0:
        with pytest.raises(ReadError):
            engines_of([text[:at].encode()])
        return
    (found,) = engines_of([text[:at].encode()])
    assert [layer.name for layer in found.layers] == [f"n{number}" for number in range(size)]
    assert [one.code for one in found.problems if one.code != "ELV301"] == ["ELV108", "ELV114"]


@pytest.mark.parametrize(
    "text",
    [
        '{"Layers": [{"Name": "\\ud800", "LayerType": "\\udfff", "Inputs": [], "Outputs": []}]}',
        '{"Layers": ["\\ud800"]}',
        '{"Layers": [{"Name": "a", "Metadata": "\\ud800"}]}',
        '{"Layers": [{"Name": "a", "Alpha": 1e999}]}',
        '{"Layers": [{"Name": "a", "Alpha": [NaN, -Infinity]}]}',
        '{"Layers": [{"Name": "a", "Inputs": [{"Name": "x", "Dimensions": ['
        + "9" * 5000
        + "]}]}]}",
        '{"Layers": [{"Name": "a", "Inputs": [{"Name": "x", "Dimensions": [1e3]}]}]}',
        '{"Layers": [{"Name": "a", "Inputs": {}, "Outputs": null}]}',
        '{"Layers": [null, 1, [], {}, true]}',
        '{"Layers": {"Name": "a"}}',
        '{"Layers": [' + "[" * 100_000,
        '{"Layers": [' + '{"a":' * 100_000,
        '{"Layers": [], "Bindings": []}',
        '{"Layers"',
        '{"Bindings": ["x"], "Layers": ["a"], "Layers": ["b"]}',
        '{"Layers": ["a"]} trailing words',
        '{"Layers": ["a"],, "Bindings": 5}',
        '{"Layers": ["a"], "Bindings": [1, null, {}], "I/O Tensors": {"Name": "x"}}',
        '{"Layers": ["a"], "I/O Tensors": [{"Name": "x"}, {"Name": "y", "IOMode": 3}, 7]}',
        '{5: "Layers"}',
        '{"Layers": "abc"}',
    ],
    ids=lambda text: str(text)[:40],
)
def test_odd_json_is_read_or_refused(text: str) -> None:
    survives(text.encode())
