"""ONNX files of engines as other readers see them: a node for each layer, and its edges."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import onnx

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine


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
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"PATH": f"{program.parent}:/usr/bin:/bin"},
        capture_output=True,
        check=True,
        cwd=folder,
    )
    assert not done.stderr
    return done.stdout.decode().split("\0")
