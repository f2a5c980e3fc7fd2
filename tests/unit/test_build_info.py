"""What a log says besides its listing: one log of each generation of TensorRT, read by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from factories import engine_facts, layer_facts
from logtext import HEADER, E, V, W, file_of, text
from paths import FIXTURES
from summarised import data_of
from test_fixtures import differences

import engine_layer_visualize as elv
from engine_layer_visualize.api import draw
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.build_info import Sparsity
from engine_layer_visualize.trt.names import parts

FOLDER = FIXTURES / "facts"
EXPECTED = sorted(FOLDER.glob("*.expected.json"))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.partition(".expected")[0])
def test_a_log_of_each_generation_tells_its_build(path: Path) -> None:
    log = path.with_name(path.name.replace(".expected.json", ".log"))
    found = [json.loads(draw.render(engine, "json")) for engine in elv.read(log).engines]
    assert list(differences(json.loads(path.read_text("utf-8")), found)) == []


FOUND = "Found 2 layer(s) eligible to use sparse tactics: a, b"
ONE = "1 layer(s) eligible to use sparse tactics: c"
CHOSE = "Chose 0 layer(s) using sparse tactics: "
INSIDE = "[V] [TRT] (foreignNode) (Sparsity) "


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((FOUND, "Chose 1 layer(s) using sparse tactics: a"), Sparsity(2, 1, 2)),
        (
            (
                "Layers eligible for sparse math: a, b, c",
                "TRT inference plan picked sparse implementation for layers: ",
            ),
            Sparsity(3, 0, 2),
        ),
        ((FOUND, "x"), Sparsity(2, None, 2)),
        ((f"{FOUND}\n{INSIDE}Found {ONE}", CHOSE), Sparsity(3, None, 2)),
        ((f"{FOUND}\n{INSIDE}Found {ONE}", f"{CHOSE}\n{INSIDE}{CHOSE}"), Sparsity(3, 0, 2)),
    ],
)
def test_sparse_tactics_are_counted(lines: tuple[str, str], expected: Sparsity) -> None:
    log = f"""[V] [TRT] Adding network input: x with dtype: float32, dimensions: (1, 8)
[I] [TRT] (Sparsity) {lines[0]}
[V] [TRT] Timing Runner: a (CaskConvolution)
[V] [TRT] Tactic: 0x1 Time: 0.2
[I] [TRT] (Sparsity) {lines[1]}
[I] [TRT] Total Activation Memory: 77
[V] [TRT] Engine Layer Information:
Layer(CaskConvolution): a, Tactic: 0x1, x[Half(1,8)] -> y[Half(1,8)]
"""
    (engine,) = Log("a.log", chunks=[log.encode()], facts=True).engines()
    assert engine_facts(engine).sparsity == expected


def test_a_run_that_loads_an_engine_has_options_of_a_run_alone() -> None:
    log = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a.plan
[I] === Build Options ===
[I] Precision: FP32
[I] Load engine: a.plan
[I] === Inference Options ===
[I] Separate profiling: Disabled
[I] === Reporting Options ===
[I] Profile: Enabled
[I] Engine loaded in 0.03 sec.
[V] [TRT] Engine Layer Information:
Layer(CaskConvolution): a, Tactic: 0x1, x[Int8(1,8)] -> y[Int8(1,8)]
"""
    (engine,) = Log("a.log", chunks=[log.encode()], facts=True).engines()
    facts = engine_facts(engine)
    assert facts.precisions == (), "of no build"
    assert [(one.section, one.key) for one in facts.options] == [
        ("Inference", "Separate profiling"),
        ("Reporting", "Profile"),
    ]
    data: Any = data_of(engine)
    assert "measures none while it profiles the layers" in data["latency"]["advice"]


