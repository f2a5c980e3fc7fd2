"""An engine that is loaded in the user's program, through its own inspector."""

from __future__ import annotations

import sys
from typing import Any, Final

from engine_layer_visualize.display import Engine
from engine_layer_visualize.pipeline import Log

_NAME: Final = "<inspector>"
_JSON: Final = 1  # of TensorRT's LayerInformationFormat


def inspect(trt_engine: Any) -> Engine:
    """The engine that an `ICudaEngine` is, with no log: its inspector's JSON, read as a file of
    `trtexec --exportLayerInfo`.

    Tensors, and so the graph, are known of an engine that was built with DETAILED profiling
    verbosity. Raises TypeError where `trt_engine` is another value, ReadError where its inspector
    gives no layers.
    """
    if not hasattr(trt_engine, "create_engine_inspector"):
        found = type(trt_engine).__name__
        raise TypeError(f"an ICudaEngine is wanted (trt.Runtime(…).deserialize_…), not {found}")
    # The enumeration is that of the engine's own bindings.
    module = sys.modules.get(type(trt_engine).__module__)
    formats = getattr(module, "LayerInformationFormat", None)
    text = trt_engine.create_engine_inspector().get_engine_information(
        _JSON if formats is None else formats.JSON
    )
    data = str(text).encode("utf-8", "backslashreplace")
    (engine,) = Log(_NAME, chunks=[data]).engines()
    return engine
