"""`elv.capture` around a real builder, and the examples of the pages that need one."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import builder
import captured_builds
import pytest
from builder import VERBOSITIES
from logtext import file_of
from paths import ROOT
from residual_models import exported

import engine_layer_visualize as elv
from engine_layer_visualize.api.draw import render

pytestmark = builder.needed()

NETWORKS = ["residuals", "attention", "quantized", "three_profiles", "conditional", "from_onnx"]


def drawn(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("[0-9]*.json"))]


def shown(engine: elv.Engine) -> Any:
    return json.loads(render(engine, "json"))


def told(engine: dict[str, Any]) -> dict[str, Any]:
    """Without the log's name, and what is of its bytes: the second that a message has."""
    about = {key: value for key, value in engine["engine"].items() if key != "build_id"}
    about["source"] = {k: v for k, v in about["source"].items() if k != "file"}
    return {**engine, "engine": about}


@pytest.mark.parametrize("network", NETWORKS)
def test_engines_are_those_of_the_printed_log(network: str, tmp_path: Path) -> None:
    """At both verbosities; line numbers are the same, too."""
    builds = [(network, verbosity) for verbosity in VERBOSITIES]
    (tmp_path / "printed").write_text(captured_builds.run(tmp_path, [builds]), "utf-8")
    expected = elv.read(tmp_path / "printed", facts=True).engines
    found = drawn(tmp_path)
    assert len(found) == len(expected) == 2
    for engine, one in zip(expected, found):
        assert told(shown(engine)) == told(one)
    saved = elv.read(tmp_path / "captured.log", facts=True).engines
    for engine, one in zip(saved, found):
        assert told(shown(engine)) == told(one)


