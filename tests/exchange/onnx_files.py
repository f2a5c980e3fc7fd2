"""ONNX files as other readers see them: checked, and their edges as in an engine's JSON."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import onnx

from engine_layer_visualize import writers
from engine_layer_visualize.display import Engine


def exported(engine: Engine, format: str = "onnx") -> Any:
    """The model, which onnx.checker finds right."""
    made = onnx.load_from_string(writers.render(engine, format))
    onnx.checker.check_model(made)
    return made


def layers(model: Any) -> list[Any]:
    """The nodes that are layers, in their order."""
    return [node for node in model.graph.node if node.domain == "tensorrt"]


def edges(model: Any) -> set[tuple[int, int]]:
    """From layer to layer, by their places; what joins several tensors is an edge of each."""
    numbers = {node.name: number for number, node in enumerate(layers(model))}
    makers = {name: node for node in model.graph.node for name in node.output}

    def sources(name: str) -> list[int]:
        maker = makers.get(name)
        if maker is None:
            return []
        if maker.domain == "tensorrt":
            return [numbers[maker.name]]
        return [number for read in maker.input for number in sources(read)]

    return {
        (source, target)
        for target, node in enumerate(layers(model))
        for name in node.input
        for source in sources(name)
    }


def attributes(node: Any) -> dict[str, Any]:
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}


def metadata(message: Any) -> dict[str, str]:
    return {one.key: one.value for one in message.metadata_props}


def flags(script: Path) -> list[str]:
    """What trtexec is given by a script that times a piece of a model."""
    words = shlex.split(script.read_text("utf-8"), comments=True)
    return [word for word in words[words.index("exec") + 2 :] if word.strip()]
