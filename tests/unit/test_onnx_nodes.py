"""Which ONNX nodes are in a layer, and what tells them."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from factories import engine_in, engine_of, layer_facts
from logtext import HEADER, TV, classic, detailed, parsed_node, text
from program import Patch, Printed

from engine_layer_visualize.analysis import labels, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.drawing import tooltips
from engine_layer_visualize.reading import markers, onnx_parser
from engine_layer_visualize.reading.onnx_graph import OnnxGraph

HOSTS = ("[01/02/2031-11:12:13] [V] [TRT] ", "[01/02/2031-11:12:13] [TRT] [V] ", "[V] ", "")


def node(words: str, reads: str, gives: str) -> str:
    """The lines of one node; `gives` may be `y>y_3`, as TensorRT calls it."""
    given = (
        (name, "1,8", called or name)
        for name, _, called in (one.partition(">") for one in gives.split())
    )
    return "\n".join(parsed_node(words, [(name, "1,8") for name in reads.split()], [*given]))


def log(parsed: Sequence[str], listed: Sequence[str], host: str = HOSTS[0], end: str = "\n") -> str:
    head = [line for part in parsed for line in part.split("\n")]
    lines = [host + line for line in (*head, "Engine Layer Information:")]
    return end.join((*lines, *listed)) + end


def told(layer: Layer) -> tuple[str | None, tuple[str, ...]]:
    return layer_facts(layer).onnx_nodes_from, layer_facts(layer).onnx_nodes


def myelin(name: str, reads: str, gives: str, suffix: str = "") -> str:
    ends = f"{tensors(reads)} -> {tensors(gives)}"
    return f"Layer(Myelin): {{ForeignNode[{name}]}}{suffix}, Tactic: 0x0, {ends}"


def tensors(names: str) -> str:
    return ", ".join(f"{name} (Half[1,8])" for name in names.split(";") if name)


# A ladder: the quay and the pier both go to the mole; beside them a crane that is no one's.
HEAD = (
    "Adding network input: sea with dtype: float32, dimensions: (1, 8)",
    "Registering tensor: sea for ONNX tensor: sea",
    "Importing initializer: stone",
    "Importing initializer: rope",
)
LADDER = (
    *HEAD,
    node("dig [Conv]", "sea stone", "dug"),
    node("quay [MatMul]", "dug stone", "quay_out"),
    node("pier [Relu]", "dug", "pier_out"),
    node("five [Constant]", "", "five_out"),
    node("mole [Add]", "quay_out pier_out", "mole_out"),
    node("crane [Sigmoid]", "pier_out", "crane_out"),
    node("lamp [Mul]", "mole_out five_out", "lamp_out"),
    node("fog [Gemm]", "lamp_out rope", "fog>fog_7"),
    "Marking fog_7 as output: fog",
)
INSIDE = ("quay", "pier", "mole", "lamp")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("end", "color"), [("\n", ""), ("\r\n", ""), ("\n", "\x1b[0m")])
def test_between_its_tensors(host: str, end: str, color: str, tmp_path: Path) -> None:
    fog = "Layer(Gemm): fog, Tactic: 0x1, lamp_out (Half[1,8]) -> fog (Half[1,8])"
    layers = (DIG.format("dig"), myelin("stone...lamp", "dug", "lamp_out"), fog)
    parsed = [part.replace("\n", f"{color}\n") + color for part in LADDER]
    engine = engine_in(tmp_path, log(parsed, layers, host, end))
    wanted = [("name", ("dig",)), ("graph", INSIDE), ("name", ("fog",))]
    assert [told(layer) for layer in engine.layers] == wanted
    assert dict(layer_facts(engine.layers[1]).lines)["onnx_nodes"] == 1 + "\n".join(LADDER).split(
        "\n"
    ).index("Parsing node: quay [MatMul]")


@pytest.mark.parametrize(
    ("name", "reads", "gives", "inside"),
    [
        ("quay...fog", "dug", "fog", (*INSIDE, "fog")),  # a name that the parser was given
        ("rope...fog", "dug", "fog_7", (*INSIDE, "fog")),  # the builder's own
        ("dug...fog", "dug", "fog", (*INSIDE, "fog")),  # an end is a tensor
        ("five_out...lamp", "mole_out", "lamp_out", ("lamp",)),  # a Constant's
        ("quay + pier...lamp", "dug", "(Unnamed Layer* 9) [Mul]_output", INSIDE),
        ("pier...mole", "dug;quay_out", "mole_out", ("pier", "mole")),
        ("pier...crane", "dug", "pier_out;crane_out", ("pier", "crane")),
        ("dig...ONNXTRT_castHelper_9", "sea", "lamp_out", ("dig", *INSIDE)),
        ("(Unnamed Layer* 3) [Shuffle]...lamp", "quay_out;pier_out", "lamp_out", ("mole", "lamp")),
    ],
)
def test_a_sub_graph_is_bounded_by_its_tensors(
    name: str, reads: str, gives: str, inside: tuple[str, ...], tmp_path: Path
) -> None:
    (layer,) = engine_in(tmp_path, log(LADDER, (myelin(name, reads, gives),))).layers
    assert told(layer) == ("graph", inside)


MADE = "(Unnamed Layer* 4) [Relu]_output"
DIG = "Layer(Conv): {}, Tactic: 0x1, sea (Half[1,8]) -> dug (Half[1,8])"
PIER = "Layer(Relu): {}, Tactic: 0x1, dug (Half[1,8]) -> {} (Half[1,8])"
BETWEEN = "quay...lamp", "dug;pier_out", "lamp_out"
AROUND = "stone...lamp", f"{MADE};quay_out", "lamp_out"


@pytest.mark.parametrize(
    ("dig", "pier", "written", "foreign", "inside"),
    [
        ("dig", "pier", "pier_out", BETWEEN, ("quay", "mole", "lamp")),  # not through others
        # an input that the model has not
        ("dig", "pier", MADE, AROUND, ("mole", "lamp")),  # another layer's name has the pier
        ("dig", "MADE", MADE, AROUND, ("pier", "mole", "lamp")),  # none has
        ("MADE", "MADE", MADE, AROUND, ("pier", "mole", "lamp")),
    ],
)
def test_other_layers_bound_a_sub_graph(
    dig: str, pier: str, written: str, foreign: Sequence[str], inside: Sequence[str], tmp_path: Path
) -> None:
    layers = (DIG.format(dig), PIER.format(pier, written), myelin(*foreign))
    engine = engine_in(tmp_path, log(LADDER, layers))
    assert told(engine.layers[2]) == ("graph", inside)


def test_copies_are_the_tensor(tmp_path: Path) -> None:
    name = "{ForeignNode[quay...lamp]}"
    into, out = f"Reformatted Input Tensor 0 to {name}", f"Reformatted Output Tensor 0 to {name}"
    copy = "Layer(Reformat): Reformatting CopyNode for {} Tensor 0 to {}, Tactic: 0x0, {} -> {}"
    layers = (
        copy.format("Input", name, tensors("dug"), tensors(into)),
        myelin("quay...lamp", into, out),
        copy.format("Output", name, tensors(out), tensors("lamp_out")),
    )
    assert told(engine_in(tmp_path, log(LADDER, layers)).layers[1]) == ("graph", INSIDE)


@pytest.mark.parametrize(
    ("added", "rest", "nodes"),
    [
        ("hauled rope", "", ("haul", "lift", "dry")),  # a constant, as ConvReshapeBiasAddFusion
        ("hauled sea", "", ("haul", "dry")),  # of two tensors: the log does not say what adds it
        ("hauled rope", myelin("fog...mist", "quay", "air"), ("haul", "dry")),  # it may be inside
    ],
)
def test_an_untold_bias(added: str, rest: str, nodes: tuple[str, ...], tmp_path: Path) -> None:
    parsed = [*HEAD, node("haul [MatMul]", "sea stone", "hauled")]
    parsed += [node("lift [Add]", added, "lifted"), node("dry [Relu]", "lifted", "quay")]
    listing = "Layer(CublasConvolution): haul + dry, Tactic: 0x1, "
    listing += f"{tensors('sea')} -> {tensors('quay')}"
    engine = engine_in(tmp_path, log(parsed, [listing, rest]))
    assert told(engine.layers[0]) == ("name", nodes)


def test_a_quantisation_that_the_parser_does_not_register(tmp_path: Path) -> None:
    """Its layer may be the first node, and be copied for each input of a concat."""
    unregistered = "Registering layer: q for ONNX node: q"
    parsed = (
        *HEAD,
        *(node("scale [Constant]", "", "scale_out"), node("end [Relu]", "sea", "e")),
        node("q [QuantizeLinear]", "sea scale_out", "q_out").replace(unregistered, "-"),
    )
    for order in (parsed, (*HEAD, parsed[-1], *parsed[4:-1])):
        record = "Layer(Reformat): {}, Tactic: 0x3e8, sea (Half[1,8]) -> q_out (Int8[1,8])"
        listing = [record.format(name) for name in ("q", "q_clone_1", "scale", "stone")]
        layers = engine_in(tmp_path, log(order, listing)).layers
        q, none = ("name", ("q",)), (None, ())
        assert [told(layer) for layer in layers] == [q, q, none, none]


# ---- graphs that are not so plain ---------------------------------------------------------------


def graph_of(*parts: str) -> OnnxGraph:
    graph = OnnxGraph()
    data = ("\n".join(parts) + "\n").encode()
    onnx_parser.OnnxParsing(graph).read(markers.Stretch(data, 0, len(data), 1))
    return graph


def names(graph: OnnxGraph, sources: set[str], targets: set[str]) -> list[str] | None:
    found = graph.between(sources, targets, inputs=("sea",))
    return None if found is None else [graph.nodes[number].name for number in found]


def test_inside_of_an_if() -> None:
    graph = graph_of(
        "Importing initializer: flag",
        *HEAD,
        node("dig [Conv]", "sea stone", "dug"),
        "Parsing node: tide [If]",
        "Searching for input: flag",
        "tide [If] inputs: [flag -> (1, 8)[BOOL]], ",
        node("high [Add]", "dug rope", "raised"),
        node("higher [Relu]", "raised", "t"),
        node("low [Relu]", "dug", "e"),
        "tide [If] outputs: [tided -> (1, 8)[FLOAT]], ",
        node("end [Relu]", "tided", "done"),
    )
    assert names(graph, {"dug"}, {"done"}) == ["tide", "high", "higher", "low", "end"]
    assert names(graph, {"sea"}, {"dug"}) == ["dig"]


def test_a_node_that_is_not_there() -> None:
    parsed = (*HEAD, node("quay [MatMul]", "dug stone", "q"), node("end [Relu]", "q", "done"))
    assert names(graph_of(*parsed), {"sea"}, {"done"}) is None
    assert names(graph_of(*parsed), {"dug"}, {"done"}) == ["quay", "end"]


HOSTILE = (
    *("a", "a] -> (1, 8)[FLOAT]], [b", "] -> (", "t for ONNX tensor: t"),
    *("Searching for input: a", "Registering tensor: a", "n [Relu] outputs: [a", "[[[["),
    *("x [Conv] inputs: [", "Importing initializer: a", " required by ONNX-TRT", "… ] \x1e\t"),
)


def around(name: str) -> OnnxGraph:
    """Three nodes in a row, the tensors between which have this name, and that of the second."""
    return graph_of(
        *HEAD,
        node("dig [Conv]", "sea stone", "dug").replace("dug", name),
        *parsed_node(f"{name} [Relu]", [(name, "1,8")], [(f"{name}_0", "1,8")]),
        node("end [Relu]", "sea", "done").replace("sea", f"{name}_0"),
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_names_hold_anything(name: str) -> None:
    graph = around(name)
    assert [found.name for found in graph.nodes] == ["dig", name, "end"]
    assert names(graph, {"sea"}, {"done"}) == ["dig", name, "end"]


def test_a_name_that_ends_a_tensor_of_a_list_is_on_no_path() -> None:
    assert names(around(" -> (1)[FLOAT]], "), {"sea"}, {"done"}) is None


def test_what_is_kept_is_bounded(monkeypatch: Patch) -> None:
    monkeypatch.setattr("engine_layer_visualize.core.limits.MODEL_TEXT", 60)
    graph = graph_of(*LADDER)
    assert not graph.whole
    assert len(graph.nodes) < 8
    assert names(graph, {"sea"}, {"dug"}) is None


# ---- what is said of ends -----------------------------------------------------------------------

SHUFFLE = "(Unnamed Layer* 4) [Shuffle]"


def test_ends_are_not_the_contents(tmp_path: Path, printed: Printed) -> None:
    engine = engine_in(tmp_path, log((), (myelin("quay...lamp", "dug", "lamp_out"),)))
    (layer,) = engine.layers
    assert told(layer) == ("name", ("quay", "lamp"))
    assert origin.onnx_nodes_of(layer) == origin.Nodes((), ("quay", "lamp"), "name")
    findings = tooltips.EngineFindings(Costs(engine), rules=False)
    assert "nodes, ends only: quay, lamp" in list(tooltips.of_layer(layer, findings))

    def summary(format: str) -> str:
        return printed("summary", "--log_file", tmp_path / "build.log", "--format", format)

    (data,) = json.loads(summary("json"))["engines"]
    (row,), (fusion,) = data["foreign_nodes"], data["fusions"]
    assert (row["nodes"], row["onnx_nodes"], row["ends"]) == (None, [], ["quay", "lamp"])
    assert (row["operators"], row["onnx_nodes_from"]) == ({}, None)  # nothing says it is ONNX
    assert fusion["nodes"] is None
    assert "ends only" in summary("text") and "at least 2" in summary("text")


@pytest.mark.parametrize(
    ("before", "nodes", "source"),
    [
        ("", [], None),
        ("[W] [TRT] onnx2trt_utils.cpp:391: Clamped", ["Convolution1", "Pool2"], "name"),
    ],
    ids=["a script's", "onnx"],
)
def test_a_script_s_names_are_no_nodes(before: str, nodes: list[str], source: str | None) -> None:
    (layer,) = json.loads(render(engine(before, name="Convolution1 + Pool2"), "json"))["layers"]
    facts = layer["facts"]
    assert (facts["onnx_nodes"], facts["onnx_nodes_from"]) == (nodes, source)
    assert ("onnx_nodes" in facts["lines"]) == bool(nodes)


RESHAPED = f"unsqueeze_node_after_{SHUFFLE}_{SHUFFLE}_output"


@pytest.mark.parametrize(
    ("type", "name", "expected"),
    [
        (
            "CaskConvolution",
            f"oar + tide_7 + {SHUFFLE} + unsqueeze_node_after_tide_7 + {SHUFFLE}_{SHUFFLE}_output"
            " + sail + keel",
            ("oar", "sail", "keel"),
        ),
        ("Scale", f"tide + {SHUFFLE} + sail", ("sail",)),
        ("Constant", f"onnx::MatMul_12 + {SHUFFLE}", ()),
        # What a reshape without a name follows need not be a constant.
        ("Shuffle", f"oar + {SHUFFLE} + sail", ("oar", "sail")),
        ("Shuffle", f"oar + sail + {RESHAPED}", ("oar", "sail")),
    ],
)
def test_what_is_no_node(type: str, name: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    (layer,) = engine_in(tmp_path, log((), [classic(name, "x", "y", type)])).layers
    assert told(layer)[1] == expected


# ---- what a network was made from: by its build's log, else by the names of its layers -----------


CLAMP = "[ELEMENTWISE]-[aten_ops.clamp.default]-[/0/clamp]"
CONV = "[CONVOLUTION]-[aten_ops.convolution.default]-[/0/conv]"
FUSED = f"{CONV} + PWN({CLAMP}, PWN({CLAMP}, {CLAMP}))"
UNNAMED = "(Unnamed Layer* 0) [Convolution] + (Unnamed Layer* 1) [Activation]"


def engine(*lines: str, name: str = "a") -> Engine:
    return engine_of(text(*lines) + HEADER + text(classic(name, "x", "y")), facts=True)


def model(format: str) -> tuple[str, ...]:
    head = "&&&& RUNNING TensorRT.trtexec [TensorRT v8205] # trtexec --verbose"
    return head, "[I] === Model Options ===", f"[I] Format: {format}", "[I] Model: m"


@pytest.mark.parametrize(
    ("lines", "name", "source"),
    [
        (model("ONNX"), "a", "onnx"),
        (model("UFF"), "a", "uff"),
        (model("Caffe"), "a", "caffe"),
        (model("*"), "a", "unknown"),
        ([f"{TV}Adding network input: x with dtype: float32, dimensions: (1, 8)"], UNNAMED, "onnx"),
        ([], f"{UNNAMED} + relu", "unknown"),
        ([], "/features/Conv", "unknown"),
        ([], "/features/Conv + /features/act/HardSwish_1", "onnx"),
        ([], "Conv_1 + Relu_1", "unknown"),  # of each kind the first
        ([], FUSED, "torch"),
        ([], "[CONVOLUTION]-[acc_ops.conv2d]-[conv2d_1]", "torch"),
        ([], "[aten_ops]", "unknown"),
    ],
)
def test_what_a_network_was_made_from(lines: list[str], name: str, source: str) -> None:
    assert origin.frontend_of(Costs(engine(*lines, name=name))).source == source


@pytest.mark.parametrize(
    ("tensors", "source"),
    [
        (["(Unnamed Layer* 0) [Activation]_output", "(Unnamed Layer* 1) [Pooling]_output"], "api"),
        (["(Unnamed Layer* 0) [Activation]_output", "b"], "unknown"),
        (["(Unnamed Layer* 0) [Fully Connected]_output"], "unknown"),
    ],
)
def test_parsers_name_the_tensors_of_nodes(tensors: list[str], source: str) -> None:
    ends = pairwise(["x", *tensors, "y"])
    records = (classic(f"{name} + relu", *each) for name, each in zip("abc", ends))
    found = engine_of(HEADER + text(*records), facts=True)
    assert origin.frontend_of(Costs(found)).source == source


def test_a_record_s_metadata_names_nodes_of_onnx() -> None:
    for metadata, source in (("[ONNX Layer: /a/Add]", "onnx"), ("", "unknown"), (CLAMP, "torch")):
        more = f", TacticName: k, StreamId: 0, Metadata: {metadata}"
        found = engine_of(text(f"{TV}Layers:", detailed("a_myl0_1", "x", "y", "kgen", more)))
        assert origin.frontend_of(Costs(found)).source == source


def test_several_layers_of_one_operation_of_pytorch_are_one() -> None:
    own = engine(name=FUSED)
    (layer,) = own.layers
    assert origin.onnx_nodes_of(layer).all == (CONV, CLAMP)
    assert labels.counted(labels.node_operators(layer)) == (("convolution", 1), ("clamp", 1))
    assert labels.headline(layer) == "convolution + clamp"
    findings = tooltips.EngineFindings(Costs(own), rules=False)
    (told,) = [one for one in tooltips.of_layer(layer, findings) if "operations: " in one]
    assert told.startswith("PyTorch operations: [CONVOLUTION]")