def test_builds_in_two_threads(tmp_path: Path) -> None:
    """Each engine is as it is without the other thread's builds."""
    networks = ("residuals", "attention")
    threads = [[(name, verbosity) for verbosity in VERBOSITIES] for name in networks]
    captured_builds.run(tmp_path, threads)
    alone = builder.build([build for one in threads for build in one], tmp_path)
    found = [(one["layers"], one["edges"]) for one in drawn(tmp_path)]
    assert len(found) == 4

    def unplaced(layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        left_out = ("line", "also_line", "facts")
        return [{k: v for k, v in layer.items() if k not in left_out} for layer in layers]

    seen = [(unplaced(layers), edges) for layers, edges in found]
    for number in range(4):
        log = file_of(tmp_path, alone.of(number).log(), "alone.log")
        wanted = shown(elv.read(log).engines[0])
        assert (unplaced(wanted["layers"]), wanted["edges"]) in seen


@pytest.mark.parametrize("network", ["without_outputs", "impossible_reshape"])
def test_a_build_that_fails(network: str, tmp_path: Path) -> None:
    printed = captured_builds.run(tmp_path, [[(network, "DETAILED")]])
    assert drawn(tmp_path) == []
    stamps = re.compile(r"^\[[-/:0-9]+\]", re.M)
    saved = (tmp_path / "captured.log").read_text("utf-8")
    assert stamps.sub("", saved) == stamps.sub("", printed)
    ((code, message),) = json.loads((tmp_path / "problems.json").read_text())
    assert code == "ELV404"
    error = re.findall(r"\[E\] (.*)", printed)[-1]
    assert error[:40] in message


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise here")
def test_an_interrupt_of_a_build(tmp_path: Path) -> None:
    """It comes while the builder is at work; it is raised at the end of the `with`."""
    module = next(name for name in builder.MODULES if find_spec(name))
    program = f"""
import os, signal, sys, threading
import numpy as np
import engine_layer_visualize as elv
import {module} as trt

try:
    with elv.capture() as captured:
        inner = captured.logger(trt)

        class Logger(trt.ILogger):
            def __init__(self):
                trt.ILogger.__init__(self)

            def log(self, severity, text):
                inner.log(severity, text)
                if text.startswith("Original: "):
                    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()

        logger = Logger()
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        x = network.add_input("x", trt.float32, (1, 8, 16, 16))
        for number in range(80):
            weights = np.full((8, 8, 3, 3), 0.01, np.float32)
            x = network.add_convolution_nd(x, 8, (3, 3), trt.Weights(weights)).get_output(0)
            x = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
            x = network.add_padding_nd(x, (1, 1), (1, 1)).get_output(0)
        network.mark_output(x)
        config = builder.create_builder_config()
        plan = builder.build_serialized_network(network, config)
        print("built", plan is not None)
except KeyboardInterrupt:
    print("interrupted", len(captured.engines))
"""
    done = ran(program, tmp_path)
    assert done.stdout.splitlines() == ["built True", "interrupted 1"]
    assert "KeyboardInterrupt" not in done.stderr


# ---- examples ------------------------------------------------------------------------------------


def installed(package: str) -> pytest.MarkDecorator:
    """CI has it."""
    absent = find_spec(package) is None and not os.environ.get("CI")
    return pytest.mark.skipif(absent, reason=f"{package} is not installed")


def example(page: str, words: str) -> str:
    """The block of the page in which these words stand."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    (found,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if words in block]
    return str(found)


def ran(program: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "model.onnx").write_bytes(exported("by_part").model)
    own, words = {**os.environ, **environment}, [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_the_example_of_the_pages(tmp_path: Path) -> None:
    """With the builder that is here, and a network."""
    module = next(name for name in builder.MODULES if find_spec(name))
    before = f"""
import sys, {module} as trt
sys.modules["tensorrt"] = trt
has_gpu = False

def define(network):
    image = network.add_input("image", trt.float32, (1, 3, 8, 8))
    layer = network.add_activation(image, trt.ActivationType.RELU)
    network.mark_output(layer.get_output(0))
"""
    done = ran(before + example("python.md", "with elv.capture() as captured:\n"), tmp_path)
    assert re.fullmatch(r"<Engine 0 of <captured>: \d+ layers?, \d+ edges?>\n", done.stdout)
    assert (tmp_path / "engine.html").is_file()
    assert len(elv.read(tmp_path / "build.log").engines) == 1


@installed("polygraphy")
def test_polygraphy(tmp_path: Path) -> None:
    rtx = {"POLYGRAPHY_USE_TENSORRT_RTX": "1"}
    done = ran(example("python.md", "capture.polygraphy"), tmp_path, **rtx)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("(<Engine")]
    assert re.fullmatch(r"\(<Engine 0 of <captured>: \d+ layers?, \d+ edges?>,\)", line)


@installed("onnxruntime")
def test_onnx_runtime(tmp_path: Path) -> None:
    """Without a GPU it builds no engine; what it logs is kept all the same."""
    program = example("getting-a-log.md", "capture.onnxruntime")
    done = ran(f"{program}\ncaptured.save('build.log')", tmp_path)
    assert done.stdout.splitlines()[-1] == "()"
    assert ":onnxruntime:" in (tmp_path / "build.log").read_text("utf-8")
    assert "[V:onnxruntime:" not in done.stderr


def test_the_notebook_of_the_pages(tmp_path: Path) -> None:
    """Its cells run one after another, and the last value of each can be shown."""
    notebook = json.loads((ROOT / "docs" / "capture.ipynb").read_text("utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    program = f"""
import ast, json
space = {{}}
for cell in json.loads({json.dumps(json.dumps(cells))}):
    *body, last = ast.parse(cell).body
    exec(compile(ast.Module(body, []), "cell", "exec"), space)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)
        shows = getattr(value, "_repr_html_", None) or getattr(value, "_repr_markdown_", None)
        print(type(value).__name__, "<svg" in shows() if shows else "")
    else:
        exec(compile(ast.Module([last], []), "cell", "exec"), space)
"""
    done = ran(program, tmp_path)
    assert done.stdout.splitlines()[:2] == ["capture True", "Engine True"]