@pytest.mark.parametrize("again", ["x", "other"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_network_that_was_parsed_and_not_built_is_not_of_the_next_engine(
    tmp_path: Path, again: str, fails: bool
) -> None:
    """Two networks with inputs of other names may be parts of one, where no error stands between
    them."""
    lines = parsed("x", "lost") + [f"{E}While parsing node number 1 [Conv]:"] * fails
    lines += [*parsed(again, "kept"), f"{V}Original: 1 layers", HEADER.rstrip()]
    lines += [f"Layer(Conv): kept, Tactic: 0x1, {again} (Float[1,8]) -> y (Float[1,8])"]
    build = elv.read(file_of(tmp_path, text(*lines)), facts=True)
    (engine,) = build.engines
    facts = engine_facts(engine)
    apart = fails or again == "x"
    assert [one.name for one in facts.inputs] == ([again] if apart else ["x", again])
    assert (facts.warnings, facts.errors) == ((1, 0) if apart else (2, 0))
    assert [(one.warnings, one.errors) for one in build.unassigned] == [(1, fails)] * apart


def parsed(name: str, node: str) -> list[str]:
    """What a parser prints of a network of one node."""
    return [
        f"{V}Adding network input: {name} with dtype: float32, dimensions: (1, 8)",
        f"{W}INT64 weights are cast",
        f"{V}Parsing node: {node} [Conv]",
        f"{V}Registering layer: {node} for ONNX node: {node}",
    ]


@pytest.mark.parametrize(("node", "inputs"), [("kept", ["x"]), ("of another network", [])])
def test_a_listing_without_the_layers_at_the_ends_is_of_the_network_whose_nodes_it_has(
    node: str, inputs: list[str], tmp_path: Path
) -> None:
    lines = [*parsed("x", node), HEADER.rstrip()]
    lines += ["Layer(Conv): kept, Tactic: 0x1, a (Float[1,8]) -> b (Float[1,8])"]
    (engine,) = elv.read(file_of(tmp_path, text(*lines)), facts=True).engines
    assert [one.name for one in engine_facts(engine).inputs] == inputs


@pytest.mark.parametrize("facts", [True, False])
def test_reformats_are_those_of_the_kept_attempt(facts: bool) -> None:
    (path,) = FOLDER.glob("10.16-three-*.log")
    (engine,) = elv.read(path, facts=facts).engines
    assert dict(engine.layers[0].attributes)["ReformatTo"] == "Half(1,1:8)"


def test_a_warning_of_the_next_network_is_not_the_engine_s() -> None:
    (path,) = FOLDER.glob("10.16-three-*.log")
    build = elv.read(path, facts=True)
    unassigned = build.unassigned
    assert [(one.what, one.warnings, one.errors) for one in unassigned] == [("build", 2, 1)]
    lines = path.read_text().split("\n")
    assert "ModelImporter" in lines[unassigned[0].first_line - 1]


def test_facts_are_read_unless_the_layers_alone_are_wanted() -> None:
    (path,) = FOLDER.glob("8.2-*.log")
    for engine in (*elv.read(path).engines, *elv.iter_engines(path)):
        assert engine.facts is not None and engine.layers[0].facts is not None
    (engine,) = elv.read(path, facts=False).engines
    assert engine.facts is None
    assert [layer.facts for layer in engine.layers] == [None]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", ("a",)),
        ("a + b || c", ("a", "b", "c")),
        ("PWN(a, PWN(b + c, d))", ("a", "b", "c", "d")),
        ("x + PWN(a, b) + y", ("x", "a", "b", "y")),
        ("(Unnamed Layer* 3) [Shuffle] + b", ("(Unnamed Layer* 3) [Shuffle]", "b")),
        ("PWN((Unnamed Layer* 3) [ElementWise], b)", ("(Unnamed Layer* 3) [ElementWise]", "b")),
        ("f(a, b + c)", ("f(a, b + c)",)),
        ("a, b", ("a, b",)),
        ("{ForeignNode[a + b...c]}", ("a", "b", "c")),
        ("{ForeignNode[a]}", ("a",)),
        ("{ForeignNode[a...c]} [profile 12]", ("a", "c")),
        ("a + b [profile 1]", ("a", "b")),
        ("Reformatting CopyNode for Input Tensor 0 to a + b", ()),
        ("2-layer MLP: a + b -> c", ("a", "b", "c")),
        (") + a", (")", "a")),
        ("PWN(a", ("a",)),
        ("", ()),
    ],
)
def test_parts_of_a_fused_name(name: str, expected: tuple[str, ...]) -> None:
    assert parts(name) == expected


def test_a_fusion_without_a_rule() -> None:
    """Up to TensorRT 6 no rule is named, and what stands before is the host's severity."""
    path = FOLDER.parent / "classic" / "6.0-python-prefix-every-line.log"
    (engine,) = elv.read(path, facts=True).engines
    (step,) = (step for layer in engine.layers for step in layer_facts(layer).fused_from)
    assert step.rule == "Fusing"
    assert step.text.startswith("Fusing (Unnamed Layer* 21) [Fully Connected] with ")


@pytest.mark.parametrize(
    "said",
    [
        "[W] [TRT] The network has FP4 Q/DQ layers but the hardware does not accelerate FP4 use.",
        "[E] [TRT] Error Code: 9: Skipping tactic 0x0000000000000000 due to exception [a] no",
        "[E] [TRT] IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find "
        "any implementation for node {ForeignNode[other]}.)",
    ],
)
def test_what_a_build_says_behind_a_listing_is_of_another_build(said: str, tmp_path: Path) -> None:
    """The logger that saw that build left out its other messages."""
    log = tmp_path / "build.log"
    lines = (
        "[W] [TRT] of this one",
        "[V] [TRT] Engine Layer Information:",
        "Layer(Conv): c, Tactic: 0x1, x (Half[1,8]) -> y (Half[1,8])",
        "[V] [TRT] Adding 1 engine(s) to plan file.",
        said,
    )
    log.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    build = elv.read(log)
    (engine,) = build.engines
    facts = engine_facts(engine)
    assert ([message.text for message in facts.messages], facts.errors) == (["of this one"], 0)
    (rest,) = build.unassigned
    assert (rest.first_line, rest.warnings + rest.errors) == (5, 1)
    failed = "a build failed, and " if "implementation" in said else ""
    assert (rest.what, rest.why) == ("messages", f"{failed}no layers are listed in them")
