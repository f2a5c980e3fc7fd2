"""Numbers in; an engine out, which is written in every format."""

from __future__ import annotations

import json
from typing import Final

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Timing
from engine_layer_visualize.io.source import decode
from fuzz import promises

_TYPES: Final = ("Convolution", "Reformat", "Myelin", "NoOp", "kgen", "gemm", "PointWise", "")
_FORMATS: Final = ("Row major linear FP32", "Channel major FP16 format", "Half", "Int8:HWC", "é")


def network(data: bytes) -> Engine | None:
    """Numbers as a network: each layer reads and writes a few of sixteen tensors."""
    numbers = iter(data)
    words = decode(data[-40:])

    def take() -> int:
        return next(numbers, 0)

    def tensors(count: int) -> list[dict[str, object]]:
        made: list[dict[str, object]] = []
        for _ in range(count):
            which, shape = take() % 16, take()
            name = f"t{which}" if which < 12 else f"{words}{which}"
            dims = [shape % 5 - 1] * (shape % 4)
            form = _FORMATS[shape % len(_FORMATS)]
            made.append({"Name": name, "Dimensions": dims, "Format/Datatype": form})
        return made

    layers = []
    for number in range(take() % 24 + 1):
        ends = take()
        layers.append(
            {
                "Name": words if ends % 7 == 6 else f"layer {number % 9}" + " + b" * (ends % 3),
                "LayerType": _TYPES[take() % len(_TYPES)] if ends % 11 else words,
                "Inputs": tensors(ends % 4),
                "Outputs": tensors(ends // 4 % 4),
                "TacticName": words if ends % 5 == 4 else f"kernel{ends % 3}",
                "Metadata": words,
            }
        )
    text = json.dumps({"Layers": layers}).encode()
    found = promises.engines([text], facts=bool(take() % 2))
    if not found:
        return None
    (engine,) = found
    times = [None if (n := take()) % 3 == 0 else Timing(n / 100, None, float(n)) for _ in layers]
    timed = (x._replace(time=time) for x, time in zip(engine.layers, times))
    return engine._replace(layers=tuple(timed))
