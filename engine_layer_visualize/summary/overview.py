"""The engine in one paragraph.

takes: an `Engine`
gives: its size, its time and where that comes from, its machine and its build, its inputs, outputs
never: says what the log does not
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from engine_layer_visualize import measures
from engine_layer_visualize.model import Engine, JsonValue
from engine_layer_visualize.reasons import is_reformat
from engine_layer_visualize.summary.page import Block, Heading, Text, counted, ms


def collect(engine: Engine, top: int) -> JsonValue:
    facts = engine.facts
    source = measures.source(engine)
    timed = [layer for layer in engine.layers if measures.cost(layer, source) is not None]
    device = facts.device if facts is not None else None
    return {
        "index": engine.index,
        "file": engine.source.file,
        "first_line": engine.source.first_line,
        "last_line": engine.source.last_line,
        "dialect": engine.dialect,
        "tensorrt": engine.tensorrt,
        "layers": len(engine.layers),
        "edges": len(engine.graph.between),
        "reformats": sum(map(is_reformat, engine.layers)),
        "inputs": list(engine.inputs),
        "outputs": list(engine.outputs),
        "times": source,
        "timed": len(timed),
        "total_ms": measures.total(engine.layers, source),
        "device": asdict(device) if device is not None else None,
        "precisions": list(facts.precisions) if facts is not None else [],
        "options": [asdict(option) for option in facts.options] if facts is not None else [],
        "phases": [asdict(phase) for phase in facts.phases] if facts is not None else [],
        "passes": [asdict(step) for step in facts.passes] if facts is not None else [],
    }


def page(data: JsonValue) -> Iterator[Block]:
    assert isinstance(data, dict)
    yield Heading(f"Engine {data['index']} of {data['file']}", level=1)
    yield Text(" ".join(_sentences(data)))


def _sentences(data: dict[str, JsonValue]) -> Iterator[str]:
    layers, timed = data["layers"], data["timed"]
    assert isinstance(layers, int) and isinstance(timed, int)
    reformats, edges = data["reformats"], data["edges"]
    assert isinstance(reformats, int) and isinstance(edges, int)
    version = f"TensorRT {data['tensorrt']}" if data["tensorrt"] else "TensorRT, version not told"
    machine = _machine(data["device"])
    yield f"{version}{machine}: {counted(layers, 'layer')}, {counted(edges, 'edge')},"
    yield f"{counted(reformats, 'reformat')}; {_names(data, 'inputs')} → {_names(data, 'outputs')}."
    allowed = data["precisions"]
    if isinstance(allowed, list) and allowed:
        yield f"The build allowed {', '.join(map(str, allowed))}."
    if data["times"] == "measured":
        yield f"The layers take {ms(data['total_ms'])} together, {timed} of {layers} are timed."
    elif data["times"] == "estimated":
        yield (
            f"Nothing is measured; by the builder's own estimates the layers take "
            f"{ms(data['total_ms'])} together ({timed} of {layers} have one)."
        )
    else:
        yield "No times are known."
    phases = data["phases"]
    if isinstance(phases, list) and phases:
        last = [p for p in phases if isinstance(p, dict) and "generation" in str(p["name"])]
        if last:
            yield f"Engine generation took {last[-1]['seconds']} s."


def _machine(device: JsonValue) -> str:
    if not isinstance(device, dict) or not device.get("name"):
        return ""
    told = [f"{device['sms']} SMs"] if device.get("sms") else []
    if device.get("compute_capability"):
        told.append(f"compute capability {device['compute_capability']}")
    return f" on {device['name']}" + (f" ({', '.join(told)})" if told else "")


_SHOWN = 4


def _names(data: dict[str, JsonValue], key: str) -> str:
    names = data[key]
    assert isinstance(names, list)
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return (shown or f"no {key}") + (f" and {more} more" if more > 0 else "")
