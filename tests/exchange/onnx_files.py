"""ONNX files of engines as other readers see them, and models that the tests make."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine

FLOAT: Final = TensorProto.FLOAT


def node(operator: str, reads: str, writes: str, name: str | None = None, **more: Any) -> Any:
    """Named after what it writes, where nothing else is said."""
    own = f"/{writes.split()[0]}" if name is None else name
    return helper.make_node(operator, reads.split(), writes.split(), name=own, **more)


def info(name: str, *dims: int | str, kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, dims)


def model_of(
    nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], **weights: Any
) -> Any:
    held = [numpy_helper.from_array(np.asarray(one), name) for name, one in weights.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def with_functions(made: Any, *functions: tuple[str, str, Sequence[Any]], **more: Any) -> Any:
    """With functions of its own domain, each of inputs (a word each) that gives `o`."""
    own = helper.make_opsetid("own", 1)
    opsets = [made.opset_import[0], own]
    if own not in made.opset_import:
        made.opset_import.append(own)
    for name, inputs, inner in functions:
        made.functions.append(
            helper.make_function("own", name, inputs.split(), ["o"], inner, opsets, **more)
        )
    return made


def exported(engine: Engine, format: str = "onnx") -> Any:
    """The model, which onnx.checker finds right."""
    made = onnx.load_from_string(draw.render(engine, format))
    onnx.checker.check_model(made)
    return made


def edges(model: Any) -> set[tuple[int, int]]:
    """From layer to layer, by their places."""
    nodes = list(enumerate(model.graph.node))
    makers = {name: place for place, node in nodes for name in node.output}
    read = ((place, name) for place, node in nodes for name in node.input)
    return {(makers[name], place) for place, name in read if name in makers}


def attributes(node: Any) -> dict[str, Any]:
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}


def words_of_a_shell(command: str, folder: Path) -> list[str]:
    """What a trtexec is given that a shell starts in the folder."""
    (folder / "tools").mkdir()
    program = folder / "tools" / "trtexec"
    program.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    program.chmod(0o755)
    shell, path = ["/bin/sh", "-c", command], {"PATH": f"{program.parent}:/usr/bin:/bin"}
    done = subprocess.run(shell, env=path, capture_output=True, check=True, cwd=folder)
    assert not done.stderr
    return done.stdout.decode().split("\0")
